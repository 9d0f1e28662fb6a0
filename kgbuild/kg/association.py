"""How well what an item has foretells that it has a value, too.

Of the items that share a certain value with it, so many have the value in question. The share
is taken of each value that the item has, and the two that foretell most are told: it is the one
school, film crew or village that tells, not the average of all that an item is.
"""

import functools
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numba import njit

from kgbuild.kg import wikidata
from kgbuild.kg.postings import Numbers, Places, Postings

_MOST = 4096
"""How many of the items that have the value are looked at; of more, evenly spread ones are."""
_PRIOR = 2.0
"""Items without the value that are thought beside those that are known: few prove little."""
_REMEMBERED = 1 << 16
_compiled = njit(nogil=True, cache=True)


class Association(NamedTuple):
    """The two highest shares of items with a value among those that share one with an item."""

    best: float
    second: float


class Holders(NamedTuple):
    """Items that have a value, for the sake of which others are asked for: as numbers.

    ``rows`` are those that are looked at, each of which stands for ``step`` of them;
    ``ignored`` are the properties whose values do not count, since they say the same.
    """

    rows: Numbers
    step: float
    ignored: Numbers


class Associations:
    """Finds associations in the index of a store."""

    def __init__(self, postings: Postings):
        self._index = postings
        self._row = functools.lru_cache(_REMEMBERED)(postings.row)
        self._counts = np.zeros(len(postings.values), np.int32)
        self._counted = Holders(np.empty(0, np.int32), 1.0, np.empty(0, np.int32))

    def holders(self, qids: Iterable[str], ignored: Iterable[str]) -> Holders:
        """Return the items that have a value as ``of`` wants them."""
        items = self._index.items
        numbers = np.array(sorted({wikidata.number(qid) for qid in qids}), np.int32)
        rows = np.searchsorted(items, numbers).astype(np.int32)
        found = rows < len(items)
        found[found] = items[rows[found]] == numbers[found]
        rows = rows[found]
        step = max(1.0, len(rows) / _MOST)
        looked = rows[np.arange(0, len(rows), step).astype(np.int64)]
        return Holders(looked, step, np.array([wikidata.number(pid) for pid in ignored], np.int32))

    def of(self, qid: str, holders: Holders, but: str) -> Association:
        """Return how well what ``qid`` has foretells what the ``holders`` have.

        ``but`` is an item that does not count, since it was looked for among the holders.
        """
        index = self._index
        row, other = self._row(qid), self._row(but) if but != qid else None
        if row is None:
            return Association(0.0, 0.0)
        self._count(holders)
        keys = index.keys(row)
        others = keys[:0] if other is None else index.keys(other)
        about = (row, -1 if other is None else other)
        counted = (self._counts, index.key_ends, index.properties)
        return Association(*_shares(keys, others, *counted, *holders, *about))

    def _count(self, holders: Holders) -> None:
        """Count how many of the holders have each key, unless these were counted last."""
        if holders is not self._counted:
            index = self._index
            _add(self._counts, self._counted.rows, -1, index.row_ends, index.row_keys)
            _add(self._counts, holders.rows, 1, index.row_ends, index.row_keys)
            self._counted = holders


@_compiled
def _add(counts: Numbers, rows: Numbers, number: int, row_ends: Places, row_keys: Numbers) -> None:
    """Add a number to the count of each key of the rows."""
    for row in rows:
        for place in range(row_ends[row], row_ends[row + 1]):
            counts[row_keys[place]] += number


@_compiled
def _shares(
    keys: Numbers,
    others: Numbers,
    counts: Numbers,
    key_ends: Places,
    properties: Numbers,
    rows: Numbers,
    step: float,
    ignored: Numbers,
    row: int,
    other: int,
) -> tuple[float, float]:
    """Return the two highest shares of holders among those that have one of the keys.

    Neither ``row``, whose keys they are, nor ``other``, which has the keys ``others``, count.
    """
    is_holder, is_other_holder = False, False
    for holder in rows:
        is_holder |= holder == row
        is_other_holder |= holder == other
    best, second, place = 0.0, 0.0, 0
    for key in keys:
        while place < others.size and others[place] < key:
            place += 1
        is_ignored = False
        for pid in ignored:
            is_ignored |= properties[key] == pid
        if is_ignored:
            continue
        is_shared = place < others.size and others[place] == key
        count = (counts[key] - is_holder - (is_shared and is_other_holder)) * step
        size = key_ends[key + 1] - key_ends[key] - 1 - is_shared
        share = count / (max(size, count) + _PRIOR)
        if share > best:
            best, second = share, best
        elif share > second:
            second = share
    return best, second
