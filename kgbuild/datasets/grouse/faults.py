"""The types of tests: right answers, and answers with planted faults, mostly one.

Each type is a function of a case. An added fact lowers relevancy alone, a missing one completeness
alone, a distorted one or a wrong citation faithfulness alone. The place of a fault, the style of
the answer and the number of references reveal nothing about the type.

Source: the test types of GroUSE, as its page and table describe them, and some more.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeAlias

from kgbuild.datasets.grouse.cases import (
    ACTUAL,
    EXPECTED,
    Case,
    Cited,
    Reference,
    answer,
    left_open,
    offered,
    references_of,
    refusal,
    right,
)
from kgbuild.datasets.grouse.rows import UNDEFINED, conditions
from kgbuild.datasets.grouse.wording import Statement, Style

_TOP, _TRUE, _FALSE = "==5", "==1", "==0"


class GeneratedTest(NamedTuple):
    """A test of one type: the input of an evaluator, and the conditions on its grades."""

    references: Sequence[Reference]
    input: str
    actual: str
    expected: str
    conditions: Mapping[str, str]
    fault: str = ""


def _all(case: Case) -> list[Reference]:
    return references_of(case, [*case.asked, case.extra], len(case.asked))


def _with(items: Sequence[Cited], place: int, item: Cited) -> list[Cited]:
    """Return items with the one at ``place`` replaced."""
    return [*items[:place], item, *items[place + 1 :]]


_Planted: TypeAlias = tuple[str, str, str, str]
_FINE: _Planted = (_TOP, _TOP, UNDEFINED, _TRUE)
_REFUSED: _Planted = (UNDEFINED,) * 4


def _answered(
    case: Case, cited: Sequence[Cited], expected: _Planted, fault: str = "", is_half: bool = False
) -> GeneratedTest:
    """Return a test whose references contain the whole answer."""
    references = _all(case)
    wanted = case.asked[:2] if is_half else case.asked
    return GeneratedTest(
        references,
        case.half if is_half else case.question,
        answer(case, ACTUAL, references, cited),
        answer(case, EXPECTED, references, right(wanted)),
        conditions(*expected),
        fault,
    )


def right_answer(case: Case) -> GeneratedTest:
    """All that is asked for, each with its citation."""
    return _answered(case, right(case.asked), _FINE)


def _styled(case: Case, asked: Sequence[Statement], style: Style) -> GeneratedTest:
    made = _answered(case, right(asked), _FINE, is_half=len(asked) < len(case.asked))
    actual = answer(case, ACTUAL, made.references, right(asked), style=style)
    return made._replace(actual=actual)


def paraphrased_answer(case: Case) -> GeneratedTest:
    """The same, all in other words than the references'."""
    return _styled(case, case.asked, Style(is_joined=False, is_free=True, is_brief=True))


def merged_answer(case: Case) -> GeneratedTest:
    """Both parts of a question are answered, in one sentence where English allows it."""
    both = sorted(case.asked[:2], key=lambda one: one.place)
    return _styled(case, both, Style(is_joined=True, is_brief=True))


def absurd_fact(case: Case) -> GeneratedTest:
    """An absurd fact stands in the references and is rightly repeated."""
    return right_answer(_absurd(case))


def _absurd(case: Case) -> Case:
    place = case.absurd_at
    return case._replace(asked=[*case.asked[:place], case.absurd, *case.asked[place + 1 :]])


def absurd_corrected(case: Case) -> GeneratedTest:
    """An absurd fact stands in the references, and the answer has what is true in the world."""
    absurd, true = _absurd(case), case.asked[case.absurd_at]
    cited = _with(right(absurd.asked), case.absurd_at, Cited(true, case.absurd))
    fault = f"not what the reference says: {true.text}"
    return _answered(absurd, cited, (_TOP, ">=4", UNDEFINED, _FALSE), fault)


def missing_fact(case: Case) -> GeneratedTest:
    """One of three facts is missing."""
    missing = case.asked[case.draw("place", len(case.asked))]
    left = [one for one in case.asked if one is not missing]
    fault = f"missing: {missing.text}"
    return _answered(case, right(left), (_TOP, "<=4", UNDEFINED, _TRUE), fault)


