"""A running review: its rows, and the access of the page to the database.

DuckDB admits one writing process at a time. The rows are read at the start; the database is opened
for each answer and then closed, so that other processes can use it between answers.

A page keeps each answer until the server confirms or rejects it. So an answer may arrive twice,
late, or at the server of another review. Therefore an answer names its review and its time, and
the latest answer to a question counts, in whatever order answers arrive.
"""

import contextlib
import datetime
import hashlib
import threading
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

from kgbuild.datasets.views import RowView
from kgbuild.errors import DatabaseBusyError
from kgbuild.review import verdicts
from kgbuild.review.selection import Selection, views
from kgbuild.review.verdicts import NOTE, WORDING, kind_of
from kgbuild.tables.records import Review
from kgbuild.tables.reviews import reviews

if TYPE_CHECKING:
    from kgbuild.tables.database import Database

MAX_LENGTH = 10_000
"""Maximum number of characters of a note or a corrected text."""
MAX_NAME_LENGTH = 60
_READ_TIMEOUT = 5.0
"""Seconds to wait for another process to close the database before a read."""

Assigned: TypeAlias = Callable[[str], Collection[str]]
"""A function that returns the ids of the rows of a reviewer, or raises a RefusedSessionError."""


class RefusedSessionError(Exception):
    """Raised when a request is not a valid answer of a reviewer; the message is the reason."""


class ElsewhereError(Exception):
    """Raised when an answer belongs to another review."""


def alias(row_id: str) -> str:
    """Return the name of a row on the page: the id of a prediction would reveal the model.

    >>> alias("syn_qa")
    '8964ce64f4efa2d0'
    """
    return hashlib.sha256(row_id.encode()).hexdigest()[:16]


@dataclass
class Session:
    """A running review of ``rows``, a sample of the rows with ``all_ids``, in a database.

    ``label`` returns the label of an item in the store, or None. By default, each reviewer
    is ``assigned`` all rows. In an adjudication, the rows have only their disputed questions.
    """

    db: "Database"
    selection: Selection
    rows: list[RowView]
    all_ids: frozenset[str]
    label: Callable[[str], str | None] = field(default=lambda _: None)
    assigned: Assigned | None = None
    is_adjudication: bool = False
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _latest: dict[tuple[str, str, str], datetime.datetime] = field(default_factory=dict)
    """The time of the last answer by (row, reviewer, question). The table has no time of answers
    that were removed, but an earlier answer may arrive after the removal."""

    @property
    def name(self) -> str:
        """The name of this review in its answers: the dataset and the database."""
        kind = "adjudication of " * self.is_adjudication
        return f"{kind}{self.selection.name} in {self.db.path.resolve()}"

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        """Let one thread at a time use the database."""
        if not self._lock.acquire(timeout=2):  # the page sends its answer again later
            raise DatabaseBusyError(self.db.path, "other answers to this review")
        try:
            yield
        finally:
            self._lock.release()

    @cached_property
    def _ids(self) -> Mapping[str, str]:
        """The ids of all rows by alias."""
        return {alias(row_id): row_id for row_id in self.all_ids}

    @cached_property
    def _rows_by_id(self) -> Mapping[str, RowView]:
        return {row.id: row for row in self.rows}

    def rows_of(self, reviewer: str) -> list[RowView]:
        """Return the rows that a reviewer sees.

        Raises:
            RefusedSessionError: no rows are assigned to a reviewer of this name.
        """
        if self.assigned is None:
            return self.rows
        ids = frozenset(self.assigned(reviewer))
        return [row for row in self.rows if row.id in ids]

    def row(self, row_alias: str) -> RowView | None:
        """Return the row with an alias, or None."""
        return self._rows_by_id.get(self._ids.get(row_alias, ""))

    def state(self, reviewer: str) -> dict[str, Any]:
        """Return the reviews that the page of a reviewer shows.

        ``answers`` are those of the reviewer, by the alias of the row and by question; ``wordings``
        are the corrected texts of other reviewers, by reviewer, too. ``last`` is the time of the
        reviewer's last answer, in milliseconds since 1970.
        """
        answers: dict[str, dict[str, str]] = defaultdict(dict)
        wordings: dict[str, dict[str, dict[str, str]]] = defaultdict(lambda: defaultdict(dict))
        last = datetime.datetime.fromtimestamp(0, datetime.UTC)
        with self._locked(), self.db.reading(_READ_TIMEOUT) as select:
            all_reviews = reviews(select, self.selection.name)
        for review in all_reviews:
            row_alias = alias(review.item_id)
            if review.reviewer == reviewer:
                answers[row_alias][review.question] = review.answer
                # Reviews are ordered by time.
                last = review.answered_at.replace(tzinfo=datetime.UTC)
            elif kind_of(review.question) == WORDING:
                wordings[row_alias][review.question][review.reviewer] = review.answer
        return {"answers": answers, "wordings": wordings, "last": int(last.timestamp() * 1000)}

    def save(self, content: Mapping[str, Any]) -> None:
        """Save the answers of a JSON request to questions of a row; "" removes an answer.

        Raises:
            ElsewhereError: the answers belong to another review.
            RefusedSessionError: the request or an answer is invalid.
            DatabaseBusyError, DamagedDatabaseError, NoDatasetsError, WriteError: nothing was
                changed.
        """
        if _text(content, "place") != self.name:
            raise ElsewhereError(f"This answer is not for this review, {self.name}.")
        row_id, reviewer = self._ids.get(_text(content, "item")), reviewer_of(content)
        answered_at = _time(content)
        answers = content.get("answers")
        if not isinstance(answers, dict):
            raise RefusedSessionError("'answers' is missing.")
        with self._locked():
            row = self._stored_row(row_id)
            texts = {question: _text(answers, question) for question in answers}
            for question, text in texts.items():
                _require_valid(row, question, text)
            new_reviews = [
                Review(self.selection.name, row.id, reviewer, question, text, answered_at)
                for question, text in texts.items()
                if answered_at >= self._latest.get((row.id, reviewer, question), answered_at)
            ]
            self.db.write_review(*new_reviews)
            for review in new_reviews:
                self._latest[row.id, reviewer, review.question] = answered_at

    def _stored_row(self, row_id: str | None) -> RowView:
        """Return a row by its id; it may belong to an earlier, larger sample."""
        if row_id and row_id in self._rows_by_id:
            return self._rows_by_id[row_id]
        with self.db.reading(_READ_TIMEOUT) as select:
            rows = views(select, self.selection, [row_id]) if row_id else []
        if not rows:
            raise RefusedSessionError(
                "This row no longer exists, since the dataset was built again."
            )
        return rows[0]

    def agreement(self) -> tuple[verdicts.Survivors, verdicts.Agreements]:
        """Return the accepted rows, and the agreements and disagreements of reviewers."""
        with self._locked(), self.db.reading() as select:
            survivors = verdicts.survivors(select, self.selection)
            return survivors, verdicts.agreements(select, self.selection)


