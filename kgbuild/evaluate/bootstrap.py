"""Compute metrics over many questions, with bootstrap intervals.

NumPy is imported when a sample is drawn: it takes longer to import than most commands need.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from statistics import NormalDist
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    import numpy as np

SAMPLES = 1_000
SEED = 0
_BATCH_SIZE = 50
"""Number of samples that are summed together, which is faster than single samples."""
_Z = NormalDist().inv_cdf(0.975)
"""Half the width of the 95 % interval of a normal distribution, in standard errors."""


class Share(NamedTuple):
    """A number of hits among ``total`` cases, such as right answers among all answers."""

    hits: float
    total: int

    @property
    def value(self) -> float | None:
        """The share of hits; None without cases."""
        return self.hits / self.total if self.total else None


class Estimate(NamedTuple):
    """A metric: its value, the number of cases (``total``), and its 95 % confidence interval.

    The value is None if there are no cases, the interval also if there are too few.
    """

    value: float | None
    total: int
    interval: tuple[float, float] | None

    @property
    def hits(self) -> int:
        """The number of hits of a metric that is a share of cases."""
        return round((self.value or 0) * self.total)

    @property
    def error(self) -> float | None:
        """The standard error: that of the normal distribution with this interval."""
        if self.interval is None:
            return None
        low, high = self.interval
        return (high - low) / (2 * _Z)


Counted: TypeAlias = Mapping[str, Share]
"""The share that one question adds to each metric, by the metric's name."""
Estimates: TypeAlias = Mapping[str, Estimate]
Item: TypeAlias = tuple[str, bool]
"""The id of a question, or of a pair and which of its two questions it is."""


def estimates(
    counted: Sequence[Counted],
    harmonic: Mapping[str, tuple[str, str]] | None = None,
    unbounded: Collection[str] = (),
) -> dict[str, Estimate]:
    """Return metrics over questions, each of which counts the same metrics.

    A metric is all hits divided by all cases of the questions: a micro average. For
    the mean of numbers, give each question one case. ``harmonic`` names further metrics, each the
    harmonic mean of two. ``unbounded`` are the metrics that may lie outside of 0 to 1.

    Intervals are by the percentile bootstrap over 1,000 samples of the questions. Cases that depend
    on each other (the two questions of a pair, the citations of an answer) must be one question
    here, so that they are drawn together. The order of the questions does not matter. If a metric
    is 0, or 1, in every question, its interval is Wilson's over the questions (see ``wilson``),
    unless it is unbounded. Other metrics whose samples are all equal have no interval.

    Known weakness: of few questions the interval is too narrow.

    Source: B. Efron and R. J. Tibshirani, An introduction to the bootstrap (1993), chapter 13.
    """
    import numpy as np

    if not counted or not counted[0]:
        return {}
    names = list(counted[0])
    # Arrays with a row for each question and a column for each metric.
    numbers = (number for shares in counted for name in names for number in shares[name])
    both = np.fromiter(numbers, np.float64).reshape(len(counted), len(names), 2)
    hits, totals = both[:, :, 0], both[:, :, 1]
    counts = np.hstack((hits, totals))
    # The rows are sorted, so that the samples do not depend on the order of the questions.
    sample_hits, sample_totals = np.hsplit(resampled(counts[np.lexsort(counts.T)]), 2)
    no_shares = np.full_like(sample_hits, np.nan)
    shares = np.divide(sample_hits, sample_totals, out=no_shares, where=sample_totals > 0)
    samples = dict(zip(names, shares.T, strict=True))
    metrics = {}
    for column, name in enumerate(names):
        overall = Share(math.fsum(hits[:, column]), int(totals[:, column].sum()))
        questions = int(np.count_nonzero(totals[:, column]))
        bounded = None if name in unbounded else questions
        ends_of_metric = interval(overall.value, samples[name], bounded)
        metrics[name] = Estimate(overall.value, overall.total, ends_of_metric)
    for name, (first, second) in (harmonic or {}).items():
        value = harmonic_mean(metrics[first].value, metrics[second].value)
        first_shares, second_shares = np.nan_to_num(samples[first]), samples[second]
        sums, products = first_shares + second_shares, 2 * first_shares * second_shares
        harmonic_means = np.divide(products, sums, out=0 * sums, where=sums > 0)
        ends_of_metric = interval(value, harmonic_means, len(counted))
        metrics[name] = Estimate(value, len(counted), ends_of_metric)
    return metrics


def means(
    numbers: Sequence[Mapping[str, float]], unbounded: Collection[str] = ()
) -> dict[str, Estimate]:
    """Return the mean of each number over the answers that have it."""
    names = dict.fromkeys(name for answer in numbers for name in answer)
    return estimates(
        [
            {name: Share(answer[name], 1) if name in answer else Share(0, 0) for name in names}
            for answer in numbers
        ],
        unbounded=unbounded,
    )


def harmonic_mean(first: float | None, second: float | None) -> float | None:
    """Return the harmonic mean of two shares, such as F1 of precision and recall.

    It is None if ``second`` is None, and 0 if only ``first`` is (precision without a citation).
    """
    if second is None:
        return None
    return 2 * first * second / (first + second) if first and second else 0.0


def resampled(counts: np.ndarray) -> np.ndarray:
    """Return the sums of columns in each sample of the rows: ``(SAMPLES, columns)``.

    A sample has as many rows as ``counts``, drawn with repetitions, always by the same seed.
    """
    import numpy as np

    generator, count = np.random.default_rng(SEED), len(counts)
    # Equal rows that follow each other are summed together, so few rows are left of many answers.
    differs = np.any(counts[1:] != counts[:-1], axis=1)
    starts = np.flatnonzero(np.concatenate(([True], differs)))
    distinct = counts[starts]
    weights = np.empty((_BATCH_SIZE, len(starts)))
    sums = np.empty((SAMPLES, counts.shape[1]))
    for batch in np.split(sums, SAMPLES // _BATCH_SIZE):
        for weights_of_sample in weights:
            drawn_rows = generator.integers(count, size=count)
            times_drawn = np.bincount(drawn_rows, minlength=count)
            weights_of_sample[:] = np.add.reduceat(times_drawn, starts)
        batch[:] = weights @ distinct
    return sums


def ends(samples: np.ndarray) -> tuple[float, float]:
    """Return the ends of the interval that holds 95 % of the samples; NaN does not count."""
    import numpy as np

    low, high = np.nanpercentile(samples, (2.5, 97.5)).round(12)  # more differ by the processor
    return float(low), float(high)


def interval(
    value: float | None, samples: np.ndarray, bounded: int | None = None
) -> tuple[float, float] | None:
    """Return the interval of a metric by its samples, or None.

    ``bounded`` is the number of questions of a metric between 0 and 1, None for other metrics.
    """
    import numpy as np

    if value is None:
        return None
    if np.nanmin(samples) < np.nanmax(samples):
        return ends(samples)
    if not bounded or value not in (0, 1):
        return None
    return wilson(round(value * bounded), bounded)


def wilson(hits: int, total: int) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a share.

    Source: E. B. Wilson, Probable inference, the law of succession, and statistical inference,
    Journal of the American Statistical Association 22 (1927).

    >>> [round(end, 3) for end in wilson(0, 100)]
    [0.0, 0.037]
    """
    share, weight = hits / total, _Z**2 / total
    middle = share + weight / 2
    width = _Z * math.sqrt((share * (1 - share) + weight / 4) / total)
    low, high = ((middle - width) / (1 + weight), (middle + width) / (1 + weight))
    return max(low, 0.0), min(high, 1.0)
