"""The types of tests: answers that are right, and answers with exactly one planted fault.

Each type is a function of a case. The conditions are the page's: an added fact lowers relevancy
alone, a missing one completeness alone, a distorted one or a wrong citation faithfulness alone.

Source: the test types of GroUSE, as its page and table describe them, and some more.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from kgbuild.biokalma.pool import Fact
from kgbuild.building import shuffled
from kgbuild.grouse.rows import UNDEFINED, conditions

_TOP, _TRUE, _FALSE = "==5", "==1", "==0"
REFUSAL = "None of the documents answers this question."
OFFER = "None of the documents answers this question, but they tell what follows."


class Statement(NamedTuple):
    """A fact and the sentence that says it."""

    fact: Fact
    text: str


class Case(NamedTuple):
    """What the tests about one subject are made of.

    ``asked`` are the facts that ``question`` asks for, ``half`` asks for the first two of them.
    ``extra`` is another fact of the subject, ``foreign`` are three of a similar item, ``other``.
    ``distorted`` is the last of the asked with that item's value, ``absurd`` the first with a
    value of another kind.
    """

    subject: str
    label: str
    other: str
    question: str
    half: str
    asked: Sequence[Statement]
    extra: Statement
    foreign: Sequence[Statement]
    distorted: Statement
    absurd: Statement


class Made(NamedTuple):
    """A test of one type: what an evaluator is shown, and what it is to say."""

    references: Sequence[Statement]
    input: str
    actual: str
    expected: str
    conditions: Mapping[str, str]
    fault: str = ""


class _Cited(NamedTuple):
    """A statement of an answer, and the reference that it cites, if any."""

    said: Statement
    cites: Statement | None


def _references(case: Case, *statements: Statement) -> list[Statement]:
    """Return references in an order that tells nothing of their parts."""
    return shuffled(statements, key=lambda one: (case.subject, one.text), seed=0)


def _all(case: Case) -> list[Statement]:
    return _references(case, *case.asked, case.extra, *case.foreign[:2])


def _answer(references: Sequence[Statement], cited: Iterable[_Cited], begins: str = "") -> str:
    texts = [begins] if begins else []
    for said, source in cited:
        mark = f" [{references.index(source) + 1}]" if source else ""
        # The stop of a name, as in "Washington, D.C.", stays before the mark.
        is_name = said.fact.shown.endswith(".")
        texts.append(f"{said.text if is_name else said.text.removesuffix('.')}{mark}.")
    return " ".join(texts)


def _right(statements: Iterable[Statement]) -> list[_Cited]:
    return [_Cited(one, one) for one in statements]


_Planted = tuple[str, str, str, str]
_FINE: _Planted = (_TOP, _TOP, UNDEFINED, _TRUE)


def _answered(
    case: Case, cited: Sequence[_Cited], expected: _Planted, fault: str = "", begins: str = ""
) -> Made:
    """Return a test whose references hold the whole answer."""
    references = _all(case)
    return Made(
        references,
        case.question,
        _answer(references, cited, begins),
        _answer(references, _right(case.asked)),
        conditions(*expected),
        fault,
    )


def right_answer(case: Case) -> Made:
    """All that is asked for, each with its citation."""
    return _answered(case, _right(case.asked), _FINE)


def missing_fact(case: Case) -> Made:
    """One of three facts is missing."""
    fault = f"missing: {case.asked[-1].text}"
    return _answered(case, _right(case.asked[:-1]), (_TOP, "<=4", UNDEFINED, _TRUE), fault)


def half_answered(case: Case) -> Made:
    """One of the two parts of a question is answered."""
    references = _all(case)
    return Made(
        references,
        case.half,
        _answer(references, _right(case.asked[:1])),
        _answer(references, _right(case.asked[:2])),
        conditions(_TOP, "<=3", UNDEFINED, _TRUE),
        f"missing: {case.asked[1].text}",
    )


def superfluous_fact(case: Case) -> Made:
    """A fact too many, true and in the references."""
    fault = f"not asked for: {case.extra.text}"
    cited = _right((*case.asked, case.extra))
    return _answered(case, cited, ("<=4", _TOP, UNDEFINED, _TRUE), fault)


def wrong_citation(case: Case) -> Made:
    """One fact is cited to a reference that tells something else of the subject."""
    *others, last = case.asked
    cited = [*_right(others), _Cited(last, case.extra)]
    fault = f"cited to what does not hold it: {last.text}"
    return _answered(case, cited, (_TOP, _TOP, UNDEFINED, _FALSE), fault)


def missing_citation(case: Case) -> Made:
    """One fact bears no citation."""
    *others, last = case.asked
    cited = [*_right(others), _Cited(last, None)]
    fault = f"not cited: {last.text}"
    return _answered(case, cited, (_TOP, _TOP, UNDEFINED, _FALSE), fault)


def distorted_value(case: Case) -> Made:
    """One fact has another value of the same kind; the page wants that to count as relevant."""
    *others, last = case.asked
    cited = [*_right(others), _Cited(case.distorted, last)]
    fault = f"distorted: {case.distorted.text}"
    return _answered(case, cited, (_TOP, ">=4", UNDEFINED, _FALSE), fault)


def invented_fact(case: Case) -> Made:
    """What the references leave open is answered all the same, with a citation that looks right."""
    held = case.asked[:-1]
    references = _references(case, *held, case.extra, *case.foreign[:2])
    return Made(
        references,
        case.question,
        _answer(references, [*_right(held), _Cited(case.distorted, held[0])]),
        _answer(references, _right(held)),
        conditions(">=4", _TOP, UNDEFINED, _FALSE),
        f"invented: {case.distorted.text}",
    )


def absurd_fact(case: Case) -> Made:
    """An absurd fact stands in the references and is rightly repeated."""
    replaced = case._replace(asked=[case.absurd, *case.asked[1:]])
    return right_answer(replaced)


def wrong_subject(case: Case) -> Made:
    """What is asked for is told of another item, truly and rightly cited."""
    told = case.foreign[:2]
    fault = f"of another item: {' '.join(one.text for one in told)}"
    return _answered(case, _right(told), ("<=2", "==1", UNDEFINED, _TRUE), fault)


def refusal_despite_answer(case: Case) -> Made:
    """It is said that no document answers, though they do."""
    expected = (UNDEFINED, "==1", UNDEFINED, UNDEFINED)
    return _answered(case, [], expected, "refused, though the documents answer", REFUSAL)


def _unanswerable(
    case: Case, cited: Sequence[_Cited], begins: str, expected: _Planted, fault: str = ""
) -> Made:
    """Return a test whose references tell of the subject, but not what is asked for."""
    references = _references(case, case.extra, *case.foreign)
    return Made(
        references,
        case.question,
        _answer(references, cited, begins),
        _answer(references, _right([case.extra]), OFFER),
        conditions(*expected),
        fault,
    )


def answer_without_grounds(case: Case) -> Made:
    """What no document tells is answered."""
    cited = [_Cited(one, case.extra) for one in case.asked]
    expected = (">=1", UNDEFINED, UNDEFINED, _FALSE)
    return _unanswerable(case, cited, "", expected, "answered, though no document does")


def related_information(case: Case) -> Made:
    """It is said that no document answers, and what they tell of the subject is offered."""
    expected = (UNDEFINED, UNDEFINED, _TRUE, _TRUE)
    return _unanswerable(case, _right([case.extra]), OFFER, expected)


def related_left_out(case: Case) -> Made:
    """It is only said that no document answers: to offer more is not mandatory."""
    return _unanswerable(case, [], REFUSAL, (UNDEFINED,) * 4)


def useless_information(case: Case) -> Made:
    """What is offered is about another item."""
    expected = (UNDEFINED, UNDEFINED, _FALSE, _TRUE)
    told = case.foreign[0]
    return _unanswerable(case, _right([told]), OFFER, expected, f"of no use: {told.text}")


def related_miscited(case: Case) -> Made:
    """What is offered is cited to a reference that does not hold it."""
    cited = [_Cited(case.extra, case.foreign[0])]
    fault = f"cited to what does not hold it: {case.extra.text}"
    return _unanswerable(case, cited, OFFER, (UNDEFINED, UNDEFINED, _TRUE, _FALSE), fault)


def right_refusal(case: Case) -> Made:
    """No document tells anything of the subject, and it is said so."""
    references = _references(case, *case.foreign)
    return Made(references, case.question, REFUSAL, REFUSAL, conditions(*[UNDEFINED] * 4))


TYPES: Mapping[str, Callable[[Case], Made]] = {
    make.__name__: make
    for make in (
        *(right_answer, absurd_fact, missing_fact, half_answered, superfluous_fact),
        *(wrong_citation, missing_citation, distorted_value, invented_fact, wrong_subject),
        *(refusal_despite_answer, answer_without_grounds, related_information),
        *(related_left_out, useless_information, related_miscited, right_refusal),
    )
}
"""The types of tests, by their names."""