def _require_valid(row: RowView, question: str, answer: str) -> None:
    """Reject a question that the row lacks, and an answer that is not a choice of the question."""
    choices = {row_question.key: row_question.choices for row_question in row.questions}
    if question in (NOTE, *(f"{WORDING}: {column}" for column in row.wordings)):
        if len(answer) > MAX_LENGTH:
            raise RefusedSessionError(
                f"The text has {len(answer):,} letters, the maximum is {MAX_LENGTH:,}. Shorten it; "
                "nothing was saved."
            )
    elif answer not in ("", *choices.get(question, ())) or question not in choices:
        raise RefusedSessionError(
            "This row does not have this question, or the question does not have this answer."
        )


def reviewer_of(content: Mapping[str, Any]) -> str:
    """Return the name of the reviewer in a JSON request."""
    return checked_name(_text(content, "reviewer"))


def checked_name(name: str) -> str:
    """Return a reviewer's name without spaces around it.

    Raises:
        RefusedSessionError: the name is empty, too long, or has invisible characters.
    """
    name = name.strip()
    if not (0 < len(name) <= MAX_NAME_LENGTH and name.isprintable()):
        raise RefusedSessionError(
            f"A reviewer's name has 1 to {MAX_NAME_LENGTH} letters, in one line."
        )
    return name


def _text(content: Mapping[str, Any], name: str) -> str:
    text = content.get(name)
    if not isinstance(text, str):
        raise RefusedSessionError(f"'{name}' is missing.")
    return text.encode("utf-8", "replace").decode()  # UTF-8 has no lone surrogates


def _time(content: Mapping[str, Any]) -> datetime.datetime:
    """Return the time of an answer, sent in milliseconds since 1970; in UTC without time zone."""
    try:
        time = datetime.datetime.fromtimestamp(content["at"] / 1000, datetime.UTC)
    except (KeyError, TypeError, ValueError, OverflowError, OSError) as error:
        raise RefusedSessionError("'at' is not a time.") from error
    return time.replace(tzinfo=None)
