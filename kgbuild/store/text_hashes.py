"""Hash the texts of columns with machine code, to find and to count equal texts among millions."""

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from kgbuild.native.arrays import Bytes, Flags, Positions
from kgbuild.native.kernel import kernel
from kgbuild.store.array_files import forget_pages
from kgbuild.store.columns import Column

Hashes: TypeAlias = npt.NDArray[np.uint64]
"""Numbers that are equal for equal texts, and with a probability of 2^-64 for two others."""
_BASIS, _PRIME = 0xCBF29CE484222325, 0x100000001B3
"""The constants of the hash FNV-1a with 64 bits."""
_BATCH = 1 << 20
"""Number of texts whose trigrams are counted at a time."""


def hash_text(text: str) -> np.uint64:
    """Return the hash of a text."""
    content = np.frombuffer(text.encode(), np.uint8)
    (value,) = hash_parts(content, np.zeros(1, np.int64), np.array([len(content)]))
    return np.uint64(value)


def hash_texts(column: Column, rows: Positions) -> Hashes:
    """Return the hash of the text of each row."""
    starts, ends = column.ends[:-1][rows], column.ends[1:][rows]
    return hash_parts(column.content, starts, ends)


def hash_parts(content: Bytes, starts: Positions, ends: Positions) -> Hashes:
    """Return the hash of each part of a content."""
    hashes = np.empty(len(starts), np.uint64)
    _hash_texts(content, starts, ends, hashes)
    return hashes


@kernel
def _hash_texts(content: Bytes, starts: Positions, ends: Positions, hashes: Hashes) -> None:
    for n in range(starts.size):
        value = np.uint64(_BASIS)
        for at in range(starts[n], ends[n]):
            value = (value ^ np.uint64(content[at])) * np.uint64(_PRIME)
        hashes[n] = value ^ (value >> np.uint64(32))


def sharing_trigrams(content: memoryview, ends: memoryview, text: bytes, limit: int) -> list[int]:
    """Return the numbers of the texts that share the most trigrams with a text in small letters.

    They are at most ``limit``, sorted; of each text, only what is before a NUL is compared. The
    number of shared trigrams is divided by the sum of the lengths.
    """
    all_bytes, all_ends = np.asarray(content), np.asarray(ends)
    sought = np.zeros(1 << 16, np.bool_)
    for n in range(len(text) - 2):
        sought[_trigram(*text[n : n + 3])] = True
    numbers, scores = np.empty(0, np.int64), np.empty(0)
    for start in range(0, len(all_ends) - 1, _BATCH):
        bounds = all_ends[start : start + _BATCH + 1]
        counts = np.empty(len(bounds) - 1, np.int64)
        _count_trigrams(all_bytes, bounds, sought, counts)
        found = np.flatnonzero(counts)
        numbers = np.concatenate((numbers, found + start))
        scores = np.concatenate((scores, counts[found] / (np.diff(bounds)[found] + len(text))))
        best = np.sort(np.argsort(-scores, kind="stable")[:limit])
        numbers, scores = numbers[best], scores[best]
    forget_pages()
    return numbers.tolist()


def _trigram(a: int, b: int, c: int) -> int:
    """Return a number of 16 bits for three bytes."""
    return (a * 7919 + b * 263 + c) & 0xFFFF


@kernel
def _count_trigrams(content: Bytes, ends: Positions, sought: Flags, counts: Positions) -> None:
    """Count the trigrams of each name that are sought, in small letters."""
    for n in range(counts.size):
        counts[n] = a = b = 0
        for at in range(ends[n], ends[n + 1]):
            c = int(content[at])
            if c == 0:
                break
            c += 32 * (65 <= c <= 90)
            if a and sought[_trigram(a, b, c)]:
                counts[n] += 1
            a, b = b, c
