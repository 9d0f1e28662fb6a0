"""The grades that judges give answers, and the conditions of tests on grades.

A test has references, a question, the true answer, an answer to grade, and a condition on each of
the six grades that a judge gives. An answer *refuses* if it says that the references do not answer
the question.

Source: the GroUSE dataset: six metrics, and conditions such as ``==5``, ``<=4`` and ``==None``.
"""

import operator
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

from kgbuild.models.chat import Failure
from kgbuild.rows import DEV

DATASET = "grouse"
TUNING = DEV
"""The split whose tests are for the development of judges, and not for their evaluation."""
UNDEFINED = "==None"
"""The condition that a grade is undefined."""

_CONDITION = re.compile(r"(==|<=|>=|<|>)(None|\d+(?:\.\d+)?)")
_COMPARISONS = {
    "==": operator.eq,
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
}

Grade: TypeAlias = int | Failure | None
"""A grade of an answer: None if it is undefined, a failure if it cannot be read in a reply."""


class Grades(NamedTuple):
    """The grades of an answer: the first two are from 1 to 5, the others 0 or 1."""

    answer_relevancy: Grade
    completeness: Grade
    usefulness: Grade
    faithfulness: Grade
    positive_acceptance: Grade
    negative_rejection: Grade


class Judgement(NamedTuple):
    """The grades of an answer, and what a model says about them, by metric."""

    grades: Grades
    justifications: Mapping[str, str] = {}


METRICS = Grades._fields
LIKERT = METRICS[:2]
"""The metrics whose grades are from 1 to 5."""


def acceptance(refuses: bool, is_answerable: bool | None) -> tuple[int | None, int | None]:
    """Return the grades of positive acceptance and negative rejection.

    A right refusal has (1, 1), a wrong refusal (0, None). Another answer has (None, 0) if the
    references do not answer the question, else (None, None). If it is unknown whether they do
    (``is_answerable`` is None), both grades are None.

    Source: GroUSE's published code, which agrees with the example on the project's page.
    """
    if is_answerable is None:
        return None, None
    if refuses:
        return (0, None) if is_answerable else (1, 1)
    return (None, None) if is_answerable else (None, 0)


def dependent(relevancy: Grade, usefulness: Grade, faithfulness: Grade) -> tuple[Grade, Grade]:
    """Return usefulness and faithfulness; None where earlier grades make them undefined.

    Usefulness is undefined for an answer that does not refuse, which has a relevancy. Faithfulness
    is undefined for a refusal that adds nothing, whose usefulness is undefined. Grades that depend
    on an unreadable grade are unreadable.

    Source: GroUSE's published code, which does not even request such grades.
    """
    if isinstance(relevancy, Failure):
        return relevancy, relevancy
    if relevancy is not None:
        return None, faithfulness
    if usefulness is None or isinstance(usefulness, Failure):
        return usefulness, usefulness
    return usefulness, faithfulness


PASSED, FAILED, UNPARSABLE = "passed", "failed", "unparsable"
"""The outcomes of a condition; with UNPARSABLE, the grade cannot be read."""
GRADED, UNGRADED = "graded", "undefined"
"""The outcomes of a readable grade without a condition."""


def conditions(
    relevancy: str, completeness: str, usefulness: str, faithfulness: str
) -> dict[str, str]:
    """Return the conditions on all six metrics by column; the first two determine the last two."""
    accepted = acceptance(relevancy == UNDEFINED, completeness != UNDEFINED)
    texts = (
        relevancy,
        completeness,
        usefulness,
        faithfulness,
        *(f"=={grade}" for grade in accepted),
    )
    return {f"{metric}_condition": text for metric, text in zip(METRICS, texts, strict=True)}


def is_condition(text: str) -> bool:
    """Return whether a text is a condition on a grade."""
    return bool(_CONDITION.fullmatch(text))


def holds(condition: str, grade: int | None) -> bool:
    """Return whether a grade meets a condition; an undefined grade meets only ``==None``.

    >>> holds("<=4", 3), holds("<=4", None), holds("==None", None)
    (True, False, True)
    """
    ((sign, value),) = _CONDITION.findall(condition)
    if value == "None":
        return sign == "==" and grade is None
    return grade is not None and bool(_COMPARISONS[sign](grade, float(value)))


class GrouseSample(NamedTuple):
    """The part of a test that a judge sees; ``expected_output`` is None if it is unknown."""

    references: Sequence[str]
    input: str
    actual_output: str
    expected_output: str | None
