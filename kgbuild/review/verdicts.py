"""What reviews make of rows: which are accepted, how they were reworded, where reviewers differ.

The rule: a row is accepted if all reviewers who decided on it accept it. A reviewer has decided
once she has answered all questions about a row, or one so that it speaks against the row. So what
one reviewer objects to stays out until she, having talked with the others, answers otherwise.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from kgbuild.evaluate.agreement import cohen_kappa
from kgbuild.review.questions import WORDING, kind_of, verdict
from kgbuild.review.rows import Row
from kgbuild.review.selection import Sheet, rows
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


def accepted(db: "Database", dataset: str) -> set[str]:
    """Return the ids of the rows of a dataset that reviewers accepted, by its name.

    Raises:
        NoDatasetsError: there is no database.
        DatabaseBusyError, DamagedDatabaseError: the database cannot be read.
    """
    return survivors(db, Sheet(dataset)).accepted


def survivors(db: "Database", sheet: Sheet) -> Survivors:
    """Return which of the rows that are still there were decided on, and which were accepted.

    Raises:
        NoDatasetsError, DatabaseBusyError, DamagedDatabaseError: as for ``accepted``.
    """
    verdicts = {item: {*found.values()} for item, found in _verdicts(db, sheet).items()}
    decided = {item for item, found in verdicts.items() if found != {None}}
    return Survivors({item for item in decided if False not in verdicts[item]}, decided)


def deciders(db: "Database", sheet: Sheet) -> set[str]:
    """Return the reviewers who decided on any of the rows that are still there.

    Raises:
        NoDatasetsError, DatabaseBusyError, DamagedDatabaseError: as for ``accepted``.
    """
    verdicts = _verdicts(db, sheet).values()
    return {name for found in verdicts for name, one in found.items() if one is not None}


def wordings(db: "Database", dataset: str) -> dict[str, dict[str, str]]:
    """Return the texts that reviewers worded otherwise, by id and column: the last wording of each.

    Raises:
        NoDatasetsError, DatabaseBusyError, DamagedDatabaseError: as for ``accepted``.
    """
    found: dict[str, dict[str, str]] = defaultdict(dict)
    with db.reading() as select:
        for review in reviews(select, dataset):
            if kind_of(review.question) == WORDING:
                column = review.question.removeprefix(f"{WORDING}: ")
                found[review.item_id][column] = review.answer
    return dict(found)


def agreements(db: "Database", sheet: Sheet) -> tuple[list[Agreement], list[Disagreement]]:
    """Return how each two reviewers agree, by kind of question, and where any differ.

    Only questions of rows that are still there count.

    Raises:
        NoDatasetsError, DatabaseBusyError, DamagedDatabaseError: as for ``accepted``.
    """
    with db.reading() as select:
        _, answers = _standing(select, sheet)
    reviewers = sorted({reviewer for by_reviewer in answers.values() for reviewer in by_reviewer})
    kinds = dict.fromkeys(kind_of(question) for _, question in answers)
    agreed = [
        _agreement(kind, *two, [by for (_, key), by in answers.items() if kind_of(key) == kind])
        for kind in kinds
        for two in combinations(reviewers, 2)
    ]
    return [one for one in agreed if one.both], [
        Disagreement(item, question, by_reviewer)
        for (item, question), by_reviewer in answers.items()
        if len({*by_reviewer.values()}) > 1
    ]


def _agreement(kind: str, one: str, other: str, answers: Sequence[Mapping[str, str]]) -> Agreement:
    ours = [(by[one], by[other]) for by in answers if one in by and other in by]
    mine, theirs = [answer for answer, _ in ours], [answer for _, answer in ours]
    agreed = sum(answer == hers for answer, hers in ours)
    return Agreement(kind, one, other, len(ours), agreed, cohen_kappa(mine, theirs))


def _verdicts(db: "Database", sheet: Sheet) -> dict[str, dict[str, bool | None]]:
    """Return what each reviewer thinks of a row that is still there; None if undecided."""
    with db.reading() as select:
        shown, answers = _standing(select, sheet)
    by_item: dict[str, dict[str, dict[str, str]]] = defaultdict(lambda: defaultdict(dict))
    for (item, question), by_reviewer in answers.items():
        for reviewer, answer in by_reviewer.items():
            by_item[item][reviewer][question] = answer
    return {
        row.item_id: {
            reviewer: verdict(row.questions, said)
            for reviewer, said in by_item[row.item_id].items()
        }
        for row in shown
    }


def _standing(select: Select, sheet: Sheet) -> tuple[list[Row], Answers]:
    """Return the rows of which something was said, and the answers to their questions.

    Rows that are not there any more are left out, and questions that they don't have any more,
    notes and wordings.
    """
    said = reviews(select, sheet.name)
    items = sorted({review.item_id for review in said})
    shown = rows(select, sheet, items) if items else []
    asked = {(row.item_id, question.key) for row in shown for question in row.questions}
    found: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    for review in said:
        if (review.item_id, review.question) in asked:
            found[review.item_id, review.question][review.reviewer] = review.answer
    return shown, found
