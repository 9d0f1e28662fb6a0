"""Search for the items that share the highest number of property values with an item.

The similarity of two items is the number of (property, value) pairs that both have, with values
that are items (Syn-(QA)2, section 2.1). ``property_overlap.rq`` is the definition; the algorithm
is exact. A pair is a *key* of the index, and an item a *row* (see ``postings``). It is a set
similarity search in machine code:

- It reads the lists of rows of the keys, from the rarest key on, since a row that shares t of n
  keys shares at least one of the n - t + 1 rarest keys (prefix filtering: Chaudhuri, Ganti and
  Kaushik 2006; Bayardo, Ma and Srikant 2007).
- It first counts the rare keys that each row shares (ScanCount: Li, Lu and Lu 2008).
- The rows of the most frequent keys, such as a sex or an occupation, are in bitmaps. They are
  looked up only if the row can still be among the best; the rows of a word of a bitmap are compared
  at once.
- It ends when no later row can equal the k best candidates (Xiao, Wang, Lin and Shang 2009).
"""

import functools
import os
import threading
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Annotated, NamedTuple

import numpy as np

from kgbuild import wikidata
from kgbuild.dump.scanning import rules
from kgbuild.native.arrays import Flags, Numbers, Positions, Words
from kgbuild.native.kernel import kernel
from kgbuild.store.postings import Postings

_CLASS = "P31"
_COMMON = 256
"""A key is common if at least 1 / _COMMON of all rows have it. Common keys have bitmaps.

More bitmaps save lookups, but the bitmap of the rarest common key takes eight times as much memory
as the list of its rows.
"""
_MAX_BASE = 2**30
"""Maximum number to which searches count before they begin again."""
_CACHE_SIZE = 1 << 12
"""Number of results that are kept: an item is the subject of statements of several relations."""
_MOST_KEYS = 1 << 15
"""Maximum number of items whose keys are kept in memory."""
_NONE = np.empty((0, 3), np.int64)
_RARER, _EQUAL, _AHEAD = range(3)
"""The rows of ``counts``, which count candidates for each overlap.

They count the candidates whose rarest key is rarer than the current key, those whose rarest key is
as frequent as the current key, and those that rank before a new row.
"""


class Neighbour(NamedTuple):
    """An item that is similar to another item.

    ``overlap`` is the number of shared pairs; ``rarest`` is the number of items that have the
    rarest shared pair.
    """

    qid: str
    overlap: int
    rarest: int


