"""Judge answers by a language model: make requests about an answer, and read grades in replies.

The model receives one request for each of four metrics: relevancy, completeness, usefulness and
faithfulness. Usefulness is defined only for refusals. Faithfulness is undefined for refusals that
add nothing. The grades of positive acceptance and negative rejection follow from whether relevancy
and completeness are defined. Without a true answer, completeness is not requested, and these two
grades are undefined. The prompts are our own.

Known weaknesses: those of ``evaluate.judge_replies``. A model that knows the answer may also accept
claims that the references do not support.

Source: the six metrics of GroUSE (docs/grouse.md).
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from kgbuild.data_files import read_toml
from kgbuild.datasets.asking import Ask
from kgbuild.datasets.grouse.prompt_folder import PromptFolder
from kgbuild.datasets.grouse.rows import (
    LIKERT,
    METRICS,
    UNGRADED,
    Grade,
    Grades,
    GrouseSample,
    Judgement,
    acceptance,
    dependent,
)
from kgbuild.evaluate.judge_replies import grade, justification, missing, request
from kgbuild.models.chat import Failure, Reply, Request

Read: TypeAlias = Callable[[str, Reply | Failure], Grade]
"""A function that reads the grade of a metric in a reply."""

_TEXTS = read_toml("datasets/grouse/judge.toml")


def judge(
    samples: Sequence[GrouseSample], ask: Ask, prompts: PromptFolder | None = None
) -> list[Judgement | Failure]:
    """Return the judgement of each answer, or the failure of a request that got no reply.

    ``prompts`` replace the prompts of this module.
    """
    make_requests, read, explain = (
        (prompts.requests, prompts.read, prompts.justification)
        if prompts
        else (requests, read_grade, lambda _metric, reply: justification(reply))
    )
    requests_by_sample = [make_requests(sample) for sample in samples]
    all_requests = [request for group in requests_by_sample for request in group.values()]
    all_replies = iter(ask(all_requests))
    judged: list[Judgement | Failure] = []
    for by_metric in requests_by_sample:
        replies = {metric: next(all_replies) for metric in by_metric}
        failures = (missing(reply) for reply in replies.values())
        failure = next((failure for failure in failures if failure), None)
        if failure:
            judged.append(failure)
            continue
        answer_grades = grades(replies, read)
        # A grade that is undefined by the rules needs no justification.
        justifications = {
            metric: explain(metric, reply)
            for metric, reply in replies.items()
            if getattr(answer_grades, metric) is not None or read(metric, reply) is None
        }
        judged.append(Judgement(answer_grades, justifications))
    return judged


def requests(sample: GrouseSample) -> dict[str, Request]:
    """Return the requests about an answer, by metric."""
    question = {"Question": sample.input}
    references = {"References": sample.references}
    answer = {"Answer": sample.actual_output}
    inputs: dict[str, Mapping[str, str | Sequence[str]]] = {
        "answer_relevancy": question | answer,
        "usefulness": question | answer,
        "faithfulness": question | references | answer,
    }
    if sample.expected_output is not None:
        inputs["completeness"] = question | {"True answer": sample.expected_output} | answer
    return {
        metric: request(f"{_TEXTS['set_up']} {_TEXTS[metric]}", shown, _scale(metric))
        for metric, shown in inputs.items()
    }


def _scale(metric: str) -> tuple[str, ...]:
    return (*"12345", UNGRADED) if metric in LIKERT else (*"01", UNGRADED)


def read_grade(metric: str, reply: Reply | Failure) -> Grade:
    """Return the grade in a reply to a request of this module, or a failure if it has none."""
    text = grade(reply, _scale(metric))
    if isinstance(text, Failure):
        return text
    return None if text == UNGRADED else int(text)


def grades(replies: Mapping[str, Reply | Failure], read: Read = read_grade) -> Grades:
    """Return the grades in the replies to the requests about an answer.

    A grade that cannot be read is a failure, and so are the grades that follow from it.
    """
    relevancy, completeness, usefulness, faithfulness = (
        read(metric, replies[metric]) if metric in replies else None for metric in METRICS[:4]
    )
    usefulness, faithfulness = dependent(relevancy, usefulness, faithfulness)
    failures = [grade for grade in (relevancy, completeness) if isinstance(grade, Failure)]
    last_two: tuple[Grade, Grade]
    if "completeness" not in replies:
        last_two = acceptance(refuses=False, is_answerable=None)
    elif failures:
        last_two = (failures[0], failures[0])
    else:
        last_two = acceptance(refuses=relevancy is None, is_answerable=completeness is not None)
    return Grades(relevancy, completeness, usefulness, faithfulness, *last_two)
