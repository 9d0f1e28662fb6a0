"""The case from which all tests about a subject are made, and its references and answers.

Random choices are hashes of the seed, the subject and the type: builds agree, and a choice reveals
nothing about the type.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple, TypeAlias

from kgbuild.datasets.grouse.wording import Claim, Statement, Style, property_words, render
from kgbuild.rows import shuffled, stable_id

REFERENCES = 6
"""The number of references of each test."""
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
"""One answer in this many has the style."""

ACTUAL, EXPECTED = "actual", "expected"
"""The names of the two answers of a test."""

Reference: TypeAlias = tuple[Statement, ...]
"""One statement, or two of the same subject."""


class Case(NamedTuple):
    """The facts and texts of the tests about one subject.

    ``asked`` are the facts that ``question`` asks for, ``half`` asks for the first two of them.
    ``extra`` is another fact of the subject. ``foreign`` are facts of similar items, the first
    three of one, ``other``. ``distorted`` is one of the asked, at ``odd``, with that item's value;
    ``absurd`` one, at ``absurd_at``, with a value that cannot be true; ``mistold`` is the extra
    one with a value of somebody else.
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
    odd: int
    distorted: Statement
    absurd_at: int
    absurd: Statement
    mistold: Statement
    test_type: str = ""

    def draw(self, what: str, among: int, is_of_type: bool = True) -> int:
        """Return a number below ``among``, the same in every build."""
        kind = self.test_type if is_of_type else ""
        return int(stable_id(str(self.seed), self.subject, kind, what), 16) % among


class Cited(NamedTuple):
    """A statement of an answer, and the statement whose reference it cites, if any."""

    statement: Statement
    cites: Statement | None


def text(reference: Reference) -> str:
    """Return the text of a reference."""
    return render([Claim(one) for one in reference])


def references_of(case: Case, own: Sequence[Statement], asked: int) -> list[Reference]:
    """Return references: statements of the subject, filled up with those of other items.

    In some sets two of the ``asked`` statements, which come first, share a reference; in others
    two of the similar item do. The order of references is random.
    """
    joint = case.draw("joint", 4, is_of_type=False)
    found = _paired(own) if joint == 0 and asked > 1 else [(one,) for one in own]
    others = _paired(case.foreign) if joint == 1 else [(one,) for one in case.foreign]
    found += others[: REFERENCES - len(found)]
    return shuffled(found, key=lambda one: (case.subject, text(one)), seed=case.seed)


def _paired(statements: Sequence[Statement]) -> list[Reference]:
    """Return references of one statement each, except for the first, which has two."""
    first, second = sorted(statements[:2], key=lambda one: one.place)
    return [(first, second), *((one,) for one in statements[2:])]


def answer(
    case: Case,
    name: str,
    references: Sequence[Reference],
    cited: Iterable[Cited],
    opening: str = "",
    style: Style | None = None,
) -> str:
    """Return one of the two answers, in ``style`` or by default a random one.

    ``opening`` begins its first sentence.
    """
    claims = [Claim(one, source and _number(references, source)) for one, source in cited]
    return render(claims, style or _style(case, name), opening)


def _number(references: Sequence[Reference], source: Statement) -> int:
    return next(n for n, one in enumerate(references, 1) if source in one)


def _style(case: Case, name: str) -> Style:
    return Style(
        is_joined=not case.draw(f"{name} joined", _IN_ONE_SENTENCE),
        is_free=not case.draw(f"{name} free", _IN_OTHER_WORDS),
        is_brief=bool(case.draw(f"{name} brief", _BY_FULL_NAME)),
    )


def right(statements: Iterable[Statement]) -> list[Cited]:
    """Return statements, each with the citation of its own reference."""
    return [Cited(one, one) for one in statements]


def left_open(case: Case, name: str) -> str:
    """Return the sentence that says which part of the question no document answers."""
    left = case.asked[case.odd]
    whose = left.subject.later_mention(is_clear=True)["{his}"]
    opening = _OPEN[case.draw(f"{name} open", len(_OPEN))]
    return f"{opening} {whose} {property_words()[left.fact.pid].noun}."


def refusal(case: Case, name: str) -> str:
    """Return the sentence that says that no document answers."""
    return REFUSALS[case.draw(f"{name} refuses", len(REFUSALS))]


def offered(case: Case, name: str, references: Sequence[Reference], cited: Sequence[Cited]) -> str:
    """Return a refusal with the statements that it offers instead."""
    opening = _OFFERS[case.draw(f"{name} offers", len(_OFFERS))]
    offer = answer(case, name, references, cited, opening)
    return f"{refusal(case, name)} {offer}"
