"""The results of a review: accepted rows, corrected texts, and the agreement of reviewers.

A row is accepted if all reviewers who decided on it accept it. A reviewer has decided on a row if
all of its questions that decide have an answer, or if one of these answers rejects the row. So a
single objection excludes a row until the reviewer changes the answer, or another one decides the
question: see ``adjudication``.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from itertools import chain, combinations
from statistics import fmean
from typing import NamedTuple, TypeAlias

from kgbuild.datasets.views import Question, RowView
from kgbuild.evaluate.agreement import cohen_kappa, krippendorff_alpha
from kgbuild.review.selection import Selection, views
from kgbuild.tables.reviews import Select, reviews

NOTE = "note"
"""The key of a reviewer's note in the table ``reviews``."""
WORDING = "wording"
"""The prefix of the key of a corrected text; the name of its column follows."""
DECISION = "decision"
"""The prefix of the key of a decision about a disputed question, whose key follows."""

Answers: TypeAlias = Mapping[tuple[str, str], Mapping[str, str]]
"""Answers by (row id, key of the question), then by reviewer."""
Numbers: TypeAlias = Mapping[str, int]
"""The numbers of the answers to a question, by reviewer."""


class Survivors(NamedTuple):
    """The ids of the accepted rows, and of the rows that at least one reviewer decided on."""

    accepted: set[str]
    decided: set[str]


class Summary(NamedTuple):
    """The answers of all reviewers to the questions of a kind.

    ``mean`` is the mean grade, or the share of yes: of each row, then of the rows. ``alpha`` is
    Krippendorff's α, ordinal for grades.
    """

    question: str
    rows: int
    answers: int
    mean: float
    alpha: float | None


class ReviewersAgreement(NamedTuple):
    """The agreement of two reviewers on questions of a kind.

    ``both`` is the number of questions that both answered, ``agreed`` the number of equal answers,
    ``within_1`` that of grades which differ by 1 at most; None for yes and no.
    """

    question: str
    reviewer: str
    other: str
    both: int
    agreed: int
    within_1: int | None
    kappa: float | None


class Disagreement(NamedTuple):
    """A question about a row with different answers, by reviewer.

    ``wording`` is the text of the row, ``text`` that of the question. ``decision`` is the answer
    of the reviewer who decided the question; "" without one.
    """

    item_id: str
    kind: str
    question: str
    answers: Mapping[str, str]
    wording: str
    text: str
    decision: str


def kind_of(key: str) -> str:
    """Return the first part of a key in the table ``reviews``: NOTE, WORDING, DECISION or another.

    >>> kind_of("wording: question")
    'wording'
    """
    return key.partition(": ")[0]


def verdict(questions: Sequence[Question], answers: Mapping[str, str]) -> bool | None:
    """Return whether answers, by key of the question, accept a row; None if undecided."""
    pairs = [(question, answers.get(question.key)) for question in questions if question.decides]
    if any(answer is not None and not question.accepts(answer) for question, answer in pairs):
        return False
    return None if any(answer is None for _, answer in pairs) else True


def survivors(select: Select, selection: Selection) -> Survivors:
    """Return the existing rows that are accepted, and all that at least one reviewer decided on."""
    verdicts = {
        row_id: {*by_reviewer.values()}
        for row_id, by_reviewer in _verdicts(select, selection).items()
    }
    decided = {row_id for row_id, row_verdicts in verdicts.items() if row_verdicts - {None}}
    return Survivors({row_id for row_id in decided if False not in verdicts[row_id]}, decided)


def deciders(select: Select, selection: Selection) -> set[str]:
    """Return the reviewers who decided on any of the existing rows."""
    return {
        reviewer
        for by_reviewer in _verdicts(select, selection).values()
        for reviewer, accepts in by_reviewer.items()
        if accepts is not None
    }


def wordings(select: Select, dataset: str) -> dict[str, dict[str, str]]:
    """Return the latest corrected texts, by row id and column."""
    texts: dict[str, dict[str, str]] = defaultdict(dict)
    for review in reviews(select, dataset):
        if kind_of(review.question) == WORDING:
            texts[review.item_id][review.question.removeprefix(f"{WORDING}: ")] = review.answer
    return dict(texts)


def notes(select: Select, dataset: str) -> dict[str, list[str]]:
    """Return the notes of reviewers by row id, the oldest first."""
    texts: dict[str, list[str]] = defaultdict(list)
    for review in reviews(select, dataset):
        if review.question == NOTE:
            texts[review.item_id].append(review.answer)
    return dict(texts)


class Agreements(NamedTuple):
    """The answers by kind of question, the agreement of pairs of reviewers, and disagreements."""

    summaries: list[Summary]
    pairs: list[ReviewersAgreement]
    disagreements: list[Disagreement]


