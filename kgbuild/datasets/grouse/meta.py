"""Evaluate judges by their pass rates in tests, and summarise the grades that they give answers.

A test has conditions on the grades, which a judge passes or fails. Answers have no conditions, so
the grades are averaged.

Source: GroUSE's meta-evaluation, whose pass rate is the share of conditions met.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import fmean
from typing import Any, NamedTuple

from kgbuild.datasets.grouse import rows
from kgbuild.datasets.grouse.files import JudgeInput
from kgbuild.evaluate.bootstrap import Estimate, means
from kgbuild.models.chat import Failure
from kgbuild.tables.records import GrouseResult as Result


class Rate(NamedTuple):
    """The pass rate of a judge in the tests of one type, or in all tests.

    ``passed`` is the number of tests in which all conditions hold, ``by_metric`` the number of
    tests in which the condition on a metric holds. ``unparsable`` is the number of conditions that
    do not hold because the grade cannot be read.
    """

    judge: str
    test_type: str
    tests: int
    passed: int
    by_metric: Mapping[str, int]
    unparsable: int

    @property
    def unparsable_share(self) -> float:
        """The share of conditions whose grades cannot be read."""
        return self.unparsable / (self.tests * len(rows.METRICS))

    @property
    def record(self) -> dict[str, object]:
        """The counts, and the shares of conditions that hold and that cannot be read, by name."""
        conditions = self.tests * len(rows.METRICS)
        return {
            "judge": self.judge,
            "test_type": self.test_type,
            "tests": self.tests,
            "passed": self.passed,
            **self.by_metric,
            "conditions": round(sum(self.by_metric.values()) / conditions, 4),
            "unparsable": round(self.unparsable_share, 4),
        }


class MeanGrade(NamedTuple):
    """The mean grade of answers on one metric, and the numbers of answers without a grade."""

    judge: str
    metric: str
    mean: Estimate
    undefined: int
    unparsable: int


def results(
    name: str,
    tests: Sequence[JudgeInput],
    judgements: Iterable[rows.Judgement | Failure],
    source: str,
) -> Iterator[Result]:
    """Yield a row for each test and metric, with the grade of a judge and its outcome.

    A test with a request that got no reply, a failure, has no rows.
    """
    for test, judgement in zip(tests, judgements, strict=True):
        if isinstance(judgement, Failure):
            continue
        for metric, grade in zip(rows.METRICS, judgement.grades, strict=True):
            condition = test.conditions.get(f"{metric}_condition")
            key = (name, source, test.test_id, test.test_type, metric, condition)
            readable_grade = None if isinstance(grade, Failure) else grade
            outcome = _outcome(condition, grade)
            yield Result(*key, readable_grade, outcome, judgement.justifications.get(metric))


def _outcome(condition: str | None, grade: rows.Grade) -> str:
    if isinstance(grade, Failure):
        return rows.UNPARSABLE
    if condition is None:
        return rows.UNGRADED if grade is None else rows.GRADED
    return rows.PASSED if rows.holds(condition, grade) else rows.FAILED


def mean_grades(judge: str, results: Sequence[Result]) -> list[MeanGrade]:
    """Return the mean grade on each metric, over the answers with a defined grade.

    If all six means are defined, their mean follows.
    """
    grades: dict[str, dict[str, float]] = {result.test_id: {} for result in results}
    for result in results:
        if result.grade is not None:
            grades[result.test_id][result.metric] = result.grade
    estimates = means([*grades.values()], unbounded=rows.LIKERT)
    counts = Counter((result.metric, result.outcome) for result in results)
    by_metric = [
        MeanGrade(
            judge,
            metric,
            estimates.get(metric, Estimate(None, 0, None)),
            counts[metric, rows.UNGRADED],
            counts[metric, rows.UNPARSABLE],
        )
        for metric in rows.METRICS
    ]
    values = [grade.mean.value for grade in by_metric if grade.mean.value is not None]
    if len(values) < len(rows.METRICS):
        return by_metric
    mean = Estimate(fmean(values), len(grades), None)
    return [*by_metric, MeanGrade(judge, "mean of all six", mean, 0, 0)]


def rate(judge: str, test_type: str, results: Sequence[Result]) -> Rate:
    """Return the pass rate of a judge, from its results on all metrics of the tests."""
    failed_ids = {result.test_id for result in results if result.outcome != rows.PASSED}
    tests = len(results) // len(rows.METRICS)
    passed = Counter(result.metric for result in results if result.outcome == rows.PASSED)
    by_metric = {metric: passed[metric] for metric in rows.METRICS}
    unparsable = sum(result.outcome == rows.UNPARSABLE for result in results)
    return Rate(judge, test_type, tests, tests - len(failed_ids), by_metric, unparsable)


def by_type(judge: str, results: Sequence[Result]) -> list[Rate]:
    """Return the pass rate of a judge in each type of tests, in the order of the results."""
    types = dict.fromkeys(result.test_type for result in results)
    return [
        rate(judge, name, [result for result in results if result.test_type == name])
        for name in types
    ]


def judgements(
    inputs: Sequence[JudgeInput], results_by_judge: Mapping[str, Sequence[Result]]
) -> Iterator[dict[str, Any]]:
    """Yield a record for each judge and answer: grades, outcomes and justifications by metric.

    Answers that a judge has not graded are left out.
    """
    for judge, results in results_by_judge.items():
        by_test: dict[str, list[Result]] = {}
        for result in results:
            by_test.setdefault(result.test_id, []).append(result)
        for judge_input in inputs:
            if metrics := by_test.get(judge_input.test_id):
                yield _judgement(judge, judge_input, metrics)


def _judgement(judge: str, judge_input: JudgeInput, results: Sequence[Result]) -> dict[str, Any]:
    return {
        "test_id": judge_input.test_id,
        "judge": judge,
        "input": judge_input.sample.input,
        "actual_output": judge_input.sample.actual_output,
        "grades": {result.metric: result.grade for result in results},
        "outcomes": {result.metric: result.outcome for result in results},
        "justifications": {
            result.metric: result.justification for result in results if result.justification
        },
    }