def half_answered(case: Case) -> GeneratedTest:
    """One of the two parts of a question is answered."""
    place = case.draw("place", 2)
    fault = f"missing: {case.asked[1 - place].text}"
    expected = (_TOP, "<=3", UNDEFINED, _TRUE)
    return _answered(case, right([case.asked[place]]), expected, fault, is_half=True)


def superfluous_fact(case: Case) -> GeneratedTest:
    """A fact too many, true and in the references."""
    fault = f"not asked for: {case.extra.text}"
    cited = right(_inserted(case, case.asked))
    return _answered(case, cited, ("<=4", _TOP, UNDEFINED, _TRUE), fault)


def _inserted(case: Case, statements: Sequence[Statement]) -> list[Statement]:
    """Return statements with the extra one inserted."""
    place = case.draw("extra", len(statements) + 1)
    return [*statements[:place], case.extra, *statements[place:]]


def missing_and_superfluous(case: Case) -> GeneratedTest:
    """One fact is missing, and there is another that was not asked for."""
    missing = case.asked[case.draw("place", len(case.asked))]
    left = _inserted(case, [one for one in case.asked if one is not missing])
    fault = f"missing: {missing.text} Not asked for: {case.extra.text}"
    return _answered(case, right(left), ("<=4", "<=4", UNDEFINED, _TRUE), fault)


def _miscited(case: Case, source: Statement | None, fault: str) -> GeneratedTest:
    """Return a test in which one fact cites a wrong reference, or none."""
    place = case.draw("place", len(case.asked))
    wrong = case.asked[place]
    cited = _with(right(case.asked), place, Cited(wrong, source))
    return _answered(case, cited, (_TOP, _TOP, UNDEFINED, _FALSE), f"{fault}: {wrong.text}")


def wrong_citation(case: Case) -> GeneratedTest:
    """One fact is cited to a reference that tells something else of the subject."""
    return _miscited(case, case.extra, "cited to what does not hold it")


def citation_of_another(case: Case) -> GeneratedTest:
    """One fact is cited to a reference about somebody else."""
    return _miscited(case, case.foreign[0], "cited to what is about another item")


def missing_citation(case: Case) -> GeneratedTest:
    """One fact bears no citation."""
    return _miscited(case, None, "not cited")


def distorted_value(case: Case) -> GeneratedTest:
    """One fact has another value of the same kind; the page wants that to count as relevant."""
    cited = _with(right(case.asked), case.odd, Cited(case.distorted, case.asked[case.odd]))
    fault = f"distorted: {case.distorted.text}"
    return _answered(case, cited, (_TOP, ">=4", UNDEFINED, _FALSE), fault)


def _half_open(
    case: Case, cited: Callable[[Sequence[Statement]], Sequence[Cited]]
) -> GeneratedTest:
    """Return a test whose references leave a part of the question open; the true answer says so."""
    held = [one for one in case.asked if one is not case.asked[case.odd]]
    references = references_of(case, [*held, case.extra], len(held))
    return GeneratedTest(
        references,
        case.question,
        answer(case, ACTUAL, references, cited(held)),
        f"{answer(case, EXPECTED, references, right(held))} {left_open(case, EXPECTED)}",
        conditions(*_FINE),
    )


def partly_open(case: Case) -> GeneratedTest:
    """What the references tell is answered, and what they leave open is said to be so."""
    made = _half_open(case, right)
    return made._replace(actual=f"{made.actual} {left_open(case, ACTUAL)}")


def invented_fact(case: Case) -> GeneratedTest:
    """What the references leave open is answered all the same, with a citation that looks right."""

    def cited(held: Sequence[Statement]) -> list[Cited]:
        invented = Cited(case.distorted, held[case.draw("cites", len(held))])
        return [*right(held[: case.odd]), invented, *right(held[case.odd :])]

    return _half_open(case, cited)._replace(
        conditions=conditions(">=4", _TOP, UNDEFINED, _FALSE),
        fault=f"invented: {case.distorted.text}",
    )


def wrong_subject(case: Case) -> GeneratedTest:
    """What is asked for is told of another item, truly and rightly cited."""
    of_other = case.foreign[:2]
    fault = f"of another item: {' '.join(one.text for one in of_other)}"
    return _answered(case, right(of_other), ("==1", "==1", UNDEFINED, _TRUE), fault)


