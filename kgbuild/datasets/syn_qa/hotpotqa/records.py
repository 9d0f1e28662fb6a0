"""Read the records of HotpotQA (arXiv:1809.09600) in its distractor setting.

A file is a JSON list, or has a record in each line. The pairs of a record stand as pairs, as its
authors publish them, or by columns, as in a table.
"""

import html
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from kgbuild.datasets.syn_qa.hotpotqa.passages import Passage
from kgbuild.errors import NotHotpotQAError, UnreadableDumpError
from kgbuild.rows import Rejected, Rejection, stable_id

_SUPPORTING = 2
"""The passages that a question needs: it has two hops."""
_BLANK = re.compile(r"[ \t\r\n]*")
_NO_LETTERS = re.compile("[\ud800-\udfff]")
"""What bytes that are no UTF-8 are read as, and halves of surrogate pairs."""


@dataclass(frozen=True)
class Record:
    """A question, its answer, the passages that it needs, and those that distract from them."""

    key: str
    question: str
    answer: str
    type: str
    supporting: tuple[Passage, ...]
    distractors: tuple[Passage, ...]


class _Cut(NamedTuple):
    """Stands for the rest of a file that is no JSON from there on."""

    detail: str


def read(path: Path) -> tuple[list[Record], list[Rejection]]:
    """Return the records of a file, and rejections of what is no record.

    Raises:
        UnreadableDumpError: the file cannot be read.
        NotHotpotQAError: nothing in it is a record.
    """
    try:
        # Bytes that are no UTF-8 are reported with the record that has them.
        text = path.read_bytes().decode("utf-8-sig", "surrogateescape")
    except OSError as error:
        raise UnreadableDumpError(str(path), error.strerror or str(error)) from error
    records, rejections = [], []
    for number, value in _values(text):
        where = f"record {number}"
        try:
            records.append(_record(value))
        except Rejected as rejected:
            detail = f"{path.name}, {where}: {rejected.detail}"
            rejections.append(Rejection(_key(value) or where, rejected.reason, detail))
    if not records:
        detail = rejections[0].detail if rejections else "it holds nothing"
        raise NotHotpotQAError(path, detail.removeprefix(f"{path.name}, "))
    return records, rejections


def _values(text: str) -> Iterator[tuple[int, object]]:
    """Yield the values in a file, numbered from 1; a _Cut for what cannot be parsed."""
    return _listed(text) if text.lstrip()[:1] == "[" else _lines(text)


def _listed(text: str) -> Iterator[tuple[int, object]]:
    """Yield the values of a list, up to where it is cut."""
    decoder, number = json.JSONDecoder(), 0
    at = _after_blank(text, text.index("[") + 1)
    while text[at : at + 1] != "]":
        number += 1
        try:
            value, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError) as error:
            yield number, _Cut(f"the list is cut short or damaged here ({error})")
            return
        yield number, value
        at = _after_blank(text, at)
        if text[at : at + 1] == ",":
            at = _after_blank(text, at + 1)
        elif text[at : at + 1] != "]":
            yield number + 1, _Cut("the list is cut short or damaged here")
            return


def _after_blank(text: str, at: int) -> int:
    blank = _BLANK.match(text, at)
    return blank.end() if blank else at


def _lines(text: str) -> Iterator[tuple[int, object]]:
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            try:
                yield number, json.loads(line)
            except (ValueError, RecursionError) as error:
                yield number, _Cut(f"the line is no JSON, or cut short ({error})")


def _key(value: object) -> str:
    """Return the id of a record; an empty text if it has none that can be written."""
    key = value.get("_id", value.get("id")) if isinstance(value, dict) else None
    return key if isinstance(key, str) and _is_text(key) else ""


def _record(value: object) -> Record:
    if isinstance(value, _Cut):
        raise Rejected("cut short", value.detail)
    if not isinstance(value, dict):
        raise Rejected("malformed", "is to be an object with the fields of HotpotQA's records")
    question, answer, kind = (_text(value, field) for field in ("question", "answer", "type"))
    facts = _pairs(value, "supporting_facts", ("title", "sent_id"))
    passages = _passages(value)
    titles = list(dict.fromkeys(_title("supporting_facts", title) for title, _ in facts))
    if len(titles) != _SUPPORTING:
        detail = f"'supporting_facts' names {len(titles)} titles, which are to be two"
        raise Rejected("malformed", detail)
    for title in titles:
        if title not in passages:
            raise Rejected("malformed", f"'supporting_facts' names {title!r}, 'context' does not")
    return Record(
        key=_key(value) or stable_id("hotpotqa", question),
        question=question,
        answer=answer,
        type=kind,
        supporting=tuple(passages[title] for title in titles),
        distractors=tuple(p for title, p in passages.items() if title not in titles),
    )


def _passages(record: dict[str, Any]) -> dict[str, Passage]:
    """Return the passages by their titles, in their order; of equal titles the first one."""
    passages: dict[str, Passage] = {}
    for raw_title, sentences in _pairs(record, "context", ("title", "sentences")):
        title = _title("context", raw_title)
        if not isinstance(sentences, list) or not all(map(_is_text, sentences)):
            raise Rejected("malformed", f"the sentences of {title!r} in 'context' are to be texts")
        passages.setdefault(title, Passage(title, sentences))
    return passages


def _pairs(record: dict[str, Any], field: str, columns: tuple[str, str]) -> list[Any]:
    """Return the pairs of a field, which stand as pairs or by columns."""
    value = record.get(field)
    if isinstance(value, dict):
        first, second = (value.get(column) for column in columns)
        if isinstance(first, list) and isinstance(second, list) and len(first) == len(second):
            return list(zip(first, second, strict=True))
    elif isinstance(value, list) and all(isinstance(p, list) and len(p) == 2 for p in value):
        return value
    raise Rejected("malformed", f"'{field}' is to hold pairs of {columns[0]} and {columns[1]}")


def _title(field: str, value: object) -> str:
    """Return a title as it is read: HotpotQA has ``&amp;`` in titles, and ``&`` in texts."""
    if not isinstance(value, str) or not _is_text(value) or not value.strip():
        raise Rejected("malformed", f"a title in '{field}' is to be a text")
    return html.unescape(value).strip()


def _text(record: dict[str, Any], field: str) -> str:
    value = record.get(field)
    if not isinstance(value, str) or not _is_text(value) or not value.strip():
        raise Rejected("malformed", f"'{field}' is to be a text")
    return value.strip()


def _is_text(value: object) -> bool:
    return isinstance(value, str) and not _NO_LETTERS.search(value)
