"""Tell how well a metric goes with people's judgements: rank correlations, exact with ties."""

import math
from bisect import bisect_left, bisect_right, insort
from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from statistics import correlation


def spearman(one: Sequence[float], other: Sequence[float]) -> float | None:
    """Return Spearman's ρ of two rows of numbers, equally long, from -1 to 1.

    It is the correlation of their ranks, where equal numbers share the mean of theirs. None if
    there are fewer than two pairs, or if all numbers of a row are the same: nothing goes with
    what does not change.

    Known weakness: of judgements by yes and no, most are ties; then even the best metric does
    not come near 1.

    Source: C. Spearman, The proof and measurement of association between two things (1904).
    """
    if len({*one}) < 2 or len({*other}) < 2:
        return None
    return correlation(_ranks(one), _ranks(other))


def _ranks(numbers: Sequence[float]) -> list[float]:
    """Return the rank of each number, from 1; equal ones share the mean of their ranks."""
    ordered = sorted(numbers)
    first_last = ((bisect_left(ordered, one) + 1, bisect_right(ordered, one)) for one in numbers)
    return [(first + last) / 2 for first, last in first_last]


def kendall(one: Sequence[float], other: Sequence[float]) -> float | None:
    """Return Kendall's τ-b of two rows of numbers, equally long, from -1 to 1.

    Of all pairs of places, it is those in the same order in both rows less those in the opposite
    order, by the geometric mean of those that are no tie in the one row and in the other. None
    as for ``spearman``.

    Known weakness: as for ``spearman``; it is mostly smaller, so compare it with τ-b only.

    Source: M. G. Kendall, The treatment of ties in ranking problems, Biometrika 33 (1945).
    """
    untied = math.sqrt(_untied(one) * _untied(other))
    return _order(one, other) / untied if untied else None


def _untied(numbers: Sequence[float]) -> int:
    """Return how many pairs of places hold different numbers."""
    return math.comb(len(numbers), 2) - sum(math.comb(n, 2) for n in Counter(numbers).values())


def _order(one: Sequence[float], other: Sequence[float]) -> int:
    """Return how many pairs of places have the same order in both rows, less the opposite ones."""
    below: list[float] = []
    balance = 0
    pairs = sorted(zip(one, other, strict=True))
    for _, tied in groupby(pairs, key=lambda pair: pair[0]):
        numbers = [number for _, number in tied]
        for number in numbers:
            balance += bisect_left(below, number) - (len(below) - bisect_right(below, number))
        for number in numbers:
            insort(below, number)
    return balance
