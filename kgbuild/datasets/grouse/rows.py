"""The rows of the tests, in GroUSE's own format, and why candidates are left out.

A test is a question with references, a true answer, an answer to be graded, and a condition on
each of the grades that an evaluator gives it.

Source: the GroUSE dataset: six metrics, and conditions such as ``==5``, ``<=4`` and ``==None``.
"""

import operator
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from kgbuild.models.chat import Failure

DATASET = "grouse"
TUNING = "validation"
"""The split of the tests that judges are tuned on, and so not put to."""
UNDEFINED = "==None"
REASONS = {
    "too few facts": "the store has not enough about the subject that can be asked for",
    "no pronoun": "nothing tells the pronoun by which a question would go on",
    "nothing absurd": "nothing that can be asked for has a value known to be absurd",
    "nobody like it": "of no similar item the store has enough, unlike what is asked for",
}

_CONDITION = re.compile(r"(==|<=|>=|<|>)(None|\d+(?:\.\d+)?)")
_COMPARED = {
    "==": operator.eq,
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
}


Grade: TypeAlias = int | Failure | None
"""What an evaluator says of an answer: None is undefined, a failure that it cannot be read."""


class Grades(NamedTuple):
    """What an evaluator gives an answer.

    ``answer_relevancy`` and ``completeness`` are 1 to 5, the others 0 or 1.
    """

    answer_relevancy: Grade
    completeness: Grade
    usefulness: Grade
    faithfulness: Grade
    positive_acceptance: Grade
    negative_rejection: Grade


METRICS = Grades._fields
LIKERT = METRICS[:2]
"""The metrics whose grades are 1 to 5."""


def acceptance(refuses: bool, is_answerable: bool | None) -> tuple[int | None, int | None]:
    """Return positive acceptance and negative rejection.

    A right refusal has both, a wrong one has no positive acceptance, and an answer to what the
    references don't answer no negative rejection; of an answer where there is one both are
    undefined. So they follow from whether relevancy and completeness are defined. Where there is
    no true answer nobody tells whether there is one (None), and both are undefined.

    Source: GroUSE's published code, which agrees with the example on the project's page.
    """
    if is_answerable is None:
        return None, None
    if refuses:
        return (0, None) if is_answerable else (1, 1)
    return (None, None) if is_answerable else (None, 0)


PASSED, FAILED, UNPARSABLE = "passed", "failed", "unparsable"
"""What becomes of a condition: the last if the grade cannot be read."""
GRADED, UNGRADED = "graded", "undefined"
"""What becomes of a metric without a condition, unless the grade cannot be read."""


def conditions(
    relevancy: str, completeness: str, usefulness: str, faithfulness: str
) -> dict[str, str]:
    """Return the conditions on all six metrics, of which the last two follow from the first."""
    accepted = acceptance(relevancy == UNDEFINED, completeness != UNDEFINED)
    texts = (relevancy, completeness, usefulness, faithfulness, *(f"=={one}" for one in accepted))
    return {f"{metric}_condition": text for metric, text in zip(METRICS, texts, strict=True)}


def is_condition(text: str) -> bool:
    """Tell whether a text is a condition on a grade."""
    return bool(_CONDITION.fullmatch(text))


def holds(condition: str, grade: int | None) -> bool:
    """Tell whether a grade meets a condition; one that is undefined meets only ``==None``.

    >>> holds("<=4", 3), holds("<=4", None), holds("==None", None)
    (True, False, True)

    Raises:
        ValueError: it is no condition.
    """
    found = _CONDITION.fullmatch(condition)
    if not found:
        raise ValueError(condition)
    sign, value = found.groups()
    if value == "None":
        return sign == "==" and grade is None
    return grade is not None and bool(_COMPARED[sign](grade, float(value)))


@dataclass(frozen=True)
class Test:
    """A row of ``grouse_tests``."""

    test_id: str
    test_type: str
    references: list[str]
    input: str
    actual_output: str
    expected_output: str
    conditions: dict[str, str]
    metadata: dict[str, Any]
    source: str
    split: str


class Sample(NamedTuple):
    """What an evaluator sees of a test: nothing of its type or its conditions.

    Where nobody knows the true answer, ``expected_output`` is None.
    """

    references: Sequence[str]
    input: str
    actual_output: str
    expected_output: str | None