_UNSEEN = "refused, though the documents answer"


def refusal_despite_answer(case: Case) -> GeneratedTest:
    """It is said that no document answers, though they do."""
    expected = (UNDEFINED, "==1", UNDEFINED, UNDEFINED)
    made = _answered(case, [], expected, _UNSEEN)
    return made._replace(actual=refusal(case, ACTUAL))


def refusal_with_related(case: Case) -> GeneratedTest:
    """The same, and what else they tell of the subject is offered, truly."""
    made = _answered(case, [], (UNDEFINED, "==1", _TRUE, _TRUE), _UNSEEN)
    offer = offered(case, ACTUAL, made.references, right([case.extra]))
    return made._replace(actual=offer)


def _unanswerable(
    case: Case, cited: Sequence[Cited], expected: _Planted, fault: str = ""
) -> GeneratedTest:
    """Return a test whose references tell of the subject, but not what is asked for.

    The answer refuses, and offers what is ``cited``, if anything is.
    """
    references = references_of(case, [case.extra], 0)
    return GeneratedTest(
        references,
        case.question,
        offered(case, ACTUAL, references, cited) if cited else refusal(case, ACTUAL),
        offered(case, EXPECTED, references, right([case.extra])),
        conditions(*expected),
        fault,
    )


def answer_without_grounds(case: Case) -> GeneratedTest:
    """What no document tells is answered; truth is no matter of relevancy."""
    expected = (">=4", UNDEFINED, UNDEFINED, _FALSE)
    made = _unanswerable(case, [], expected, "answered, though no document does")
    cited = [Cited(one, case.extra) for one in case.asked]
    return made._replace(actual=answer(case, ACTUAL, made.references, cited))


def related_information(case: Case) -> GeneratedTest:
    """It is said that no document answers, and what they tell of the subject is offered."""
    return _unanswerable(case, right([case.extra]), (UNDEFINED, UNDEFINED, _TRUE, _TRUE))


def related_left_out(case: Case) -> GeneratedTest:
    """It is only said that no document answers: to offer more is not mandatory."""
    return _unanswerable(case, [], _REFUSED)


def useless_information(case: Case) -> GeneratedTest:
    """What is offered is about another item."""
    of_other = case.foreign[0]
    expected = (UNDEFINED, UNDEFINED, _FALSE, _TRUE)
    return _unanswerable(case, right([of_other]), expected, f"of no use: {of_other.text}")


def related_miscited(case: Case) -> GeneratedTest:
    """What is offered is cited to a reference that does not hold it."""
    fault = f"cited to what does not hold it: {case.extra.text}"
    return _unfaithful(case, Cited(case.extra, case.foreign[0]), fault)


def related_distorted(case: Case) -> GeneratedTest:
    """What is offered has another value of the same kind."""
    fault = f"distorted: {case.mistold.text}"
    return _unfaithful(case, Cited(case.mistold, case.extra), fault)


def _unfaithful(case: Case, cited: Cited, fault: str) -> GeneratedTest:
    # Whether it is of use is told by what it is about, as relevancy is.
    return _unanswerable(case, [cited], (UNDEFINED, UNDEFINED, _TRUE, _FALSE), fault)


def right_refusal(case: Case) -> GeneratedTest:
    """No document tells anything of the subject, and it is said so."""
    references = references_of(case, [], 0)
    actual, expected = (refusal(case, name) for name in (ACTUAL, EXPECTED))
    return GeneratedTest(references, case.question, actual, expected, conditions(*_REFUSED))


TYPES: Mapping[str, Callable[[Case], GeneratedTest]] = {
    make.__name__: make
    for make in (
        *(right_answer, paraphrased_answer, merged_answer, absurd_fact, partly_open),
        *(missing_fact, half_answered, superfluous_fact, missing_and_superfluous),
        *(wrong_citation, citation_of_another, missing_citation),
        *(distorted_value, absurd_corrected, invented_fact, wrong_subject),
        *(refusal_despite_answer, refusal_with_related, answer_without_grounds),
        *(related_information, related_left_out, useless_information),
        *(related_miscited, related_distorted, right_refusal),
    )
}
"""The types of tests, by their names."""
