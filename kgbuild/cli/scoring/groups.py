"""What scoring all datasets shares: answers in groups, and metrics as they are shown."""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from kgbuild.cli import screen
from kgbuild.errors import NoPredictionsError
from kgbuild.evaluate.answers import OF_A_POOL, OPTIONAL, Answer, answers
from kgbuild.evaluate.bootstrap import Estimate, Estimates
from kgbuild.rows import require_columns
from kgbuild.tables.files import Result, read_file
from kgbuild.tables.records import FOR_SCORES

if TYPE_CHECKING:
    from kgbuild.tables.database import Database

Group = Mapping[str, str]
"""What answers that are scored together have in common, by column."""
Facts = Mapping[str, Mapping[str, str]]
"""What is known of each question, or pair, by its id and by column."""

_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
file_argument = click.argument("file", type=_FILE)
file_or_predictions = click.argument("file", type=_FILE, required=False)

_SIGNS = ("+", "-")
_PREDICTIONS = "predictions"
_HELD = f"FROM duckdb_tables() WHERE table_name = '{_PREDICTIONS}'"


class Given(NamedTuple):
    """Answers to a dataset as they were given: in a user's file, or in ``predictions``.

    ``path`` is that of the file or the database, ``source`` what the table ``scores`` calls it.
    ``optional`` are the columns that may be missing, with what is taken then.
    """

    dataset: str
    path: Path
    source: str
    answers: Result
    optional: Mapping[str, str]


def given(
    file: Path | None, db: "Database", dataset: str, optional: Mapping[str, str] = OPTIONAL
) -> Given:
    """Return the answers in a file, or without one those that models were asked for.

    Raises:
        TableFileError: the file cannot be read.
        NoPredictionsError: there is no file, and no model was asked.
    """
    if file:
        return Given(dataset, file, file.name, read_file(file), optional)
    # A database of a version that asked no models lacks the table.
    held = db.sql(_HELD).rows
    if not (held and (found := db.sql(FOR_SCORES[dataset])).rows):
        raise NoPredictionsError(db.path, dataset.replace("_", "-"))
    return Given(dataset, db.path, _PREDICTIONS, found, optional)


def by_option(columns: Sequence[str]) -> Callable[[screen.Command], screen.Command]:
    """Return the option to score answers in groups, by one of these columns or by OPTIONAL."""
    return click.option(
        "--by",
        type=click.Choice([*columns, *OPTIONAL]),
        help="Score the answers of each by themselves.",
    )


def grouped(
    given: Given, asked: Sequence[str], facts: Facts, by: str | None
) -> list[tuple[Group, list[Answer]]]:
    """Return the answers that were given, those of each group together, in order.

    A group has one value of each of the optional columns that there are (one model, one
    protocol, …), and one of ``by``. Predictions of questions that a later build left out are
    left out, too, and counted; a file with such answers goes with another database.

    Raises:
        TableFileError, MissingColumnError, UnknownQuestionsError, RepeatedAnswerError: they
            cannot be scored.
    """
    columns = given.answers.columns
    records = [dict(zip(columns, row, strict=True)) for row in given.answers.rows]
    if given.source == _PREDICTIONS:
        records = _still_asked(records, asked[0], facts)
    found = answers(given.path, columns, records, asked, facts, given.optional)
    names = [name for name in given.optional if name in columns]
    if by in OPTIONAL:
        require_columns(given.path, columns, [by])
    elif by:
        names.append(by)
    groups = defaultdict(list)
    for answer in found:
        told = {**facts[answer.asked], **answer._asdict()}
        groups[tuple(told[name] for name in names)].append(answer)
    ordered = sorted(groups, key=lambda group: [*map(natural, group)])
    return [(dict(zip(names, group, strict=True)), groups[group]) for group in ordered]


def _still_asked(records: list[dict[str, Any]], name: str, facts: Facts) -> list[dict[str, Any]]:
    """Return the predictions of questions that there are; all, if there are none of them."""
    kept = [record for record in records if record[name] in facts]
    if gone := len(records) - len(kept) if kept else 0:
        of = f"{gone:,} of {len(records):,}"
        screen.say(f"Answers to questions that were built before, and so not scored: {of}")
    return kept or records


def tell_unanswered(groups: Sequence[tuple[Group, Sequence[Answer]]], questions: int) -> None:
    """Say of each model and protocol, and each pool, how many questions it left out."""
    runs: Counter[tuple[str, ...]] = Counter()
    for _, found in groups:
        for answer in found:
            runs[answer.model, answer.protocol, answer.removed, answer.accuracy] += 1
    for (model, protocol, removed, accuracy), answered in sorted(runs.items()):
        if answered < questions:
            pool = [f"removed {removed}"] * (removed not in ("", "0"))
            pool += [f"accuracy {accuracy}"] * (accuracy not in ("", "100"))
            who = ", ".join(filter(None, (model, protocol, *pool)))
            of = f"{questions - answered:,} of {questions:,} questions"
            screen.say(f"Not answered, and so not counted: {of}{f' ({who})' if who else ''}")


def typed(group: Group) -> dict[str, str | int]:
    """Return what a group has in common as JSON tells it: of a pool, numbers."""
    numbers = OF_A_POOL.keys() - OPTIONAL.keys()
    return {name: int(value) if name in numbers else value for name, value in group.items()}


def telling(given: Given, groups: Sequence[Group]) -> list[Group]:
    """Return groups without the columns in which all have what is taken where nothing is told."""
    told = {name for group in groups for name, _ in group.items() - given.optional.items()}
    return [{name: value for name, value in group.items() if name in told} for group in groups]


def natural(text: str) -> str:
    """Return a key that orders P69 before P3373."""
    return re.sub(r"\d+", lambda digits: digits[0].zfill(20), text)


def exactly(made: Estimates) -> dict[str, Any]:
    """Return metrics as values: each with its interval, and over how many it goes."""
    told: dict[str, Any] = {}
    for name, one in made.items():
        told |= {name: one.value, f"{name}_interval": one.interval, f"{name}_of": one.of}
    return told


def rounded(one: Estimate, text: str = "{:.0%}") -> str:
    """Return a metric and its interval as a cell of a table; an empty one of nothing."""
    if one.value is None:
        return ""
    value = text.format(one.value)
    if one.interval is None:
        return value
    low, high = (text.format(end).removesuffix("%") for end in one.interval)
    return f"{value} ({low} to {high})" if value.startswith(_SIGNS) else f"{value} ({low}–{high})"
