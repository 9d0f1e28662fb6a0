"""Measure how well text metrics agree with people, beside the code that papers use."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from benchmarks.judged import people
from benchmarks.judged import references as reference_code
from benchmarks.judged.people import Record
from benchmarks.measure import machine, tell
from kgbuild.evaluate import instruct_qa, library_metrics
from kgbuild.evaluate.agreement import auc, kendall, spearman

START, END = "<!-- measured: agreement -->", "<!-- end: agreement -->"
"""Marks in the document; ``-o`` replaces the text between them."""
SAMPLES = 1_000
"""Number of bootstrap samples."""
OURS = {"stem recall", "K-stem precision"}
"""The metrics that kgbuild adds to those of the papers."""

Array = npt.NDArray[np.float64]
Metrics = dict[str, float]


def correctness(record: Record) -> Metrics:
    """Return the metrics of an answer with its references: kgbuild's, and those of other code."""
    from rouge_score.rouge_scorer import RougeScorer

    prediction, references = record["prediction"], record["references"]
    metrics = instruct_qa.measure(prediction, references, [], record["question"])
    metrics |= library_metrics.measure(prediction, references)
    theirs = reference_code.of_references(prediction, references)
    metrics["recall, Instruct-QA's code"] = theirs["recall"]
    for name, stemmed in (("", False), (", stemmed", True)):
        scorer = RougeScorer(["rouge1"], use_stemmer=stemmed)
        recalls = [scorer.score(reference, prediction)["rouge1"].recall for reference in references]
        metrics[f"ROUGE-1 recall{name}, rouge-score"] = max(recalls)
    return metrics


def faithfulness(record: Record) -> Metrics:
    """Return the metrics of a reply with its passage: kgbuild's, and those of other code."""
    prediction, knowledge = record["prediction"], record["knowledge"]
    question = record["question"] or "-"  # of some replies it is unknown
    metrics = instruct_qa.measure(prediction, [], knowledge, question)
    theirs = reference_code.of_knowledge(prediction, knowledge, question)
    for name in ("K-precision", "K-recall"):
        metrics[f"{name}, Instruct-QA's code"] = theirs[name]
    return metrics


class Resampled:
    """Bootstrap samples of groups of answers, such as all answers to a question."""

    def __init__(self, groups: Sequence[str], judgements: Sequence[float]):
        _, self._group = np.unique(groups, return_inverse=True)
        self._judgements = np.array(judgements, np.float64)

    def spearman(self, scores: Sequence[float]) -> Array:
        """Return Spearman's ρ in each sample; all metrics have the same samples."""
        count = self._group.max() + 1
        generator = np.random.default_rng(0)
        values, value = np.unique(scores, return_inverse=True)
        grades, grade = np.unique(self._judgements, return_inverse=True)
        results = []
        for _ in range(SAMPLES):
            drawn = np.bincount(generator.integers(count, size=count), minlength=count)
            weights = drawn[self._group].astype(np.float64)
            ranks = _ranks(value, weights, len(values)), _ranks(grade, weights, len(grades))
            results.append(_correlation(*ranks, weights))
        return np.array(results)


def _ranks(value: npt.NDArray[np.intp], weights: Array, count: int) -> Array:
    """Return the mean rank of each case, of which a sample has as many copies as its weight."""
    copies = np.bincount(value, weights, count)
    ranks: Array = (np.cumsum(copies) - copies / 2)[value]
    return ranks


def _correlation(a: Array, b: Array, weights: Array) -> float:
    a, b = a - np.average(a, weights=weights), b - np.average(b, weights=weights)
    variances = np.sum(weights * a * a) * np.sum(weights * b * b)
    return float(np.sum(weights * a * b) / np.sqrt(variances)) if variances else 0.0


class Row(NamedTuple):
    """The agreement of a metric: ρ, the same in each sample, and the cells of its row."""

    rho: float
    metric: str
    samples: Array
    cells: Sequence[str]


def table(
    measured: Sequence[Metrics],
    judgements: Sequence[float],
    parts: Sequence[str],
    groups: Sequence[str],
) -> str:
    """Return a table of the agreement of each metric, over all answers and in each part."""
    names = sorted({*parts})
    samples = Resampled(groups, judgements)
    rows = []
    for metric in measured[0]:
        scores = [metrics[metric] for metrics in measured]
        rho = spearman(scores, judgements)
        if rho is None:  # it is the same for all answers
            continue
        drawn = samples.spearman(scores)
        low, high = np.percentile(drawn, [2.5, 97.5])
        overall = (kendall(scores, judgements), auc(scores, judgements))
        by_part = (_within(name, parts, scores, judgements) for name in names)
        cells = (f"{rho:.3f} ({low:.3f}–{high:.3f})", *map(_cell, (*overall, *by_part)))
        rows.append(Row(rho, metric, drawn, cells))
    rows.sort(key=lambda row: -row.rho)
    heads = ("metric", "ρ", "τ-b", "AUC", *(f"ρ {name}" for name in names))
    lines = ["| " + " | ".join(heads) + " |", "| --- |" + " --: |" * (len(heads) - 1)]
    lines += ["| " + " | ".join((row.metric, *row.cells)) + " |" for row in rows]
    ours = next(row for row in rows if row.metric in OURS)
    reference = next(row for row in rows if row.metric not in OURS)
    low, high = np.percentile(ours.samples - reference.samples, [2.5, 97.5])
    difference = f"{ours.rho - reference.rho:+.3f} ({low:+.3f} to {high:+.3f})"
    return "\n".join(
        [*lines, "", f"ρ of {ours.metric} less ρ of {reference.metric}: {difference}."]
    )


def _within(
    name: str, parts: Sequence[str], scores: Sequence[float], judgements: Sequence[float]
) -> float | None:
    """Return Spearman's ρ over the answers of a part."""
    chosen = [index for index, part in enumerate(parts) if part == name]
    return spearman([scores[i] for i in chosen], [judgements[i] for i in chosen])


def _cell(value: float | None) -> str:
    return "—" if value is None else f"{value:.3f}"


def measured(questions: Path, replies: Path) -> str:
    """Return the section of the document."""
    tell("correctness")
    answers = people.read(questions)
    correct = table(
        [*map(correctness, answers)],
        [answer["correct"] for answer in answers],
        [answer["model"] for answer in answers],
        [answer["question"] for answer in answers],
    )
    tell("faithfulness")
    grounded = people.read(replies)
    faithful = table(
        [*map(faithfulness, grounded)],
        [reply["faithful"] for reply in grounded],
        [reply["set"] for reply in grounded],
        [" ".join(reply["knowledge"]) for reply in grounded],
    )
    heads = (
        f"### Correctness: {len(answers):,} answers",
        f"### Faithfulness: {len(grounded):,} replies",
    )
    return "\n\n".join([machine(), heads[0], correct, heads[1], faithful])


if __name__ == "__main__":
    people.run("judged.agreement", __doc__, measured, START, END)
