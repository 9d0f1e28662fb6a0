"""Read the answers to a dataset that are scored, from a file, from records or from its database."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from kgbuild.cells import text_of
from kgbuild.datasets.base import AnyDataset
from kgbuild.datasets.scoring import AnswerSet, Scoring, grouped
from kgbuild.errors import KgbuildError, TableFileError, unknown_choice, wrong_dataset
from kgbuild.evaluate.answers import OF_A_POOL, OPTIONAL, Answer, answers
from kgbuild.models.chat import FINISHED
from kgbuild.rows import require_columns
from kgbuild.tables.files import Frame, Result, frame_records, read_file
from kgbuild.tables.verifications import verifications

if TYPE_CHECKING:
    from kgbuild.tables.database import Database

AnswerSource: TypeAlias = Any
"""A source of answers: a file, records, a table of pandas, Polars or Arrow, or None.

None stands for the table ``predictions``.
"""
PREDICTIONS = "predictions"
"""The name of the table of answers; also the source of the answers in it."""
_RECORDS = Path("the table of answers")
"""Errors show this in place of a path, for answers that are passed as Python records."""


def scored_ways(dataset: AnyDataset) -> list[AnyDataset]:
    """Return a dataset with each scoring that it has: its own, and that by a judge alone."""
    scorings = dataset.scoring, dataset.scoring and dataset.scoring.by_judge
    return [replace(dataset, scoring=scoring) for scoring in scorings if scoring]


def read_answers(
    dataset: AnyDataset,
    source: AnswerSource,
    db: "Database",
    by: str | None = None,
    only_finished: bool = False,
) -> AnswerSet:
    """Read answers from a file, from records, or (None) from ``predictions``, and group them.

    The answers of a group have the same value in each optional column that the source has (model,
    protocol, …), and in the column ``by``. ``only_finished`` excludes unfinished answers.

    Raises:
        TableFileError, WrongCallError: the answers cannot be scored, or grouped by ``by``.
        KgbuildError: ``source`` is None, and the table has no answers.
    """
    scoring = dataset.scoring
    if scoring is None:
        raise wrong_dataset(dataset.name, "it has no scoring, so its answers cannot be scored")
    choices = [*scoring.group_columns, *scoring.optional_columns]
    if by and by not in choices:
        raise unknown_choice(dataset.command, "attribute", by, choices)
    key, attribute = scoring.item_columns[0], by if by in scoring.group_columns else "NULL"
    query = f"SELECT {key}, CAST({attribute} AS VARCHAR) FROM ({scoring.items})"  # noqa: S608
    with db.reading() as select:
        path, name, table = _read(dataset, scoring, source, db)
        items, records = dict(db.read(query).rows), table.records
        gone = {text_of(record.get(key)) for record in records} - items.keys()
        if name != PREDICTIONS and gone:  # an item that was never known is of another database
            gone &= {one.item_id for one in verifications(select, dataset.name)}
    own = [one for one in records if scoring.has(text_of(one.get("protocol")))]
    if records and not own:
        ways = ", ".join(sorted({text_of(one["protocol"]) for one in records}))
        raise TableFileError(path, f"its answers ({ways}) are scored {scoring.instead}")
    records = [one for one in own if text_of(one.get(key)) not in gone] or own
    optional = scoring.optional_columns
    all_answers = answers(path, table.columns, records, scoring.item_columns, items, optional)
    scored_answers = [
        answer for answer in all_answers if answer.state == FINISHED or not only_finished
    ]
    if not scored_answers:
        raise TableFileError(path, f"none of its {len(all_answers):,} answers is finished")
    columns = [column for column in optional if column in table.columns]
    if by in OPTIONAL:
        require_columns(path, table.columns, [by])
    elif by:
        columns.append(by)
    return AnswerSet(
        dataset,
        scoring,
        path,
        name,
        table.columns,
        items,
        grouped(columns, ((_values(one, columns, items), one) for one in scored_answers)),
        by,
        outdated=len(own) - len(records),
        records=len(own),
        left_out=len(all_answers) - len(scored_answers),
        elsewhere=len(table.rows) - len(own),
    )


def _read(
    dataset: AnyDataset, scoring: Scoring, source: AnswerSource, db: "Database"
) -> tuple[Path, str, Result]:
    """Return the path for error messages, the name of the source, and the table of answers."""
    if isinstance(source, Path | str):
        return Path(source), Path(source).name, read_file(Path(source))
    if source is not None:
        records = _records(source)
        columns = [*dict.fromkeys(column for record in records for column in record)]
        rows = [tuple(record.get(column) for column in columns) for record in records]
        return _RECORDS, "records", Result(columns, rows)
    table = db.read(scoring.predictions)
    if not table.rows:
        asking = dataset.user_command("ask ", " --model NAME")
        raise KgbuildError(
            f"{db.path} has no answers to {dataset.command} that can be scored. Ask a model: "
            f"{asking}; or name a file."
        )
    return db.path, PREDICTIONS, table


def _records(source: Any) -> list[Mapping[str, Any]]:
    if isinstance(source, Frame):
        with suppress(TypeError):
            return [*frame_records(source)]
    records: list[Any] = [*source] if isinstance(source, Iterable) else [None]
    if not all(isinstance(record, Mapping) for record in records):
        detail = "it is no list of records such as {'question_id': …, 'answer': …}"
        raise TableFileError(_RECORDS, detail)
    return records


def _values(answer: Answer, columns: Sequence[str], items: Mapping[str, str]) -> tuple[str, ...]:
    """Return the values of an answer; a column that answers don't have is that of ``items``."""
    return tuple(
        getattr(answer, column) if column in OF_A_POOL else items[answer.asked] or ""
        for column in columns
    )
