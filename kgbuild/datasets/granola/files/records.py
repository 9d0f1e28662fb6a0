"""Read files of questions: find them, name their columns, and check each record."""

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from kgbuild.cells import text_of
from kgbuild.datasets.granola.files.columns import (
    ALIASES,
    SAMPLE,
    Columns,
    assign,
    read_cells,
    unnested,
    unused,
    value,
)
from kgbuild.english.normalize import fold
from kgbuild.errors import MalformedIdError, TableFileError
from kgbuild.rows import Rejected, Rejection
from kgbuild.tables.files import FORMATS, Frame, format_of, frame_records, read_file
from kgbuild.wikidata import parse_item

_SEPARATOR = re.compile(r"\s*(?:\||;\s)\s*")
"""What stands between several answers in a text; "Steins;Gate" is one answer."""
_ITEM = re.compile(r"(?:https?://www\.wikidata\.org/(?:entity|wiki)/)?Q[1-9][0-9]*")
"""An id, or the address of an item; other texts are names."""


_INVERSE = re.compile(r"R(?=[1-9][0-9]*$)")
"""The beginning of the id of a property in SimpleQuestions, if the subject is its value."""
_LINE = re.compile(r"(Q[1-9]\d*)\t([PR][1-9]\d*)\t(Q[1-9]\d*)\t(.+)")
_SIMPLE_QUESTIONS = ("subject", "property", "object", "question")
_LINES = (".txt", ".tsv")


class FileAnswer(NamedTuple):
    """A gold answer and its item. The text is empty if the file has only the id."""

    text: str
    qid: str | None


class FileRecord(NamedTuple):
    """A question of a file; ``key`` is its id in the file, or its place.

    ``answers`` is empty if the file has no answers. ``subject`` is a name; ``relation`` is an id or
    a name. If it ``is_backward``, the answers have the relation to the subject.
    """

    key: str
    question: str
    answers: tuple[FileAnswer, ...] = ()
    subject: str | None = None
    subject_qid: str | None = None
    relation: str | None = None
    is_backward: bool = False


class QuestionFile(NamedTuple):
    """The questions of a file, and its rejected records.

    ``unused`` are the columns that are not used, if the file has neither answers nor their column.
    """

    name: str
    records: Sequence[FileRecord]
    rejections: Sequence[Rejection]
    unused: Sequence[str] = ()


def find(paths: Iterable[Path]) -> list[Path]:
    """Return files, with those in the folders among ``paths``.

    Raises:
        TableFileError: a folder has no file of questions, or two files have the same name.
    """
    by_name: dict[str, Path] = {}
    for path in paths:
        files = [path]
        if path.is_dir():
            files = [file for file in sorted(path.iterdir()) if format_of(file)]
        if not files:
            raise TableFileError(path, f"it has no file of questions: {', '.join(FORMATS)}")
        for file in files:
            if file.name in by_name:
                problem = f"another file is called {file.name}, and its rows would replace these"
                raise TableFileError(file, problem)
            by_name[file.name] = file
    return list(by_name.values())


def read(path: Path, columns: Mapping[str, str]) -> QuestionFile:
    """Return the questions of a file. ``columns`` names the columns of fields, by field.

    A file of SimpleQuestions on Wikidata has no header: its lines are a subject, a property, an
    object and a question.

    Raises:
        TableFileError: the file cannot be read, or has no record.
        WrongCallError: the file lacks a column, or ``columns`` has a wrong field.
    """
    if path.suffix.lower() in _LINES and (rows := _simple_questions(path)):
        return records(path, _SIMPLE_QUESTIONS, rows, columns)
    table = read_file(path)
    return records(path, table.columns, table.rows, columns)


def of_frame(frame: Frame, columns: Mapping[str, str]) -> QuestionFile:
    """Return the questions of a table of pandas, Polars or Arrow, as ``read`` does."""
    rows = frame_records(frame)
    names = [*dict.fromkeys(name for row in rows for name in row)]
    return records(Path("questions"), names, [[*map(row.get, names)] for row in rows], columns)


def _simple_questions(path: Path) -> list[list[str]]:
    """Return the lines of a file without a header, or nothing if it is another file."""
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines()
    found = [match.groups() for line in lines if (match := _LINE.fullmatch(line))]
    return [[*groups] for groups in found] if lines and len(found) == len(lines) else []


