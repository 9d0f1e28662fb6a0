"""The rows of the tests, in GroUSE's own format, and why candidates are left out.

A test is a question with references, a true answer, an answer to be graded, and a condition on
each of the grades that an evaluator gives it.

Source: the GroUSE dataset: six metrics, and conditions such as ``==5``, ``<=4`` and ``==None``.
"""

import operator
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from kgbuild.columns import require
from kgbuild.errors import TableFileError
from kgbuild.replies import Failure

DATASET = "grouse"
COLUMNS = ("references", "input", "actual_output", "expected_output", "conditions")
UNDEFINED = "==None"
REASONS = {
    "too few facts": "the store has not enough about the subject that can be asked for",
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


def acceptance(refuses: bool, is_answerable: bool) -> tuple[int | None, int | None]:
    """Return positive acceptance and negative rejection.

    A right refusal has both, a wrong one has no positive acceptance, and an answer to what the
    references don't answer no negative rejection; of an answer where there is one both are
    undefined. So they follow from whether relevancy and completeness are defined.

    Source: GroUSE's published code, which agrees with the example on the project's page.
    """
    if refuses:
        return (0, None) if is_answerable else (1, 1)
    return (None, None) if is_answerable else (None, 0)


PASSED, FAILED, UNPARSABLE = "passed", "failed", "unparsable"
"""What becomes of a condition: the last if the grade cannot be read."""


def conditions(
    relevancy: str, completeness: str, usefulness: str, faithfulness: str
) -> dict[str, str]:
    """Return the conditions on all six metrics, of which the last two follow from the first."""
    accepted = acceptance(relevancy == UNDEFINED, completeness != UNDEFINED)
    texts = (relevancy, completeness, usefulness, faithfulness, *(f"=={one}" for one in accepted))
    return {f"{metric}_condition": text for metric, text in zip(METRICS, texts, strict=True)}


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


@dataclass(frozen=True)
class Result:
    """A row of ``grouse_results``."""

    judge: str
    source: str
    test_id: str
    test_type: str
    metric: str
    condition: str
    grade: int | None
    outcome: str


class Sample(NamedTuple):
    """What an evaluator sees of a test: nothing of its type or its conditions."""

    references: Sequence[str]
    input: str
    actual_output: str
    expected_output: str


class Given(NamedTuple):
    """A test as it stands in a table or in a user's file."""

    test_id: str
    test_type: str
    sample: Sample
    conditions: Mapping[str, str]


def given(path: Path, columns: Sequence[str], records: Sequence[Mapping[str, Any]]) -> list[Given]:
    """Return the tests in the records of the file ``path``, in their order.

    Those without an id are numbered, those whose metadata tells no type have none.

    Raises:
        TableFileError: there is no record, or one of them is no test.
        MissingColumnError: a column is missing.
    """
    if not records:
        raise TableFileError(path, "it holds no tests")
    require(path, columns, COLUMNS)
    found = [_given(path, number, record) for number, record in enumerate(records, 1)]
    seen: set[str] = set()
    for test in found:
        if test.test_id in seen:
            raise TableFileError(path, f"the test_id '{test.test_id[:20]}' stands twice")
        seen.add(test.test_id)
    return found


def _given(path: Path, number: int, record: Mapping[str, Any]) -> Given:
    references, told = record["references"], record["conditions"]
    if not isinstance(references, list) or not isinstance(told, dict):
        raise TableFileError(path, f"test {number:,} has no list of references, or no conditions")
    metadata = record.get("metadata")
    test_type = metadata.get("test_type") if isinstance(metadata, dict) else None
    texts = (str(record[name] or "") for name in COLUMNS[1:4])
    return Given(
        str(record.get("test_id") or number),
        str(test_type or ""),
        Sample([str(one or "") for one in references], *texts),
        _conditions(path, number, told),
    )


def _conditions(path: Path, number: int, told: Mapping[str, Any]) -> dict[str, str]:
    """Return conditions on all metrics: those of the last two, where they are missing, follow."""
    stated = {
        name: "".join(str(text).split()).replace("null", "None")
        for name, text in told.items()
        if text is not None
    }
    found = conditions(*(stated.get(f"{metric}_condition", UNDEFINED) for metric in METRICS[:4]))
    found |= {name: stated[name] for name in found if name in stated}
    for name, text in found.items():
        if not _CONDITION.fullmatch(text):
            raise TableFileError(path, f"the {name} of test {number:,} is '{text[:20]}'")
    return found