class Similarity:
    """Searches for similar items in a store. Threads may share it.

    ``ranked_before`` is ``ranked``, but keeps its last results. ``keys`` returns the keys of an
    item that belong to one of some properties, the rarest first; it is cached.
    """

    def __init__(self, postings: Postings):
        self._index = postings
        sizes = postings.key_ends[1:] - postings.key_ends[:-1]
        self._first_common = int(np.searchsorted(sizes * _COMMON, len(postings.items)))
        words = (len(postings.items) + 63) // 64
        # Zeros take no memory before they are overwritten, and few bitmaps are needed.
        self._bits = np.zeros((len(sizes) - self._first_common, words), np.uint64)
        self._is_filled = np.zeros(len(self._bits), np.bool_)
        self._fill_lock = threading.Lock()
        self._thread = threading.local()
        self.ranked_before = functools.lru_cache(_CACHE_SIZE)(self.ranked)
        self.keys = functools.lru_cache(_MOST_KEYS)(self._read_keys)

    def most_similar(
        self, qid: str, properties: Iterable[str], k: int, min_overlap: int = 1
    ) -> list[Neighbour]:
        """Return at most ``k`` similar items of the same class, the most similar first.

        They share at least ``min_overlap`` values of the properties. Items are of the same class if
        they share a value of P31. Equal overlaps are ordered by the rarest shared value, then by
        id.
        """
        ranked = self.ranked(qid, properties, k, min_overlap).tolist()
        return [Neighbour(f"Q{self._index.items[row]}", *numbers) for row, *numbers in ranked]

    def ranked(
        self, qid: str, properties: Iterable[str], k: int, min_overlap: int = 1
    ) -> Positions:
        """Return ``most_similar`` as an array of (row, overlap, row count of the rarest key)."""
        index, row = self._index, self._index.row(qid)
        keys, classes = self.keys(qid, tuple(properties)), self.keys(qid, (_CLASS,))
        if row is None or len(keys) < min_overlap:
            return _NONE
        first_common, first_common_class = map(self._fill_bitmaps, (keys, classes))
        shared, candidates, base = self._next_search(len(keys))
        counts = np.zeros((3, len(keys) + 2), np.int64)
        levels = np.empty(len(keys) + 1, np.uint64)
        lists = (index.row_ends, index.row_keys, index.key_ends, index.key_rows)
        bounds = (k, max(min_overlap, 1), self._first_common, first_common, first_common_class)
        found = (levels, shared, counts, candidates)
        count = _search(row, keys, classes, *lists, *bounds, base, self._bits, *found)
        rows, overlaps, rarest = candidates[:count].T
        best: Positions = candidates[np.lexsort((rows, rarest, -overlaps))[:k]]
        return best

    def most_similar_to_each(
        self, qids: Sequence[str], properties: Sequence[str], k: int, min_overlap: int = 1
    ) -> list[list[Neighbour]]:
        """Return the result of ``most_similar`` for each item, computed on all cores."""
        search = functools.partial(
            self.most_similar, properties=properties, k=k, min_overlap=min_overlap
        )
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            return [*pool.map(search, qids)]

    def of_class(self, qid: str, k: int) -> Numbers:
        """Return about ``k`` rows of items of the same class, at equal distances, sorted.

        Where they begin depends on the item, so others of the class get others.
        """
        index, row, parts = self._index, self._index.row(qid), [self._index.key_rows[:0]]
        for key in self.keys(qid, (_CLASS,)).tolist():
            rows = index.rows(key)
            step = max(1, len(rows) // k)
            parts.append(rows[(row or 0) % step :: step])
        return np.unique(np.concatenate(parts))

    def among(self, qid: str, properties: tuple[str, ...], rows: Positions) -> Positions:
        """Return which of some rows are similar to an item, as ``ranked`` does.

        Items that share only their class are among them; their last number is 0.
        """
        if not len(rows):
            return _NONE
        index, own = self._index, self._index.row(qid)
        similar = np.empty((len(rows), 3), np.int64)
        classes, keys = self.keys(qid, (_CLASS,)), self.keys(qid, properties)
        of_index = (index.row_ends, index.row_keys, index.key_ends)
        excluded = -1 if own is None else own
        count = _count_shared_by_each(similar, rows, excluded, classes, keys, *of_index)
        similar = similar[:count]
        rows, overlaps, rarest = similar.T
        best: Positions = similar[np.lexsort((rows, rarest, -overlaps))]
        return best

    def _read_keys(self, qid: str, properties: tuple[str, ...]) -> Numbers:
        index, row = self._index, self._index.row(qid)
        keys = index.row_keys[:0] if row is None else index.keys(row)
        selected: Numbers = keys[_flags(properties)[index.properties[keys]]]
        return selected

    def shared_values(self, a: str, b: str, properties: Iterable[str]) -> list[tuple[str, str]]:
        """Return each (property, value) that two items share, the rarest first, then by id."""
        first, second = (self.keys(qid, tuple(properties)).tolist() for qid in (a, b))
        index, shared = self._index, {*first}.intersection(second)
        return [
            (f"P{index.properties[key]}", f"Q{index.values[key]}") for key in first if key in shared
        ]

    def _fill_bitmaps(self, keys: Numbers) -> int:
        """Fill the bitmaps of those keys that are common; return the index of the first one."""
        first = int(keys.searchsorted(np.int32(self._first_common)))
        indexes = keys[first:] - self._first_common
        if not self._is_filled[indexes].all():
            with self._fill_lock:
                for n in indexes[~self._is_filled[indexes]].tolist():
                    rows = self._index.rows(self._first_common + n)
                    _set_bits(self._bits[n], rows)
                    self._is_filled[n] = True
        return first

    def _next_search(self, keys: int) -> tuple[Numbers, Positions, int]:
        """Return the arrays of ``search`` for shared keys and for candidates, and its base.

        Each thread has its own arrays. ``keys`` is the number of keys of the search.
        """
        thread, size = self._thread, len(self._index.items)
        if not hasattr(thread, "shared") or thread.base + keys > _MAX_BASE:
            thread.shared = np.zeros(size, np.int32)
            # Empty arrays take no memory before they are overwritten, and few rows are candidates.
            thread.candidates = np.empty((size, 3), np.int64)
            thread.base = 1
        base = thread.base
        thread.base += keys + 1
        return thread.shared, thread.candidates, base


@functools.cache
def _flags(pids: Sequence[str]) -> Flags:
    """Return whether each number of a property is that of one of some properties."""
    flags = np.zeros(rules.PROPERTIES, np.bool_)
    flags[[*map(wikidata.number, pids)]] = True
    return flags


@kernel
def _set_bits(bits: Words, rows: Numbers) -> None:
    for row in rows:
        bits[row >> 6] |= np.uint64(1) << np.uint64(row & 63)


@kernel
def _search(
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
    bits: Annotated[Words, 2],
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
            ) and not _has_one(classes[:first_common_class], row_keys, first, last):
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


@kernel
def _count_shared_by_each(
    similar: Annotated[Positions, 2],
    rows: Positions,
    own: int,
    classes: Numbers,
    keys: Numbers,
    row_ends: Positions,
    row_keys: Numbers,
    key_ends: Positions,
) -> int:
    """Write the rows other than ``own`` with one of the classes; return how many there are.

    Each is written as (row, number of keys that it has, number of rows of the first such key).
    """
    count = 0
    for row in rows:
        start, end = row_ends[row], row_ends[row + 1]
        if row == own or not _has_one(classes, row_keys, start, end):
            continue
        overlap = rarest = place = 0
        while place < keys.size and start < end:
            key, row_key = keys[place], row_keys[start]
            if key == row_key:
                if overlap == 0:
                    rarest = key_ends[key + 1] - key_ends[key]
                overlap += 1
            place += key <= row_key
            start += row_key <= key
        similar[count, 0], similar[count, 1], similar[count, 2] = row, overlap, rarest
        count += 1
    return count


def _matching(
    bits: Words, keys: Numbers, n: int, common: int, misses: int, word: int, levels: Words
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


def _count_common(bits: Words, keys: Numbers, first: int, common: int, row: int, least: int) -> int:
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


def _has_one(keys: Numbers, row_keys: Numbers, start: int, end: int) -> bool:
    """Return whether a row has one of a few keys in its list."""
    for key in keys:
        low, high = start, end
        while low < high:
            middle = (low + high) >> 1
            if row_keys[middle] < key:
                low = middle + 1
            else:
                high = middle
        if low < end and row_keys[low] == key:
            return True
    return False
