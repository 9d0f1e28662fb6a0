"""The command ``score granola``: it scores answers against true answers of every granularity.

Two accuracies are compared: GRANOLA's counts a match with any true answer, the standard one only a
match with the finest. A *stratum* holds the answers with the same verdict by both accuracies.
"""

from collections.abc import Sequence
from typing import Any

import click

from kgbuild.cli import output
from kgbuild.cli.models.chosen_model import ChosenModel
from kgbuild.cli.models.model_options import model_options
from kgbuild.cli.models.scoring.common import ScoreCall, TestedJudge, score_options, show_table
from kgbuild.cli.options import option_of, refuse_unused
from kgbuild.datasets.asking import Grader
from kgbuild.datasets.granola.dataset import DATASET
from kgbuild.datasets.granola.scoring.grader import agreement
from kgbuild.datasets.granola.scoring.metrics import DATE_THRESHOLD, THRESHOLD, Stratum
from kgbuild.datasets.granola.scoring.scorer import F1, SCORING, Granularity
from kgbuild.datasets.scoring import Group, Scores
from kgbuild.evaluate.bootstrap import Estimate, Estimates
from kgbuild.evaluate.judge_replies import missing
from kgbuild.models.chat import Failure
from kgbuild.rows import natural

_LEVEL = "level_"
"""The beginning of the metrics level_1, level_2, …: the shares of answers that match each level."""
_VERDICTS = {True: "right", False: "wrong"}


@click.command("granola")
@option_of(
    Granularity,
    "match",
    "Match answers by the items and dates that they name, or by the token F1 of the paper.",
)
@option_of(
    Granularity,
    "threshold",
    "With --match f1: τ, the F1 above which texts match.  "
    f"[default: {THRESHOLD}; of dates {DATE_THRESHOLD}]",
)
@option_of(
    Granularity,
    "decay",
    "λ: informativeness falls by the factor exp(-λ) per level.",
    show_default="ln 2",
)
@click.option(
    "--similarity",
    metavar="MODEL",
    help="Show similarity in meaning by a sentence-transformers model, or by a model that rates "
    "pairs, such as BLEURT: its folder or name.",
)
@model_options(
    "A language model that judges the answers in which no rule finds a true answer or a refusal.",
    option="--grader",
)
@click.option("--grade-all", is_flag=True, help="With --grader: it judges every answer.")
@score_options(SCORING)
def granola(
    asked: ScoreCall,
    match: str,
    threshold: float | None,
    decay: float,
    similarity: str | None,
    llm: ChosenModel | None,
    grade_all: bool,
) -> None:
    """Score models' answers against true answers of every granularity.

    Without FILE, it scores the answers of 'kgbuild ask'. FILE is JSON, JSON Lines, CSV, TSV or
    Parquet. Its columns are question_id, answer (the text of the model), and optionally model and
    protocol, which are scored separately. Scores have 95 % bootstrap intervals and are written to
    the table scores. Accuracy is the share of answers that match any level, standard accuracy
    the share that match the finest one: of all answers, and of all except "IDK" and the like.
    An answer matches by the items or dates that it names, also inside a sentence. With --grader, a
    model judges the answers that the rules leave open, or all. -o writes the verdict on each
    answer, with its reason and who judged.
    Informativeness weighs right answers by their level, information by their bits: 1 for the finest
    answer, 0 for one that covers everything. With --similarity, a second table shows the similarity
    in meaning to the finest answer, for answers that are right or wrong by either accuracy.

    \b
    Example:
      kgbuild score granola
      kgbuild sql --json "SELECT question_id, question FROM granola_questions" > questions.json
      kgbuild score granola answers.json
      kgbuild score granola answers.json -o scored.jsonl
      kgbuild score granola answers.json --by popularity
      kgbuild score granola answers.json --compare
      kgbuild score granola answers.json --grader my-model --base-url http://localhost:8000/v1
    """
    refuse_unused(match != F1, "without --match f1", "threshold")
    refuse_unused(not llm, "without --grader", "grade_all")
    refuse_unused(asked.compare, "with --compare", "similarity", "model", "decay")
    answer_set = asked.read(DATASET)
    settings: dict[str, Any] = {"match": match, "threshold": threshold, "decay": decay}
    judge: str | TestedJudge = ""
    if llm:
        judge = TestedJudge(llm, "grades", agreement, " (every answer)" if grade_all else "")
        grader = Grader(llm.name, judge.ask, _report_unreadable)
        settings |= {"grader": grader, "grade_all": grade_all}

    def show(scores: Scores) -> None:
        strata = _strata(scores, similarity)
        asked.show_scores(scores, [{"strata": [*map(_values, of)]} for of in strata if of])
        if not asked.as_json:
            _show_levels(scores.groups)
            _show_strata(scores.groups, strata)

    asked.score(answer_set, judge, show, **settings)


def _report_unreadable(failures: Sequence[Failure]) -> None:
    unreadable = [failure for failure in failures if missing(failure) is None]
    if unreadable:
        output.notify(
            f"  Grades that can't be read: {len(unreadable):,} (such as: {unreadable[0].detail}). "
            "The rules judge these answers."
        )


def _strata(scores: Scores, model: str | None) -> list[Sequence[Stratum]]:
    """Return the strata of each group of answers; no strata if no model compares meanings."""
    answers, scorer = scores.answers, scores.scorer
    if not model or not isinstance(scorer, Granularity):
        return [() for _ in answers.groups]
    with output.progress(f"comparing the meanings of {len(answers.answers):,} answers"):
        return [scorer.strata(group, model) for _, group in answers.groups]


def _show_levels(groups: Sequence[tuple[Group, Estimates]]) -> None:
    """Print the shares of answers by the level that they match, 0 for levels without metric."""
    names = {name for _, metrics in groups for name in metrics if name.startswith(_LEVEL)}
    none = Estimate(0.0, 0, None)
    rows = [
        {
            **group,
            **{
                name.removeprefix(_LEVEL): f"{metrics.get(name, none).value:.1%}"
                for name in sorted(names, key=natural)
            },
        }
        for group, metrics in groups
        if names
    ]
    show_table(rows, "Answers by the finest level that they match (1 is the finest):")


def _show_strata(
    groups: Sequence[tuple[Group, Estimates]], strata_by_group: Sequence[Sequence[Stratum]]
) -> None:
    """Print how similar in meaning the answers of each stratum are to the finest true answer."""
    rows = [
        {
            **group,
            "standard": _VERDICTS[stratum.standard],
            "GRANOLA": _VERDICTS[stratum.granola],
            "answers": stratum.answers.hits,
            "share": "" if stratum.answers.value is None else f"{stratum.answers.value:.0%}",
            "similarity": "" if stratum.similarity is None else f"{stratum.similarity:.2f}",
        }
        for (group, _), strata in zip(groups, strata_by_group, strict=True)
        for stratum in strata
    ]
    show_table(rows)


def _values(stratum: Stratum) -> dict[str, Any]:
    return {
        "standard": stratum.standard,
        "granola": stratum.granola,
        "answers": stratum.answers.hits,
        "share": stratum.answers.value,
        "similarity": stratum.similarity,
    }
