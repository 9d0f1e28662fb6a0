"""How well what an item has foretells that it has a value, too.

Of the items that share a certain value with it, so many have the value in question. The share
is taken of each value that the item has, and the two that foretell most are told: it is the one
school, film crew or village that tells, not the average of all that an item is.
"""

import functools
from collections.abc import Iterable
from typing import Annotated, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from kgbuild import wikidata
from kgbuild.native.kernel import kernel
from kgbuild.store.postings import Numbers, Places, Postings

_MOST = 4096
"""How many of the items that have the value are looked at; of more, evenly spread ones are."""
_PRIOR = 2.0
"""Items without the value that are thought beside those that are known: few prove little."""
_REMEMBERED = 1 << 16


Shares: TypeAlias = npt.NDArray[np.float64]


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
        """Return the items that have a value as ``estimate`` wants them."""
        rows = self._index.rows_of(qids)
        step = max(1.0, len(rows) / _MOST)
        looked = rows[np.arange(0, len(rows), step).astype(np.int64)]
        return Holders(
            looked, step, np.array(sorted(wikidata.number(pid) for pid in ignored), np.int32)
        )

    def estimate(self, qids: Iterable[str], holders: Holders, but: str) -> list[Association]:
        """Return of each item how well what it has foretells what the ``holders`` have.

        ``but`` is an item that does not count, since it was looked for among the holders.
        """
        index = self._index
        rows = np.array([self._number(qid) for qid in qids], np.int64)
        other = self._number(but)
        self._count(holders)
        others = index.keys(other) if other >= 0 else index.row_keys[:0]
        counted = (self._counts, index.key_ends, index.properties)
        args = (index.row_ends, index.row_keys, others, *counted, *holders)
        shares = np.zeros((len(rows), 2), np.float64)
        _shares(rows, other, *args, shares)
        return [Association(*pair) for pair in shares.tolist()]

    def _number(self, qid: str) -> int:
        """Return the row of an item, -1 if it has none."""
        row = self._row(qid)
        return -1 if row is None else row

    def _count(self, holders: Holders) -> None:
        """Count how many of the holders have each key, unless these were counted last."""
        if holders is not self._counted:
            index = self._index
            _add(self._counts, self._counted.rows, -1, index.row_ends, index.row_keys)
            _add(self._counts, holders.rows, 1, index.row_ends, index.row_keys)
            self._counted = holders


@kernel
def _add(counts: Numbers, rows: Numbers, number: int, row_ends: Places, row_keys: Numbers) -> None:
    """Add a number to the count of each key of the rows."""
    for row in rows:
        for place in range(row_ends[row], row_ends[row + 1]):
            counts[row_keys[place]] += number


@kernel
def _shares(
    rows: Places,
    other: int,
    row_ends: Places,
    row_keys: Numbers,
    others: Numbers,
    counts: Numbers,
    key_ends: Places,
    properties: Numbers,
    holders: Numbers,
    step: float,
    ignored: Numbers,
    shares: Annotated[Shares, 2],
) -> None:
    """Find, of each row, the two highest shares of holders among those that have its keys.

    Neither the row itself nor ``other``, which has the keys ``others``, count.
    """
    is_other_holder = _is_among(other, holders)
    for n in range(rows.size):
        row = rows[n]
        if row < 0:
            continue
        is_holder, has_other, place = _is_among(row, holders), other not in (row, -1), 0
        for at in range(row_ends[row], row_ends[row + 1]):
            key = row_keys[at]
            while place < others.size and others[place] < key:
                place += 1
            if _is_among(properties[key], ignored):
                continue
            is_shared = has_other and place < others.size and others[place] == key
            count = (counts[key] - is_holder - (is_shared and is_other_holder)) * step
            size = key_ends[key + 1] - key_ends[key] - 1 - is_shared
            share = count / (max(size, count) + _PRIOR)
            if share > shares[n, 0]:
                shares[n, 0], shares[n, 1] = share, shares[n, 0]
            elif share > shares[n, 1]:
                shares[n, 1] = share


def _is_among(number: int, numbers: Numbers) -> bool:
    """Tell whether a number is one of some, which are in order."""
    first, end = 0, numbers.size
    while first < end:
        middle = (first + end) >> 1
        if numbers[middle] < number:
            first = middle + 1
        else:
            end = middle
    return bool(first < numbers.size and numbers[first] == number)
