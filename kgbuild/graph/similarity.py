"""Similarity by shared property values: exact, without counting what cannot matter.

Two items are as alike as the number of (property, value) that both have, with values that
are items (Syn-(QA)2, section 2.1). ``property_overlap.rq`` is the definition.

The search is one of set similarity. The lists of holders are read from the rarest value on,
since an item that shares t of n values shares one of the n - t + 1 rarest (prefix filtering:
Chaudhuri, Ganti and Kaushik 2006; Bayardo, Ma and Srikant 2007). How many of the commoner
ones it shares is looked up in its own list, not counted in theirs (MergeOpt: Sarawagi and
Kirpal 2004), and only if it can be among the best even so: who has the commonest values, as
a sex or an occupation, stands in bitmaps that are small enough to stay in the processor's
cache, where an item's list is somewhere in memory. The search ends when k items are found
that nothing met later can equal (Xiao, Wang, Lin and Shang 2009).
"""

import os
import threading
from collections.abc import Collection, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Annotated, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from kgbuild import wikidata
from kgbuild.native.kernel import kernel
from kgbuild.store.postings import Numbers, Places, Postings

_INSTANCE_OF = wikidata.number("P31")
_COMMON = 256
"""A key is common, and has a bitmap, if one row of so many has it, or more do.

With more bitmaps fewer items are looked up in vain; one takes eight times as much memory as
the list of the rarest of the common keys.
"""
_THREADS = os.cpu_count() or 1

Bits: TypeAlias = npt.NDArray[np.uint64]


class Neighbour(NamedTuple):
    """An item like another one.

    ``overlap`` counts the shared (property, value), ``rarest`` the items that have the
    rarest of them.
    """

    qid: str
    overlap: int
    rarest: int


class Similarity:
    """Finds the items like an item. Threads may share it."""

    def __init__(self, postings: Postings):
        self._index = postings
        sizes = postings.key_ends[1:] - postings.key_ends[:-1]
        self._common = int(np.searchsorted(sizes * _COMMON, len(postings.items)))
        words = (len(postings.items) + 63) // 64
        # Zeros take no memory before they are written to: few of the bitmaps are ever needed.
        self._bits = np.zeros((len(sizes) - self._common, words), np.uint64)
        self._drawn = np.zeros(len(self._bits), np.bool_)
        self._drawing = threading.Lock()
        self._own = threading.local()

    def most_similar(
        self,
        qid: str,
        properties: Iterable[str],
        most: int,
        min_overlap: int = 1,
        but: Collection[str] = (),
        classes: Iterable[str] | None = None,
    ) -> list[Neighbour]:
        """Return the ``most`` items of the same class that share most values of properties.

        At least ``min_overlap`` are shared. The same class is a shared direct P31, or one of
        ``classes``, if they are given. Ties are ordered by the rarest shared value, then by id.
        The items of ``but`` are left out.
        """
        me = self._index.row(qid)
        if me is None:
            return []
        index, mine = self._index, self._index.keys(me)
        keys = self._of(mine, properties)
        wanted = mine if classes is None else self._to(classes)
        wanted = wanted[index.properties[wanted] == _INSTANCE_OF]
        self._draw(keys)
        met, search, found = self._searched()
        met[me] = search
        if but:
            met[index.rows_of(but)] = search
        count = _top(
            *(keys, wanted, most, max(min_overlap, 1)),
            *(index.row_ends, index.row_keys, index.key_ends, index.key_rows),
            self._common,
            int(np.searchsorted(keys, self._common)),
            *(self._bits, met, search),
            *(np.zeros((3, len(keys) + 2), np.int64), found),
        )
        rows, overlaps, rarest = found[:, :count]
        best = np.lexsort((rows, rarest, -overlaps))[:most]
        return [
            Neighbour(f"Q{number}", overlap, rare)
            for number, overlap, rare in zip(
                index.items[rows[best]].tolist(),
                overlaps[best].tolist(),
                rarest[best].tolist(),
                strict=True,
            )
        ]

    def most_similar_to_each(
        self,
        qids: Sequence[str],
        properties: Sequence[str],
        most: int,
        min_overlap: int = 1,
        but: Collection[str] = (),
        classes: Collection[str] | None = None,
    ) -> list[list[Neighbour]]:
        """Return what ``most_similar`` returns for each of many items, on all cores."""

        def part(first: int) -> list[list[Neighbour]]:
            return [
                self.most_similar(qid, properties, most, min_overlap, but, classes)
                for qid in qids[first::_THREADS]
            ]

        found: list[list[Neighbour]] = [[]] * len(qids)
        with ThreadPoolExecutor(_THREADS) as pool:
            for first, part_found in enumerate(pool.map(part, range(_THREADS))):
                found[first::_THREADS] = part_found
        return found

    def shared_values(
        self, one: str, other: str, properties: Iterable[str]
    ) -> list[tuple[str, str]]:
        """Return the (property, value) that two items share, the rarest first, ties by id."""
        rows = self._index.row(one), self._index.row(other)
        if rows[0] is None or rows[1] is None:
            return []
        both = np.intersect1d(
            self._index.keys(rows[0]), self._index.keys(rows[1]), assume_unique=True
        )
        index = self._index
        return [
            (f"P{index.properties[key]}", f"Q{index.values[key]}")
            for key in self._of(both, properties).tolist()
        ]

    def _of(self, keys: Numbers, properties: Iterable[str]) -> Numbers:
        """Return those of some keys that are of one of the properties."""
        wanted = np.array([[wikidata.number(pid)] for pid in properties], np.int32).reshape(-1, 1)
        found: Numbers = keys[(self._index.properties[keys] == wanted).any(axis=0)]
        return found

    def _to(self, qids: Iterable[str]) -> Numbers:
        """Return the keys whose value is one of some items, in order."""
        keys = [self._index.keys_to(qid) for qid in qids]
        return np.unique(np.concatenate([np.empty(0, np.int32), *keys]))

    def _draw(self, keys: Numbers) -> None:
        """Make the bitmaps of the common ones of some keys, if they are not made yet."""
        places = keys[keys >= self._common] - self._common
        if self._drawn[places].all():
            return
        with self._drawing:
            for place in places[~self._drawn[places]].tolist():
                _set(self._bits[place], self._index.rows(self._common + place))
                self._drawn[place] = True

    def _searched(self) -> tuple[Numbers, int, Places]:
        """Return what this thread's searches write to, and the number of a new search.

        That is the last search that met each row; and the rows, overlaps and rarest keys of
        what a search finds.
        """
        if not hasattr(self._own, "met"):
            self._own.met = np.zeros(len(self._index.items), np.int32)
            self._own.found = np.empty((3, len(self._index.items)), np.int64)
            self._own.search = 0
        self._own.search += 1
        return self._own.met, self._own.search, self._own.found


