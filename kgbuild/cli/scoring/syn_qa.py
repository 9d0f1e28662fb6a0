"""The command that scores the detection of false assumptions."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kgbuild.cli import screen
from kgbuild.cli.scoring.output import (
    by_option,
    compare_option,
    file_or_predictions,
    keep,
    read,
    report_unanswered,
    rounded,
    show_comparisons,
)
from kgbuild.datasets.scoring import exact, score
from kgbuild.datasets.syn_qa.dataset import DATASET
from kgbuild.datasets.syn_qa.metrics import BIAS
from kgbuild.datasets.syn_qa.scoring import SCORING
from kgbuild.evaluate.bootstrap import Estimates

if TYPE_CHECKING:
    from kgbuild.tables.database import Database


@click.command("syn-qa")
@file_or_predictions
@by_option(SCORING.group_columns)
@compare_option
@screen.db_option
@screen.json_option
def syn_qa(file: Path | None, by: str | None, compare: bool, db: "Database", as_json: bool) -> None:
    """Score how well models tell questions with a false assumption.

    Without FILE, it scores the answers of 'kgbuild ask'. FILE is JSON, JSON Lines, CSV, TSV or
    Parquet. Its columns are pair_id, false_assumption (which question of the pair was asked),
    answer (the text of the model), and optionally model and protocol, which are scored separately.
    Scores have 95 % bootstrap intervals and are written to the table scores.

    \b
    Example:
      kgbuild score syn-qa
      kgbuild sql --json "FROM syn_qa_prompts WHERE protocol = 'zero-shot'" > prompts.json
      kgbuild score syn-qa answers.json
      kgbuild score syn-qa answers.json --by relation
      kgbuild score syn-qa answers.json --compare
    """
    answer_set = read(DATASET, file, db, by)
    if compare:
        show_comparisons(answer_set, db, as_json)
        return
    scores = score(answer_set, db)
    row = exact if as_json else _cells
    screen.show([{**group, **row(metrics)} for group, metrics in scores.groups], as_json)
    if incomplete := sum(_incomplete(metrics) for _, metrics in scores.groups):
        screen.say(f"\nPairs with one question answered only, and so not counted: {incomplete:,}")
    report_unanswered(answer_set)
    keep(scores, db)


def _cells(metrics: Estimates) -> dict[str, Any]:
    """Return a score as cells of a table."""
    return {
        "questions": metrics["accuracy"].of,
        "accuracy": rounded(metrics["accuracy"]),
        "on true": rounded(metrics["on_true"]),
        "on false": rounded(metrics["on_false"]),
        "bias": rounded(metrics[BIAS], "{:+.0%}"),
        "paired accuracy": rounded(metrics["paired_accuracy"]),
        "unparsed": f"{metrics['unparsed'].value:.0%}",
    }


def _incomplete(metrics: Estimates) -> int:
    """Return how many pairs have one question answered only."""
    return metrics["incomplete"].of - metrics["paired_accuracy"].of
