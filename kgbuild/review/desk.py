"""What a review works on while it runs, and the one way from it to the database and back.

DuckDB lets one process in at a time. What is shown was read before; the database is opened for
each answer, and closed again, so that others can use it meanwhile.
"""

import datetime
import threading
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from kgbuild import reviews, tables
from kgbuild.relations import catalog
from kgbuild.review.questions import NOTE, WORDING, Review, kind_of
from kgbuild.review.rows import Row, is_id, value
from kgbuild.review.sheets import Sheet

LONGEST = 10_000
"""Letters of a note or a wording."""
_LONGEST_NAME = 60
_PATIENCE = 5.0
"""Seconds to wait for another process to let go of the database, when something is to be read."""


class RefusedError(Exception):
    """What came is no answer of a reviewer's; the message says why."""


@dataclass
class Desk:
    """The rows of a sample, the ids of ``all_ids`` that could be in one, and the database.

    ``label`` gives the label of an item in the store, or None.
    """

    db: Path
    sheet: Sheet
    rows: list[Row]
    all_ids: frozenset[str]
    label: Callable[[str], str | None]
    _alone: threading.Lock = field(default_factory=threading.Lock)
    """Held while the database is open: threads of a process are in each other's way, too."""

    def name(self, row: Row, text: str) -> str:
        """Return the label of an id, as the row or the store has it; or a literal, readable."""
        label = row.names.get(text) or catalog().properties.get(text)
        return label or (self.label(text) if is_id(text) else None) or value(text)

    @cached_property
    def choices(self) -> Mapping[str, tuple[str, ...]]:
        """The answers that questions of each kind can have."""
        return {asked.kind: asked.choices for row in self.rows for asked in row.questions}

    @cached_property
    def texts(self) -> set[str]:
        """What a reviewer says in words of her own: a note, and another wording of a column."""
        columns = {column for row in self.rows for column in row.wordings}
        return {NOTE, *(f"{WORDING}: {column}" for column in columns)}

    def answers(self, reviewer: str) -> dict[str, dict[str, str]]:
        """Return what a reviewer has said, by row and question.

        Raises:
            DatabaseBusyError, DamagedDatabaseError, NoDatasetsError: it cannot be read.
        """
        found: dict[str, dict[str, str]] = defaultdict(dict)
        with self._alone, tables.reading(self.db, _PATIENCE) as select:
            for review in tables.reviews(select, self.sheet.name):
                if review.reviewer == reviewer:
                    found[review.item_id][review.question] = review.answer
        return dict(found)

    def keep(self, sent: Mapping[str, Any]) -> None:
        """Keep an answer that came as JSON, or take one back if it is empty.

        Raises:
            RefusedError: it is no answer that there can be.
            DatabaseBusyError, DamagedDatabaseError, NoDatasetsError, WriteError: nothing was
                changed.
        """
        item, question, answer = (_text(sent, name) for name in ("item", "question", "answer"))
        if item not in self.all_ids:
            raise RefusedError("There is no such row any more; the datasets were built anew.")
        self._require_fitting(question, answer)
        now = datetime.datetime.now(datetime.UTC).replace(tzinfo=None)
        who = reviewer_of(sent)
        with self._alone:
            tables.write_review(self.db, Review(self.sheet.name, item, who, question, answer, now))

    def _require_fitting(self, question: str, answer: str) -> None:
        if question in self.texts:
            if len(answer) > LONGEST:
                of = f"{len(answer):,} letters are too many, the most are {LONGEST:,}"
                raise RefusedError(f"{of}: shorten it. Nothing of it was kept.")
        elif answer not in ("", *self.choices.get(kind_of(question), ())):
            raise RefusedError(f"This is no answer to a question of {self.sheet.name}.")

    def agreement(self) -> tuple[reviews.Survivors, list[reviews.Agreement], list[Any]]:
        """Return which rows were accepted, how reviewers agree, and where they do not.

        Raises:
            DatabaseBusyError, DamagedDatabaseError, NoDatasetsError: it cannot be read.
        """
        with self._alone:
            return reviews.survivors(self.db, self.sheet), *reviews.agreements(self.db, self.sheet)


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
