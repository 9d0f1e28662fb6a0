"""Questions that somebody brings in a file: its records read, and checked one by one."""

import ast
import json
import warnings
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from kgbuild.english.normalize import fold
from kgbuild.errors import ColumnsError, MalformedIdError, TableFileError
from kgbuild.rows import Rejected, Rejection, require_columns
from kgbuild.tables.files import FORMATS, read_file
from kgbuild.wikidata import parse_item, parse_property

FIELDS = ("question", "answers", "subject_qid", "answer_qids", "relation", "source_id")
"""What a record may have; columns are named so. In place of ``answers``, ``answer`` will do."""

REASONS = {
    "no question": "the record has no question",
    "no answers": "the file has answers, but the record has none",
    "malformed": "a field of the record holds what it cannot hold",
    "malformed id": "the record has an id that no item or property can have",
    "asked before": "an earlier record has the same question",
}

_SEPARATOR = "|"
_NO_LIST = (ValueError, SyntaxError, RecursionError, MemoryError)


class Answer(NamedTuple):
    """A gold answer and its item: the text is empty where only the item is given."""

    text: str
    qid: str | None


class Record(NamedTuple):
    """A question; ``key`` is its id in the file, or tells where it stands there.

    ``answers`` are empty if the file has none; ``subject`` and ``relation`` are ids, None where
    the file does not tell them.
    """

    key: str
    question: str
    answers: tuple[Answer, ...] = ()
    subject: str | None = None
    relation: str | None = None


class Source(NamedTuple):
    """The questions of a file, and why others are rejected."""

    name: str
    records: Sequence[Record]
    rejections: Sequence[Rejection]


def named_columns(text: str) -> dict[str, str]:
    """Return the columns of fields as a user names them: ``question=text,answers=gold``.

    Raises:
        ColumnsError: a field is unknown or named twice, or has no column.
    """
    found: dict[str, str] = {}
    for part in text.split(","):
        field, _, column = map(str.strip, part.partition("="))
        if field not in FIELDS:
            raise ColumnsError(part, f"names no field: they are {', '.join(FIELDS)}")
        if not column:
            raise ColumnsError(part, f"names no column: write {field}=COLUMN")
        if field in found:
            raise ColumnsError(part, f"names the field '{field}' a second time")
        found[field] = column
    return found


def find(paths: Iterable[Path]) -> list[Path]:
    """Return files, with those in the folders among ``paths``.

    Raises:
        TableFileError: a folder has no file of questions, or two files have the same name.
    """
    found: dict[str, Path] = {}
    for path in paths:
        files = [path]
        if path.is_dir():
            files = [file for file in sorted(path.iterdir()) if file.suffix.lower() in FORMATS]
        if not files:
            raise TableFileError(path, f"it holds no file of questions: {', '.join(FORMATS)}")
        for file in files:
            if file.name in found:
                why = f"another file is called {file.name}, and its rows would replace these"
                raise TableFileError(file, why)
            found[file.name] = file
    return list(found.values())


def read(path: Path, columns: Mapping[str, str]) -> Source:
    """Return the questions of a file. ``columns`` are those of fields that have other names.

    Raises:
        TableFileError, MissingColumnError, ColumnsError: they cannot be read.
    """
    table = read_file(path)
    return Source(path.name, *records(path, table.columns, table.rows, columns))


def records(
    path: Path, columns: Sequence[str], rows: Sequence[Sequence[Any]], chosen: Mapping[str, str]
) -> tuple[list[Record], list[Rejection]]:
    """Return the records of the file ``path``, in their order, and those that are left out.

    ``chosen`` are the columns of fields that have other names. Several answers, or ids of
    answers, stand as a list or in one text, written as a list in JSON or Python or with "|"
    between them. There is one id for each answer, or one for all, which are its names then.

    Raises:
        TableFileError: there is no record.
        MissingColumnError: there is no such column.
    """
    if not rows:
        raise TableFileError(path, "it holds no questions")
    usual = {field: field for field in FIELDS if field in columns}
    if "answers" not in usual and "answer" in columns:
        usual["answers"] = "answer"
    named = {"question": "question", **usual, **chosen}
    require_columns(path, columns, list(named.values()))
    places = {field: columns.index(column) for field, column in named.items()}
    found: list[Record] = []
    rejections: list[Rejection] = []
    asked: set[tuple[str, str | None, str | None]] = set()
    for number, row in enumerate(rows, 1):
        cells = {field: _read(row[place]) for field, place in places.items()}
        try:
            record = _record(cells, f"record {number}")
            same = (fold(record.question), record.relation, record.subject)
            if same in asked:
                raise Rejected("asked before", record.question)
            asked.add(same)
            found.append(record)
        except Rejected as rejected:
            detail = f"{path.name}, record {number}: {rejected.detail}".removesuffix(": ")
            key = _key(cells) or f"record {number}"
            rejections.append(Rejection(key, rejected.reason, detail))
    return found, rejections


def _read(cell: object) -> object:
    """Return a cell's value, parsed if it is a list that is written as a text.

    In JSON, a column that has values of several types comes as texts of JSON.
    """
    if isinstance(cell, str) and cell[:1] in ("[", '"', "{"):
        with suppress(ValueError, RecursionError):
            return json.loads(cell)
    if isinstance(cell, str) and cell[:1] == "[":
        with suppress(*_NO_LIST), warnings.catch_warnings(action="ignore"):
            return ast.literal_eval(cell)
    return cell


def _record(cells: Mapping[str, object], where: str) -> Record:
    question = _text("question", cells["question"])
    if not question:
        raise Rejected("no question")
    subject = _text("subject_qid", cells.get("subject_qid"))
    relation = _text("relation", cells.get("relation"))
    try:
        return Record(
            key=_key(cells) or where,
            question=question,
            answers=_answers(cells),
            subject=parse_item(subject) if subject else None,
            relation=parse_property(relation) if relation else None,
        )
    except MalformedIdError as error:
        raise Rejected("malformed id", error.text) from error


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
    found = (Answer(text, parse_item(qid) if qid else None) for text, qid in pairs if text or qid)
    return tuple(dict.fromkeys(found))


def _texts(field: str, value: object) -> list[str]:
    if isinstance(value, str):
        return [part.strip() for part in value.split(_SEPARATOR)] if value.strip() else []
    if isinstance(value, list | tuple):
        return [_text(field, one) for one in value]
    text = _text(field, value)
    return [text] if text else []


def _text(field: str, value: object) -> str:
    if isinstance(value, list | tuple | dict | bytes):
        raise Rejected("malformed", f"'{field}' is to be a text")
    return "" if value is None else str(value).strip()


def _key(cells: Mapping[str, object]) -> str:
    """Return the id of a record; an empty text if it has none."""
    given = cells.get("source_id")
    return str(given).strip() if isinstance(given, str | int) else ""
