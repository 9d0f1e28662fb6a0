"""A running review: its rows, and the access of its page to the database.

DuckDB admits one process at a time. The rows are read at the start; the database is opened for
each answer and closed again, so that other processes can use it meanwhile.

A page keeps each answer until the server confirms or refuses it. So an answer may arrive twice,
late, or at the server of another review: it names its review and its time, and the latest answer
to a question counts, in whichever order they arrive.
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

from kgbuild.datasets.views import RowView
from kgbuild.errors import DatabaseBusyError
from kgbuild.review import verdicts
from kgbuild.review.selection import Selection, views
from kgbuild.review.verdicts import NOTE, WORDING, kind_of
from kgbuild.tables.records import Review
from kgbuild.tables.reviews import reviews

if TYPE_CHECKING:
    from kgbuild.tables.database import Database

LONGEST = 10_000
"""Maximum number of letters of a note or a corrected text."""
_LONGEST_NAME = 60
_PATIENCE = 5.0
"""Seconds to wait for another process to close the database before a read."""
_TURN = 2.0
"""Seconds to wait for other requests to the database; the page sends its answer again."""


class RefusedError(Exception):
    """Raised when a request is not a reviewer's answer; the message says why."""


class ElsewhereError(Exception):
    """An answer that belongs to another review."""


class State(NamedTuple):
    """The reviews that a page shows, by the page's name of the row and by question.

    ``answers`` are the reviewer's own, ``wordings`` those of others, by reviewer; ``last`` is when
    the reviewer answered last, in milliseconds since 1970.
    """

    answers: Mapping[str, Mapping[str, str]]
    wordings: Mapping[str, Mapping[str, Mapping[str, str]]]
    last: int


def alias(row_id: str) -> str:
    """Return the page's name of a row: the id of a prediction would reveal the model.

    >>> alias("syn_qa")
    '8964ce64f4efa2d0'
    """
    return hashlib.sha256(row_id.encode()).hexdigest()[:16]


@dataclass
class Session:
    """A review that runs: the database, and the rows of a sample of ``all_ids``.

    ``label`` gives the label of an item in the store, or None.
    """

    db: "Database"
    selection: Selection
    rows: list[RowView]
    all_ids: frozenset[str]
    label: Callable[[str], str | None]
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _latest: dict[tuple[str, str, str], datetime.datetime] = field(default_factory=dict)
    """The time of the last answer by row, reviewer and question: the table drops answers that
    were taken back, and an earlier answer may arrive later."""

    @property
    def place(self) -> str:
        """The name of this review in its answers: the dataset and the database."""
        return f"{self.selection.name} in {self.db.path.resolve()}"

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        """Let one thread at a time use the database."""
        if not self._lock.acquire(timeout=_TURN):
            raise DatabaseBusyError(self.db.path, "other answers to this review")
        try:
            yield
        finally:
            self._lock.release()

    @cached_property
    def _ids(self) -> Mapping[str, str]:
        return {alias(row_id): row_id for row_id in self.all_ids}

    @cached_property
    def _rows_by_id(self) -> Mapping[str, RowView]:
        return {row.id: row for row in self.rows}

    def state(self, reviewer: str) -> State:
        """Return the reviews that the page of a reviewer shows.

        Raises:
            DatabaseBusyError, DamagedDatabaseError, NoDatasetsError: it cannot be read.
        """
        answers: dict[str, dict[str, str]] = defaultdict(dict)
        wordings: dict[str, dict[str, dict[str, str]]] = defaultdict(lambda: defaultdict(dict))
        last = datetime.datetime.fromtimestamp(0, datetime.UTC)
        with self._locked(), self.db.reading(_PATIENCE) as select:
            all_reviews = reviews(select, self.selection.name)
        for review in all_reviews:
            item = alias(review.item_id)
            if review.reviewer == reviewer:
                answers[item][review.question] = review.answer
                last = review.answered_at.replace(tzinfo=datetime.UTC)  # the latest comes last
            elif kind_of(review.question) == WORDING:
                wordings[item][review.question][review.reviewer] = review.answer
        return State(answers, wordings, int(last.timestamp() * 1000))

    def keep(self, sent: Mapping[str, Any]) -> None:
        """Save answers to questions of a row, sent as JSON; an empty one removes the last one.

        Raises:
            ElsewhereError: they belong to another review.
            RefusedError: there are no such answers.
            DatabaseBusyError, DamagedDatabaseError, NoDatasetsError, WriteError: nothing was
                changed.
        """
        if _text(sent, "place") != self.place:
            raise ElsewhereError(f"This belongs to another review, this one is of {self.place}.")
        row_id, reviewer, at = self._ids.get(_text(sent, "item")), reviewer_of(sent), _time(sent)
        answers = sent.get("answers")
        if not isinstance(answers, dict):
            raise RefusedError("'answers' is missing.")
        with self._locked():
            row = self._row(row_id)
            for question in answers:
                _require_fitting(row, question, _text(answers, question))
            new = [
                Review(
                    self.selection.name, row.id, reviewer, question, _text(answers, question), at
                )
                for question in answers
                if at >= self._latest.get((row.id, reviewer, question), at)
            ]
            self.db.write_review(*new)
            self._latest.update({(row.id, reviewer, review.question): at for review in new})

    def _row(self, row_id: str | None) -> RowView:
        """Return a row by its id, also one of an earlier, larger sample."""
        if row_id and row_id in self._rows_by_id:
            return self._rows_by_id[row_id]
        with self.db.reading(_PATIENCE) as select:
            rows = views(select, self.selection, [row_id]) if row_id else []
        if not rows:
            raise RefusedError("There is no such row any more; the datasets were built anew.")
        return rows[0]

    def agreement(self) -> tuple[verdicts.Survivors, list[verdicts.Agreement], list[Any]]:
        """Return the accepted rows, and how reviewers agree and differ.

        Raises:
            DatabaseBusyError, DamagedDatabaseError, NoDatasetsError: it cannot be read.
        """
        with self._locked(), self.db.reading() as select:
            survivors = verdicts.survivors(select, self.selection)
            return survivors, *verdicts.agreements(select, self.selection)


def _require_fitting(row: RowView, question: str, answer: str) -> None:
    """Refuse questions that the row lacks, and answers that the question lacks."""
    choices = {asking.key: asking.choices for asking in row.questions}
    if question in (NOTE, *(f"{WORDING}: {column}" for column in row.wordings)):
        if len(answer) > LONGEST:
            of = f"{len(answer):,} letters are too many, the most are {LONGEST:,}"
            raise RefusedError(f"{of}: shorten it. Nothing of it was kept.")
    elif answer not in ("", *choices.get(question, ())) or question not in choices:
        raise RefusedError("This row has no such question, or the question no such answer.")


def reviewer_of(sent: Mapping[str, Any]) -> str:
    """Return the name of the reviewer in a request.

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
    return text.encode("utf-8", "replace").decode()  # UTF-8 has no lone surrogates


def _time(sent: Mapping[str, Any]) -> datetime.datetime:
    """Return when an answer was given, of milliseconds since 1970; in UTC, as the table has it."""
    try:
        at = datetime.datetime.fromtimestamp(sent["at"] / 1000, datetime.UTC)
    except (KeyError, TypeError, ValueError, OverflowError, OSError) as error:
        raise RefusedError("'at' is not a time.") from error
    return at.replace(tzinfo=None)
