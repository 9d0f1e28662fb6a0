"""Read the records of HotpotQA (arXiv:1809.09600) in its distractor setting.

A file is a JSON list, has a record in each line, or is a table in Parquet. Supporting facts and
passages of a record are lists of pairs, as its authors publish them, or an object with two lists,
as tables have them.
"""

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from kgbuild.datasets.syn_qa.hotpotqa.text import SearchedText
from kgbuild.errors import WrongCallError
from kgbuild.rows import Rejected, Rejection, stable_id
from kgbuild.tables.files import read_file

_SUPPORTING_PASSAGES = 2
"""Number of passages that a question needs: it has two hops."""
_ADDITION = re.compile(r"\s*\([^()]*\)\s*$")
"""Brackets at the end of a title: "(film)"."""


class Passage:
    """A title and a text; ``name`` is the title without an addition in brackets at its end.

    >>> Passage("Ed Wood (film)", []).name
    'Ed Wood'
    """

    def __init__(self, title: str, sentences: Sequence[str]):
        self.title = title
        self.name = _ADDITION.sub("", title) or title
        self.text = SearchedText("".join(sentences))

    def refers_to(self, topic: "Passage") -> bool:
        """Return whether the text has the name of another subject."""
        return bool(self.text.spans(topic.name.partition(",")[0]))


@dataclass(frozen=True)
class Record:
    """A question with its answer, the passages that it needs, and distractors: other passages."""

    key: str
    question: str
    answer: str
    type: str
    supporting: tuple[Passage, ...]
    distractors: tuple[Passage, ...]


class Change(NamedTuple):
    """What is changed in a question of a record: a title, or a value of another kind.

    ``topic`` is the passage that it says something about, ``bridge`` the one that contradicts the
    false question; ``similarity`` names how the replacement was found, ``overlap`` how near it is.
    """

    replaced: str
    replacement: str
    topic: Passage
    bridge: Passage
    false_question: str
    similarity: str
    overlap: int = 0


def read(path: Path) -> tuple[list[Record], list[Rejection]]:
    """Return the records of a file, and a rejection for each value that is not a record.

    Raises:
        TableFileError: the file cannot be read.
        WrongCallError: the file has no record.
    """
    records, rejections = [], []
    for number, value in enumerate(read_file(path).records, 1):
        position = f"record {number}"
        key = value.get("_id") or value.get("id")
        key = key if isinstance(key, str) else ""
        try:
            records.append(_record(key, value))
        except Rejected as rejected:
            detail = f"{path.name}, {position}: {rejected.detail}"
            rejections.append(Rejection(key or position, rejected.reason, detail))
    if not records:
        detail = rejections[0].detail if rejections else "it holds nothing"
        raise WrongCallError(
            f"{path} is not a file of HotpotQA, which has records with _id, question, answer, "
            f"type, supporting_facts and context: {detail.removeprefix(f'{path.name}, ')}."
        )
    return records, rejections


def _record(key: str, value: dict[str, Any]) -> Record:
    """Return a record from a value of the file; ``key`` is its id, or an empty text.

    Raises:
        Rejected: the value is not a record of HotpotQA.
    """
    question, answer, kind = (
        _text(value.get(field), f"'{field}'") for field in ("question", "answer", "type")
    )
    facts = _pairs(value, "supporting_facts", ("title", "sent_id"))
    passages = _passages(value)
    titles = list(dict.fromkeys(_title("supporting_facts", title) for title, _ in facts))
    if len(titles) != _SUPPORTING_PASSAGES:
        detail = f"'supporting_facts' names {len(titles)} titles, but must name two"
        raise Rejected("malformed", detail)
    for title in titles:
        if title not in passages:
            raise Rejected("malformed", f"'supporting_facts' names {title!r}, 'context' does not")
    return Record(
        key=key or stable_id("hotpotqa", question),
        question=question,
        answer=answer,
        type=kind,
        supporting=tuple(passages[title] for title in titles),
        distractors=tuple(passage for title, passage in passages.items() if title not in titles),
    )


def _passages(record: dict[str, Any]) -> dict[str, Passage]:
    """Return the passages by title, in their order; only the first one with a title."""
    passages: dict[str, Passage] = {}
    for raw_title, sentences in _pairs(record, "context", ("title", "sentences")):
        title = _title("context", raw_title)
        if not isinstance(sentences, list) or not all(isinstance(one, str) for one in sentences):
            raise Rejected("malformed", f"the sentences of {title!r} in 'context' must be texts")
        passages.setdefault(title, Passage(title, sentences))
    return passages


def _pairs(record: dict[str, Any], field: str, columns: tuple[str, str]) -> list[Any]:
    """Return the pairs of a field, which is a list of pairs, or an object of two lists.

    ``columns`` are the keys of the two lists.
    """
    value = record.get(field)
    if isinstance(value, dict):
        first, second = (value.get(column) for column in columns)
        if isinstance(first, list) and isinstance(second, list) and len(first) == len(second):
            return list(zip(first, second, strict=True))
    elif isinstance(value, list) and all(isinstance(v, list) and len(v) == 2 for v in value):
        return value
    raise Rejected("malformed", f"'{field}' must hold pairs of {columns[0]} and {columns[1]}")


def _title(field: str, value: object) -> str:
    """Return a title as texts write it: HotpotQA has ``&amp;`` in titles, but ``&`` in texts."""
    return html.unescape(_text(value, f"a title in '{field}'")).strip()


def _text(value: object, name: str) -> str:
    if not isinstance(value, str) or not value.strip():
        raise Rejected("malformed", f"{name} must be a text")
    return value.strip()
