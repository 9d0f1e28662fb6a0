"""Decide disputed questions: rows about which reviewers disagree go to another reviewer.

The decision about a question replaces the answers to it where rows are accepted, and nowhere else:
the agreement of reviewers is that of their own answers.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence

from kgbuild.datasets.views import Question, RowView
from kgbuild.review.session import Assigned
from kgbuild.review.verdicts import DECISION, Disagreement


def disputed_rows(
    rows: Iterable[RowView],
    disagreements: Iterable[Disagreement],
    notes: Mapping[str, Sequence[str]],
) -> list[RowView]:
    """Return the rows with disagreements, in the order of ``rows``, with disputed questions only.

    Questions show the answers, and rows the ``notes`` by row id, without names of reviewers.
    """
    disputes = {(dispute.item_id, dispute.question): dispute for dispute in disagreements}
    disputed = []
    for row in rows:
        questions = tuple(
            _decision(question, disputes[row.id, question.key])
            for question in row.questions
            if (row.id, question.key) in disputes
        )
        if questions:
            remarks = {"Notes": "\n".join(notes[row.id])} if row.id in notes else {}
            disputed.append(row._replace(questions=questions, texts={**row.texts, **remarks}))
    return disputed


def _decision(question: Question, dispute: Disagreement) -> Question:
    answers = " / ".join(sorted(dispute.answers.values()))
    text = f"{question.text} ({answers})"
    return question._replace(kind=DECISION, about=question.key, text=text)


def assignment(rows: Sequence[RowView], disagreements: Iterable[Disagreement]) -> Assigned:
    """Return the function that returns the ids of the rows that a reviewer may decide.

    These are the rows about whose disputed questions the reviewer gave no answer.
    """
    parties: dict[str, set[str]] = defaultdict(set)
    for dispute in disagreements:
        parties[dispute.item_id] |= dispute.answers.keys()

    def assigned(reviewer: str) -> Collection[str]:
        return [row.id for row in rows if reviewer not in parties[row.id]]

    return assigned
