"""Compare judges with a reference judge: do their grades go together, and where do they not?

Source: GroUSE's page, which has correlations with a strong judge, and confusions of their grades.
Judges that go with it equally well pass very different shares of the tests.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from kgbuild.datasets.grouse.rows import LIKERT, METRICS, UNGRADED, UNPARSABLE
from kgbuild.errors import TableFileError
from kgbuild.evaluate.agreement import kendall, spearman
from kgbuild.rows import require_columns
from kgbuild.tables.records import GrouseResult as Result

_SCALES = {metric: range(1, 6) if metric in LIKERT else range(2) for metric in METRICS}

References: TypeAlias = Mapping[str, Mapping[str, int | None]]
"""The reference judge's grades by test and metric; None is undefined."""


class Agreement(NamedTuple):
    """How the grades of a judge go with those of the reference judge, on one metric.

    ``tests`` counts those that both have seen, ``defined`` those in which both grades are defined:
    the correlations are over these. ``confusion`` counts the pairs of a grade and the reference's,
    in words: both can be undefined, and the first unparsable.
    """

    judge: str
    metric: str
    tests: int
    defined: int
    spearman: float | None
    kendall: float | None
    confusion: Mapping[tuple[str, str], int]


def agreements(judge: str, found: Iterable[Result], references: References) -> list[Agreement]:
    """Return the agreement on each metric, over the tests that have reference grades."""
    seen = [one for one in found if one.test_id in references]
    return [
        _agreement(judge, metric, [one for one in seen if one.metric == metric], references)
        for metric in METRICS
    ]


def _agreement(
    judge: str, metric: str, found: Sequence[Result], references: References
) -> Agreement:
    pairs = [(one, references[one.test_id][metric]) for one in found]
    defined = [
        (one.grade, grade)
        for one, grade in pairs
        # What cannot be read has no grade either.
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
    """Return the grades in the records of the file ``path``.

    Raises:
        MissingColumnError: a column is missing.
        TableFileError: a test stands twice, or a grade is none of its metric's.
    """
    require_columns(path, columns, ("test_id", *METRICS))
    found: dict[str, Mapping[str, int | None]] = {}
    for record in records:
        test_id = str(record["test_id"])
        if test_id in found:
            raise TableFileError(path, f"the test_id '{test_id[:20]}' stands twice")
        found[test_id] = {metric: _grade(path, test_id, metric, record) for metric in METRICS}
    return found


def _grade(path: Path, test_id: str, metric: str, record: Mapping[str, Any]) -> int | None:
    grade, scale = record[metric], _SCALES[metric]
    if grade is None:
        return None
    if grade not in scale:
        said = f"the {metric} of test '{test_id[:20]}' is '{str(grade)[:20]}'"
        raise TableFileError(path, f"{said}, and not {scale[0]} to {scale[-1]} or null")
    return int(grade)
