"""Bins of histograms: all are equally wide, on a linear or on a logarithmic scale."""

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

from kgbuild.drawing.text import number

_MOST = 16
"""Maximum number of bins of a histogram."""
_BODY = 0.99
"""Minimum share of rows in bins of equal width; one open bin has the rest."""


class Bin(NamedTuple):
    """Numbers from ``low`` to below ``high``; ``high`` is None for an open bin."""

    low: float
    high: float | None

    @property
    def label(self) -> str:
        """The numbers in the bin, in words: 10–14."""
        if self.high is None:
            return f"{number(self.low)} +"
        if not (float(self.low).is_integer() and float(self.high).is_integer()):
            return f"{self.low:.2f}–{self.high:.2f}"
        last = self.high - 1
        return number(self.low) if last == self.low else f"{number(self.low)}–{number(last)}"

    @property
    def tick(self) -> str:
        """The lowest number in short, for an axis: 10, 2k, 3k +."""
        low, end = self.low, " +" if self.high is None else ""
        return (f"{low / 1000:g}k" if low >= 1000 and low % 1000 == 0 else f"{low:g}") + end

    def holds(self, value: float) -> bool:
        """Return whether a number is in the bin."""
        return self.low <= value and (self.high is None or value < self.high)


def linear(counts: Mapping[float, int], step: float = 0) -> list[Bin]:
    """Return bins of one width, by default a round one, for numbers with their counts."""
    ordered = sorted(counts)
    ends = zip(ordered, accumulate(counts[value] for value in ordered), strict=True)
    body = next(value for value, sum_ in ends if sum_ >= _BODY * sum(counts.values()))
    step = step or next(width for width in _round_steps() if (body - ordered[0]) / width < _MOST)
    first, last = (math.floor(value / step) for value in (ordered[0], body))
    bins = [Bin(place * step, (place + 1) * step) for place in range(first, last + 1)]
    beyond = (last + 1) * step
    return [*bins, Bin(beyond, None)] if ordered[-1] >= beyond else bins


def _round_steps() -> Iterator[int]:
    """Yield 1, 2, 5, 10, 20, 50 and so on."""
    power = 1
    while True:
        yield from (power, 2 * power, 5 * power)
        power *= 10


def logarithmic(counts: Mapping[float, int]) -> list[Bin]:
    """Return 0, 1–2, 3–9, 10–29, …: two bins for each power of ten, and one for 0."""
    edges = [0, 1]
    while edges[-1] <= max(counts):
        edges.append(edges[-1] * 3 if len(edges) % 2 == 0 else 10 ** (len(edges) // 2))
    bins = [Bin(low, high) for low, high in pairwise(edges)]
    first = next(place for place, bin_ in enumerate(bins) if bin_.holds(min(counts)))
    return bins[first:]


def place(bins: Sequence[Bin], value: float) -> int:
    """Return the index of the bin that contains a number."""
    return next(place for place, bin_ in enumerate(bins) if bin_.holds(value))
