"""Put judges to the tests: which conditions their grades meet, by metric and type.

Of answers that are only graded there are no conditions, and it is the grades that are averaged.

Source: GroUSE's meta-evaluation: a test is a set of conditions, and a pass rate their share met.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from kgbuild.datasets.grouse.files import Given
from kgbuild.datasets.grouse.rows import (
    FAILED,
    GRADED,
    LIKERT,
    METRICS,
    PASSED,
    UNGRADED,
    UNPARSABLE,
    Grade,
    Grades,
    holds,
)
from kgbuild.evaluate.bootstrap import Estimate, means
from kgbuild.models.chat import Failure
from kgbuild.tables.records import GrouseResult as Result


@dataclass(frozen=True)
class Rate:
    """How a judge fares in the tests of one type, or in all.

    ``tests`` counts them, ``passed`` those in which each condition holds, and ``by_metric`` those
    in which the one on a metric holds. ``unparsable`` counts the conditions, of all tests, on
    grades that cannot be read: they do not hold.
    """

    judge: str
    test_type: str
    tests: int
    passed: int
    by_metric: Mapping[str, int]
    unparsable: int

    @property
    def conditions(self) -> float:
        """The share of conditions, on all metrics, that hold."""
        return sum(self.by_metric.values()) / (self.tests * len(METRICS))

    @property
    def unparsable_share(self) -> float:
        """The share of conditions, on all metrics, on grades that cannot be read."""
        return self.unparsable / (self.tests * len(METRICS))


@dataclass(frozen=True)
class Graded:
    """What a judge gives answers on one metric: the mean grade, and how many have none, and why."""

    judge: str
    metric: str
    mean: Estimate
    undefined: int
    unparsable: int


def results(
    name: str, tests: Sequence[Given], grades: Iterable[Grades], source: str
) -> Iterator[Result]:
    """Yield how a judge fares, by the grades it gives in each test: a row for each metric."""
    for test, given in zip(tests, grades, strict=True):
        for metric, grade in zip(METRICS, given, strict=True):
            condition = test.conditions.get(f"{metric}_condition")
            told = (name, source, test.test_id, test.test_type, metric, condition)
            shown = None if isinstance(grade, Failure) else grade
            yield Result(*told, shown, _outcome(condition, grade))


def _outcome(condition: str | None, grade: Grade) -> str:
    if isinstance(grade, Failure):
        return UNPARSABLE
    if condition is None:
        return UNGRADED if grade is None else GRADED
    return PASSED if holds(condition, grade) else FAILED


def graded(judge: str, found: Sequence[Result]) -> list[Graded]:
    """Return the mean grades of answers on each metric, over those where they are defined."""
    told: dict[str, dict[str, float]] = {one.test_id: {} for one in found}
    for one in found:
        if one.grade is not None:
            told[one.test_id][one.metric] = one.grade
    made = means([*told.values()], unbounded=LIKERT)
    outcomes = Counter((one.metric, one.outcome) for one in found)
    return [
        Graded(
            judge,
            metric,
            made.get(metric, _NO_MEAN),
            outcomes[metric, UNGRADED],
            outcomes[metric, UNPARSABLE],
        )
        for metric in METRICS
    ]


_NO_MEAN = Estimate(None, 0, None)


def rate(judge: str, test_type: str, found: Sequence[Result]) -> Rate:
    """Return how a judge fares in tests, of which ``found`` are all results."""
    failed = {result.test_id for result in found if result.outcome != PASSED}
    tests = len(found) // len(METRICS)
    return Rate(
        judge,
        test_type,
        tests,
        tests - len(failed),
        {
            metric: sum(one.outcome == PASSED for one in found if one.metric == metric)
            for metric in METRICS
        },
        sum(one.outcome == UNPARSABLE for one in found),
    )


def by_type(judge: str, found: Sequence[Result]) -> list[Rate]:
    """Return how a judge fares in each type of tests, in the order in which they first come."""
    types = dict.fromkeys(result.test_type for result in found)
    return [
        rate(judge, name, [result for result in found if result.test_type == name])
        for name in types
    ]
