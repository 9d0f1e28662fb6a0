"""Search for the items that share most property values with an item: an exact search.

The similarity of two items is the number of (property, value) pairs that both have, with values
that are items (Syn-(QA)2, section 2.1). ``property_overlap.rq`` is the definition;
``similarity_search`` has the search itself. A pair is a *key* of the index (see ``postings``).
"""

import os
import threading
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from kgbuild import wikidata
from kgbuild.graph import similarity_search
from kgbuild.store.postings import Numbers, Places, Postings

_INSTANCE_OF = wikidata.number("P31")
_COMMON = 256
"""A key is common, and has a bitmap, if at least one in this many rows has it.

More bitmaps save lookups. A bitmap takes eight times as much memory as the list of the rarest
common key.
"""
_THREADS = os.cpu_count() or 1


class Neighbour(NamedTuple):
    """An item that is similar to another one.

    ``overlap`` is the number of shared (property, value) pairs; ``rarest`` is the number of items
    that have the rarest of them.
    """

    qid: str
    overlap: int
    rarest: int


class Similarity:
    """Searches for similar items in a store. Threads may share it."""

    def __init__(self, postings: Postings):
        self._index = postings
        sizes = postings.key_ends[1:] - postings.key_ends[:-1]
        self._common = int(np.searchsorted(sizes * _COMMON, len(postings.items)))
        words = (len(postings.items) + 63) // 64
        # Zeros take no memory before they are written to, and few bitmaps are needed.
        self._bits = np.zeros((len(sizes) - self._common, words), np.uint64)
        self._is_drawn = np.zeros(len(self._bits), np.bool_)
        self._draw_lock = threading.Lock()
        self._thread = threading.local()

    def most_similar(
        self, qid: str, properties: Iterable[str], k: int, min_overlap: int = 1
    ) -> list[Neighbour]:
        """Return up to ``k`` items of the same class that share most values of the properties.

        They share at least ``min_overlap`` values. Items are of the same class if they share a
        value of P31. Ties are ordered by the rarest shared value, then by id.
        """
        return [*self.neighbours(self.ranked(qid, properties, k, min_overlap))]

    def neighbours(self, ranked: Places) -> Iterator[Neighbour]:
        """Yield the items of rows that ``ranked`` returns."""
        for qid, (_, overlap, size) in zip(self.qids(ranked), ranked.tolist(), strict=True):
            yield Neighbour(qid, overlap, size)

    def qids(self, ranked: Places) -> list[str]:
        """Return the ids of the items of rows that ``ranked`` returns."""
        return [f"Q{item}" for item in self._index.items[ranked[:, 0]].tolist()]

    def ranked(self, qid: str, properties: Iterable[str], k: int, min_overlap: int = 1) -> Places:
        """Return ``most_similar`` as an array of (row, overlap, size of the rarest key)."""
        row = self._index.row(qid)
        if row is None:
            return np.empty((0, 3), np.int64)
        index, row_keys = self._index, self._index.keys(row)
        keys = self._of_properties(row_keys, properties)
        classes = row_keys[index.properties[row_keys] == _INSTANCE_OF]
        self._draw(keys)
        visited, search = self._next_search()
        visited[row] = search
        holders = int((index.key_ends[keys + 1] - index.key_ends[keys]).sum())
        # Empty arrays take no memory before they are written to, and few rows are candidates.
        candidates = np.empty((min(len(index.items), holders), 3), np.int64)
        counts = np.zeros((3, len(keys) + 2), np.int64)
        first_drawn = int(np.searchsorted(keys, self._common))
        lists = (index.row_ends, index.row_keys, index.key_ends, index.key_rows)
        bounds = (k, max(min_overlap, 1), self._common, first_drawn, search)
        count = similarity_search.search(
            keys, classes, *lists, *bounds, self._bits, visited, counts, candidates
        )
        rows, overlaps, rarest = candidates[:count].T
        best: Places = candidates[np.lexsort((rows, rarest, -overlaps))[:k]]
        return best

    def most_similar_to_each(
        self, qids: Sequence[str], properties: Sequence[str], k: int, min_overlap: int = 1
    ) -> list[list[Neighbour]]:
        """Return what ``most_similar`` returns for each of many items, on all cores."""

        def part(first: int) -> list[list[Neighbour]]:
            items = qids[first::_THREADS]
            return [self.most_similar(qid, properties, k, min_overlap) for qid in items]

        neighbours: list[list[Neighbour]] = [[]] * len(qids)
        with ThreadPoolExecutor(_THREADS) as pool:
            for first, results in enumerate(pool.map(part, range(_THREADS))):
                neighbours[first::_THREADS] = results
        return neighbours

    def shared_values(self, a: str, b: str, properties: Iterable[str]) -> list[tuple[str, str]]:
        """Return the (property, value) that two items share, the rarest first, ties by id."""
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
        numbers = np.array([[wikidata.number(pid)] for pid in properties], np.int32).reshape(-1, 1)
        chosen: Numbers = keys[(self._index.properties[keys] == numbers).any(axis=0)]
        return chosen

    def _draw(self, keys: Numbers) -> None:
        """Fill the bitmaps of the common keys among these, unless they are filled already."""
        indexes = keys[keys >= self._common] - self._common
        if self._is_drawn[indexes].all():
            return
        with self._draw_lock:
            for n in indexes[~self._is_drawn[indexes]].tolist():
                similarity_search.draw(self._bits[n], self._index.rows(self._common + n))
                self._is_drawn[n] = True

    def _next_search(self) -> tuple[Numbers, int]:
        """Return this thread's array of the last search that visited each row, and a new number."""
        if not hasattr(self._thread, "visited"):
            self._thread.visited = np.zeros(len(self._index.items), np.int32)
            self._thread.search = 0
        self._thread.search += 1
        return self._thread.visited, self._thread.search
