"""Measure how well the confidence of a model tells its right answers from its wrong ones.

A confidence lies between 0 and 1: the probability of the tokens of an answer, the share of samples
that agree with it, or what the model states itself.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from kgbuild.evaluate.bootstrap import SAMPLES, SEED, Estimate, interval, means

if TYPE_CHECKING:
    import numpy as np

ECE, BRIER, AUROC = "ece", "brier", "auroc"
"""The names of the measures."""
CONFIDENT = "with_confidence"
"""The name of the share of the answers given that have a confidence."""
RIGHT_AT = "right_at_"
"""The beginning of the names of the shares of right answers in a bin, such as right_at_90."""
STATED = "stated"
"""The protocol whose answers state a confidence; they have no other one."""
_BINS = 10
_STATED = re.compile(
    r"(?:\n|[.;(]\s*|\A)\W*confidence\W*?(\d{1,3}(?:\.\d+)?) ?(%?)\W*\Z", re.IGNORECASE
)

_LONGEST = 60
"""Maximum number of characters of a statement of confidence, with what stands around it."""


class Confident(NamedTuple):
    """An answer: the id of its question or pair, its confidence, and whether it is right."""

    asked: str
    confidence: float
    is_right: bool


def stated(text: str) -> tuple[str, float | None]:
    """Return an answer without the confidence that ends it, and the confidence.

    Known weakness: a confidence in words, or before the answer, is not read.

    >>> stated("Lund\\nConfidence: 80 %"), stated("Lund (confidence 0.8)"), stated("80 %")
    (('Lund', 0.8), ('Lund', 0.8), ('80 %', None))
    """
    found = _STATED.search(text, max(0, len(text) - _LONGEST))
    if not found:
        return text, None
    value = float(found[1]) / (100 if found[2] or float(found[1]) > 1 else 1)
    return (text[: found.start()].strip(), value) if value <= 1 else (text, None)


def calibration(cases: Sequence[Confident]) -> dict[str, Estimate]:
    """Return the measures of calibration, and the share of right answers in each bin that has any.

    - ``ece``: the mean distance of confidence and share of right answers, over ten bins of equal
      width, weighted by their answers. Games it: the same confidence for all answers.
    - ``brier``: the mean squared distance of confidence and 1 or 0, for right or wrong answers.
    - ``auroc``: the probability that a right answer has a higher confidence than a wrong one; half
      of equal ones count. None if all answers are right, or none.

    Intervals are by the percentile bootstrap over the questions (or pairs), as in ``bootstrap``;
    measures whose samples are all equal have none.

    Known weakness: the ECE of few answers is too high, since bins differ by chance.

    Source: C. Guo et al., On calibration of modern neural networks (2017), for the ECE; G. W.
    Brier, Verification of forecasts expressed in terms of probability (1950); J. A. Hanley and
    B. J. McNeil, The meaning and use of the area under a ROC curve (1982).
    """
    if not cases:
        return {}
    import numpy as np

    cases = sorted(cases)  # the order of the answers does not matter
    questions = np.unique([case.asked for case in cases], return_inverse=True)[1]
    count = int(questions.max()) + 1
    generator = np.random.default_rng(SEED)
    measure = _measures(cases)
    samples = np.array(
        [
            measure(np.bincount(generator.integers(count, size=count), minlength=count)[questions])
            for _ in range(SAMPLES)
        ]
    )
    values = measure(np.ones(len(cases)))
    found = {
        name: Estimate(float(value), len(cases), interval(float(value), column))
        for name, value, column in zip((ECE, BRIER, AUROC), values, samples.T, strict=True)
        if not np.isnan(value)
    }
    return {**found, **_reliability(cases)}


def _bin(confidence: float) -> int:
    return min(int(confidence * _BINS), _BINS - 1)


def _reliability(cases: Sequence[Confident]) -> dict[str, Estimate]:
    ordered = sorted(cases, key=lambda case: case.confidence)
    return means(
        [{f"{RIGHT_AT}{_bin(case.confidence) * 100 // _BINS}": case.is_right} for case in ordered]
    )


def _measures(cases: Sequence[Confident]) -> Callable[[np.ndarray], tuple[float, float, float]]:
    """Return what computes ECE, Brier score and AUROC of the cases by how often each counts.

    The last is NaN if all answers are right, or none.
    """
    import numpy as np

    confidence = np.array([case.confidence for case in cases])
    is_right = np.array([case.is_right for case in cases], dtype=float)
    bins = np.array([_bin(case.confidence) for case in cases])
    ranks = np.unique(confidence, return_inverse=True)[1]

    def measure(weights: np.ndarray) -> tuple[float, float, float]:
        total = weights.sum()
        gaps = np.bincount(bins, weights * (confidence - is_right))
        brier = (weights * (confidence - is_right) ** 2).sum() / total
        right = np.bincount(ranks, weights * is_right)
        wrong = np.bincount(ranks, weights * (1 - is_right))
        pairs = right.sum() * wrong.sum()
        won = (right * (wrong.cumsum() - wrong / 2)).sum()
        return abs(gaps).sum() / total, brier, won / pairs if pairs else np.nan

    return measure
