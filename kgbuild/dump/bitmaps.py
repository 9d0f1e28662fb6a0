"""Sets of items as bitmaps: all of Wikidata's fit into 20 MB."""

from collections.abc import Iterable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from kgbuild import wikidata
from kgbuild.native.kernel import kernel

Bitmap: TypeAlias = npt.NDArray[np.uint8]
Numbers: TypeAlias = npt.NDArray[np.int64]
Flags: TypeAlias = npt.NDArray[np.bool_]
Words: TypeAlias = npt.NDArray[np.uint64]

_SIZE = 10**9 // 8


def bitmap(ids: Iterable[str] = ()) -> Bitmap:
    """Return the set of some items.

    It takes 125 MB of addresses, but only as much memory as its members need.
    """
    bits = np.zeros(_SIZE, np.uint8)
    add(bits, np.fromiter(map(wikidata.number, ids), np.int64))
    return bits


@kernel
def add(bits: Bitmap, numbers: Numbers) -> None:
    """Add numbers to a set; those that are not positive are ignored."""
    for number in numbers:
        if number > 0:
            bits[number >> 3] |= np.uint8(1 << (number & 7))


def has(bits: Bitmap, numbers: npt.NDArray[Any]) -> Flags:
    """Return for each number whether it is in a set."""
    are_in = np.empty(numbers.size, np.bool_)
    _has(bits, np.ascontiguousarray(numbers, np.int64), are_in)
    return are_in


@kernel
def _has(bits: Bitmap, numbers: Numbers, are_in: Flags) -> None:
    for n in range(numbers.size):
        number = numbers[n]
        are_in[n] = number > 0 and (bits[number >> 3] >> (number & 7)) & 1 != 0


def highest(numbers: Numbers) -> int:
    """Return the highest of some numbers, at least 0."""
    return int(numbers.max(initial=0))


# Reading a page of memory that was never written takes time: hence ``top``, the highest number that
# a set can have.


def unite(bits: Bitmap, others: Bitmap, top: int) -> None:
    """Add the numbers, up to ``top``, of another set."""
    _unite(_words(bits, top), _words(others, top))


def top(bits: Bitmap) -> int:
    """Return an upper limit of the numbers in a set, close to the highest."""
    words = np.flatnonzero(bits.view(np.uint64))
    return int(words[-1]) * 64 + 63 if words.size else 0


# A packed set goes from one machine to another: the words of its bitmap that are not zero, then the
# place of each of them, in 32 bits.


def packed(bits: Bitmap, top: int) -> bytes:
    """Return the numbers of a set, up to ``top``, as a packed set."""
    words = _words(bits, top)
    places = np.flatnonzero(words)
    return words[places].tobytes() + places.astype(np.uint32).tobytes()


def together(sets: Iterable[bytes]) -> tuple[Bitmap, int]:
    """Return the union of packed sets, and an upper limit of its numbers."""
    bits, top = bitmap(), 0
    for data in sets:
        words, places = _unpacked(data)
        bits.view(np.uint64)[places] |= words
        top = max(top, int(places.max(initial=0)) * 64 + 63)
    return bits, top


def remove(bits: Bitmap, data: bytes) -> None:
    """Remove the numbers of a packed set from a set."""
    words, places = _unpacked(data)
    bits.view(np.uint64)[places] &= ~words


def _unpacked(data: bytes) -> tuple[Words, npt.NDArray[np.uint32]]:
    count = len(data) // 12
    return np.frombuffer(data, np.uint64, count), np.frombuffer(data, np.uint32, count, 8 * count)


def count(bits: Bitmap, top: int, others: Bitmap | None = None) -> int:
    """Return how many numbers, up to ``top``, a set has; or how many two sets share."""
    return _count(_words(bits, top), _words(bits if others is None else others, top), np.uint64(0))


def count_without(bits: Bitmap, others: Bitmap, top: int) -> int:
    """Return how many numbers, up to ``top``, a set has that another one lacks."""
    return _count(_words(bits, top), _words(others, top), ~np.uint64(0))


def _words(bits: Bitmap, top: int) -> Words:
    return bits.view(np.uint64)[: (top >> 6) + 1]


@kernel
def _unite(words: Words, others: Words) -> None:
    for n in range(others.size):
        if others[n]:  # so that no memory is taken for what stays empty
            words[n] |= others[n]


@kernel
def _count(words: Words, others: Words, flip: np.uint64) -> int:
    total = 0
    for n in range(words.size):
        if words[n]:
            word = words[n] & (others[n] ^ flip)
            while word:
                word &= word - np.uint64(1)
                total += 1
    return total
