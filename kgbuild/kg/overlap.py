"""Similarity by shared property values: exact, without counting what cannot matter.

Two items are as alike as the number of (property, value) that both have, with values that
are items (Syn-(QA)2, section 2.1). ``property_overlap.rq`` is the definition.

The search is one of set similarity. The lists of holders are read from the rarest value on,
since an item that shares t of n values shares one of the n - t + 1 rarest (prefix filtering:
Chaudhuri, Ganti and Kaushik 2006; Bayardo, Ma and Srikant 2007). How many of the commoner
ones it shares is looked up in its own list, not counted in theirs (MergeOpt: Sarawagi and
Kirpal 2004). It ends when k items are found that nothing met later can equal (Xiao, Wang,
Lin and Shang 2009).
"""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numba import njit

from kgbuild.kg import wikidata
from kgbuild.kg.postings import Numbers, Places, Postings

_INSTANCE_OF = wikidata.number("P31")
_compiled = njit(nogil=True, cache=True)


class Neighbour(NamedTuple):
    """An item like another one.

    ``overlap`` counts the shared (property, value), ``rarest`` the items that have the
    rarest of them.
    """

    qid: str
    overlap: int
    rarest: int


class Overlap:
    """Finds the items like an item."""

    def __init__(self, postings: Postings):
        self._index = postings
        self._met = np.zeros(len(postings.items), np.int32)
        self._search = 0

    def top(
        self,
        qid: str,
        properties: Iterable[str],
        most: int,
        min_overlap: int = 1,
        but: Iterable[str] = (),
    ) -> list[Neighbour]:
        """Return the ``most`` items of the same class that share most values of properties.

        At least ``min_overlap`` are shared. The same class is a shared direct P31. Ties are
        ordered by the rarest shared value, then by id. The items of ``but`` are left out.
        """
        me = self._index.row(qid)
        if me is None:
            return []
        mine = self._index.keys(me)
        keys = self._of(mine, properties)
        classes = mine[self._index.properties[mine] == _INSTANCE_OF]
        index, least = self._index, max(min_overlap, 1)
        self._search += 1
        for row in (me, *map(self._index.row, but)):
            if row is not None:
                self._met[row] = self._search
        args = (index.row_ends, index.row_keys, index.key_ends, index.key_rows)
        rows, overlaps, rarest = _top(keys, classes, most, least, *args, self._met, self._search)
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

    def shared(self, one: str, other: str, properties: Iterable[str]) -> list[tuple[str, str]]:
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
        wanted = [wikidata.number(pid) for pid in properties]
        return keys[np.isin(self._index.properties[keys], wanted)]


@_compiled
def _common(keys: Numbers, first: int, row_keys: Numbers, start: int, end: int) -> int:
    """Return how many of the keys from ``first`` on are among those of a row."""
    count = 0
    while first < keys.size and start < end:
        one, other = keys[first], row_keys[start]
        count += one == other
        first += one <= other
        start += other <= one
    return count


@_compiled
def _top(
    keys: Numbers,
    classes: Numbers,
    most: int,
    least: int,
    row_ends: Places,
    row_keys: Numbers,
    key_ends: Places,
    key_rows: Numbers,
    met: Numbers,
    search: int,
) -> tuple[Places, Places, Places]:
    """Return rows, among them the best ones, their overlaps and the size of their rarest key.

    ``met`` holds, for each row, the last search that met it.
    """
    rows, overlaps = np.empty(256, np.int64), np.empty(256, np.int64)
    rarest = np.empty(256, np.int64)
    found = 0
    # How many were found with each overlap: with a rarest key rarer than this one; as rare.
    rarer, alike = np.zeros(keys.size + 2, np.int64), np.zeros(keys.size + 2, np.int64)
    size = 0
    for n in range(keys.size):
        highest = keys.size - n  # what a row not met so far can share
        if highest < least:
            break
        start, end = key_ends[keys[n]], key_ends[keys[n] + 1]
        if end - start != size:
            rarer += alike
            alike[:] = 0
            size = end - start
        better = rarer[highest:].sum() + alike[highest + 1 :].sum()
        for place in range(start, end):
            if better >= most:
                break
            row = key_rows[place]
            if met[row] == search:
                continue
            met[row] = search
            overlap = 1 + _common(keys, n + 1, row_keys, row_ends[row], row_ends[row + 1])
            if overlap < least or not _common(
                classes, 0, row_keys, row_ends[row], row_ends[row + 1]
            ):
                continue
            if found == rows.size:
                rows = np.concatenate((rows, rows))
                overlaps = np.concatenate((overlaps, overlaps))
                rarest = np.concatenate((rarest, rarest))
            rows[found], overlaps[found], rarest[found] = row, overlap, size
            found += 1
            alike[overlap] += 1
            better += overlap == highest  # rows come in order: the next ones are no better
        if better >= most:
            break
    return rows[:found], overlaps[:found], rarest[:found]
