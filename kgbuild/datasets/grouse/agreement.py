"""Compare judges with a reference judge: correlations and confusions of their grades.

Source: GroUSE's page, which compares judges with a strong one. Judges with equal correlations pass
very different shares of the tests.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from kgbuild.datasets.grouse.files import JudgeInput
from kgbuild.datasets.grouse.rows import LIKERT, METRICS, UNGRADED, UNPARSABLE
from kgbuild.errors import TableFileError
from kgbuild.evaluate.agreement import kendall, spearman
from kgbuild.rows import require_columns
from kgbuild.tables.records import GrouseResult as Result

WORDS = (*map(str, range(6)), UNGRADED, UNPARSABLE)
"""All grades in words, in order."""
_SCALES = {metric: range(1, 6) if metric in LIKERT else range(2) for metric in METRICS}

References: TypeAlias = Mapping[str, Mapping[str, int | None]]
"""The reference judge's grades by test and metric; None is undefined."""


class Agreement(NamedTuple):
    """The agreement of a judge with the reference judge on one metric.

    ``tests`` counts those that both have graded, ``defined`` those in which both grades are
    defined: the correlations are over these. ``confusion`` counts the pairs of a grade and the
    reference's, in words: both can be undefined, and the first unparsable.
    """

    judge: str
    metric: str
    tests: int
    defined: int
    spearman: float | None
    kendall: float | None
    confusion: Mapping[tuple[str, str], int]

    @property
    def record(self) -> dict[str, object]:
        """The fields, with the confusion as records in the order of the grades."""
        confusion = [
            {"grade": grade, "reference": word, "tests": self.confusion[grade, word]}
            for grade in WORDS
            for word in WORDS
            if (grade, word) in self.confusion
        ]
        return {**self._asdict(), "confusion": confusion}


def agreements(judge: str, results: Iterable[Result], references: References) -> list[Agreement]:
    """Return the agreement on each metric, over the tests that have reference grades."""
    seen = [one for one in results if one.test_id in references]
    return [
        _agreement(judge, metric, [one for one in seen if one.metric == metric], references)
        for metric in METRICS
    ]


def _agreement(
    judge: str, metric: str, results: Sequence[Result], references: References
) -> Agreement:
    pairs = [(one, references[one.test_id][metric]) for one in results]
    defined = [
        (one.grade, grade)
        for one, grade in pairs
        # A reply that cannot be read has no grade either.
        if one.grade is not None and grade is not None
    ]
    grades, theirs = [one for one, _ in defined], [other for _, other in defined]
    return Agreement(
        judge,
        metric,
        len(pairs),
        len(defined),
        spearman(grades, theirs),
        kendall(grades, theirs),
        Counter(
            (UNPARSABLE if one.outcome == UNPARSABLE else _word(one.grade), _word(grade))
            for one, grade in pairs
        ),
    )


def _word(grade: int | None) -> str:
    return UNGRADED if grade is None else str(grade)


def reference_grades(
    path: Path, columns: Sequence[str], records: Sequence[Mapping[str, Any]]
) -> References:
    """Return the reference grades in the records of the file ``path``.

    Raises:
        MissingColumnError: a column is missing.
        TableFileError: a test occurs twice, or a grade is not on the scale of its metric.
    """
    require_columns(path, columns, ("test_id", *METRICS))
    references: dict[str, Mapping[str, int | None]] = {}
    for record in records:
        test_id = str(record["test_id"])
        if test_id in references:
            raise TableFileError(path, f"the test_id '{test_id[:20]}' stands twice")
        references[test_id] = {metric: _grade(path, test_id, metric, record) for metric in METRICS}
    return references


def count_ungraded(
    path: Path, references: References, inputs: Sequence[JudgeInput], what: str
) -> int:
    """Return how many inputs, called ``what``, have no reference grades.

    Raises:
        TableFileError: none has any in the file ``path``.
    """
    ungraded = sum(one.test_id not in references for one in inputs)
    if ungraded == len(inputs):
        raise TableFileError(path, f"it grades none of the {what}")
    return ungraded


def _grade(path: Path, test_id: str, metric: str, record: Mapping[str, Any]) -> int | None:
    grade, scale = record[metric], _SCALES[metric]
    if grade is None:
        return None
    if grade not in scale:
        value = f"the {metric} of test '{test_id[:20]}' is '{str(grade)[:20]}'"
        raise TableFileError(path, f"{value}, and not {scale[0]} to {scale[-1]} or null")
    return int(grade)
