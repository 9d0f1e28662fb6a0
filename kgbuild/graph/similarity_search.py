"""Search for the rows that share most keys with a row, in machine code.

This is a set similarity search. It reads the lists of holders from the rarest key on, since a row
that shares t of n keys shares one of the n - t + 1 rarest (prefix filtering: Chaudhuri, Ganti and
Kaushik 2006; Bayardo, Ma and Srikant 2007). It looks the commoner keys up in the list of the row,
not in the lists of holders (MergeOpt: Sarawagi and Kirpal 2004), and only if the row can still be
among the best. The holders of the commonest keys, such as a sex or an occupation, are in bitmaps,
which stay in the cache of the processor; the list of a row does not. The search ends when no later
row can equal the k best candidates (Xiao, Wang, Lin and Shang 2009).
"""

from typing import Annotated, TypeAlias

import numpy as np
import numpy.typing as npt

from kgbuild.native.kernel import kernel
from kgbuild.store.postings import Numbers, Positions

Bits: TypeAlias = npt.NDArray[np.uint64]

_RARER, _ALIKE, _AHEAD = range(3)
"""The rows of ``counts``. They count, for each overlap, the candidates whose rarest key is rarer
than the current one, those whose rarest key is as rare, and all that rank before a new row."""


@kernel
def draw(bits: Bits, rows: Numbers) -> None:
    """Set the bits of these rows."""
    for row in rows:
        bits[row >> 6] |= np.uint64(1) << np.uint64(row & 63)


@kernel
def search(
    keys: Numbers,
    classes: Numbers,
    row_ends: Positions,
    row_keys: Numbers,
    key_ends: Positions,
    key_rows: Numbers,
    k: int,
    least: int,
    common: int,
    first_drawn: int,
    number: int,
    bits: Annotated[Bits, 2],
    visited: Numbers,
    counts: Annotated[Positions, 2],
    candidates: Annotated[Positions, 2],
) -> int:
    """Find candidates, among them the ``k`` best rows, and return how many there are.

    A candidate shares at least ``least`` of the keys, and one of the classes. The keys from the
    index ``first_drawn`` on have bitmaps; the first bitmap is of the key ``common``. ``visited``
    has for each row the number of the last search that visited it; this search is ``number``.
    ``counts`` start as zeros. Each candidate is written as (row, overlap, size of its rarest key).
    """
    count = size = 0
    for n in range(keys.size):
        highest = keys.size - n  # the highest overlap of a row that was not visited before
        start, end = key_ends[keys[n]], key_ends[keys[n] + 1]
        if end - start != size:
            size = end - start
            _pass_on(counts)
        _count_ahead(counts)
        need = _needed(counts, least, highest, k)
        after = max(n + 1, first_drawn)
        for place in range(start, end):
            if need > highest:
                break
            row = key_rows[place]
            can = after - n + _drawn(bits, keys, after, common, row)
            if can < need or visited[row] == number:
                continue
            visited[row] = number
            overlap = 1 + _shared(keys, n + 1, row_keys, row_ends[row], row_ends[row + 1])
            if overlap < need or not _shared(
                classes, 0, row_keys, row_ends[row], row_ends[row + 1]
            ):
                continue
            candidates[count, 0] = row
            candidates[count, 1] = overlap
            candidates[count, 2] = size
            count += 1
            counts[_ALIKE, overlap] += 1
            for lower in range(
                overlap + 1
            ):  # the next rows come later in the order, so they rank after it
                counts[_AHEAD, lower] += 1
            need = _needed(counts, need, highest, k)
        if need > highest:
            break
    return count


def _pass_on(counts: Positions) -> None:
    """Move the counts from _ALIKE to _RARER when the search goes on to a more frequent key."""
    for overlap in range(counts.shape[1]):
        counts[_RARER, overlap] += counts[_ALIKE, overlap]
        counts[_ALIKE, overlap] = 0


def _count_ahead(counts: Positions) -> None:
    """Count, for each overlap, the candidates that rank before a new row with this overlap.

    They have a higher overlap, or the same one and a rarer rarest key.
    """
    last = counts.shape[1] - 1  # more than the number of keys
    counts[_AHEAD, last] = 0
    for overlap in range(last - 1, -1, -1):
        higher = counts[_AHEAD, overlap + 1] + counts[_ALIKE, overlap + 1]
        counts[_AHEAD, overlap] = higher + counts[_RARER, overlap]


def _needed(counts: Positions, least: int, highest: int, k: int) -> int:
    """Return the minimum overlap, at least ``least``, of a row that can be among the ``k`` best."""
    need = least
    while need <= highest and counts[_AHEAD, need] >= k:
        need += 1
    return need


def _drawn(bits: Bits, keys: Numbers, first: int, common: int, row: int) -> int:
    """Return how many of the keys from the index ``first`` on a row has, by their bitmaps."""
    count = 0
    word, bit = row >> 6, np.uint64(row & 63)
    for n in range(first, keys.size):
        count += (bits[keys[n] - common, word] >> bit & np.uint64(1)) != 0
    return count


def _shared(keys: Numbers, first: int, row_keys: Numbers, start: int, end: int) -> int:
    """Return how many of the keys from the index ``first`` on are among the keys of a row."""
    count = 0
    while first < keys.size and start < end:
        key, of_row = keys[first], row_keys[start]
        count += key == of_row
        first += key <= of_row
        start += of_row <= key
    return count
