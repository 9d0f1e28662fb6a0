"""Metrics over many questions, with their bootstrap intervals."""

import math
from collections.abc import Collection, Mapping, Sequence
from statistics import NormalDist
from typing import NamedTuple, TypeAlias

import numpy as np

SAMPLES = 1_000
SEED = 0
ENDS = (2.5, 97.5)
"""The percentiles between which 95 % of what samples have lies."""
_AT_ONCE = 50
"""Samples whose sums are taken together, which is faster than one by one."""
_DIGITS = 12
"""Decimals of an interval; those behind differ between processors."""


class Share(NamedTuple):
    """So many of so many."""

    hits: float
    of: int

    @property
    def value(self) -> float | None:
        """The share; None of nothing."""
        return self.hits / self.of if self.of else None


class Estimate(NamedTuple):
    """A metric: its value, over how many it goes, and its 95 % confidence interval.

    The value is None where there is nothing that it could be about, the interval also where what
    there is tells nothing of it, as one question doesn't.
    """

    value: float | None
    of: int
    interval: tuple[float, float] | None


Counted: TypeAlias = Mapping[str, Share]
"""What one question adds to each metric, by name."""
Estimates: TypeAlias = Mapping[str, Estimate]


def estimates(
    counted: Sequence[Counted],
    harmonic: Mapping[str, tuple[str, str]] | None = None,
    unbounded: Collection[str] = (),
) -> dict[str, Estimate]:
    """Return metrics over questions, each of which tells all the same ones.

    A metric is what all questions have of it, by all that they could have: a micro average. The
    mean of numbers is that of shares of one each. ``harmonic`` are further metrics, each the
    harmonic mean of two. ``unbounded`` are those that need not be from 0 to 1.

    Intervals are by the percentile bootstrap: a thousand times as many questions are drawn, with
    repetitions, and all metrics are taken of each sample. What depends on each other (the two
    questions of a pair, the citations of an answer) is to be one question here, since it is
    drawn together. The same questions have the same intervals, whatever their order. Where a
    metric is 0, or 1, in every question, all samples are the same; its interval is then Wilson's,
    over the questions, unless it is unbounded. Of all else of
    which all samples are the same, as of one question, there is no interval.

    Known weakness: of few questions the interval is too narrow.

    Source: B. Efron and R. J. Tibshirani, An introduction to the bootstrap (1993), chapter 13;
    E. B. Wilson, Probable inference, the law of succession, and statistical inference, Journal
    of the American Statistical Association 22 (1927).
    """
    if not counted:
        return {}
    names = list(counted[0])
    hits, of = (
        np.array([[one[name][part] for name in names] for one in counted], dtype=np.float64)
        for part in (0, 1)
    )
    counts = np.hstack((hits, of))
    sums = resampled(counts[np.lexsort(counts.T)])
    drawn = dict(zip(names, _ratios(sums).T, strict=True))
    found = {}
    for place, name in enumerate(names):
        whole = Share(math.fsum(hits[:, place]), int(of[:, place].sum()))
        questions = int(np.count_nonzero(of[:, place]))
        bounded = None if name in unbounded else questions
        found[name] = Estimate(whole.value, whole.of, _interval(whole.value, drawn[name], bounded))
    for name, (one, other) in (harmonic or {}).items():
        value = harmonic_mean(found[one].value, found[other].value)
        samples = _harmonic_means(drawn[one], drawn[other])
        found[name] = Estimate(value, len(counted), _interval(value, samples, len(counted)))
    return found


def means(
    numbers: Sequence[Mapping[str, float]], unbounded: Collection[str] = ()
) -> dict[str, Estimate]:
    """Return the mean of each of the numbers of many answers, which need not all have each."""
    names = dict.fromkeys(name for one in numbers for name in one)
    return estimates(
        [
            {name: Share(one[name], 1) if name in one else Share(0, 0) for name in names}
            for one in numbers
        ],
        unbounded=unbounded,
    )


def resampled(counts: np.ndarray) -> np.ndarray:
    """Return the sums of columns in each sample of the rows: ``(SAMPLES, columns)``.

    A sample has as many rows as there are, drawn with repetitions. The same rows in the same
    order have the same samples.
    """
    draw, count = np.random.default_rng(SEED), len(counts)
    times = np.empty((_AT_ONCE, count))
    sums = np.empty((SAMPLES, counts.shape[1]))
    for some in np.split(sums, SAMPLES // _AT_ONCE):
        for row in times:
            row[:] = np.bincount(draw.integers(count, size=count), minlength=count)
        some[:] = times @ counts
    return sums


def harmonic_mean(one: float | None, other: float | None) -> float | None:
    """Return the harmonic mean of two shares, such as F1 of precision and recall.

    It is 0 if only the first is about nothing, as of answers that cite nothing, and None if
    the second is.
    """
    if other is None:
        return None
    return 2 * one * other / (one + other) if one and other else 0.0


def ends(samples: np.ndarray) -> tuple[float, float]:
    """Return the ends of the interval in which 95 % of samples lie, those of nothing aside."""
    low, high = np.nanpercentile(samples, ENDS).round(_DIGITS)
    return float(low), float(high)


def _ratios(sums: np.ndarray) -> np.ndarray:
    """Return what was had by what could be had, NaN of nothing: the left half by the right."""
    hits, of = np.hsplit(sums, 2)
    ratios: np.ndarray = np.divide(hits, of, out=np.full_like(hits, np.nan), where=of > 0)
    return ratios


def _harmonic_means(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Return what ``harmonic_mean`` does, of each sample, with NaN for None."""
    one, total = np.nan_to_num(one), np.nan_to_num(one) + other
    found: np.ndarray = np.divide(2 * one * other, total, out=0 * total, where=total > 0)
    return found


def _interval(
    value: float | None, samples: np.ndarray, bounded: int | None
) -> tuple[float, float] | None:
    """Return an interval; ``bounded`` is over how many questions, None of what is unbounded."""
    if value is None:
        return None
    if np.nanmin(samples) < np.nanmax(samples):
        return ends(samples)
    return _wilson(value, bounded) if bounded and value in (0, 1) else None


def _wilson(share: float, of: int) -> tuple[float, float]:
    """Return Wilson's 95 % interval of a share that is 0 or 1."""
    z = NormalDist().inv_cdf(0.975)
    reach = z**2 / (of + z**2)
    return (0.0, reach) if share == 0 else (1 - reach, 1.0)
