"""Read files of questions: find them, name their columns, and check each record."""

import ast
import warnings
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from kgbuild.english.normalize import fold
from kgbuild.errors import ColumnsError, MalformedIdError, TableFileError
from kgbuild.evaluate.grounded import read_cell as read_json_cell
from kgbuild.rows import Rejected, Rejection, require_columns
from kgbuild.tables.files import FORMATS, read_file
from kgbuild.wikidata import parse_item, parse_property

FIELDS = ("question", "answers", "subject_qid", "answer_qids", "relation", "source_id")
"""The fields of a record. A column ``answer`` counts as ``answers``."""

_SEPARATOR = "|"
_NOT_A_LIST = (ValueError, SyntaxError, RecursionError, MemoryError)


class Answer(NamedTuple):
    """A gold answer and its item. The text is empty if the file has only the id."""

    text: str
    qid: str | None


class Record(NamedTuple):
    """A question of a file; ``key`` is its id in the file, or its place.

    ``answers`` is empty if the file has no answers; ``subject`` and ``relation`` are ids.
    """

    key: str
    question: str
    answers: tuple[Answer, ...] = ()
    subject: str | None = None
    relation: str | None = None


class Source(NamedTuple):
    """The questions of a file, and its rejected records."""

    name: str
    records: Sequence[Record]
    rejections: Sequence[Rejection]


def find(paths: Iterable[Path]) -> list[Path]:
    """Return files, with those in the folders among ``paths``.

    Raises:
        TableFileError: a folder has no file of questions, or two files have the same name.
    """
    by_name: dict[str, Path] = {}
    for path in paths:
        files = [path]
        if path.is_dir():
            files = [file for file in sorted(path.iterdir()) if file.suffix.lower() in FORMATS]
        if not files:
            raise TableFileError(path, f"it has no file of questions: {', '.join(FORMATS)}")
        for file in files:
            if file.name in by_name:
                problem = f"another file is called {file.name}, and its rows would replace these"
                raise TableFileError(file, problem)
            by_name[file.name] = file
    return list(by_name.values())


def read(path: Path, columns: Mapping[str, str]) -> Source:
    """Return the questions of a file. ``columns`` names the columns of fields, by field.

    Raises:
        TableFileError: the file cannot be read, or has no record.
        MissingColumnError, ColumnsError: the file lacks a column, or ``columns`` has a wrong field.
    """
    table = read_file(path)
    return Source(path.name, *records(path, table.columns, table.rows, columns))


def parse_columns(text: str) -> dict[str, str]:
    """Return the columns of fields from a text such as ``question=text,answers=gold``.

    Raises:
        ColumnsError: a field is unknown or repeated, or has no column.
    """
    columns: dict[str, str] = {}
    for part in text.split(","):
        field, _, column = map(str.strip, part.partition("="))
        _check_field(field, part)
        if not column:
            raise ColumnsError(part, f"names no column: write {field}=COLUMN")
        if field in columns:
            raise ColumnsError(part, f"names the field '{field}' a second time")
        columns[field] = column
    return columns


def records(
    path: Path, columns: Sequence[str], rows: Sequence[Sequence[Any]], renamed: Mapping[str, str]
) -> tuple[list[Record], list[Rejection]]:
    """Return the records of a table, in their order, and the rejected ones.

    ``renamed`` are the columns of fields that have other names. Answers, and ids of answers, are
    lists, or texts: a list in JSON or Python, or parts separated by "|". Each answer has its own
    id, or all answers have one id; then they are names of one item.

    Raises:
        TableFileError: the file has no records.
        MissingColumnError, ColumnsError: the file lacks a column, or ``renamed`` has a wrong field.
    """
    if not rows:
        raise TableFileError(path, "it has no questions")
    places = _places(path, columns, renamed)
    accepted: list[Record] = []
    rejections: list[Rejection] = []
    seen: set[tuple[str, str | None, str | None]] = set()
    for number, row in enumerate(rows, 1):
        cells = {field: _read_cell(row[place]) for field, place in places.items()}
        try:
            record = _record(cells, f"record {number}")
            key = (fold(record.question), record.relation, record.subject)
            if key in seen:
                raise Rejected("asked before", record.question)
            seen.add(key)
            accepted.append(record)
        except Rejected as rejected:
            detail = f"{path.name}, record {number}: {rejected.detail}".removesuffix(": ")
            candidate = _key(cells) or f"record {number}"
            rejections.append(Rejection(candidate, rejected.reason, detail))
    return accepted, rejections


def _places(path: Path, columns: Sequence[str], renamed: Mapping[str, str]) -> dict[str, int]:
    """Return the position of the column of each field that the table has."""
    for field, column in renamed.items():
        _check_field(field, f"{field}={column}")
    usual = {field: field for field in FIELDS if field in columns}
    if "answers" not in usual and "answer" in columns:
        usual["answers"] = "answer"
    by_field = {"question": "question", **usual, **renamed}
    require_columns(path, columns, list(by_field.values()))
    return {field: columns.index(column) for field, column in by_field.items()}


def _check_field(field: str, part: str) -> None:
    if field not in FIELDS:
        raise ColumnsError(part, f"names no field: they are {', '.join(FIELDS)}")


def _read_cell(cell: object) -> object:
    """Return the value of a cell. A text that is a list in JSON or Python becomes a list."""
    value = read_json_cell(cell)
    if value is cell and isinstance(cell, str) and cell[:1] == "[":
        with suppress(*_NOT_A_LIST), warnings.catch_warnings(action="ignore"):
            return ast.literal_eval(cell)
    return value


def _record(cells: Mapping[str, object], place: str) -> Record:
    """Return the record of some cells, by field.

    Raises:
        Rejected: a field is missing or malformed.
    """
    question = _text("question", cells["question"])
    if not question:
        raise Rejected("no question")
    subject = _text("subject_qid", cells.get("subject_qid"))
    relation = _text("relation", cells.get("relation"))
    try:
        return Record(
            key=_key(cells) or place,
            question=question,
            answers=_answers(cells),
            subject=parse_item(subject) if subject else None,
            relation=parse_property(relation) if relation else None,
        )
    except MalformedIdError as error:
        raise Rejected("malformed id", error.text) from error


def _key(cells: Mapping[str, object]) -> str:
    """Return the id of a record; an empty text if it has none."""
    key = cells.get("source_id")
    return str(key).strip() if isinstance(key, str | int) else ""


def _answers(cells: Mapping[str, object]) -> tuple[Answer, ...]:
    texts, ids = (_texts(field, cells.get(field)) for field in ("answers", "answer_qids"))
    if "answers" in cells and not any(texts):
        raise Rejected("no answers")
    if "answers" not in cells:
        texts = [""] * len(ids)
    if len(ids) < 2:
        ids = (ids or [""]) * len(texts)
    if len(ids) != len(texts):
        raise Rejected("malformed", f"{len(texts)} answers have {len(ids)} ids")
    pairs = zip(texts, ids, strict=True)
    answers = (Answer(text, parse_item(qid) if qid else None) for text, qid in pairs if text or qid)
    return tuple(dict.fromkeys(answers))


def _texts(field: str, value: object) -> list[str]:
    if isinstance(value, str):
        return [part.strip() for part in value.split(_SEPARATOR)] if value.strip() else []
    if isinstance(value, list | tuple):
        return [_text(field, part) for part in value]
    text = _text(field, value)
    return [text] if text else []


def _text(field: str, value: object) -> str:
    if isinstance(value, list | tuple | dict | bytes):
        raise Rejected("malformed", f"'{field}' is to be a text")
    return "" if value is None else str(value).strip()