def records(
    path: Path, columns: Sequence[str], rows: Sequence[Sequence[Any]], renamed: Mapping[str, str]
) -> QuestionFile:
    """Return the records of a table, in their order, and the rejected ones.

    ``renamed`` are the columns of fields that have other names. Answers, and ids of answers, are
    lists, or texts: a list in JSON or Python, or parts separated by "|" or "; ". Each answer has
    its own id, or all answers have one id; then they are names of one item.

    Raises:
        TableFileError: the file has no records.
        WrongCallError: the file lacks a column, or ``renamed`` has a wrong field.
    """
    if not rows:
        raise TableFileError(path, "it has no questions")
    cells = [read_cells(dict(zip(columns, row, strict=True))) for row in rows]
    inner, prefix = unnested(cells, renamed)
    if inner:
        cells, columns = inner, [*dict.fromkeys(column for row in inner for column in row)]
        renamed = {field: column.removeprefix(prefix) for field, column in renamed.items()}
    fields = assign(path, columns, cells[:SAMPLE], renamed)
    accepted: list[FileRecord] = []
    rejections: list[Rejection] = []
    seen: set[tuple[str, str | None, str | None]] = set()
    for number, row in enumerate(cells, 1):
        values = {field: value(row, names) for field, names in fields.items()}
        try:
            record = _record(values, fields, f"record {number}")
            key = (fold(record.question), record.relation, record.subject_qid or record.subject)
            if key in seen:
                raise Rejected("asked before", record.question)
            seen.add(key)
            accepted.append(record)
        except Rejected as rejected:
            detail = f"{path.name}, record {number}: {rejected.detail}".removesuffix(": ")
            candidate = _key(values) or f"record {number}"
            rejections.append(Rejection(candidate, rejected.reason, detail))
    has_answers = "answers" in fields or any(record.answers for record in accepted)
    further = () if has_answers else unused(fields, cells[:SAMPLE])
    return QuestionFile(path.name, accepted, rejections, further)


def _record(cells: Mapping[str, object], columns: Columns, place: str) -> FileRecord:
    """Return the record of some cells, by field; ``columns`` are those of the fields.

    Raises:
        Rejected: a field is missing or malformed.
    """
    fields = ("question", "relation", "subject", "subject_qid")
    question, relation, subject, subject_qid = (_text(cells, columns, field) for field in fields)
    if not question:
        raise Rejected("no question")
    if not subject_qid and _ITEM.fullmatch(subject):
        subject, subject_qid = "", subject
    try:
        return FileRecord(
            key=_key(cells) or place,
            question=question,
            answers=_answers(cells, columns),
            subject=subject or None,
            subject_qid=parse_item(subject_qid) if subject_qid else None,
            relation=(_INVERSE.sub("P", relation)) or None,
            is_backward=bool(_INVERSE.match(relation)),
        )
    except MalformedIdError as error:
        raise Rejected("malformed id", error.text) from error


def _key(cells: Mapping[str, object]) -> str:
    """Return the id of a record; an empty text if it has none."""
    key = cells.get("source_id")
    return str(key).strip() if isinstance(key, str | int) else ""


def _answers(cells: Mapping[str, object], columns: Columns) -> tuple[FileAnswer, ...]:
    texts, aliases, ids = (
        _texts(cells, columns, field) for field in ("answers", ALIASES, "answer_qids")
    )
    if "answers" in columns and not any(texts):
        raise Rejected("no answers")
    is_own = [*columns.get("answer_qids", ())] == ["answer_qids"]
    are_items = len(ids) in (0, 1, len(texts)) and all(map(_ITEM.fullmatch, ids))
    if not (is_own or are_items):
        ids = []  # columns of other sets may have ids of other kinds
    if "answers" not in columns:
        texts = [""] * len(ids)
    if len(ids) < 2:
        texts += aliases if ids or len(texts) < 2 else []
        ids = (ids or [""]) * len(texts)
    if len(ids) != len(texts):
        raise Rejected("malformed record", f"{len(texts)} answers have {len(ids)} ids")
    pairs = (
        ("", text) if not qid and _ITEM.fullmatch(text) else (text, qid)
        for text, qid in zip(texts, ids, strict=True)
    )
    answers = (
        FileAnswer(text, parse_item(qid) if qid else None) for text, qid in pairs if text or qid
    )
    return tuple(dict.fromkeys(answers))


def _texts(cells: Mapping[str, object], columns: Columns, field: str) -> list[str]:
    value = cells.get(field)
    if isinstance(value, str):
        return _SEPARATOR.split(value.strip()) if value.strip() else []
    if isinstance(value, list | tuple):
        return [_text({field: part}, columns, field) for part in value]
    text = _text(cells, columns, field)
    return [text] if text else []


def _text(cells: Mapping[str, object], columns: Columns, field: str) -> str:
    value = cells.get(field)
    if isinstance(value, list | tuple) and value and field.startswith("subject"):
        value = value[0] if len(value) == 1 else ""  # of several items, none is the subject
    if isinstance(value, list | tuple | dict | bytes):
        raise Rejected("malformed record", f"'{columns[field][0]}' is to be a text")
    return text_of(value).strip()