def agreements(select: Select, selection: Selection) -> Agreements:
    """Return what reviewers answered, and where they agree and disagree.

    Only questions about existing rows count.
    """
    rows, answers, decisions = _current(select, selection)
    reviewers = sorted({reviewer for by_reviewer in answers.values() for reviewer in by_reviewer})
    by_kind: dict[tuple[str, bool], dict[str, list[Numbers]]] = defaultdict(
        lambda: defaultdict(list)
    )
    disagreements = []
    for row in rows:
        for question in row.questions:
            by_reviewer = answers.get((row.id, question.key), {})
            numbers = {who: question.number(answer) for who, answer in by_reviewer.items()}
            if numbers:
                by_kind[question.kind, question.is_graded][row.id].append(numbers)
            if len({*numbers.values()}) > 1:
                decision = decisions.get((row.id, question.key), "")
                texts = _texts(row, question)
                disagreements.append(
                    Disagreement(row.id, question.kind, question.key, by_reviewer, *texts, decision)
                )
    pairs = [
        _agreement(*kind, reviewer, other, [*chain.from_iterable(by_row.values())])
        for kind, by_row in by_kind.items()
        for reviewer, other in combinations(reviewers, 2)
    ]
    summaries = [summary(*kind, by_row) for kind, by_row in by_kind.items()]
    return Agreements(summaries, [pair for pair in pairs if pair.both], disagreements)


def summary(kind: str, is_graded: bool, by_row: Mapping[str, Sequence[Numbers]]) -> Summary:
    """Return the summary of the numbers of answers, by row id and question about the row."""
    units_by_row = [[[*numbers.values()] for numbers in of_row] for of_row in by_row.values()]
    units = [*chain.from_iterable(units_by_row)]
    mean = fmean(fmean(chain.from_iterable(of_row)) for of_row in units_by_row)
    alpha = krippendorff_alpha(units, is_graded)
    return Summary(kind, len(by_row), sum(map(len, units)), mean, alpha)


def _texts(row: RowView, question: Question) -> tuple[str, str]:
    wordings = [*row.wordings.values()] or [*row.texts.values()][:2]  # of a prediction
    return " / ".join(wordings), " – ".join(filter(None, (question.heading, question.text)))


def _agreement(
    kind: str, is_graded: bool, reviewer: str, other: str, answers: Sequence[Numbers]
) -> ReviewersAgreement:
    pairs = [
        (numbers[reviewer], numbers[other])
        for numbers in answers
        if {reviewer, other} <= {*numbers}
    ]
    agreed = sum(answer == other_answer for answer, other_answer in pairs)
    near = sum(abs(answer - other_answer) <= 1 for answer, other_answer in pairs)
    kappa = cohen_kappa([answer for answer, _ in pairs], [answer for _, answer in pairs])
    return ReviewersAgreement(
        kind, reviewer, other, len(pairs), agreed, near if is_graded else None, kappa
    )


def _verdicts(select: Select, selection: Selection) -> dict[str, dict[str, bool | None]]:
    """Return whether a reviewer accepts a row (None: undecided), by row id and reviewer.

    Decisions about disputed questions replace the answers.
    """
    rows, answers, decisions = _current(select, selection)
    by_row: dict[str, dict[str, dict[str, str]]] = defaultdict(lambda: defaultdict(dict))
    for (row_id, question), by_reviewer in answers.items():
        for reviewer, answer in by_reviewer.items():
            by_row[row_id][reviewer][question] = decisions.get((row_id, question), answer)
    return {
        row.id: {
            reviewer: verdict(row.questions, row_answers)
            for reviewer, row_answers in by_row[row.id].items()
        }
        for row in rows
    }


def _current(
    select: Select, selection: Selection
) -> tuple[list[RowView], Answers, Mapping[tuple[str, str], str]]:
    """Return the existing rows with reviews, the answers to their questions, and the decisions.

    Decisions are the latest ones, by row id and question.
    """
    all_reviews = reviews(select, selection.name)
    ids = sorted({review.item_id for review in all_reviews})
    rows = views(select, selection, ids) if ids else []
    questions = {(row.id, one.key): one.choices for row in rows for one in row.questions}
    answers: dict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    decisions = {}
    for review in all_reviews:
        if review.answer in questions.get((review.item_id, review.question), ()):
            answers[review.item_id, review.question][review.reviewer] = review.answer
        elif kind_of(review.question) == DECISION:
            decided = review.question.removeprefix(f"{DECISION}: ")
            decisions[review.item_id, decided] = review.answer
    return rows, answers, decisions
