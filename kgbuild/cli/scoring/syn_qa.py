"""The command that scores the detection of false assumptions."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kgbuild.cli import screen
from kgbuild.cli.scoring.compared import compare_option, show_compared
from kgbuild.cli.scoring.groups import (
    by_option,
    exactly,
    file_or_predictions,
    given,
    grouped,
    rounded,
    tell_unanswered,
)
from kgbuild.cli.scoring.kept import keep
from kgbuild.datasets.syn_qa.metrics import BIAS, parse, score
from kgbuild.evaluate.answers import OF_A_PAIR, Answer
from kgbuild.evaluate.bootstrap import Estimates, Share

if TYPE_CHECKING:
    from kgbuild.tables.database import Database

_PAIRS = "SELECT pair_id, relation, falsity, CAST(hops AS VARCHAR) AS hops, split FROM syn_qa_pairs"


@click.command("syn-qa")
@file_or_predictions
@by_option(("relation", "falsity", "hops", "split"))
@compare_option
@screen.db_option
@screen.json_option
def syn_qa(file: Path | None, by: str | None, compare: bool, db: "Database", as_json: bool) -> None:
    """Score how well models tell questions with a false assumption.

    Without FILE, the answers are those of 'kgbuild ask'. FILE is JSON, JSON Lines, CSV, TSV or
    Parquet, by its ending. Its columns are pair_id, false_assumption (which question of the pair
    was asked) and answer (the model's text); model and protocol, if there are any, are scored
    one by one. All stands with its 95 % bootstrap interval, and is kept in the table scores. So
    take the prompts, send each to a model, add what it says as answer, and score.

    \b
    Example:
      kgbuild score syn-qa
      kgbuild sql --json "FROM syn_qa_prompts WHERE protocol = 'zero-shot'" > prompts.json
      kgbuild score syn-qa answers.json
      kgbuild score syn-qa answers.json --by relation
      kgbuild score syn-qa answers.json --compare
    """
    known = db.sql(_PAIRS)
    pairs = {row[0]: dict(zip(known.columns, row, strict=True)) for row in known.rows}
    said = given(file, db, "syn_qa")
    groups = grouped(said, OF_A_PAIR, pairs, by)
    if compare:
        show_compared(said, groups, "accuracy", _right, as_json)
        return
    scores = [(group, score(found)) for group, found in groups]
    row = exactly if as_json else _cells
    screen.show([{**group, **row(made)} for group, made in scores], as_json)
    if incomplete := sum(_incomplete(made) for _, made in scores):
        screen.say(f"\nPairs with one question answered only, and so not counted: {incomplete:,}")
    tell_unanswered(groups, 2 * len(pairs))
    keep(db, said, by, scores)


def _right(answer: Answer) -> Share:
    return Share(parse(answer.text) is answer.false_assumption, 1)


def _cells(made: Estimates) -> dict[str, Any]:
    """Return a score as cells of a table."""
    return {
        "questions": made["accuracy"].of,
        "accuracy": rounded(made["accuracy"]),
        "on true": rounded(made["on_true"]),
        "on false": rounded(made["on_false"]),
        "bias": rounded(made[BIAS], "{:+.0%}"),
        "paired accuracy": rounded(made["paired_accuracy"]),
        "unparsed": f"{made['unparsed'].value:.0%}",
    }


def _incomplete(made: Estimates) -> int:
    """Return how many pairs have one question answered only."""
    return made["incomplete"].of - made["paired_accuracy"].of
