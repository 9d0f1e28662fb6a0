"""The types of tests: right answers, and answers with a planted fault (some with two).

Each type is a function that makes a test from a case (see ``cases``: targets are the facts that the
question asks for, foreign facts are about other items). An added fact lowers only relevancy, a
missing fact only completeness, a distorted fact or a wrong citation only faithfulness. The position
of a fault, the style of the answer and the number of references reveal nothing about the type.

Source: the test types of GroUSE, as its page and table describe them, and some more.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeAlias, TypeVar

from kgbuild.datasets.grouse.cases import ACTUAL, EXPECTED, Case, Cited, Reference, cite_own
from kgbuild.datasets.grouse.rows import UNDEFINED
from kgbuild.datasets.grouse.wording import Style, WordedStatement

_T = TypeVar("_T")
_Conditions: TypeAlias = tuple[str, str, str, str]
"""The conditions on relevancy, completeness, usefulness and faithfulness."""

_TOP, _TRUE, _FALSE = "==5", "==1", "==0"
# A fault must lower a grade ("<=4"; "<=3" if half is missing), or may lower it by one (">=4").
_FINE: _Conditions = (_TOP, _TOP, UNDEFINED, _TRUE)
_DISTORTED: _Conditions = (_TOP, ">=4", UNDEFINED, _FALSE)
_REFUSED: _Conditions = (UNDEFINED,) * 4


class GeneratedTest(NamedTuple):
    """A test of one type, with the conditions on the first four grades and the planted fault."""

    references: Sequence[Reference]
    input: str
    actual: str
    expected: str
    conditions: _Conditions
    fault: str = ""


def _answered(
    case: Case,
    cited: Sequence[Cited],
    conditions: _Conditions,
    fault: str = "",
    is_short: bool = False,
    style: Style | None = None,
) -> GeneratedTest:
    """Return a test whose references contain the whole answer; its answer states ``cited``."""
    references = case.references([*case.targets, case.extra])
    return GeneratedTest(
        references,
        case.short_question if is_short else case.question,
        case.answer(ACTUAL, references, cited, style=style),
        case.answer(EXPECTED, references, cite_own(case.targets[:2] if is_short else case.targets)),
        conditions,
        fault,
    )


def right_answer(case: Case) -> GeneratedTest:
    """All facts that are asked for, each with its citation."""
    return _answered(case, cite_own(case.targets), _FINE)


def paraphrased_answer(case: Case) -> GeneratedTest:
    """A right answer, worded differently from the references."""
    style = Style(is_joined=False, is_free=True, is_brief=True)
    return _answered(case, cite_own(case.targets), _FINE, style=style)


def merged_answer(case: Case) -> GeneratedTest:
    """Both parts of a question are answered, in one sentence where English allows it."""
    in_order = sorted(case.targets[:2], key=lambda statement: statement.position)
    style = Style(is_joined=True, is_brief=True)
    return _answered(case, cite_own(in_order), _FINE, is_short=True, style=style)


def absurd_fact(case: Case) -> GeneratedTest:
    """A reference states an absurd fact, and the answer rightly repeats it."""
    return right_answer(_absurd(case))


def absurd_corrected(case: Case) -> GeneratedTest:
    """A reference states an absurd fact, and the answer has the true value."""
    true = case.targets[case.absurd_index]
    cited = _replace(cite_own(case.targets), case.absurd_index, Cited(true, case.absurd))
    return _answered(_absurd(case), cited, _DISTORTED, f"not what the reference says: {true.text}")


def _absurd(case: Case) -> Case:
    return case._replace(targets=_replace(case.targets, case.absurd_index, case.absurd))


def _replace(items: Sequence[_T], index: int, new: _T) -> list[_T]:
    return [*items[:index], new, *items[index + 1 :]]


def missing_fact(case: Case) -> GeneratedTest:
    """One of three facts is missing."""
    missing, rest = _without_one(case)
    conditions = (_TOP, "<=4", UNDEFINED, _TRUE)
    return _answered(case, cite_own(rest), conditions, f"missing: {missing.text}")


def half_answered(case: Case) -> GeneratedTest:
    """One of the two parts of a question is answered."""
    answered = case.draw("place", 2)
    fault = f"missing: {case.targets[1 - answered].text}"
    conditions = (_TOP, "<=3", UNDEFINED, _TRUE)
    return _answered(case, cite_own([case.targets[answered]]), conditions, fault, is_short=True)


def superfluous_fact(case: Case) -> GeneratedTest:
    """The answer adds a fact that was not asked for, true and in the references."""
    cited = cite_own(_with_extra(case, case.targets))
    fault = f"not asked for: {case.extra.text}"
    return _answered(case, cited, ("<=4", _TOP, UNDEFINED, _TRUE), fault)


def missing_and_superfluous(case: Case) -> GeneratedTest:
    """One fact is missing, and the answer adds a fact that was not asked for."""
    missing, rest = _without_one(case)
    fault = f"missing: {missing.text} Not asked for: {case.extra.text}"
    cited = cite_own(_with_extra(case, rest))
    return _answered(case, cited, ("<=4", "<=4", UNDEFINED, _TRUE), fault)


def _without_one(case: Case) -> tuple[WordedStatement, list[WordedStatement]]:
    missing = case.targets[case.draw("place", len(case.targets))]
    return missing, [statement for statement in case.targets if statement is not missing]


def _with_extra(case: Case, statements: Sequence[WordedStatement]) -> list[WordedStatement]:
    position = case.draw("extra", len(statements) + 1)
    return [*statements[:position], case.extra, *statements[position:]]


def _miscited(case: Case, source: WordedStatement | None, fault: str) -> GeneratedTest:
    """Return a test in which a random target cites the reference of ``source``, or nothing."""
    index = case.draw("place", len(case.targets))
    target = case.targets[index]
    cited = _replace(cite_own(case.targets), index, Cited(target, source))
    return _answered(case, cited, (_TOP, _TOP, UNDEFINED, _FALSE), f"{fault}: {target.text}")


def wrong_citation(case: Case) -> GeneratedTest:
    """One fact cites a reference that states another fact of the subject."""
    return _miscited(case, case.extra, "cited to what does not hold it")


def citation_of_another(case: Case) -> GeneratedTest:
    """One fact cites a reference about another item."""
    return _miscited(case, case.foreign[0], "cited to what is about another item")


def missing_citation(case: Case) -> GeneratedTest:
    """One fact has no citation."""
    return _miscited(case, None, "not cited")


def distorted_value(case: Case) -> GeneratedTest:
    """One fact has another value of the same kind; it still counts as relevant, as in GroUSE."""
    index = case.distorted_index
    cited = _replace(cite_own(case.targets), index, Cited(case.distorted, case.targets[index]))
    return _answered(case, cited, _DISTORTED, f"distorted: {case.distorted.text}")


def partly_open(case: Case) -> GeneratedTest:
    """The references answer only a part of the question, and the answer says so."""
    test = _half_open(case, cite_own(case.answerable_targets))
    return test._replace(actual=f"{test.actual} {case.open_part(ACTUAL)}")


def invented_fact(case: Case) -> GeneratedTest:
    """The answer invents a part that the references leave open, with a plausible citation."""
    cited = cite_own(case.answerable_targets)
    source = case.answerable_targets[case.draw("cites", len(cited))]
    cited.insert(case.distorted_index, Cited(case.distorted, source))
    return _half_open(case, cited)._replace(
        conditions=(">=4", _TOP, UNDEFINED, _FALSE), fault=f"invented: {case.distorted.text}"
    )


def _half_open(case: Case, cited: Sequence[Cited]) -> GeneratedTest:
    """Return a test whose references leave one target open, as the true answer says."""
    references = case.references([*case.answerable_targets, case.extra])
    truth = case.answer(EXPECTED, references, cite_own(case.answerable_targets))
    return GeneratedTest(
        references,
        case.question,
        case.answer(ACTUAL, references, cited),
        f"{truth} {case.open_part(EXPECTED)}",
        _FINE,
    )


def wrong_subject(case: Case) -> GeneratedTest:
    """The answer is about another item, true and rightly cited."""
    foreign = case.foreign[:2]
    fault = f"of another item: {' '.join(statement.text for statement in foreign)}"
    return _answered(case, cite_own(foreign), ("==1", "==1", UNDEFINED, _TRUE), fault)


_WRONG_REFUSAL = "refused, though the documents answer"


def refusal_despite_answer(case: Case) -> GeneratedTest:
    """The answer says that no document answers the question, although one does."""
    test = _answered(case, [], (UNDEFINED, "==1", UNDEFINED, UNDEFINED), _WRONG_REFUSAL)
    return test._replace(actual=case.refusal(ACTUAL))


def refusal_with_related(case: Case) -> GeneratedTest:
    """The answer refuses wrongly, and offers another true fact about the subject."""
    test = _answered(case, [], (UNDEFINED, "==1", _TRUE, _TRUE), _WRONG_REFUSAL)
    return test._replace(actual=case.offer(ACTUAL, test.references, cite_own([case.extra])))


def _unanswerable(
    case: Case, cited: Sequence[Cited], conditions: _Conditions, fault: str = ""
) -> GeneratedTest:
    """Return a test whose references contain only the extra fact of the subject, and no target.

    The answer refuses, and offers the ``cited`` statements, if there are any.
    """
    references = case.references([case.extra])
    return GeneratedTest(
        references,
        case.question,
        case.offer(ACTUAL, references, cited) if cited else case.refusal(ACTUAL),
        case.offer(EXPECTED, references, cite_own([case.extra])),
        conditions,
        fault,
    )


def answer_without_grounds(case: Case) -> GeneratedTest:
    """The answer states facts that no document contains; relevancy does not depend on truth."""
    conditions = (">=4", UNDEFINED, UNDEFINED, _FALSE)
    test = _unanswerable(case, [], conditions, "answered, though no document does")
    cited = [Cited(statement, case.extra) for statement in case.targets]
    return test._replace(actual=case.answer(ACTUAL, test.references, cited))


def related_information(case: Case) -> GeneratedTest:
    """The answer refuses rightly, and offers a true fact about the subject."""
    return _unanswerable(case, cite_own([case.extra]), (UNDEFINED, UNDEFINED, _TRUE, _TRUE))


def related_left_out(case: Case) -> GeneratedTest:
    """The answer only refuses: it need not offer more."""
    return _unanswerable(case, [], _REFUSED)


def useless_information(case: Case) -> GeneratedTest:
    """The refusal offers a fact about another item."""
    foreign = case.foreign[0]
    conditions = (UNDEFINED, UNDEFINED, _FALSE, _TRUE)
    return _unanswerable(case, cite_own([foreign]), conditions, f"of no use: {foreign.text}")


# A wrong offer about the subject is useful: usefulness, like relevancy, does not depend on truth.
_WRONG_OFFER: _Conditions = (UNDEFINED, UNDEFINED, _TRUE, _FALSE)


def related_miscited(case: Case) -> GeneratedTest:
    """The refusal offers a fact that its reference does not state."""
    cited = Cited(case.extra, case.foreign[0])
    fault = f"cited to what does not hold it: {case.extra.text}"
    return _unanswerable(case, [cited], _WRONG_OFFER, fault)


def related_distorted(case: Case) -> GeneratedTest:
    """The refusal offers a fact with another value of the same kind."""
    cited = Cited(case.extra_distorted, case.extra)
    return _unanswerable(case, [cited], _WRONG_OFFER, f"distorted: {case.extra_distorted.text}")


def right_refusal(case: Case) -> GeneratedTest:
    """No document is about the subject, and the answer says so."""
    texts = (case.question, case.refusal(ACTUAL), case.refusal(EXPECTED))
    return GeneratedTest(case.references([]), *texts, _REFUSED)


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
