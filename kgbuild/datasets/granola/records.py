"""Parse one record of a file of questions."""

import ast
import warnings
from collections.abc import Mapping
from contextlib import suppress
from typing import NamedTuple

from kgbuild.errors import MalformedIdError
from kgbuild.evaluate.grounded import read_cell as read_json_cell
from kgbuild.rows import Rejected
from kgbuild.wikidata import parse_item, parse_property

FIELDS = ("question", "answers", "subject_qid", "answer_qids", "relation", "source_id")
"""The fields of a record. A column ``answer`` counts as ``answers``."""

_SEPARATOR = "|"
_NO_LIST = (ValueError, SyntaxError, RecursionError, MemoryError)


class Answer(NamedTuple):
    """A gold answer and its item. The text is empty if the file has only the id."""

    text: str
    qid: str | None


class Record(NamedTuple):
    """A question of a file; ``key`` is its id in the file, or its place.

    ``answers`` are empty if the file has none; ``subject`` and ``relation`` are ids.
    """

    key: str
    question: str
    answers: tuple[Answer, ...] = ()
    subject: str | None = None
    relation: str | None = None


def read_cell(cell: object) -> object:
    """Return the value of a cell. A text that is a list in JSON or Python becomes a list."""
    value = read_json_cell(cell)
    if value is cell and isinstance(cell, str) and cell[:1] == "[":
        with suppress(*_NO_LIST), warnings.catch_warnings(action="ignore"):
            return ast.literal_eval(cell)
    return value


def parse(cells: Mapping[str, object], place: str) -> Record:
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
            key=key_of(cells) or place,
            question=question,
            answers=_answers(cells),
            subject=parse_item(subject) if subject else None,
            relation=parse_property(relation) if relation else None,
        )
    except MalformedIdError as error:
        raise Rejected("malformed id", error.text) from error


def key_of(cells: Mapping[str, object]) -> str:
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
        return [_text(field, one) for one in value]
    text = _text(field, value)
    return [text] if text else []


def _text(field: str, value: object) -> str:
    if isinstance(value, list | tuple | dict | bytes):
        raise Rejected("malformed", f"'{field}' is to be a text")
    return "" if value is None else str(value).strip()
