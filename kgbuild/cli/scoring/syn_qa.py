"""The command that scores the detection of false assumptions."""

from pathlib import Path
from typing import Any

import click

from kgbuild import tables
from kgbuild.cli import screen
from kgbuild.cli.scoring.groups import by_option, exactly, file_argument, grouped, rounded
from kgbuild.metrics.answers import OF_A_PAIR
from kgbuild.metrics.detection import Score, score

_PAIRS = "SELECT pair_id, relation, falsity, CAST(hops AS VARCHAR) AS hops, split FROM syn_qa_pairs"


@click.command("syn-qa")
@file_argument
@by_option(("relation", "falsity", "hops", "split"))
@screen.db_option
@screen.json_option
def syn_qa(file: Path, by: str | None, db: Path, as_json: bool) -> None:
    """Score how well models tell questions with a false assumption.

    FILE is JSON, JSON Lines, CSV, TSV or Parquet, by its ending. Its columns are pair_id,
    false_assumption (which question of the pair was asked) and answer (the model's text);
    model and protocol, if there are any, are scored one by one. Shares stand with their 95 %
    intervals. So take the prompts, send each to a model, add what it says as answer, and score.

    \b
    Example:
      kgbuild sql --json "FROM syn_qa_prompts WHERE protocol = 'zero-shot'" > prompts.json
      kgbuild score syn-qa answers.json
      kgbuild score syn-qa answers.json --by relation
    """
    known = tables.sql(db, _PAIRS)
    pairs = {row[0]: dict(zip(known.columns, row, strict=True)) for row in known.rows}
    scores = [(group, score(found)) for group, found in grouped(file, OF_A_PAIR, pairs, by)]
    row = _values if as_json else _cells
    screen.show([{**group, **row(made)} for group, made in scores], as_json)
    if incomplete := sum(made.incomplete for _, made in scores):
        screen.say(f"\nPairs with one question answered only, and so not counted: {incomplete:,}")


def _values(made: Score) -> dict[str, Any]:
    """Return a score as values."""
    return {
        "questions": made.accuracy.of,
        **exactly("accuracy", made.accuracy),
        **exactly("on_true", made.on_true),
        **exactly("on_false", made.on_false),
        "bias": made.bias,
        "pairs": made.pairs.of,
        **exactly("paired_accuracy", made.pairs),
        "incomplete_pairs": made.incomplete,
        "unparsed": made.unparsed.value,
    }


def _cells(made: Score) -> dict[str, Any]:
    """Return a score as cells of a table."""
    return {
        "questions": made.accuracy.of,
        "accuracy": rounded(made.accuracy),
        "on true": rounded(made.on_true),
        "on false": rounded(made.on_false),
        "bias": "" if made.bias is None else f"{made.bias:+.2f}",
        "pairs": made.pairs.of,
        "paired accuracy": rounded(made.pairs),
        "unparsed": f"{made.unparsed.value:.0%}",
    }
