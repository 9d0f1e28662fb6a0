"""Search for the rows that share the highest number of keys with a row, in machine code.

This is a set similarity search; ``postings`` defines rows and keys.

- It reads the lists of rows of the keys, from the rarest key on, since a row that shares t of n
  keys shares at least one of the n - t + 1 rarest keys (prefix filtering: Chaudhuri, Ganti and
  Kaushik 2006; Bayardo, Ma and Srikant 2007).
- It first counts the rare keys that each row shares (ScanCount: Li, Lu and Lu 2008).
- The rows of the most frequent keys, such as a sex or an occupation, are in bitmaps. They are
  looked up only if the row can still be among the best; the rows of a word of a bitmap are compared
  at once.
- It ends when no later row can equal the k best candidates (Xiao, Wang, Lin and Shang 2009).
"""

from typing import Annotated, TypeAlias

import numpy as np
import numpy.typing as npt

from kgbuild.native.kernel import kernel
from kgbuild.store.arrays import Numbers, Positions

Bits: TypeAlias = npt.NDArray[np.uint64]
Words: TypeAlias = npt.NDArray[np.uint64]

_RARER, _EQUAL, _AHEAD = range(3)
"""The rows of ``counts``, which count candidates for each overlap.

They count the candidates whose rarest key is rarer than the current key, those whose rarest key is
as frequent as the current key, and those that rank before a new row.
"""


@kernel
def set_bits(bits: Bits, rows: Numbers) -> None:
    """Set the bits of these rows."""
    for row in rows:
        bits[row >> 6] |= np.uint64(1) << np.uint64(row & 63)


@kernel
def search(
    own: int,
    keys: Numbers,
    classes: Numbers,
    row_ends: Positions,
    row_keys: Numbers,
    key_ends: Positions,
    key_rows: Numbers,
    k: int,
    min_overlap: int,
    common: int,
    first_common: int,
    first_common_class: int,
    base: int,
    bits: Annotated[Bits, 2],
    levels: Words,
    shared: Numbers,
    counts: Annotated[Positions, 2],
    candidates: Annotated[Positions, 2],
) -> int:
    """Write candidates, among them the ``k`` best rows other than ``own``; return their number.

    A candidate shares at least ``min_overlap`` of the keys, and one of the classes. The keys from
    the index ``first_common`` on, and the classes from ``first_common_class`` on, have bitmaps in
    ``bits``; the first bitmap belongs to the key ``common``. ``levels`` is an array of a number for
    each key, for intermediate results. All numbers of ``shared``, one for each row, are below
    ``base``; the search adds at most the number of keys to it. ``counts`` is an array of zeros. A
    candidate is written as (row, overlap, number of rows of its rarest key).
    """
    # From here on, shared[row] is base + the number of rare keys that a row shares; it becomes base
    # when the row is examined. It is below base for other rows.
    for n in range(first_common):
        for at in range(key_ends[keys[n]], key_ends[keys[n] + 1]):
            row = key_rows[at]
            shared[row] = max(shared[row], base) + 1
    count = size = row = 0
    for n in range(keys.size):
        highest = keys.size - n  # the highest overlap of a row that was not visited before
        start, end = key_ends[keys[n]], key_ends[keys[n] + 1]
        if end - start != size:
            size = end - start
            _move_equal(counts)
        _count_ahead(counts)
        need = _needed(counts, min_overlap, highest, k)
        is_rare = n < first_common
        after = max(n + 1, first_common)
        has_words = not is_rare and size > bits.shape[1]
        at, end = (0, bits.shape[1]) if has_words else (start, end)
        rest = np.uint64(0)  # the rows of the word that are not examined yet
        while need <= highest:
            if rest:
                is_row = rest & np.uint64(1)
                rest >>= np.uint64(1)
                row += 1
                if not is_row:
                    continue
            elif at == end:
                break
            elif has_words:
                rest = _matching(bits, keys, n, common, highest - need, at, levels)
                row = (at << 6) - 1
                at += 1
                continue
            else:
                row = key_rows[at]
                at += 1
            overlap = shared[row] - base if is_rare else 1
            if overlap <= 0 or overlap + keys.size - after < need:
                continue
            overlap += _count_common(bits, keys, after, common, row, need - overlap)
            if overlap < need or (shared[row] >= base and not is_rare):
                continue
            shared[row] = base
            if row == own:
                continue
            first, last = row_ends[row], row_ends[row + 1]
            if not _count_common(
                bits, classes, first_common_class, common, row, 1
            ) and not _count_shared(classes, 0, first_common_class, row_keys, first, last):
                continue
            candidates[count, 0] = row
            candidates[count, 1] = overlap
            candidates[count, 2] = size
            count += 1
            counts[_EQUAL, overlap] += 1
            for lower in range(overlap + 1):  # later rows rank after it
                counts[_AHEAD, lower] += 1
            need = _needed(counts, need, highest, k)
        if need > highest:
            break
    return count


def _matching(
    bits: Bits, keys: Numbers, n: int, common: int, misses: int, word: int, levels: Words
) -> np.uint64:
    """Return the rows of a word of the bitmaps that have key n and most of the later keys.

    They miss at most ``misses`` of them. ``levels[t]`` has the rows that miss at most t so far.
    """
    rows: np.uint64 = bits[keys[n] - common, word]
    for level in range(misses + 1):
        levels[level] = rows
    for later in range(n + 1, keys.size):
        rows = bits[keys[later] - common, word]
        for level in range(misses, 0, -1):
            levels[level] = levels[level - 1] | levels[level] & rows
        levels[0] &= rows
        if levels[misses] == 0:
            break
    matching: np.uint64 = levels[misses]
    return matching


def _move_equal(counts: Positions) -> None:
    """Add the counts of _EQUAL to _RARER, since the next key is more frequent."""
    for overlap in range(counts.shape[1]):
        counts[_RARER, overlap] += counts[_EQUAL, overlap]
        counts[_EQUAL, overlap] = 0


def _count_ahead(counts: Positions) -> None:
    """Count, for each overlap, the candidates that rank before a new row with this overlap.

    They have a higher overlap, or the same overlap and a rarer rarest key.
    """
    last = counts.shape[1] - 1  # an overlap that is higher than the number of keys
    counts[_AHEAD, last] = 0
    for overlap in range(last - 1, -1, -1):
        higher = counts[_AHEAD, overlap + 1] + counts[_EQUAL, overlap + 1]
        counts[_AHEAD, overlap] = higher + counts[_RARER, overlap]


def _needed(counts: Positions, min_overlap: int, highest: int, k: int) -> int:
    """Return the lowest overlap, from ``min_overlap`` on, of a row that can be among the best."""
    need = min_overlap
    while need <= highest and counts[_AHEAD, need] >= k:
        need += 1
    return need


def _count_common(bits: Bits, keys: Numbers, first: int, common: int, row: int, least: int) -> int:
    """Return the number of common keys, from the index ``first`` on, that a row has.

    Numbers below ``least`` may be too low.
    """
    count = 0
    word, bit = row >> 6, np.uint64(row & 63)
    for n in range(first, keys.size):
        if count + keys.size - n < least:
            break
        count += (bits[keys[n] - common, word] >> bit & np.uint64(1)) != 0
    return count


def _count_shared(
    keys: Numbers, first: int, end_of_keys: int, row_keys: Numbers, start: int, end: int
) -> int:
    """Return the number of keys, from ``first`` to ``end_of_keys``, that a row has in its list."""
    count = 0
    while first < end_of_keys and start < end:
        key, row_key = keys[first], row_keys[start]
        count += key == row_key
        first += key <= row_key
        start += row_key <= key
    return count