@kernel
def _set(bits: Bits, rows: Numbers) -> None:
    """Set the bits of some rows."""
    for row in rows:
        bits[row >> 6] |= np.uint64(1) << np.uint64(row & 63)


def _common(keys: Numbers, first: int, row_keys: Numbers, start: int, end: int) -> int:
    """Return how many of the keys from ``first`` on are among those of a row."""
    count = 0
    while first < keys.size and start < end:
        one, other = keys[first], row_keys[start]
        count += one == other
        first += one <= other
        start += other <= one
    return count


def _count_ahead(rarer: Places, alike: Places, ahead: Places) -> None:
    """Count, for each overlap, how many rows go before any with it that comes now.

    Rows with a higher overlap do, and as high ones whose rarest key is rarer.
    """
    ahead[-1] = 0
    for overlap in range(rarer.size - 2, -1, -1):  # the last one is more than can be shared
        ahead[overlap] = ahead[overlap + 1] + alike[overlap + 1] + rarer[overlap]


@kernel
def _top(
    keys: Numbers,
    classes: Numbers,
    most: int,
    least: int,
    row_ends: Places,
    row_keys: Numbers,
    key_ends: Places,
    key_rows: Numbers,
    common: int,
    drawn: int,
    bits: Annotated[Bits, 2],
    met: Numbers,
    search: int,
    tallies: Annotated[Places, 2],
    found: Annotated[Places, 2],
) -> int:
    """Find rows, among them the best ones, their overlaps and the size of their rarest key.

    The keys from ``common`` on have bitmaps; ``drawn`` is the place of the first of them.
    ``met`` holds, for each row, the last search that met it. ``tallies`` are zeros.

    Returns:
        How many rows were written to ``found``.
    """
    rows, overlaps, rarest = found[0], found[1], found[2]
    count = 0
    # How many were found with each overlap: with a rarest key rarer than this one; as rare.
    rarer, alike, ahead = tallies[0], tallies[1], tallies[2]
    size = 0
    for n in range(keys.size):
        highest = keys.size - n  # what a row not met so far can share
        start, end = key_ends[keys[n]], key_ends[keys[n] + 1]
        if end - start != size:
            for overlap in range(alike.size):
                rarer[overlap] += alike[overlap]
                alike[overlap] = 0
            size = end - start
        _count_ahead(rarer, alike, ahead)
        need = least  # what a row must share to be among the best
        while need <= highest and ahead[need] >= most:
            need += 1
        after = max(n + 1, drawn)
        for place in range(start, end):
            if need > highest:
                break
            row = key_rows[place]
            can = after - n  # what it may share, so far as the bitmaps tell
            word, bit = row >> 6, np.uint64(row & 63)
            for key in keys[after:]:
                can += (bits[key - common, word] >> bit & np.uint64(1)) != 0
            if can < need or met[row] == search:
                continue
            met[row] = search
            overlap = 1 + _common(keys, n + 1, row_keys, row_ends[row], row_ends[row + 1])
            if overlap < need or not _common(
                classes, 0, row_keys, row_ends[row], row_ends[row + 1]
            ):
                continue
            rows[count], overlaps[count], rarest[count] = row, overlap, size
            count += 1
            alike[overlap] += 1
            for other in range(overlap + 1):  # rows come in order: the next ones are no better
                ahead[other] += 1
            while need <= highest and ahead[need] >= most:
                need += 1
        if need > highest:
            break
    return count
