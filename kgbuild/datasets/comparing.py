"""Compare models by their answers to the same questions of a dataset."""

from collections import defaultdict
from collections.abc import Mapping
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

from kgbuild.datasets.scoring import AnswerSet, Group, scorer_of
from kgbuild.errors import WrongCallError
from kgbuild.evaluate.bootstrap import Item, Share
from kgbuild.evaluate.paired import Comparison, compare, holm
from kgbuild.rows import require_columns

if TYPE_CHECKING:
    from kgbuild.tables.database import Database


class ModelComparison(NamedTuple):
    """The difference between the models ``model`` and ``other`` in a metric.

    ``group`` holds the columns in which their answers agree, such as the protocol. ``result`` is
    None if they answered no common question; ``one_alone`` counts the questions that only one of
    them answered. ``corrected_p`` is the p of the result, by Holm's method for all comparisons.
    """

    group: Group
    metric: str
    model: str
    other: str
    result: Comparison | None
    one_alone: int
    corrected_p: float | None = None

    @property
    def cells(self) -> dict[str, Any]:
        """The comparison as the cells of a table row for people."""
        result = self.result
        names = f"{self.metric} of both", "difference", "p", "p (Holm)"
        cells = dict.fromkeys(names, "")
        if result:
            low, high = (f"{end * 100:+.1f}" for end in result.interval)
            both = f"{result.one:.1%}, {result.other:.1%}"
            difference = f"{result.difference * 100:+.1f} ({low} to {high})"
            ps = _probability(result.p), _probability(self.corrected_p or 0.0)
            cells = dict(zip(names, (both, difference, *ps), strict=True))
        counts = {"questions": result.items if result else 0, "one alone": self.one_alone}
        return {**self.group, "model": self.model, "other": self.other, **cells, **counts}


def _probability(p: float) -> str:
    """Return a probability as a table cell; one below 0.001 by its power of ten: 2e-05."""
    return f"{p:.3f}" if p >= 0.001 else f"{p:.0e}"


def _conditions(group: Group) -> tuple[tuple[str, str], ...]:
    """Return what the answers of a group share, but for their model."""
    return tuple((name, value) for name, value in group.items() if name != "model")


def compare_models(answer_set: AnswerSet, db: "Database", **options: Any) -> list[ModelComparison]:
    """Compare each pair of models that answered under the same conditions, such as the protocol.

    ``Scoring.compared`` names the metric; ``options`` are those of the dataset's scorer. Answers
    are paired by the id of their question (``answer.asked``) and by ``false_assumption``; the
    scorer returns the share of the metric that one answer reaches.

    Raises:
        WrongCallError: the answers have no column model; no two models answered under the same
            conditions.
    """
    require_columns(answer_set.path, answer_set.columns, ["model"])
    shares_by_conditions: dict[tuple[tuple[str, str], ...], dict[str, Mapping[Item, Share]]] = (
        defaultdict(dict)
    )
    for group, _ in answer_set.groups:
        shares_by_conditions[_conditions(group)][group["model"]] = {}
    if all(len(shares_by_model) < 2 for shares_by_model in shares_by_conditions.values()):
        raise WrongCallError(
            f"--compare needs two models with answers by the same protocol; {answer_set.path} "
            "has none."
        )
    scorer = scorer_of(answer_set, db, **options)
    for group, answers in answer_set.groups:
        shares_by_conditions[_conditions(group)][group["model"]] = {
            (answer.asked, answer.false_assumption): scorer.share(answer) for answer in answers
        }
    comparisons = [
        ModelComparison(
            dict(conditions),
            answer_set.scoring.compared,
            model,
            other,
            compare(shares_by_model[model], shares_by_model[other]),
            len(shares_by_model[model].keys() ^ shares_by_model[other].keys()),
        )
        for conditions, shares_by_model in shares_by_conditions.items()
        for model, other in combinations(shares_by_model, 2)
    ]
    corrected = iter(holm([comparison.result.p for comparison in comparisons if comparison.result]))
    return [
        comparison._replace(corrected_p=next(corrected)) if comparison.result else comparison
        for comparison in comparisons
    ]
