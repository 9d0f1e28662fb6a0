"""The keys of the table ``reviews``, and what answers make of a row."""

from collections.abc import Mapping, Sequence

from kgbuild.datasets.views import Question

NOTE = "note"
"""The key of a reviewer's note."""
WORDING = "wording"
"""Begins the key of another wording of a text; the name of its column follows."""


def kind_of(key: str) -> str:
    """Return the kind of the question with a key.

    >>> kind_of("correct: Bonn: the city")
    'correct'
    """
    return key.partition(": ")[0]


def verdict(questions: Sequence[Question], answers: Mapping[str, str]) -> bool | None:
    """Return whether answers, by the key of their question, accept a row.

    One answer that speaks against it rejects it; all others must be there to accept it. None as
    long as that is open.
    """
    pairs = [(question, answers.get(question.key)) for question in questions]
    if any(answer is not None and not question.accepts(answer) for question, answer in pairs):
        return False
    return None if any(answer is None for _, answer in pairs) else True
