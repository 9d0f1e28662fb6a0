"""Tasks for Inspect (https://inspect.aisi.org.uk): ask the questions of this release, and score.

This file is copied into the folder ``tasks`` of a release, with a function for each task.
"""

import importlib.util
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from inspect_ai import Task, task  # noqa: F401 - the functions below decorate with it
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import ChatMessageAssistant, ChatMessageUser, GenerateConfig
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, metric, scorer
from inspect_ai.solver import TaskState, generate

_UTILS = Path(__file__).with_name("utils.py")


def _load_utils() -> Any:
    """Return the module ``utils`` beside this file; other releases have modules of that name."""
    spec = importlib.util.spec_from_file_location(f"utils_of_{_UTILS.parents[1].name}", _UTILS)
    if spec is None or spec.loader is None:
        raise ImportError(f"{_UTILS} is missing.")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


utils = _load_utils()


@metric  # type: ignore[untyped-decorator]
def all_metrics() -> Metric:
    """Return the metrics of the dataset over all answers, by name."""

    def compute(scores: list[SampleScore]) -> dict[str, float]:
        outcomes = [
            utils.process((one.sample_metadata or {})["record"], [one.score.answer or ""])
            for one in scores
        ]
        return {
            name: getattr(utils, name)([outcome[name] for outcome in outcomes])
            for name in utils.METRICS
        }

    return compute


@scorer(metrics=[all_metrics()])  # type: ignore[untyped-decorator]
def dataset_scorer() -> Scorer:
    """Return the scorer; the value of a single answer is that of the first metric."""

    async def score(state: TaskState, _target: Target) -> Score:
        text, first = state.output.completion, utils.METRICS[0]
        outcome = utils.process(state.metadata["record"], [text])[first]
        value = getattr(utils, first)([outcome])
        return Score(value=value if value == value else 0.0, answer=text)  # NaN: does not count

    return score


def make_task(prompt: str, split: str, protocol: str, shots: list[list[str]], version: str) -> Task:
    """Return the task of a protocol; columns of a record take the place of braces in its prompt."""
    samples = []
    for record in utils.questions(split, protocol):
        messages: list[Any] = []
        for question, answer in shots:
            messages += [ChatMessageUser(content=question), ChatMessageAssistant(content=answer)]
        messages.append(ChatMessageUser(content=_fill(prompt, record)))
        target = utils.target(record)
        samples.append(Sample(input=messages, target=target, metadata={"record": record}))
    return Task(
        dataset=MemoryDataset(samples),
        solver=generate(),
        scorer=dataset_scorer(),
        config=GenerateConfig(temperature=0.0, max_tokens=2048),
        version=version,
    )


def _fill(prompt: str, record: Mapping[str, Any]) -> str:
    return re.sub(r"\{\{(\w+)\}\}", lambda name: str(record[name[1]]), prompt)
