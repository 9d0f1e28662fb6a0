"""Search for the items that share the highest number of property values with an item.

The similarity of two items is the number of (property, value) pairs that both have, with values
that are items (Syn-(QA)2, section 2.1). ``property_overlap.rq`` is the definition;
``similarity_search`` has the algorithm, which is exact. A pair is a *key* of the index, and an item
a *row* (see ``postings``).
"""

import functools
import os
import threading
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from kgbuild import wikidata
from kgbuild.dump import rules
from kgbuild.graph import similarity_search
from kgbuild.store.arrays import Flags, Numbers, Positions
from kgbuild.store.postings import Postings

_INSTANCE_OF = wikidata.number("P31")
_COMMON = 256
"""A key is common if at least 1 / _COMMON of all rows have it. Common keys have bitmaps.

More bitmaps save lookups, but the bitmap of the rarest common key takes eight times as much memory
as the list of its rows.
"""
_MAX_BASE = 2**30
"""Maximum number to which searches count before they begin again."""
_CACHE_SIZE = 1 << 12
"""Number of results that are kept: an item is the subject of statements of several relations."""
_THREADS = os.cpu_count() or 1


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

    ``ranked_before`` is ``ranked``, but keeps its last results.
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

    def most_similar(
        self, qid: str, properties: Iterable[str], k: int, min_overlap: int = 1
    ) -> list[Neighbour]:
        """Return at most ``k`` similar items of the same class, the most similar first.

        They share at least ``min_overlap`` values of the properties. Items are of the same class if
        they share a value of P31. Equal overlaps are ordered by the rarest shared value, then by
        id.
        """
        return [*self.neighbours(self.ranked(qid, properties, k, min_overlap))]

    def neighbours(self, ranked: Positions) -> Iterator[Neighbour]:
        """Yield the neighbours in an array that ``ranked`` returned."""
        for qid, (_, overlap, size) in zip(self.qids(ranked), ranked.tolist(), strict=True):
            yield Neighbour(qid, overlap, size)

    def qids(self, ranked: Positions) -> list[str]:
        """Return the ids of the items in an array that ``ranked`` returned."""
        return [f"Q{item}" for item in self._index.items[ranked[:, 0]].tolist()]

    def ranked(
        self, qid: str, properties: Iterable[str], k: int, min_overlap: int = 1
    ) -> Positions:
        """Return ``most_similar`` as an array of (row, overlap, row count of the rarest key)."""
        row = self._index.row(qid)
        if row is None:
            return np.empty((0, 3), np.int64)
        index, row_keys = self._index, self._index.keys(row)
        keys = self._of_properties(row_keys, properties)
        if len(keys) < min_overlap:
            return np.empty((0, 3), np.int64)
        classes = row_keys[index.properties[row_keys] == _INSTANCE_OF]
        first_common, first_common_class = map(self._fill_bitmaps, (keys, classes))
        shared, candidates, base = self._next_search(len(keys))
        counts = np.zeros((3, len(keys) + 2), np.int64)
        levels = np.empty(len(keys) + 1, np.uint64)
        lists = (index.row_ends, index.row_keys, index.key_ends, index.key_rows)
        bounds = (k, max(min_overlap, 1), self._first_common, first_common, first_common_class)
        count = similarity_search.search(
            row,
            keys,
            classes,
            *lists,
            *bounds,
            base,
            self._bits,
            levels,
            shared,
            counts,
            candidates,
        )
        rows, overlaps, rarest = candidates[:count].T
        best: Positions = candidates[np.lexsort((rows, rarest, -overlaps))[:k]]
        return best

    def most_similar_to_each(
        self, qids: Sequence[str], properties: Sequence[str], k: int, min_overlap: int = 1
    ) -> list[list[Neighbour]]:
        """Return the result of ``most_similar`` for each item, computed on all cores."""

        def part(first: int) -> list[list[Neighbour]]:
            items = qids[first::_THREADS]
            return [self.most_similar(qid, properties, k, min_overlap) for qid in items]

        neighbours: list[list[Neighbour]] = [[]] * len(qids)
        with ThreadPoolExecutor(_THREADS) as pool:
            for first, results in enumerate(pool.map(part, range(_THREADS))):
                neighbours[first::_THREADS] = results
        return neighbours

    def shared_values(self, a: str, b: str, properties: Iterable[str]) -> list[tuple[str, str]]:
        """Return each (property, value) that two items share, the rarest first, then by id."""
        index, rows = self._index, (self._index.row(a), self._index.row(b))
        if rows[0] is None or rows[1] is None:
            return []
        keys = np.intersect1d(index.keys(rows[0]), index.keys(rows[1]), assume_unique=True)
        return [
            (f"P{index.properties[key]}", f"Q{index.values[key]}")
            for key in self._of_properties(keys, properties).tolist()
        ]

    def _of_properties(self, keys: Numbers, properties: Iterable[str]) -> Numbers:
        """Return the keys that belong to one of the properties."""
        are_chosen = _flags(tuple(properties))
        selected: Numbers = keys[are_chosen[self._index.properties[keys]]]
        return selected

    def _fill_bitmaps(self, keys: Numbers) -> int:
        """Fill the bitmaps of those keys that are common; return the index of the first one."""
        first = int(keys.searchsorted(np.int32(self._first_common)))
        indexes = keys[first:] - self._first_common
        if not self._is_filled[indexes].all():
            with self._fill_lock:
                for n in indexes[~self._is_filled[indexes]].tolist():
                    rows = self._index.rows(self._first_common + n)
                    similarity_search.set_bits(self._bits[n], rows)
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
