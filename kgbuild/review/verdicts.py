"""What reviews make of rows: which are accepted, how they were reworded, where reviewers differ.

The rule: a row is accepted if all reviewers who decided on it accept it. A reviewer has decided
once she has answered all questions about a row, or one so that it speaks against the row. So one
objection keeps a row out until its reviewer answers otherwise.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from kgbuild.datasets.views import RowView
from kgbuild.evaluate.agreement import cohen_kappa
from kgbuild.review.questions import WORDING, kind_of, verdict
from kgbuild.review.selection import Selection, views
from kgbuild.tables.reviews import Select, reviews

if TYPE_CHECKING:
    from kgbuild.tables.database import Database

Answers: TypeAlias = Mapping[tuple[str, str], Mapping[str, str]]
"""Answers by the row and the key of the question, and within that by reviewer."""


class Survivors(NamedTuple):
    """The ids of the rows that were accepted, and of those on which somebody decided."""

    accepted: set[str]
    decided: set[str]


class Agreement(NamedTuple):
    """How two reviewers agree on questions of a kind.

    ``both`` counts the questions that both answered, ``agreed`` those that they answered alike.
    """

    question: str
    reviewer: str
    other: str
    both: int
    agreed: int
    kappa: float | None


class Disagreement(NamedTuple):
    """A question about a row that reviewers answered differently; the answers by reviewer."""

    item_id: str
    question: str
    answers: Mapping[str, str]


def survivors(db: "Database", selection: Selection) -> Survivors:
    """Return which of the rows that are still there were decided on, and which were accepted.

    Raises:
        NoDatasetsError: there is no database.
        DatabaseBusyError, DamagedDatabaseError: the database cannot be read.
    """
    with db.reading() as select:
        return survivors_in(select, selection)


def survivors_in(select: Select, selection: Selection) -> Survivors:
    """Return the same of an open database."""
    verdicts = {row: {*by.values()} for row, by in _verdicts(select, selection).items()}
    decided = {row for row, answers in verdicts.items() if answers != {None}}
    return Survivors({row for row in decided if False not in verdicts[row]}, decided)


def deciders(db: "Database", selection: Selection) -> set[str]:
    """Return the reviewers who decided on any of the rows that are still there.

    Raises:
        NoDatasetsError, DatabaseBusyError, DamagedDatabaseError: as for ``survivors``.
    """
    with db.reading() as select:
        verdicts = _verdicts(select, selection).values()
    return {who for by in verdicts for who, accepts in by.items() if accepts is not None}


def wordings(db: "Database", dataset: str) -> dict[str, dict[str, str]]:
    """Return the texts that reviewers worded otherwise, by id and column: the last wording of each.

    Raises:
        NoDatasetsError, DatabaseBusyError, DamagedDatabaseError: as for ``survivors``.
    """
    texts: dict[str, dict[str, str]] = defaultdict(dict)
    with db.reading() as select:
        for review in reviews(select, dataset):
            if kind_of(review.question) == WORDING:
                column = review.question.removeprefix(f"{WORDING}: ")
                texts[review.item_id][column] = review.answer
    return dict(texts)


def agreements(db: "Database", selection: Selection) -> tuple[list[Agreement], list[Disagreement]]:
    """Return how each two reviewers agree, by kind of question, and where any differ.

    Only questions of rows that are still there count.

    Raises:
        NoDatasetsError, DatabaseBusyError, DamagedDatabaseError: as for ``survivors``.
    """
    with db.reading() as select:
        _, answers = _current(select, selection)
    reviewers = sorted({reviewer for by_reviewer in answers.values() for reviewer in by_reviewer})
    kinds = dict.fromkeys(kind_of(question) for _, question in answers)
    all_pairs = [
        _agreement(kind, *pair, [by for (_, key), by in answers.items() if kind_of(key) == kind])
        for kind in kinds
        for pair in combinations(reviewers, 2)
    ]
    return [agreement for agreement in all_pairs if agreement.both], [
        Disagreement(row, question, by_reviewer)
        for (row, question), by_reviewer in answers.items()
        if len({*by_reviewer.values()}) > 1
    ]


def _agreement(kind: str, one: str, other: str, answers: Sequence[Mapping[str, str]]) -> Agreement:
    pairs = [(by[one], by[other]) for by in answers if one in by and other in by]
    agreed = sum(answer == others for answer, others in pairs)
    kappa = cohen_kappa([answer for answer, _ in pairs], [others for _, others in pairs])
    return Agreement(kind, one, other, len(pairs), agreed, kappa)


def _verdicts(select: Select, selection: Selection) -> dict[str, dict[str, bool | None]]:
    """Return by row and reviewer whether she accepts it, None if undecided."""
    rows, answers = _current(select, selection)
    by_row: dict[str, dict[str, dict[str, str]]] = defaultdict(lambda: defaultdict(dict))
    for (row_id, question), by_reviewer in answers.items():
        for reviewer, answer in by_reviewer.items():
            by_row[row_id][reviewer][question] = answer
    return {
        row.id: {who: verdict(row.questions, own) for who, own in by_row[row.id].items()}
        for row in rows
    }


def _current(select: Select, selection: Selection) -> tuple[list[RowView], Answers]:
    """Return the rows with reviews, and the answers to their questions.

    Rows that are not there any more are left out, and questions that they don't have any more,
    notes and wordings.
    """
    kept = reviews(select, selection.name)
    ids = sorted({review.item_id for review in kept})
    rows = views(select, selection, ids) if ids else []
    questions = {(row.id, question.key) for row in rows for question in row.questions}
    answers: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    for review in kept:
        if (review.item_id, review.question) in questions:
            answers[review.item_id, review.question][review.reviewer] = review.answer
    return rows, answers
