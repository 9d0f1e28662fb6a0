"""Compare judges with a reference judge: correlations and confusions of their grades.

Source: GroUSE's page, which compares judges with a strong judge, and shows that judges with equal
correlations can pass very different shares of the tests.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from kgbuild.cells import text_of
from kgbuild.datasets.grouse.rows import LIKERT, METRICS, UNGRADED, UNPARSABLE
from kgbuild.errors import TableFileError
from kgbuild.evaluate.agreement import kendall, spearman
from kgbuild.rows import require_columns
from kgbuild.tables.records import GrouseResult as Result

GRADE_NAMES = (*map(str, range(6)), UNGRADED, UNPARSABLE)
"""The names of all grades, in the order of confusion records."""

References: TypeAlias = Mapping[str, Mapping[str, int | None]]
"""The grades of the reference judge, by test id and metric; None means undefined."""


class Agreement(NamedTuple):
    """The agreement of a judge with the reference judge on one metric.

    ``tests`` is the number of tests that both have graded; ``defined`` is the number of these tests
    in which both grades are defined, and only these enter the correlations. ``confusion`` maps
    (name of the judge's grade, name of the reference grade) to the number of tests.
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
        """The fields as a record for JSON, with the confusion as a list of records."""
        confusion = [
            {"grade": grade, "reference": reference, "tests": self.confusion[grade, reference]}
            for grade in GRADE_NAMES
            for reference in GRADE_NAMES
            if (grade, reference) in self.confusion
        ]
        return {**self._asdict(), "confusion": confusion}


def agreements(judge: str, results: Iterable[Result], references: References) -> list[Agreement]:
    """Return the agreement on each metric, over the tests that have reference grades."""
    pairs: dict[str, list[tuple[Result, int | None]]] = {metric: [] for metric in METRICS}
    for result in results:
        if result.test_id in references:
            pairs[result.metric].append((result, references[result.test_id][result.metric]))
    return [_agreement(judge, metric, metric_pairs) for metric, metric_pairs in pairs.items()]


def _agreement(judge: str, metric: str, pairs: Sequence[tuple[Result, int | None]]) -> Agreement:
    # The grade is also None if a model's reply could not be read.
    defined = [
        (result.grade, reference)
        for result, reference in pairs
        if result.grade is not None and reference is not None
    ]
    grades, references = [grade for grade, _ in defined], [reference for _, reference in defined]
    confusion = Counter(
        (_name(result.grade, result.outcome), _name(reference)) for result, reference in pairs
    )
    correlations = (spearman(grades, references), kendall(grades, references))
    return Agreement(judge, metric, len(pairs), len(grades), *correlations, confusion)


def _name(grade: int | None, outcome: str = "") -> str:
    """Return the name of a grade: one of ``GRADE_NAMES``."""
    if outcome == UNPARSABLE:
        return UNPARSABLE
    return UNGRADED if grade is None else str(grade)


def reference_grades(
    path: Path, columns: Sequence[str], records: Sequence[Mapping[str, Any]]
) -> References:
    """Return the reference grades in the ``records`` of the file ``path``.

    Raises:
        WrongCallError: a column is missing.
        TableFileError: a test occurs twice, or a grade is not on the scale of its metric.
    """
    require_columns(path, columns, ("test_id", *METRICS))
    references: dict[str, Mapping[str, int | None]] = {}
    for record in records:
        test_id = text_of(record["test_id"])
        if test_id in references:
            raise TableFileError(path, f"the test_id '{test_id[:20]}' stands twice")
        references[test_id] = {metric: _grade(path, test_id, metric, record) for metric in METRICS}
    return references


def _grade(path: Path, test_id: str, metric: str, record: Mapping[str, Any]) -> int | None:
    grade = text_of(record[metric])
    scale = range(1, 6) if metric in LIKERT else range(2)
    if not grade:
        return None
    # Numbers beside empty fields become 1.0 in the tables of some programs.
    if (whole := grade.removesuffix(".0")) not in map(str, scale):
        fault = f"the {metric} of test '{test_id[:20]}' is '{grade[:20]}'"
        raise TableFileError(path, f"{fault}, and not {scale[0]} to {scale[-1]} or null")
    return int(whole)
