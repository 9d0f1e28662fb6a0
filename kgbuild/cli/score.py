"""The command that scores models' answers."""

import re
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from kgbuild import tables
from kgbuild.cli import screen
from kgbuild.columns import require
from kgbuild.metrics import detection
from kgbuild.metrics.answers import OPTIONAL, answers
from kgbuild.metrics.detection import Score, Share

Group = Mapping[str, str]
"""What answers that are scored together have in common, by column."""

_GROUPS = ("relation", "falsity", "hops", "protocol", "model", "split")
_PAIRS = "SELECT pair_id, relation, falsity, CAST(hops AS VARCHAR) AS hops, split FROM syn_qa_pairs"


def _syn_qa(file: Path, by: str | None, db: Path) -> list[tuple[Group, Score]]:
    """Score the detection of false assumptions, each group of answers by itself."""
    given, known = tables.read_file(file), tables.sql(db, _PAIRS)
    pairs = {row[0]: dict(zip(known.columns, row, strict=True)) for row in known.rows}
    records = [dict(zip(given.columns, row, strict=True)) for row in given.rows]
    found = answers(file, given.columns, records, pairs)
    names = [name for name in OPTIONAL if name in given.columns]
    if by in OPTIONAL:
        require(file, given.columns, [by])
    elif by:
        names.append(by)
    groups = defaultdict(list)
    for answer in found:
        facts = {**pairs[answer.pair_id], **answer._asdict()}
        groups[tuple(facts[name] for name in names)].append(answer)
    ordered = sorted(groups, key=lambda group: [*map(_natural, group)])
    return [
        (dict(zip(names, group, strict=True)), detection.score(groups[group])) for group in ordered
    ]


def _natural(text: str) -> str:
    """Return a key that orders P69 before P3373."""
    return re.sub(r"\d+", lambda digits: digits[0].zfill(20), text)


_SCORERS = {"syn-qa": _syn_qa}


@click.command()
@click.argument("dataset", type=click.Choice(list(_SCORERS)))
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--by", type=click.Choice(_GROUPS), help="Score the answers of each by themselves.")
@screen.db_option
@screen.json_option
def score(dataset: str, file: Path, by: str | None, db: Path, as_json: bool) -> None:
    """Score models' answers to a dataset.

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
    scores = _SCORERS[dataset](file, by, db)
    row = _values if as_json else _cells
    screen.show([{**group, **row(made)} for group, made in scores], as_json)
    if incomplete := sum(made.incomplete for _, made in scores):
        screen.say(f"\nPairs with one question answered only, and so not counted: {incomplete:,}")


def _values(made: Score) -> dict[str, Any]:
    """Return a score as values."""
    return {
        "questions": made.accuracy.of,
        **_exactly("accuracy", made.accuracy),
        **_exactly("on_true", made.on_true),
        **_exactly("on_false", made.on_false),
        "bias": made.bias,
        "pairs": made.pairs.of,
        **_exactly("paired_accuracy", made.pairs),
        "incomplete_pairs": made.incomplete,
        "unparsed": made.unparsed.value,
    }


def _exactly(name: str, share: Share) -> dict[str, Any]:
    return {name: share.value, f"{name}_interval": share.interval}


def _cells(made: Score) -> dict[str, Any]:
    """Return a score as cells of a table."""
    return {
        "questions": made.accuracy.of,
        "accuracy": _rounded(made.accuracy),
        "on true": _rounded(made.on_true),
        "on false": _rounded(made.on_false),
        "bias": "" if made.bias is None else f"{made.bias:+.2f}",
        "pairs": made.pairs.of,
        "paired accuracy": _rounded(made.pairs),
        "unparsed": f"{made.unparsed.value:.0%}",
    }


def _rounded(share: Share) -> str:
    if not share.interval:
        return ""
    low, high = share.interval
    return f"{share.value:.0%} ({low * 100:.0f}–{high * 100:.0f})"
