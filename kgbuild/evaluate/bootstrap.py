"""Compute metrics over many questions with bootstrap intervals, and compare two models by them.

NumPy is imported when a sample is drawn: it takes longer to import than most commands need.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from statistics import NormalDist
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

if TYPE_CHECKING:
    import numpy as np

SAMPLES = 1_000
SEED = 0
_ENDS = (2.5, 97.5)
"""The percentiles that bound 95 % of the samples."""
_AT_ONCE = 50
"""Number of samples that are summed together, which is faster than one at a time."""
_SMALLEST = math.ulp(0.0)
"""The smallest probability that a number can hold; none is zero."""
_DIGITS = 12
"""Number of decimals of an interval; further decimals differ between processors."""


class Share(NamedTuple):
    """A number of hits among ``of`` cases."""

    hits: float
    of: int

    @property
    def value(self) -> float | None:
        """The share of hits; None without cases."""
        return self.hits / self.of if self.of else None


class Estimate(NamedTuple):
    """A metric: its value, the number of cases, and its 95 % confidence interval.

    The value is None if there are no cases, the interval also if there are too few.
    """

    value: float | None
    of: int
    interval: tuple[float, float] | None


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
    is 0, or 1, in every question, its interval is Wilson's over the questions, unless it is
    unbounded. Other metrics whose samples are all equal have no interval.

    Known weakness: of few questions the interval is too narrow.

    Source: B. Efron and R. J. Tibshirani, An introduction to the bootstrap (1993), chapter 13;
    E. B. Wilson, Probable inference, the law of succession, and statistical inference, Journal
    of the American Statistical Association 22 (1927).
    """
    import numpy as np

    if not counted:
        return {}
    names = list(counted[0])
    hits, of = (
        np.array([[one[name][part] for name in names] for one in counted], dtype=np.float64)
        for part in (0, 1)
    )
    counts = np.hstack((hits, of))
    sum_hits, sum_of = np.hsplit(resampled(counts[np.lexsort(counts.T)]), 2)
    shares = np.divide(sum_hits, sum_of, out=np.full_like(sum_hits, np.nan), where=sum_of > 0)
    samples = dict(zip(names, shares.T, strict=True))
    metrics = {}
    for place, name in enumerate(names):
        whole = Share(math.fsum(hits[:, place]), int(of[:, place].sum()))
        questions = int(np.count_nonzero(of[:, place]))
        bounded = None if name in unbounded else questions
        interval = _interval(whole.value, samples[name], bounded)
        metrics[name] = Estimate(whole.value, whole.of, interval)
    for name, (one, other) in (harmonic or {}).items():
        value = harmonic_mean(metrics[one].value, metrics[other].value)
        precision = np.nan_to_num(samples[one])
        total = precision + samples[other]
        products = 2 * precision * samples[other]
        harmonic_means = np.divide(products, total, out=0 * total, where=total > 0)
        interval = _interval(value, harmonic_means, len(counted))
        metrics[name] = Estimate(value, len(counted), interval)
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


def harmonic_mean(one: float | None, other: float | None) -> float | None:
    """Return the harmonic mean of two shares, such as F1 of precision and recall.

    It is None if ``other`` is None, and 0 if only ``one`` is (precision where nothing is cited).
    """
    if other is None:
        return None
    return 2 * one * other / (one + other) if one and other else 0.0


