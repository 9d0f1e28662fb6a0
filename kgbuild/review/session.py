"""What a review works on while it runs, and the one way from it to the database and back.

DuckDB lets one process in at a time. What is shown was read before; the database is opened for
each answer, and closed again, so that others can use it meanwhile.

A page holds each answer until it is told what became of it. So an answer may come twice, late, or
to the server of another review: it says what it belongs to and when it was given, and of the
answers to a question the one that was given last counts, whichever comes last.
"""

import contextlib
import datetime
import hashlib
import threading
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from kgbuild.catalog import catalog
from kgbuild.drawing.review_evidence import is_id
from kgbuild.errors import DatabaseBusyError
from kgbuild.review import verdicts
from kgbuild.review.questions import NOTE, WORDING, kind_of
from kgbuild.review.rows import Row, value
from kgbuild.review.selection import Sheet, rows
from kgbuild.tables.records import Review
from kgbuild.tables.reviews import reviews

if TYPE_CHECKING:
    from kgbuild.tables.database import Database

LONGEST = 10_000
"""Letters of a note or a wording."""
_LONGEST_NAME = 60
_PATIENCE = 5.0
"""Seconds to wait for another process to let go of the database, when something is to be read."""
_TURN = 2.0
"""Seconds to wait for other requests that use the database; the page sends its answer again."""


class RefusedError(Exception):
    """What came is no answer of a reviewer's, and never will be; the message says why."""


class ElsewhereError(Exception):
    """What came belongs to another review."""


class Told(NamedTuple):
    """What a page is told of reviews: by the name of a row on the page, and by question.

    ``answers`` are the reviewer's own, ``wordings`` those of others, by who words it so; ``last``
    is when the reviewer answered last, in milliseconds since 1970.
    """

    answers: Mapping[str, Mapping[str, str]]
    wordings: Mapping[str, Mapping[str, Mapping[str, str]]]
    last: int


def alias(item: str) -> str:
    """Return what the page calls a row: the id of a prediction would tell the model.

    >>> alias("syn_qa")
    '8964ce64f4efa2d0'
    """
    return hashlib.sha256(item.encode()).hexdigest()[:16]


