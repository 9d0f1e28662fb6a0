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
from inspect_ai.model import (
    ChatMessageAssistant,
    ChatMessageUser,
    GenerateConfig,
    ResponseSchema,
    get_model,
)
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, metric, scorer
from inspect_ai.solver import Generate, Solver, TaskState, generate, solver

_UTILS = Path(__file__).with_name("utils.py")
_RESPONSES = "responses"
"""The name of the responses to a question in the metadata of a sample and of its score."""


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
            utils.process((one.sample_metadata or {})["record"], _responses(one.score.metadata))
            for one in scores
        ]
        return {
            name: getattr(utils, name)([outcome[name] for outcome in outcomes])
            for name in (outcomes[0] if outcomes else ())
        }

    return compute


@scorer(metrics=[all_metrics()])  # type: ignore[untyped-decorator]
def dataset_scorer() -> Scorer:
    """Return the scorer; the value of a single answer is that of the first metric."""

    async def score(state: TaskState, _target: Target) -> Score:
        responses = _responses(state.metadata) or [state.output.completion]
        outcomes = utils.process(state.metadata["record"], responses)
        first = next(iter(outcomes))
        value = getattr(utils, first)([outcomes[first]])
        return Score(
            value=value if value == value else 0.0,  # NaN: does not count
            answer=responses[0],
            metadata={_RESPONSES: responses},
        )

    return score


def _responses(metadata: Mapping[str, Any] | None) -> list[str]:
    return list((metadata or {}).get(_RESPONSES, ()))


@solver  # type: ignore[untyped-decorator]
def sample(count: int) -> Solver:
    """Return the solver that draws several responses to each question."""

    async def solve(state: TaskState, _generate: Generate) -> TaskState:
        outputs = [await get_model().generate(state.messages, cache=False) for _ in range(count)]
        state.output = outputs[0]
        state.metadata[_RESPONSES] = [output.completion for output in outputs]
        return state

    return solve


@solver  # type: ignore[untyped-decorator]
def judge() -> Solver:
    """Return the solver that adds the reply of the model ``grader`` to each response."""

    async def solve(state: TaskState, _generate: Generate) -> TaskState:
        response = state.output.completion
        state.metadata[_RESPONSES] = [response]
        if request := utils.judgement(state.metadata["record"], response):
            form = dict(request.more)["response_format"]["json_schema"]
            config = GenerateConfig(
                temperature=request.temperature,
                max_tokens=request.max_tokens,
                response_schema=ResponseSchema(
                    name=form["name"], json_schema=form["schema"], strict=form["strict"]
                ),
            )
            messages = [ChatMessageUser(content=turn.content) for turn in request.messages]
            reply = await get_model(role="grader", required=True).generate(messages, config=config)
            state.metadata[_RESPONSES] += [reply.completion, str(reply.stop_reason)]
        return state

    return solve


def make_task(
    prompt: str,
    split: str,
    protocol: str,
    shots: list[list[str]],
    version: str,
    count: int = 1,
    temperature: float = 0.0,
    is_judged: bool = False,
) -> Task:
    """Return the task of a protocol; columns of a record take the place of braces in its prompt.

    ``count`` is the number of responses to each question. If it ``is_judged``, another model judges
    them.
    """
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
        solver=[generate() if count == 1 else sample(count), *([judge()] if is_judged else [])],
        scorer=dataset_scorer(),
        config=GenerateConfig(temperature=temperature, max_tokens=2048),
        version=version,
    )


def _fill(prompt: str, record: Mapping[str, Any]) -> str:
    return re.sub(r"\{\{(\w+)\}\}", lambda name: str(record[name[1]]), prompt)
