"""What scoring all datasets shares: answers in groups, and shares as they are shown."""

import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from kgbuild import tables
from kgbuild.cli import screen
from kgbuild.columns import require
from kgbuild.metrics.answers import OPTIONAL, Answer, Share, answers

Group = Mapping[str, str]
"""What answers that are scored together have in common, by column."""
Facts = Mapping[str, Mapping[str, str]]
"""What is known of each question, or pair, by its id and by column."""

file_argument = click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))


def by_option(columns: Sequence[str]) -> Callable[[screen.Command], screen.Command]:
    """Return the option to score answers in groups, by one of these columns or by OPTIONAL."""
    return click.option(
        "--by",
        type=click.Choice([*columns, *OPTIONAL]),
        help="Score the answers of each by themselves.",
    )


def grouped(
    file: Path,
    asked: Sequence[str],
    facts: Facts,
    by: str | None,
    optional: Mapping[str, str] = OPTIONAL,
) -> list[tuple[Group, list[Answer]]]:
    """Return the answers in a user's file, those of each group together, in order.

    A group has one value of each of the ``optional`` columns that the file has (one model, one
    protocol, …), and one of ``by``.

    Raises:
        TableFileError, MissingColumnError, UnknownQuestionsError, RepeatedAnswerError: the
            file cannot be scored.
    """
    given = tables.read_file(file)
    records = [dict(zip(given.columns, row, strict=True)) for row in given.rows]
    found = answers(file, given.columns, records, asked, facts, optional)
    names = [name for name in optional if name in given.columns]
    if by in OPTIONAL:
        require(file, given.columns, [by])
    elif by:
        names.append(by)
    groups = defaultdict(list)
    for answer in found:
        told = {**facts[answer.asked], **answer._asdict()}
        groups[tuple(told[name] for name in names)].append(answer)
    ordered = sorted(groups, key=lambda group: [*map(_natural, group)])
    return [(dict(zip(names, group, strict=True)), groups[group]) for group in ordered]


def _natural(text: str) -> str:
    """Return a key that orders P69 before P3373."""
    return re.sub(r"\d+", lambda digits: digits[0].zfill(20), text)


def exactly(name: str, share: Share) -> dict[str, Any]:
    """Return a share and its interval as values."""
    return {name: share.value, f"{name}_interval": share.interval}


def rounded(share: Share) -> str:
    """Return a share and its interval as a cell of a table; an empty one of nothing."""
    if not share.interval:
        return ""
    low, high = share.interval
    return f"{share.value:.0%} ({low * 100:.0f}–{high * 100:.0f})"
