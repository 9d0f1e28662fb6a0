"""Means with their bootstrap intervals."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

SAMPLES = 1_000
SEED = 0
ENDS = (2.5, 97.5)
"""The percentiles between which 95 % of the means of the samples lie."""


class Mean(NamedTuple):
    """The mean of so many numbers, and its 95 % confidence interval."""

    value: float
    interval: tuple[float, float]
    of: int


def mean(numbers: Sequence[float]) -> Mean | None:
    """Return the mean of numbers with its interval by the percentile bootstrap; None of nothing.

    A thousand times as many numbers are drawn from them, with repetitions; the same numbers in
    the same order have the same interval each time.

    Known weakness: of few numbers, and of those that are all the same, the interval is too
    narrow; it takes answers for independent.

    Source: B. Efron, Bootstrap methods: another look at the jackknife, The Annals of Statistics
    7 (1979).
    """
    if not numbers:
        return None
    values = np.asarray(numbers, dtype=np.float64)
    draw, count = np.random.default_rng(SEED), len(values)
    drawn = [draw.choice(values, count).mean() for _ in range(SAMPLES)]
    low, high = np.percentile(drawn, ENDS)
    return Mean(float(values.mean()), (float(low), float(high)), count)
