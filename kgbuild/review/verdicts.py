"""Which rows reviewers accept, how they reword them, and where they differ.

The rule: a row is accepted if all reviewers who decided on it accept it. A reviewer has decided
when all questions about a row have an answer, or when one answer speaks against the row. So one
objection keeps a row out until its reviewer changes the answer.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import NamedTuple, TypeAlias

from kgbuild.datasets.views import Question, RowView
from kgbuild.evaluate.agreement import cohen_kappa
from kgbuild.review.selection import Selection, views
from kgbuild.tables.reviews import Select, reviews

NOTE = "note"
"""The key of a reviewer's note in the table ``reviews``."""
WORDING = "wording"
"""The start of the key of a reworded text; the name of its column follows."""

Answers: TypeAlias = Mapping[tuple[str, str], Mapping[str, str]]
"""Answers by the row and the key of the question, and within that by reviewer."""


class Survivors(NamedTuple):
    """The ids of the accepted rows, and of the rows that at least one reviewer decided on."""

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


def kind_of(key: str) -> str:
    """Return the kind of the question with a key.

    >>> kind_of("correct: Bonn: the city")
    'correct'
    """
    return key.partition(": ")[0]


def verdict(questions: Sequence[Question], answers: Mapping[str, str]) -> bool | None:
    """Return whether answers, by the key of their question, accept a row; None while undecided."""
    pairs = [(question, answers.get(question.key)) for question in questions]
    if any(answer is not None and not question.accepts(answer) for question, answer in pairs):
        return False
    return None if any(answer is None for _, answer in pairs) else True


def survivors(select: Select, selection: Selection) -> Survivors:
    """Return the existing rows that were decided on, and those of them that were accepted."""
    verdicts = {row: {*by.values()} for row, by in _verdicts(select, selection).items()}
    decided = {row for row, answers in verdicts.items() if answers != {None}}
    return Survivors({row for row in decided if False not in verdicts[row]}, decided)


def deciders(select: Select, selection: Selection) -> set[str]:
    """Return the reviewers who decided on any of the existing rows."""
    verdicts = _verdicts(select, selection).values()
    return {who for by in verdicts for who, accepts in by.items() if accepts is not None}


def wordings(select: Select, dataset: str) -> dict[str, dict[str, str]]:
    """Return the last new wording of each reworded text, by id and column."""
    texts: dict[str, dict[str, str]] = defaultdict(dict)
    for review in reviews(select, dataset):
        if kind_of(review.question) == WORDING:
            texts[review.item_id][review.question.removeprefix(f"{WORDING}: ")] = review.answer
    return dict(texts)


def agreements(select: Select, selection: Selection) -> tuple[list[Agreement], list[Disagreement]]:
    """Return how each two reviewers agree, by kind of question, and where any differ.

    Only questions about existing rows count.
    """
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


def _agreement(kind: str, a: str, b: str, answers: Sequence[Mapping[str, str]]) -> Agreement:
    pairs = [
        (by_reviewer[a], by_reviewer[b]) for by_reviewer in answers if {a, b} <= {*by_reviewer}
    ]
    agreed = sum(answer_a == answer_b for answer_a, answer_b in pairs)
    kappa = cohen_kappa([answer for answer, _ in pairs], [answer for _, answer in pairs])
    return Agreement(kind, a, b, len(pairs), agreed, kappa)


def _verdicts(select: Select, selection: Selection) -> dict[str, dict[str, bool | None]]:
    """Return by row and reviewer whether the reviewer accepts it, None if undecided."""
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
    """Return the existing rows with reviews, and the answers to the questions they have now."""
    all_reviews = reviews(select, selection.name)
    ids = sorted({review.item_id for review in all_reviews})
    rows = views(select, selection, ids) if ids else []
    questions = {(row.id, question.key) for row in rows for question in row.questions}
    answers: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    for review in all_reviews:
        if (review.item_id, review.question) in questions:
            answers[review.item_id, review.question][review.reviewer] = review.answer
    return rows, answers