@dataclass
class Desk:
    """The rows of a sample, the ids of ``all_ids`` that could be in one, and the database.

    ``label`` gives the label of an item in the store, or None.
    """

    db: "Database"
    sheet: Sheet
    rows: list[Row]
    all_ids: frozenset[str]
    label: Callable[[str], str | None]
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _latest: dict[tuple[str, str, str], datetime.datetime] = field(default_factory=dict)
    """When what was kept was said, by row, reviewer and question: the table forgets what was taken
    back, and an earlier answer to it may still be on its way."""

    @property
    def place(self) -> str:
        """What answers to this review name as theirs: the database and the sheet."""
        return f"{self.sheet.name} in {self.db.path.resolve()}"

    @contextlib.contextmanager
    def _alone(self) -> Iterator[None]:
        """Hold the database for a request: threads of a process are in each other's way, too."""
        if not self._lock.acquire(timeout=_TURN):
            raise DatabaseBusyError(self.db.path, "other answers to this review")
        try:
            yield
        finally:
            self._lock.release()

    def name(self, row: Row, text: str) -> str:
        """Return the label of an id, as the row or the store has it; or a literal, readable."""
        label = row.names.get(text) or catalog().properties.get(text)
        return label or (self.label(text) if is_id(text) else None) or value(text)

    @cached_property
    def _items(self) -> Mapping[str, str]:
        return {alias(item): item for item in self.all_ids}

    @cached_property
    def _shown(self) -> Mapping[str, Row]:
        return {row.item_id: row for row in self.rows}

    def told(self, reviewer: str) -> Told:
        """Return what the page of a reviewer is told of reviews.

        Raises:
            DatabaseBusyError, DamagedDatabaseError, NoDatasetsError: it cannot be read.
        """
        answers: dict[str, dict[str, str]] = defaultdict(dict)
        wordings: dict[str, dict[str, dict[str, str]]] = defaultdict(lambda: defaultdict(dict))
        last = datetime.datetime.fromtimestamp(0, datetime.UTC)
        with self._alone(), self.db.reading(_PATIENCE) as select:
            found = reviews(select, self.sheet.name)
        for review in found:
            item = alias(review.item_id)
            if review.reviewer == reviewer:
                answers[item][review.question] = review.answer
                last = review.answered_at.replace(tzinfo=datetime.UTC)  # the latest comes last
            elif kind_of(review.question) == WORDING:
                wordings[item][review.question][review.reviewer] = review.answer
        return Told(answers, wordings, int(last.timestamp() * 1000))

    def keep(self, sent: Mapping[str, Any]) -> None:
        """Keep answers to questions of a row that came as JSON; an empty one is taken back.

        Raises:
            ElsewhereError: they belong to another review.
            RefusedError: they are none that there can be.
            DatabaseBusyError, DamagedDatabaseError, NoDatasetsError, WriteError: nothing was
                changed.
        """
        if _text(sent, "place") != self.place:
            raise ElsewhereError(f"This belongs to another review, this one is of {self.place}.")
        item, who, at = self._items.get(_text(sent, "item")), reviewer_of(sent), _time(sent)
        answers = sent.get("answers")
        if not isinstance(answers, dict):
            raise RefusedError("'answers' is missing.")
        with self._alone():
            row = self._row(item)
            for question in answers:
                _require_fitting(row, question, _text(answers, question))
            parts = [
                Review(self.sheet.name, row.item_id, who, question, _text(answers, question), at)
                for question in answers
                if at >= self._latest.get((row.item_id, who, question), at)
            ]
            self.db.write_review(*parts)
            self._latest.update({(row.item_id, who, part.question): at for part in parts})

    def _row(self, item: str | None) -> Row:
        """Return a row by its id, also one of a larger sample, of which an answer was left."""
        if item and item in self._shown:
            return self._shown[item]
        with self.db.reading(_PATIENCE) as select:
            found = rows(select, self.sheet, [item]) if item else []
        if not found:
            raise RefusedError("There is no such row any more; the datasets were built anew.")
        return found[0]

    def agreement(self) -> tuple[verdicts.Survivors, list[verdicts.Agreement], list[Any]]:
        """Return which rows were accepted, how reviewers agree, and where they do not.

        Raises:
            DatabaseBusyError, DamagedDatabaseError, NoDatasetsError: it cannot be read.
        """
        with self._alone():
            return verdicts.survivors(self.db, self.sheet), *verdicts.agreements(
                self.db, self.sheet
            )


def _require_fitting(row: Row, question: str, answer: str) -> None:
    """Refuse what is asked of no such row, and answers that a question does not have."""
    choices = {asked.key: asked.choices for asked in row.questions}
    if question in (NOTE, *(f"{WORDING}: {column}" for column in row.wordings)):
        if len(answer) > LONGEST:
            of = f"{len(answer):,} letters are too many, the most are {LONGEST:,}"
            raise RefusedError(f"{of}: shorten it. Nothing of it was kept.")
    elif answer not in ("", *choices.get(question, ())) or question not in choices:
        raise RefusedError("This row has no such question, or the question no such answer.")


def reviewer_of(sent: Mapping[str, Any]) -> str:
    """Return the name of the reviewer in what came as JSON.

    Raises:
        RefusedError: it is no name.
    """
    return checked_name(_text(sent, "reviewer"))


def checked_name(name: str) -> str:
    """Return a reviewer's name without spaces around it.

    Raises:
        RefusedError: it is empty, too long, or has letters that cannot be seen.
    """
    name = name.strip()
    if not (0 < len(name) <= _LONGEST_NAME and name.isprintable()):
        raise RefusedError(f"A reviewer's name has 1 to {_LONGEST_NAME} letters, in one line.")
    return name


def _text(sent: Mapping[str, Any], name: str) -> str:
    text = sent.get(name)
    if not isinstance(text, str):
        raise RefusedError(f"'{name}' is missing.")
    return text.encode("utf-8", "replace").decode()  # of half a letter there would be no UTF-8


def _time(sent: Mapping[str, Any]) -> datetime.datetime:
    """Return when an answer was given, of milliseconds since 1970; in UTC, as the table has it."""
    try:
        at = datetime.datetime.fromtimestamp(sent["at"] / 1000, datetime.UTC)
    except (KeyError, TypeError, ValueError, OverflowError, OSError) as error:
        raise RefusedError("'at' is no time.") from error
    return at.replace(tzinfo=None)
