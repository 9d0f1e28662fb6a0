"""The true answers to a question of GRANOLA, and what a reply to it reaches."""

from collections.abc import Sequence
from functools import cached_property
from operator import attrgetter
from typing import NamedTuple

from kgbuild.english.date_levels import KINDS as DATE_KINDS


class Reached(NamedTuple):
    """The first level that an answer matches, None if none, and whether the answer abstains.

    ``information`` is the share of the bits of the finest answer that the true answer has, which
    is ``matched``, and ``reason`` says why the answer matches it, or matches none. ``source`` is
    the model that judged the answer, "" without one.
    """

    level: int | None
    abstained: bool = False
    information: float = 0.0
    matched: str = ""
    reason: str = ""
    source: str = ""

    @property
    def right(self) -> bool:
        """The GRANOLA accuracy: whether the answer matches a level."""
        return self.level is not None

    @property
    def verdict(self) -> str:
        """Whether the answer is "right" or "wrong", or "abstained"."""
        return "abstained" if self.abstained else "right" if self.right else "wrong"

    @property
    def exact(self) -> bool:
        """The standard accuracy: whether the answer matches the finest level."""
        return self.level == 1


class TrueAnswer(NamedTuple):
    """A true answer: its level (1 is the finest), kind, text, aliases and information in bits.

    They are those of ``granola_answers``; the kind is empty and the bits are 0 where unknown.
    """

    level: int
    kind: str
    text: str
    aliases: Sequence[str] = ()
    bits: float = 0.0

    @property
    def is_class(self) -> bool:
        """Whether it describes the finest answer by a class or an occupation."""
        return "class" in self.kind or "occupation" in self.kind

    @property
    def names(self) -> tuple[str, ...]:
        """The text and its aliases."""
        return (self.text, *self.aliases)

    def reached(self, reason: str) -> Reached:
        """Return the outcome of a reply that gives this answer."""
        return Reached(self.level, matched=self.text, reason=reason)


class Truth:
    """A question, and its true answers; the verdict of a reply depends on nothing else."""

    def __init__(self, question: str, answers: Sequence[TrueAnswer]):
        self.question = question
        self.answers = sorted(answers, key=attrgetter("level"))

    @cached_property
    def levels(self) -> list[list[str]]:
        """The texts of the true answers by level, from 1; a level may be empty."""
        return [[answer.text for answer in answers] for answers in self._by_level]

    @cached_property
    def names(self) -> list[list[str]]:
        """The texts of the true answers by level, each with its aliases."""
        return [[name for answer in answers for name in answer.names] for answers in self._by_level]

    @property
    def _by_level(self) -> list[list[TrueAnswer]]:
        count = max((answer.level for answer in self.answers), default=0)
        return [
            [answer for answer in self.answers if answer.level == level]
            for level in range(1, count + 1)
        ]

    def named(self, text: str) -> TrueAnswer | None:
        """Return the finest answer that has a text, word for word; a class is none."""
        same = (answer for answer in self.answers if answer.text == text)
        return next((a for a in same if a.level == 1 and not a.is_class), None)

    def information(self, level: int, text: str) -> float:
        """Return the share of the bits of the finest answer that a true answer has.

        Answers of one level may differ in bits: "present-day Poland" and "the Second Polish
        Republic". The greatest bits of the level count at the finest one, and if the level lacks
        the ``text``.
        """
        finest = max(answer.bits for answer in self.answers if answer.level == 1)
        of_level = [answer for answer in self.answers if answer.level == level]
        named = [answer for answer in of_level if answer.text == text and level > 1]
        return max(answer.bits for answer in named or of_level) / finest if finest else 1.0

    @cached_property
    def is_date(self) -> bool:
        """Whether the question asks for a date."""
        return any(answer.kind in DATE_KINDS for answer in self.answers)

    @cached_property
    def is_place(self) -> bool:
        """Whether a true answer is a place, so that places after a name are read with it."""
        places = any("place" in answer.kind and not answer.is_class for answer in self.answers)
        return places or self.question.lower().startswith(("where", "in which", "in what"))

    @cached_property
    def is_person(self) -> bool:
        """Whether the question asks for a person."""
        words = self.question.lower().split()
        return not self.is_place and any(
            word.strip("?,.") in {"who", "whom", "whose", "child", "someone", "somebody"}
            for word in words
        )
