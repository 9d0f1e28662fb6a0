"""The true answers to a question of GRANOLA, as a scorer needs them."""

from collections.abc import Sequence
from typing import NamedTuple

from kgbuild.english.dates import KINDS as DATE_KINDS

_OF_PEOPLE = {
    "P22",
    "P25",
    "P26",
    "P40",
    "P50",
    "P57",
    "P58",
    "P86",
    "P112",
    "P162",
    "P170",
    "P175",
}
"""The relations whose answers are people, most of them."""


class TrueAnswer(NamedTuple):
    """A row of ``granola_answers``; ``is_state`` is whether P17 (country) proves it.

    ``of`` is the item from which its evidence leads to it: the finest answer, or another value of
    the subject, in which the finest answer need not lie.
    """

    level: int
    kind: str
    text: str
    aliases: Sequence[str]
    qid: str | None = None
    is_state: bool = False
    of: str | None = None

    @property
    def is_class(self) -> bool:
        """Whether it describes the finest answer by a class or an occupation."""
        return "class" in self.kind or "occupation" in self.kind

    @property
    def names(self) -> tuple[str, ...]:
        """The text and its aliases."""
        return (self.text, *self.aliases)


class Truth(NamedTuple):
    """A question, the property that it asks for, and its true answers in any order."""

    question: str
    relation: str
    answers: list[TrueAnswer]

    @property
    def names(self) -> list[str]:
        """The names of all answers."""
        return [name for answer in self.answers for name in answer.names]

    @property
    def is_date(self) -> bool:
        """Whether the question asks for a date."""
        return any(answer.kind in DATE_KINDS for answer in self.answers)

    @property
    def is_person(self) -> bool:
        """Whether the question asks for a person: its coarser answers are about people.

        Without coarser answers, its relation says so.
        """
        if all(answer.level == 1 for answer in self.answers):
            return self.relation in _OF_PEOPLE
        return any(
            "occupation" in answer.kind or answer.kind == "people" for answer in self.answers
        )


class Match(NamedTuple):
    """The level that a reply matches, None if none, the true answer, and the reason.

    ``reason`` says in words how the reply matches, or why it does not. ``claims`` is whether the
    reply has any answer, true or not. ``has_unknown`` is whether it may have one with
    a typing error, since an unknown name stands before a true one.
    """

    level: int | None
    text: str = ""
    reason: str = ""
    claims: bool = True
    has_unknown: bool = False
