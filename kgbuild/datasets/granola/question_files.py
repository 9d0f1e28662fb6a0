"""Read files of questions: find them, name their columns, and check each record."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from kgbuild.datasets.granola.records import FIELDS, Record, key_of, parse, read_cell
from kgbuild.english.normalize import fold
from kgbuild.errors import ColumnsError, TableFileError
from kgbuild.rows import Rejected, Rejection, require_columns
from kgbuild.tables.files import FORMATS, read_file


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
            raise TableFileError(path, f"it holds no file of questions: {', '.join(FORMATS)}")
        for file in files:
            if file.name in by_name:
                why = f"another file is called {file.name}, and its rows would replace these"
                raise TableFileError(file, why)
            by_name[file.name] = file
    return list(by_name.values())


def read(path: Path, columns: Mapping[str, str]) -> Source:
    """Return the questions of a file. ``columns`` names the columns of fields, by field.

    Raises:
        TableFileError: the file cannot be read, or has no record.
        MissingColumnError, ColumnsError: it has no such column, or there is no such field.
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

    ``renamed`` are the columns of fields that have other names. Answers, and ids of answers, are a
    list, or a text: a list in JSON or Python, or parts separated by "|". There is one id for each
    answer, or one for all; then the answers are names of one item.

    Raises:
        TableFileError: there is no record.
        MissingColumnError, ColumnsError: there is no such column, or no such field.
    """
    if not rows:
        raise TableFileError(path, "it holds no questions")
    places = _places(path, columns, renamed)
    accepted: list[Record] = []
    rejections: list[Rejection] = []
    seen: set[tuple[str, str | None, str | None]] = set()
    for number, row in enumerate(rows, 1):
        cells = {field: read_cell(row[place]) for field, place in places.items()}
        try:
            record = parse(cells, f"record {number}")
            key = (fold(record.question), record.relation, record.subject)
            if key in seen:
                raise Rejected("asked before", record.question)
            seen.add(key)
            accepted.append(record)
        except Rejected as rejected:
            detail = f"{path.name}, record {number}: {rejected.detail}".removesuffix(": ")
            candidate = key_of(cells) or f"record {number}"
            rejections.append(Rejection(candidate, rejected.reason, detail))
    return accepted, rejections


def _places(path: Path, columns: Sequence[str], renamed: Mapping[str, str]) -> dict[str, int]:
    """Return the place of the column of each field that the table has."""
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
