"""What reviewers are asked of a row, what they say, and what it makes of the row."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

YES, NO = "yes", "no"
YES_OR_NO = (YES, NO)
GRADES = ("1", "2", "3", "4", "5")
_GOOD_ENOUGH = "3"
"""The lowest grade that accepts a row: the middle of the scale."""

NOTE = "note"
"""What stands in the place of a question where a reviewer leaves a note."""
WORDING = "wording"
"""Likewise, before the name of a column, where she words the text in it otherwise."""


class Question(NamedTuple):
    """A question about a row, or about the part of it that ``about`` names.

    ``kind`` is what all questions of its like have in common; ``text`` is what a reviewer reads,
    under the ``heading`` of the part.
    """

    kind: str
    about: str
    text: str
    heading: str = ""
    choices: tuple[str, ...] = YES_OR_NO

    @property
    def key(self) -> str:
        """What the table ``reviews`` calls it; within a row it stands once."""
        return f"{self.kind}: {self.about}" if self.about else self.kind

    def accepts(self, answer: str) -> bool:
        """Return whether an answer speaks for the row: yes, or a grade from 3."""
        return answer == YES if self.choices == YES_OR_NO else answer >= _GOOD_ENOUGH


def kind_of(key: str) -> str:
    """Return the kind of the question that the table ``reviews`` calls by a key.

    >>> kind_of("correct: Bonn: the city")
    'correct'
    """
    return key.partition(": ")[0]


def verdict(questions: Sequence[Question], answers: Mapping[str, str]) -> bool | None:
    """Return whether answers, by the key of their question, accept a row.

    One answer that speaks against it rejects it; all others must be there to accept it. None as
    long as that is open.
    """
    said = [(question, answers.get(question.key)) for question in questions]
    if any(answer is not None and not question.accepts(answer) for question, answer in said):
        return False
    return None if any(answer is None for _, answer in said) else True
