"""Score grounded answers by all metrics that their columns allow, and compare with people."""

from collections.abc import Callable, Iterable, Sequence
from itertools import islice
from typing import NamedTuple, TypeAlias

from kgbuild.evaluate.agreement import kendall, spearman
from kgbuild.evaluate.grading import judged_until, missing
from kgbuild.evaluate.grounded import Grounded
from kgbuild.evaluate.instruct_qa import (
    OF_KNOWLEDGE,
    OF_KNOWLEDGE_AND_QUESTION,
    OF_REFERENCES,
    measure,
)
from kgbuild.evaluate.instruct_qa_judge import NEEDS, requests, verdict
from kgbuild.models.chat import Failure, Reply, Request

BERTSCORE = "BERTScore"
METRICS = (*OF_REFERENCES, BERTSCORE, *OF_KNOWLEDGE, *OF_KNOWLEDGE_AND_QUESTION)
UNPARSABLE = {name: f"{name}, unparsable" for name in NEEDS}
"""The metric that is the share of unreadable verdicts, by what they are about."""
Measured: TypeAlias = dict[str, float]
"""The metrics of an answer by name, without those whose inputs are missing."""


def measure_all(answers: Iterable[Grounded]) -> list[Measured]:
    """Return the metrics of each answer that compare words."""
    return [measure(*answer) for answer in answers]


def add_bertscore(
    measured: Sequence[Measured],
    answers: Sequence[Grounded],
    bert_scores: Callable[[Sequence[tuple[str, str]]], Sequence[float]],
) -> None:
    """Add the BERTScore of each answer with the best of its references, if it has any."""
    pairs = [(answer.prediction, text) for answer in answers for text in answer.references]
    scores = iter(bert_scores(pairs))
    for metrics, answer in zip(measured, answers, strict=True):
        if answer.references:
            metrics[BERTSCORE] = max(islice(scores, len(answer.references)))


def add_verdicts(
    measured: Sequence[Measured],
    answers: Sequence[Grounded],
    ask: Callable[[Sequence[Request]], Sequence[Reply | Failure]],
) -> None:
    """Add a model's verdicts on each answer, and whether they can be read.

    An empty answer is wrong without a verdict.
    """
    asked = [
        (place, name, request)
        for place, answer in enumerate(answers)
        for name, request in requests(answer).items()
    ]
    replies = ask([request for *_, request in asked])
    judged = [True if answer.prediction else None for answer in answers]
    for (place, name, _), reply in zip(asked, replies, strict=True):
        if missing(reply):
            judged[place] = False
        else:
            _add_verdict(measured[place], name, reply)
    for metrics, answer in islice(zip(measured, answers, strict=True), judged_until(judged)):
        if not answer.prediction:
            metrics.update({name: 0.0 for name in NEEDS if _has_inputs(answer, name)})


def _add_verdict(metrics: Measured, name: str, reply: Reply | Failure) -> None:
    value = verdict(reply)
    metrics[UNPARSABLE[name]] = float(isinstance(value, Failure))
    if not isinstance(value, Failure):
        metrics[name] = value


def _has_inputs(answer: Grounded, name: str) -> bool:
    """Tell whether an answer has what a verdict on it needs."""
    return all(getattr(answer, column) for column in NEEDS[name])


class Correlation(NamedTuple):
    """How a metric goes with people's judgements over so many answers: ρ and τ-b."""

    metric: str
    answers: int
    spearman: float | None
    kendall: float | None


def correlations(
    measured: Sequence[Measured], judgements: Sequence[float | None]
) -> list[Correlation]:
    """Return how each metric goes with people's judgements; None stands for a missing one."""
    rows = []
    for metric in (*METRICS, *NEEDS):
        pairs = [
            (metrics[metric], judgement)
            for metrics, judgement in zip(measured, judgements, strict=True)
            if judgement is not None and metric in metrics
        ]
        if pairs:
            scores, grades = zip(*pairs, strict=True)
            both = spearman(scores, grades), kendall(scores, grades)
            rows.append(Correlation(metric, len(pairs), *both))
    return rows
