"""The case from which all tests about a subject are made, and its references and answers.

Random choices are hashes of the seed, the subject and the type: builds agree, and a choice reveals
nothing about the type.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeAlias

from kgbuild.datasets.grouse.wording import Claim, Statement, Style, property_words, render
from kgbuild.rows import shuffled, stable_id

REFERENCES = 6
"""Number of references in each test."""
REFUSALS = (
    "No document answers this question.",
    "None of the documents answers this question.",
    "The documents do not answer this question.",
)
_OFFERS = (
    "The documents do say, however, that",
    "However, the documents do mention that",
    "What the documents do tell is that",
)
_OPEN = ("No document mentions", "The documents do not mention")
_IN_OTHER_WORDS, _IN_ONE_SENTENCE, _BY_FULL_NAME = 8, 3, 3
"""One answer in 8, 3 and 3 has the style: see ``Style``."""

ACTUAL, EXPECTED = "actual", "expected"
"""The names of the two answers of a test."""

Reference: TypeAlias = tuple[Statement, ...]
"""One statement, or two about the same subject."""


class Cited(NamedTuple):
    """A statement of an answer, and the statement whose reference it cites, if any."""

    statement: Statement
    cites: Statement | None


class Case(NamedTuple):
    """The facts and texts of the tests about one subject.

    ``asked`` are the facts that ``question`` asks for; ``half`` asks for the first two of them.
    ``extra`` is another fact of the subject. ``foreign`` are facts of similar items; the first
    three are about ``other``. ``distorted`` is ``asked[distorted_at]`` with the value of
    ``other``; ``absurd`` is ``asked[absurd_at]`` with a value that cannot be true;
    ``extra_distorted`` is the extra fact with the value of another item.
    """

    seed: int
    subject: str
    label: str
    other: str
    question: str
    half: str
    asked: Sequence[Statement]
    extra: Statement
    foreign: Sequence[Statement]
    distorted_at: int
    distorted: Statement
    absurd_at: int
    absurd: Statement
    extra_distorted: Statement
    test_type: str = ""

    @property
    def stated(self) -> list[Statement]:
        """The facts that are asked for, without the fact at ``distorted_at``."""
        return [fact for fact in self.asked if fact is not self.asked[self.distorted_at]]

    def draw(self, name: str, among: int, is_of_type: bool = True) -> int:
        """Return a number below ``among``, the same in every build."""
        kind = self.test_type if is_of_type else ""
        return int(stable_id(str(self.seed), self.subject, kind, name), 16) % among

    def references(self, own: Sequence[Statement]) -> list[Reference]:
        """Return references: statements about the subject, then about other items.

        The first two statements about the subject may share a reference, or else the first two
        about the similar item. The order of references is random.
        """
        joint = self.draw("joint", 4, is_of_type=False)
        references = _references(own, joint == 0 and len(own) > 1)
        others = _references(self.foreign, joint == 1)
        references += others[: REFERENCES - len(references)]
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
        claims = [Claim(fact, source and _number(references, source)) for fact, source in cited]
        return render(claims, style or self._style(name), opening)

    def _style(self, name: str) -> Style:
        return Style(
            is_joined=not self.draw(f"{name} joined", _IN_ONE_SENTENCE),
            is_free=not self.draw(f"{name} free", _IN_OTHER_WORDS),
            is_brief=bool(self.draw(f"{name} brief", _BY_FULL_NAME)),
        )

    def open_part(self, name: str) -> str:
        """Return the sentence that names the part of the question that no document answers."""
        statement = self.asked[self.distorted_at]
        possessive = statement.subject.later_mention(is_clear=True)["{his}"]
        opening = _OPEN[self.draw(f"{name} open", len(_OPEN))]
        return f"{opening} {possessive} {property_words()[statement.fact.pid].noun}."

    def refusal(self, name: str) -> str:
        """Return the sentence that no document answers the question."""
        return REFUSALS[self.draw(f"{name} refuses", len(REFUSALS))]

    def offer(self, name: str, references: Sequence[Reference], cited: Sequence[Cited]) -> str:
        """Return a refusal that offers other statements."""
        opening = _OFFERS[self.draw(f"{name} offers", len(_OFFERS))]
        return f"{self.refusal(name)} {self.answer(name, references, cited, opening)}"


def text(reference: Reference) -> str:
    """Return the text of a reference."""
    return render([Claim(statement) for statement in reference])


def right(statements: Iterable[Statement]) -> list[Cited]:
    """Return statements, each with the citation of its own reference."""
    return [Cited(statement, statement) for statement in statements]


def _references(statements: Sequence[Statement], first_two_share: bool) -> list[Reference]:
    if not first_two_share:
        return [(statement,) for statement in statements]
    first, second = sorted(statements[:2], key=lambda statement: statement.place)
    return [(first, second), *((statement,) for statement in statements[2:])]


def _number(references: Sequence[Reference], source: Statement) -> int:
    return next(n for n, reference in enumerate(references, 1) if source in reference)