def resampled(counts: np.ndarray) -> np.ndarray:
    """Return the sums of columns in each sample of the rows: ``(SAMPLES, columns)``.

    A sample has as many rows as ``counts``, drawn with repetitions, always by the same seed.
    """
    import numpy as np

    draw, count = np.random.default_rng(SEED), len(counts)
    times = np.empty((_AT_ONCE, count))
    sums = np.empty((SAMPLES, counts.shape[1]))
    for part in np.split(sums, SAMPLES // _AT_ONCE):
        for row in times:
            row[:] = np.bincount(draw.integers(count, size=count), minlength=count)
        part[:] = times @ counts
    return sums


def ends(samples: np.ndarray) -> tuple[float, float]:
    """Return the ends of the interval that holds 95 % of the samples; NaN does not count."""
    import numpy as np

    low, high = np.nanpercentile(samples, _ENDS).round(_DIGITS)
    return float(low), float(high)


def _interval(
    value: float | None, samples: np.ndarray, bounded: int | None
) -> tuple[float, float] | None:
    """Return an interval; ``bounded`` counts the questions, None if the metric is unbounded."""
    import numpy as np

    if value is None:
        return None
    if np.nanmin(samples) < np.nanmax(samples):
        return ends(samples)
    if not bounded or value not in (0, 1):
        return None
    z = NormalDist().inv_cdf(0.975)
    reach = z**2 / (bounded + z**2)  # Wilson's 95 % interval of a share that is 0 or 1
    return (0.0, reach) if value == 0 else (1 - reach, 1.0)


class Comparison(NamedTuple):
    """The results of two models on ``items`` items that both answered.

    ``one`` and ``other`` are their shares, from 0 to 1. ``interval`` is the 95 % interval of their
    ``difference``, and ``p`` the probability of a difference at least as large, in either
    direction, if the models are equally good.
    """

    one: float
    other: float
    difference: float
    interval: tuple[float, float]
    p: float
    items: int


def compare(one: Mapping[Item, Share], other: Mapping[Item, Share]) -> Comparison | None:
    """Compare two models on the items that both answered.

    The two shares of an item have the same number of cases. The shares over all items are micro
    averages. Both questions of a pair are drawn together, and so are all parts of an answer, since
    they depend on each other. None if no item is in both.

    The interval is by the percentile bootstrap over 1,000 samples of the questions. p is that of
    the permutation test over all ways to swap the models on some of the questions; with one
    question an item, it is the binomial (sign) test. The order of the answers does not matter.

    Known weakness: of few questions the interval is too narrow, and p cannot be small. Of many
    comparisons, some have a small p by chance: multiply it by their number.

    Source: B. Efron and R. J. Tibshirani, An introduction to the bootstrap (1993), chapter 13;
    E. W. Noreen, Computer-intensive methods for testing hypotheses (1989); R. A. Fisher, The
    design of experiments (1935), section 21, for the test over all permutations.
    """
    import numpy as np

    both = sorted(item for item in one.keys() & other.keys() if one[item].of)
    if not both:
        return None
    ids = dict.fromkeys(item_id for item_id, _ in both)
    places = {item_id: place for place, item_id in enumerate(ids)}
    counts = np.zeros((len(places), 3), dtype=np.int64)
    for item in both:
        counts[places[item[0]]] += one[item].hits, other[item].hits, one[item].of
    hits, other_hits, of = counts.sum(axis=0)
    ahead = counts[:, 0] - counts[:, 1]
    drawn = resampled(np.column_stack((ahead, counts[:, 2])))
    return Comparison(
        one=float(hits / of),
        other=float(other_hits / of),
        difference=float((hits - other_hits) / of),
        interval=ends(drawn[:, 0] / drawn[:, 1]),
        p=_permutation_p([int(difference) for difference in ahead]),
        items=len(both),
    )


def _permutation_p(differences: Sequence[int]) -> float:
    """Return the share of all choices of signs whose sum is at least as far from 0.

    The differences with the sign + sum up to X, all of them to S: the sum is 2X - S. The
    distribution of X is the convolution of a binomial distribution for each size of difference.
    """
    import numpy as np

    sizes = Counter(abs(difference) for difference in differences if difference)
    shares = np.ones(1)
    for size, count in sorted(sizes.items()):
        of_size = np.zeros(size * count + 1)
        of_size[::size] = [
            math.exp(_log_choose(count, plus) - count * math.log(2)) for plus in range(count + 1)
        ]
        shares = np.convolve(shares, of_size)
    sums = abs(2 * np.arange(len(shares)) - (len(shares) - 1))
    return min(1.0, max(math.fsum(shares[sums >= abs(sum(differences))]), _SMALLEST))


def _log_choose(count: int, chosen: int) -> float:
    """Return the logarithm of the binomial coefficient."""
    return math.lgamma(count + 1) - math.lgamma(chosen + 1) - math.lgamma(count - chosen + 1)
