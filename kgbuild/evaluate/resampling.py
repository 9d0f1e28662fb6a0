"""Bootstrap samples as arrays, and the intervals that follow from them.

NumPy is imported when a sample is drawn: it takes longer to import than most commands need.
"""

from __future__ import annotations

from statistics import NormalDist
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np

SAMPLES = 1_000
SEED = 0
ENDS = (2.5, 97.5)
"""The percentiles that bound 95 % of the samples."""
_AT_ONCE = 50
"""Samples that are summed together, which is faster than one by one."""
_DIGITS = 12
"""Decimals of an interval; further ones differ between processors."""


def resampled(counts: np.ndarray) -> np.ndarray:
    """Return the sums of columns in each sample of the rows: ``(SAMPLES, columns)``.

    A sample has as many rows as ``counts``, drawn with repetitions. The same rows in the same
    order give the same samples.
    """
    import numpy as np

    draw, count = np.random.default_rng(SEED), len(counts)
    times = np.empty((_AT_ONCE, count))
    sums = np.empty((SAMPLES, counts.shape[1]))
    for some in np.split(sums, SAMPLES // _AT_ONCE):
        for row in times:
            row[:] = np.bincount(draw.integers(count, size=count), minlength=count)
        some[:] = times @ counts
    return sums


def ends(samples: np.ndarray) -> tuple[float, float]:
    """Return the ends of the interval that holds 95 % of the samples; NaN does not count."""
    import numpy as np

    low, high = np.nanpercentile(samples, ENDS).round(_DIGITS)
    return float(low), float(high)


def ratios(sums: np.ndarray) -> np.ndarray:
    """Return the left half of the columns by the right half, NaN where that is 0."""
    import numpy as np

    hits, of = np.hsplit(sums, 2)
    ratios: np.ndarray = np.divide(hits, of, out=np.full_like(hits, np.nan), where=of > 0)
    return ratios


def harmonic_means(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Return the ``harmonic_mean`` of each sample, with NaN for None."""
    import numpy as np

    one, total = np.nan_to_num(one), np.nan_to_num(one) + other
    harmonic: np.ndarray = np.divide(2 * one * other, total, out=0 * total, where=total > 0)
    return harmonic


def interval_of(
    value: float | None, samples: np.ndarray, bounded: int | None
) -> tuple[float, float] | None:
    """Return an interval; ``bounded`` counts the questions, None if the metric is unbounded."""
    import numpy as np

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
