"""Sets of items as bitmaps: all of Wikidata's fit into 20 MB."""

from collections.abc import Iterable
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
from numba import njit

Bitmap: TypeAlias = npt.NDArray[np.uint8]
Numbers: TypeAlias = npt.NDArray[np.int64]

_SIZE = 10**9 // 8
_compiled = njit(nogil=True, cache=True)


def numbers(found: Iterable[int]) -> Numbers:
    """Return numbers as an array."""
    return np.fromiter(found, np.int64)


def bitmap(members: Numbers | None = None) -> Bitmap:
    """Return the set of some items, by their numbers.

    It takes 125 MB of addresses, but only as much memory as the numbers in it need.
    """
    bits = np.zeros(_SIZE, np.uint8)
    if members is not None:
        add(bits, members)
    return bits


@_compiled
def add(bits: Bitmap, numbers: Numbers) -> None:
    """Add numbers to a set; those that are not positive are passed over."""
    for number in numbers:
        if number > 0:
            bits[number >> 3] |= np.uint8(1 << (number & 7))


@_compiled
def has(bits: Bitmap, numbers: Numbers) -> npt.NDArray[np.bool_]:
    """Tell of each number whether it is in a set."""
    found = np.empty(numbers.size, np.bool_)
    for n in range(numbers.size):
        number = numbers[n]
        found[n] = number > 0 and (bits[number >> 3] >> (number & 7)) & 1 != 0
    return found


@_compiled
def unite(bits: Bitmap, others: Bitmap) -> None:
    """Add the numbers of another set."""
    for n in range(others.size):
        if others[n]:  # so that no memory is taken for what stays empty
            bits[n] |= others[n]


@_compiled
def count_without(bits: Bitmap, others: Bitmap) -> int:
    """Return how many numbers a set has that another one has not."""
    total = 0
    for n in range(bits.size):
        byte = bits[n] & ~others[n] if bits[n] else np.uint8(0)
        while byte:
            byte &= byte - np.uint8(1)
            total += 1
    return total


@_compiled
def count_common(bits: Bitmap, others: Bitmap) -> int:
    """Return how many numbers two sets share."""
    total = 0
    for n in range(bits.size):
        byte = bits[n] & others[n] if bits[n] else np.uint8(0)
        while byte:
            byte &= byte - np.uint8(1)
            total += 1
    return total


@_compiled
def count(bits: Bitmap) -> int:
    """Return how many numbers a set has."""
    total = 0
    for byte in bits:
        while byte:
            byte &= byte - np.uint8(1)
            total += 1
    return total
