"""Compare models by their answers to the same questions of a dataset."""

from collections import defaultdict
from collections.abc import Mapping
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

from kgbuild.datasets.base import call
from kgbuild.datasets.scoring import AnswerSet, Group
from kgbuild.errors import NothingToCompareError
from kgbuild.evaluate.bootstrap import Item, Share
from kgbuild.evaluate.paired import Comparison, compare
from kgbuild.rows import require_columns

if TYPE_CHECKING:
    from kgbuild.tables.database import Database


class ModelComparison(NamedTuple):
    """The difference of two models whose answers have ``group`` in common.

    ``result`` is None if they have no common question; ``one_alone`` counts the questions that
    only one of the two answered.
    """

    group: Group
    metric: str
    model: str
    other: str
    result: Comparison | None
    one_alone: int


def compare_models(answer_set: AnswerSet, db: "Database", **options: Any) -> list[ModelComparison]:
    """Compare each pair of models whose groups differ only in the model, by one metric.

    Raises:
        MissingColumnError: the answers have no column model.
        NothingToCompareError: no pair of models has such groups.
    """
    require_columns(answer_set.path, answer_set.columns, ["model"])
    scoring = answer_set.scoring
    scorer = call(answer_set.dataset, scoring.scorer, db, answer_set.path, **options)
    runs: dict[tuple[tuple[str, str], ...], dict[str, Mapping[Item, Share]]] = defaultdict(dict)
    for group, of_group in answer_set.groups:
        rest = tuple((name, value) for name, value in group.items() if name != "model")
        runs[rest][group["model"]] = {
            (answer.asked, answer.false_assumption): scorer.share(answer) for answer in of_group
        }
    comparisons = [
        ModelComparison(
            dict(rest),
            scoring.compared,
            model,
            other,
            compare(models[model], models[other]),
            len(models[model].keys() ^ models[other].keys()),
        )
        for rest, models in runs.items()
        for model, other in combinations(models, 2)
    ]
    if not comparisons:
        raise NothingToCompareError(answer_set.path)
    return comparisons
