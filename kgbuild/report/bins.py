"""Make the bins of histograms, on a linear or on a logarithmic scale."""

import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import accumulate, pairwise
from typing import NamedTuple

from kgbuild.drawing.text import number


class Bin(NamedTuple):
    """The numbers from ``low`` to below ``high``; ``high`` is None for an open bin."""

    low: float
    high: float | None

    @property
    def label(self) -> str:
        """The range of a bin as a text: 10–14."""
        if self.high is None:
            return f"{number(self.low) if float(self.low).is_integer() else f'{self.low:g}'} +"
        if not (float(self.low).is_integer() and float(self.high).is_integer()):
            return f"{self.low:g}–{self.high:g}"
        last = self.high - 1
        return number(self.low) if last == self.low else f"{number(self.low)}–{number(last)}"

    @property
    def tick(self) -> str:
        """The lowest number in a short form for an axis: 10, 2k, 3k +."""
        is_thousands = self.low >= 1000 and self.low % 1000 == 0
        text = f"{self.low / 1000:g}k" if is_thousands else f"{self.low:g}"
        return f"{text} +" if self.high is None else text

    def holds(self, value: float) -> bool:
        """Return whether a number is in the bin."""
        return self.low <= value and (self.high is None or value < self.high)


def linear(counts: Mapping[float, int], step: float = 0) -> list[Bin]:
    """Return at most 16 bins of equal width for numbers with counts, and an open bin if necessary.

    ``step`` is the width of a bin, by default a round number.
    """
    values = sorted(counts)
    cumulative = zip(values, accumulate(counts[value] for value in values), strict=True)
    # The largest value in bins of equal width, which have 99 % of them.
    largest = next(value for value, sum_ in cumulative if sum_ >= 0.99 * sum(counts.values()))
    span = Fraction(largest) - Fraction(values[0])
    is_whole = all(float(value).is_integer() for value in values)
    least = Fraction(1) if is_whole else Fraction("0.0001")
    # Fractions, since sums of floats are no round numbers.
    width = Fraction(str(step)) if step else next(w for w in _widths(least) if span < w * 16)
    first, last = math.floor(Fraction(values[0]) / width), math.floor(Fraction(largest) / width)
    bins = [Bin(float(n * width), float((n + 1) * width)) for n in range(first, last + 1)]
    end = bins[-1].high or 0.0
    return [*bins, Bin(end, None)] if values[-1] >= end else bins


def _widths(power: Fraction) -> Iterator[Fraction]:
    """Yield a power of ten, 2 and 5 times as much, the next power, and so on."""
    while True:
        yield from (power, 2 * power, 5 * power)
        power *= 10


def logarithmic(counts: Mapping[float, int]) -> list[Bin]:
    """Return 0, 1–2, 3–9, 10–29, …: two bins for each power of ten, and one for 0."""
    edges = [0, 1]
    while edges[-1] <= max(counts):
        edges.append(edges[-1] * 3 if len(edges) % 2 == 0 else 10 ** (len(edges) // 2))
    bins = [Bin(low, high) for low, high in pairwise(edges)]
    return bins[bin_index(bins, min(counts)) :]


def bin_index(bins: Sequence[Bin], value: float) -> int:
    """Return the index of the bin that contains a number."""
    return next(index for index, bin_ in enumerate(bins) if bin_.holds(value))
