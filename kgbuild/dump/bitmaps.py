"""Represent sets of items as bitmaps: bit n is 1 if Qn is in the set.

The set of all items of Wikidata takes 20 MB. A packed set, which is small enough to be sent to
other machines, has the 64-bit words of a bitmap that are not zero, followed by their indexes in
32 bits.
"""

from collections.abc import Iterable
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from kgbuild import wikidata
from kgbuild.native.arrays import Array, Bytes, Flags, Positions, Words
from kgbuild.native.kernel import bit_count, kernel

Bitmap: TypeAlias = Bytes

_SIZE = 10**9 // 8
"""Number of bytes of a bitmap, for item numbers below 10^9."""
_PACKED_WORD = 8 + 4
"""Number of bytes that a packed set has for each word: the word and its index."""


def bitmap(ids: Iterable[str] = ()) -> Bitmap:
    """Return the set of the items with these ids.

    The bitmap reserves 125 MB of address space. The operating system provides memory only for the
    pages that are written.
    """
    bits = np.zeros(_SIZE, np.uint8)
    add(bits, np.fromiter(map(wikidata.number, ids), np.int64))
    return bits


def is_in(bits: Bitmap, number: int) -> bool:
    """Return whether a set, which may end before the number, has it; for compiled code."""
    return bool(number >> 3 < bits.size and bits[number >> 3] >> (number & 7) & 1 != 0)


def put(bits: Bitmap, number: int) -> None:
    """Add a number to a set; for compiled code."""
    bits[number >> 3] |= np.uint8(1 << (number & 7))


@kernel
def add(bits: Bitmap, numbers: Positions) -> None:
    """Add numbers to a set; ignore numbers below 1."""
    for number in numbers:
        if number > 0:
            put(bits, number)


def has(bits: Bitmap, numbers: Array) -> Flags:
    """Return for each number whether it is in a set."""
    are_members = np.empty(numbers.size, np.bool_)
    _has(bits, np.ascontiguousarray(numbers, np.int64), are_members)
    return are_members


@kernel
def _has(bits: Bitmap, numbers: Positions, are_members: Flags) -> None:
    for n in range(numbers.size):
        are_members[n] = numbers[n] > 0 and is_in(bits, numbers[n])


# The parameter ``top`` is an upper bound of the numbers in the sets. The bitmaps are not read
# beyond it, since reading memory that was never written takes time.


def unite(bits: Bitmap, added_bits: Bitmap, top: int) -> None:
    """Add the numbers of the set ``added_bits`` to the set ``bits``."""
    words = _words(bits, top)
    words |= _words(added_bits, top)


def top(bits: Bitmap) -> int:
    """Return an upper bound of the numbers in a set: the last bit of its last word."""
    indexes = np.flatnonzero(bits.view(np.uint64) != 0)
    return int(indexes[-1]) * 64 + 63 if indexes.size else 0


def packed(bits: Bitmap, highest: int | None = None) -> bytes:
    """Pack a set; without an upper bound of its numbers, all of it is read."""
    words = _words(bits, top(bits) if highest is None else highest)
    indexes = np.flatnonzero(words != 0)  # seven times as fast as for the words
    return words[indexes].tobytes() + indexes.astype(np.uint32).tobytes()


def union(sets: Iterable[bytes]) -> tuple[Bitmap, int]:
    """Return the union of packed sets, and an upper bound of its numbers."""
    bits, top = bitmap(), 0
    for data in sets:
        words, indexes = _unpacked(data)
        bits.view(np.uint64)[indexes] |= words
        top = max(top, int(indexes.max(initial=0)) * 64 + 63)
    return bits, top


def remove(bits: Bitmap, data: bytes) -> None:
    """Remove the numbers of a packed set from a set."""
    words, indexes = _unpacked(data)
    bits.view(np.uint64)[indexes] &= ~words


def _unpacked(data: bytes) -> tuple[Words, npt.NDArray[np.uint32]]:
    """Return the words of a packed set, and their indexes in the bitmap."""
    count = len(data) // _PACKED_WORD
    return np.frombuffer(data, np.uint64, count), np.frombuffer(data, np.uint32, count, 8 * count)


def count(bits: Bitmap, top: int, mask: Bitmap | None = None) -> int:
    """Return the size of a set or, with ``mask``, of its intersection with the set ``mask``."""
    return _count(_words(bits, top), _words(bits if mask is None else mask, top))


def _words(bits: Bitmap, top: int) -> Words:
    """Return the first words of a bitmap, up to the bit ``top``."""
    return bits.view(np.uint64)[: (top >> 6) + 1]


@kernel
def _count(words: Words, mask: Words) -> int:
    total = 0
    for n in range(words.size):
        total += bit_count(words[n] & mask[n])
    return total
