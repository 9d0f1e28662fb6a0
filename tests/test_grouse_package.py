"""GroUSE's own evaluator, the package grouse, and kgbuild's grade the same replies the same way.

The package asks its judge through litellm, whose place a made-up judge takes. It requires old
versions of other packages: pip install --no-deps grouse importlib_resources
"""

import importlib.util
import json
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from kgbuild.datasets.grouse.files import JudgeInput
from kgbuild.datasets.grouse.meta import mean_grades, rate, results
from kgbuild.datasets.grouse.model_judge import judge
from kgbuild.datasets.grouse.prompt_folder import PromptFolder
from kgbuild.datasets.grouse.rows import LIKERT, METRICS, GrouseSample, Judgement, conditions
from kgbuild.models.chat import Failure, Reply, Request

pytestmark = pytest.mark.extras
SAMPLES = [
    GrouseSample(
        [f"Fact {n} [of many].", "Rome."], f"Question {n}?", f"Answer {n} [1].", f"True {n} [1]."
    )
    for n in range(60)
]
CONDITIONS = [
    conditions(relevancy, completeness, usefulness, faithfulness)
    for relevancy, completeness, usefulness, faithfulness in (
        (">=4", "<=3", "==None", "==1"),
        ("==None", "==None", "==1", "==0"),
        ("==None", "<5", "==None", "==None"),
        (">1", "==None", "==None", "==1"),
    )
]


def reply(prompt: str) -> str:
    """Return the reply of the made-up judge to a prompt, which is broken now and then."""
    draw = random.Random(prompt)
    metric = next(name for name in METRICS[:4] if f'"{name}"' in prompt)
    scale = range(1, 6) if metric in LIKERT else range(2)

    def answer() -> dict[str, Any]:
        grade = draw.choice([None, *scale])
        extra = {"answer_affirms_no_document_answers": grade is None}
        return {**extra, f"{metric}_justification": f"So is {metric}.", metric: grade}

    text = json.dumps({"answer_1": answer(), "answer_2": answer()})
    return draw.choice([text, text, f"Here:\n```json\n{text}\n```", text, "I cannot grade this."])


@pytest.fixture
def grouse(monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Make the package importable with the made-up judge; return its folder of prompts."""
    spec = importlib.util.find_spec("grouse")
    if spec is None or spec.origin is None:
        pytest.skip("needs grouse, installed without its dependencies")
    litellm = ModuleType("litellm")

    async def acompletion(messages: list[dict[str, str]], **_: Any) -> Any:
        message = SimpleNamespace(content=reply(messages[0]["content"]))
        return SimpleNamespace(choices=[SimpleNamespace(message=message)])

    contents = {
        "acompletion": acompletion,
        "enable_cache": lambda *_: None,
        "completion_cost": lambda *_, **__: 0.0,
    }
    for name, value in contents.items():
        setattr(litellm, name, value)
    monkeypatch.setitem(sys.modules, "litellm", litellm)
    if importlib.util.find_spec("datasets") is None:  # by which it downloads its tests
        monkeypatch.setitem(sys.modules, "datasets", SimpleNamespace(load_dataset=None))
    yield Path(spec.origin).parent / "gpt4_prompts"
    for name in [name for name in sys.modules if name.partition(".")[0] == "grouse"]:
        del sys.modules[name]


def ask(requests: list[Request]) -> list[Reply]:
    texts = (reply(request.messages[0].content) for request in requests)
    return [Reply(text, "stop", 0, 0, 0.0) for text in texts]


def judged(prompts: Path) -> list[Judgement]:
    """Return kgbuild's judgements of the samples."""
    judgements = judge(SAMPLES, ask, PromptFolder(prompts))  # type: ignore[arg-type]
    return [item for item in judgements if not isinstance(item, Failure)]


def of_package(samples: list[GrouseSample]) -> Any:
    """Return the evaluations of the package, and its report."""
    from grouse.dtos import EvaluationSample
    from grouse.grounded_qa_evaluator import GroundedQAEvaluator

    evaluated = [EvaluationSample(**sample._asdict()) for sample in samples]
    return GroundedQAEvaluator().evaluate(evaluated)


def grade_of_package(evaluation: Any, metric: str) -> Any:
    """Return a grade of the package, or "failed"."""
    grade = getattr(evaluation, metric)
    if type(grade).__name__ == "Failed":
        return "failed"
    return getattr(grade, metric) if metric in METRICS[:4] else grade


def test_the_grades_and_their_justifications_are_equal(grouse: Path) -> None:
    package, ours = of_package(SAMPLES).evaluations, judged(grouse)
    assert len(package) == len(ours) == len(SAMPLES)
    seen = set()
    for evaluation, judgement in zip(package, ours, strict=True):
        for metric in METRICS:
            grade = getattr(judgement.grades, metric)
            expected = "failed" if isinstance(grade, Failure) else grade
            assert grade_of_package(evaluation, metric) == expected
            seen.add((metric, expected))
            if expected not in (None, "failed") and metric in METRICS[:4]:
                text = getattr(getattr(evaluation, metric), f"{metric}_justification")
                assert judgement.justifications[metric] == text
    # The made-up replies have every grade of every metric, and all can fail.
    assert {metric for metric, grade in seen if grade == "failed"} == {*METRICS}
    assert {(name, n) for name in LIKERT for n in range(1, 6)} <= seen
    assert {(name, n) for name in METRICS[2:5] for n in range(2)} <= seen


def test_the_means_are_equal(grouse: Path) -> None:
    report = of_package(SAMPLES).report
    tests = [JudgeInput(str(n), "", "", sample, {}) for n, sample in enumerate(SAMPLES)]
    rows = [*results("m", tests, judged(grouse), "file")]
    *means, mean = mean_grades("m", rows)
    assert {grade.metric: grade.mean.value for grade in means} == pytest.approx(
        {metric: getattr(report, metric) for metric in METRICS}
    )
    assert mean.mean.value == pytest.approx(report.mean)


def test_the_pass_rates_are_equal(grouse: Path) -> None:
    evaluations = of_package(SAMPLES).evaluations
    from grouse.dtos import EvaluationSample, ExpectedGroundedQAEvaluation, MetaTestCase
    from grouse.meta_evaluator import MetaEvaluator

    of_tests = [CONDITIONS[n % len(CONDITIONS)] for n in range(len(SAMPLES))]
    cases = [
        MetaTestCase(
            evaluation_sample=EvaluationSample(**sample._asdict()),
            actual_evaluation=evaluation,
            expected_evaluation=ExpectedGroundedQAEvaluation(**expected),
        )
        for sample, evaluation, expected in zip(SAMPLES, evaluations, of_tests, strict=True)
    ]
    report = MetaEvaluator().evaluate(cases).report
    tests = [
        JudgeInput(str(n), "", "", sample, expected)
        for n, (sample, expected) in enumerate(zip(SAMPLES, of_tests, strict=True))
    ]
    ours = rate("m", "all", [*results("m", tests, judged(grouse), "file")])
    shares = {metric: count / ours.tests for metric, count in ours.by_metric.items()}
    assert shares == {metric: getattr(report, f"{metric}_success") for metric in METRICS}
    assert ours.record["conditions"] == round(report.total, 4)
