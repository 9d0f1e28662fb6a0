"""Describe the grades of each answer by itself, for a file of results."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kgbuild.datasets.grouse.files import JudgeInput
from kgbuild.tables.records import GrouseResult as Result


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
                yield _record(judge, judge_input, metrics)


def _record(judge: str, judge_input: JudgeInput, results: Sequence[Result]) -> dict[str, Any]:
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
