"""How well what an item has foretells that it has a value, too.

Of the items that share a certain value with it, so many have the value in question. The share
is taken of each value that the item has, and the two that foretell most are told: it is the one
school, film crew or village that tells, not the average of all that an item is.
"""

from collections.abc import Collection, Iterable
from typing import NamedTuple

import numpy as np
from numba import njit

from kgbuild.kg import wikidata
from kgbuild.kg.postings import Numbers, Places, Postings

_MOST = 4096
"""How many of the items that have the value are looked at; of more, evenly spread ones are."""
_PRIOR = 2.0
"""Items without the value that are thought beside those that are known: few prove little."""
_compiled = njit(nogil=True, cache=True)


class Association(NamedTuple):
    """The two highest shares of items with a value among those that share one with an item."""

    best: float
    second: float


class Associations:
    """Finds associations in the index of a store."""

    def __init__(self, postings: Postings):
        self._index = postings

    def holders(self, qids: Iterable[str]) -> Numbers:
        """Return items as ``of`` wants them, for the sake of which they are looked up once."""
        rows = (self._index.row(qid) for qid in qids)
        return np.array(sorted({row for row in rows if row is not None}), np.int32)

    def of(self, qid: str, holders: Numbers, but: str, ignored: Collection[str]) -> Association:
        """Return how well what ``qid`` has foretells what the ``holders`` have.

        ``but`` is an item that does not count, since it was looked for among the holders;
        ``ignored`` are properties whose values do not count, since they say the same.
        """
        index = self._index
        row, other = index.row(qid), index.row(but)
        if row is None:
            return Association(0.0, 0.0)
        keys = index.keys(row)
        wanted = [wikidata.number(pid) for pid in ignored]
        keys = keys[~np.isin(index.properties[keys], wanted)]
        rows = holders[(holders != row) & (holders != (-1 if other is None else other))]
        step = max(1.0, len(rows) / _MOST)
        looked = rows[np.arange(0, len(rows), step).astype(np.int64)] if len(rows) else rows
        counts = _counts(keys, looked, index.row_ends, index.row_keys) * step
        sizes = index.key_ends[keys + 1] - index.key_ends[keys] - 1
        if other is not None:
            sizes = sizes - np.isin(keys, index.keys(other))
        shares = np.sort(counts / (np.maximum(sizes, counts) + _PRIOR))[::-1]
        best = [*shares[:2].tolist(), 0.0, 0.0]
        return Association(best[0], best[1])


@_compiled
def _counts(keys: Numbers, rows: Numbers, row_ends: Places, row_keys: Numbers) -> Places:
    """Return of each key how many of the rows have it."""
    counts = np.zeros(keys.size, np.int64)
    for row in rows:
        n, place, end = 0, row_ends[row], row_ends[row + 1]
        while n < keys.size and place < end:
            one, other = keys[n], row_keys[place]
            counts[n] += one == other
            n += one <= other
            place += other <= one
    return counts
