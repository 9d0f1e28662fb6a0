"""A case: the facts about one subject from which the tests of all types are made.

A test shows a judge numbered references, a question and an answer that cites references. Random
choices are hashes of the seed, the subject and the test type. So every build makes the same
choices, and they reveal nothing about the type.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeAlias

from kgbuild.datasets.grouse.wording import (
    Style,
    WordedClaim,
    WordedStatement,
    property_words,
    render,
)
from kgbuild.rows import shuffled, stable_id

REFERENCES = 6
"""Number of references in each test."""
REFUSALS = (
    "No document answers this question.",
    "None of the documents answers this question.",
    "The documents do not answer this question.",
)
"""Sentences of an answer that refuses: it says that no document answers the question."""
_OFFERS = (
    "The documents do say, however, that",
    "However, the documents do mention that",
    "What the documents do tell is that",
)
"""Beginnings of a sentence that follows a refusal and states another fact of the subject."""
_OPEN = ("No document mentions", "The documents do not mention")
"""Beginnings of a sentence about a part of the question that no document answers."""
_ANSWERS_PER_PARAPHRASE, _ANSWERS_PER_JOINED, _ANSWERS_PER_FULL_NAMES = 8, 3, 3
"""On average, one answer in 8 is paraphrased, one in 3 joins clauses, one in 3 uses full names."""

ACTUAL, EXPECTED = "actual", "expected"
"""The names of the two answers of a test."""

Reference: TypeAlias = tuple[WordedStatement, ...]
"""A reference: a document of one statement, or of two statements about the same subject."""


class Cited(NamedTuple):
    """A statement of an answer, and its citation.

    ``cites`` is a statement in the cited reference; None if nothing is cited.
    """

    statement: WordedStatement
    cites: WordedStatement | None


class Case(NamedTuple):
    """The facts and texts of the tests about one subject.

    ``targets`` are the facts that ``question`` asks for; ``short_question`` asks for the first two
    targets. ``extra`` is a fact of the subject that is not asked for. ``foreign`` are facts of
    similar items, the first three about ``similar_qid``. ``distorted`` is the target at
    ``distorted_index`` with the value of ``similar_qid``; ``absurd`` is the target at
    ``absurd_index`` with a value that cannot be true; ``extra_distorted`` is the extra fact with
    the value of another item.
    """

    seed: int
    subject: str
    label: str
    similar_qid: str
    question: str
    short_question: str
    targets: Sequence[WordedStatement]
    extra: WordedStatement
    foreign: Sequence[WordedStatement]
    distorted_index: int
    distorted: WordedStatement
    absurd_index: int
    absurd: WordedStatement
    extra_distorted: WordedStatement
    test_type: str = ""

    @property
    def answerable_targets(self) -> list[WordedStatement]:
        """The targets without the target at ``distorted_index``, which a test may leave open."""
        return [fact for fact in self.targets if fact is not self.targets[self.distorted_index]]

    def draw(self, name: str, choices: int, per_type: bool = True) -> int:
        """Return a random number from 0 to below ``choices`` for the choice called ``name``.

        Unless ``per_type``, all test types of the case draw the same number.
        """
        kind = self.test_type if per_type else ""
        return int(stable_id(str(self.seed), self.subject, kind, name), 16) % choices

    def references(self, statements: Sequence[WordedStatement]) -> list[Reference]:
        """Return references in random order: ``statements`` about the subject, and foreign facts.

        In a quarter of the cases, the first two statements about the subject share a reference; in
        another quarter, the first two foreign facts do.
        """
        quarter = self.draw("joint", 4, per_type=False)
        references = _references(statements, quarter == 0 and len(statements) > 1)
        foreign_references = _references(self.foreign, quarter == 1)
        references += foreign_references[: REFERENCES - len(references)]
        return shuffled(
            references, key=lambda reference: (self.subject, text(reference)), seed=self.seed
        )

    def answer(
        self,
        name: str,
        references: Sequence[Reference],
        cited: Iterable[Cited],
        opening: str = "",
        style: Style | None = None,
    ) -> str:
        """Return the answer ``name`` (ACTUAL or EXPECTED), by default in a random style.

        ``opening`` begins its first sentence.
        """
        claims = [
            WordedClaim(statement, _number(references, source) if source else None)
            for statement, source in cited
        ]
        return render(claims, style or self._style(name), opening)

    def _style(self, name: str) -> Style:
        return Style(
            is_joined=self.draw(f"{name} joined", _ANSWERS_PER_JOINED) == 0,
            is_free=self.draw(f"{name} free", _ANSWERS_PER_PARAPHRASE) == 0,
            is_brief=self.draw(f"{name} brief", _ANSWERS_PER_FULL_NAMES) != 0,
        )

    def open_part(self, name: str) -> str:
        """Return the sentence about the part of the question that no document answers."""
        statement = self.targets[self.distorted_index]
        possessive = statement.subject.later_mention(is_clear=True)["{his}"]
        opening = _OPEN[self.draw(f"{name} open", len(_OPEN))]
        return f"{opening} {possessive} {property_words()[statement.fact.pid].noun}."

    def refusal(self, name: str) -> str:
        """Return a sentence that says that no document answers the question."""
        return REFUSALS[self.draw(f"{name} refuses", len(REFUSALS))]

    def offer(self, name: str, references: Sequence[Reference], cited: Sequence[Cited]) -> str:
        """Return a refusal, followed by other statements that the answer offers."""
        opening = _OFFERS[self.draw(f"{name} offers", len(_OFFERS))]
        return f"{self.refusal(name)} {self.answer(name, references, cited, opening)}"


def text(reference: Reference) -> str:
    """Return the text of a reference."""
    return render([WordedClaim(statement) for statement in reference])


def cite_own(statements: Iterable[WordedStatement]) -> list[Cited]:
    """Return statements that cite their own references."""
    return [Cited(statement, statement) for statement in statements]


def _references(statements: Sequence[WordedStatement], first_two_share: bool) -> list[Reference]:
    if not first_two_share:
        return [(statement,) for statement in statements]
    first, second = sorted(statements[:2], key=lambda statement: statement.position)
    return [(first, second), *((statement,) for statement in statements[2:])]


def _number(references: Sequence[Reference], source: WordedStatement) -> int:
    """Return the number, from 1, of the reference that contains a statement."""
    return next(n for n, reference in enumerate(references, 1) if source in reference)
