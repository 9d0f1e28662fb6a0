"""Estimate P(item has value | its other values).

For each value that the item has, compute the share of the other items with this value that also
have the value in question. Keep the two highest shares, not the average: a single school, film
crew or village makes a value likely. The items that have a value are its *holders*.
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
"""Maximum number of holders that are read; if there are more, an evenly spread sample is read."""
_PRIOR = 2.0
"""Number of imaginary items without the value that are added to each group (additive smoothing)."""
_CACHE_SIZE = 1 << 16

Shares: TypeAlias = npt.NDArray[np.float64]


class Association(NamedTuple):
    """The two highest shares of holders of a value among the items that share a value."""

    best: float
    second: float


class Holders(NamedTuple):
    """The holders of the value in question, as rows of the index.

    ``rows`` is the sample that is read; each row represents ``step`` holders. ``ignored`` are
    properties whose values do not count, since they state the same fact.
    """

    rows: Numbers
    step: float
    ignored: Numbers


class Associations:
    """Estimates how likely items have a value, from the index of a store."""

    def __init__(self, postings: Postings):
        self._index = postings
        self._row = functools.lru_cache(_CACHE_SIZE)(self._read_row)
        self._counts = np.zeros(len(postings.values), np.int32)
        self._counted = Holders(np.empty(0, np.int32), 1.0, np.empty(0, np.int32))

    def holders(self, qids: Iterable[str], ignored: Iterable[str]) -> Holders:
        """Return the holders of a value for ``estimate``, from their ids."""
        rows = self._index.rows_of(qids)
        step = max(1.0, len(rows) / _MOST)
        sample = rows[np.arange(0, len(rows), step).astype(np.int64)]
        pids = sorted(wikidata.number(pid) for pid in ignored)
        return Holders(sample, step, np.array(pids, np.int32))

    def estimate(self, qids: Iterable[str], holders: Holders, without: str) -> list[Association]:
        """Estimate for each item how likely it has the value that the ``holders`` have.

        ``without`` is an item that does not count, since it is the one whose value is in question.
        """
        index = self._index
        rows = np.array([self._row(qid) for qid in qids], np.int64)
        other = self._row(without)
        self._count(holders)
        other_keys = index.keys(other) if other >= 0 else index.row_keys[:0]
        shares = np.zeros((len(rows), 2), np.float64)
        _estimate(
            *(shares, rows, other, index.row_ends, index.row_keys, other_keys),
            *(self._counts, index.key_ends, index.properties, *holders),
        )
        return [Association(*highest) for highest in shares.tolist()]

    def _read_row(self, qid: str) -> int:
        """Return the row of an item, or -1 if it has no row."""
        row = self._index.row(qid)
        return -1 if row is None else row

    def _count(self, holders: Holders) -> None:
        """Count how many holders have each key, unless the last call counted the same holders."""
        if holders is not self._counted:
            index = self._index
            _add(self._counts, self._counted.rows, -1, index.row_ends, index.row_keys)
            _add(self._counts, holders.rows, 1, index.row_ends, index.row_keys)
            self._counted = holders


@kernel
def _add(counts: Numbers, rows: Numbers, number: int, row_ends: Places, row_keys: Numbers) -> None:
    """Add a number to the count of each key of the rows."""
    for row in rows:
        for n in range(row_ends[row], row_ends[row + 1]):
            counts[row_keys[n]] += number


@kernel
def _estimate(
    shares: Annotated[Shares, 2],
    rows: Places,
    other: int,
    row_ends: Places,
    row_keys: Numbers,
    other_keys: Numbers,
    counts: Numbers,
    key_ends: Places,
    properties: Numbers,
    holders: Numbers,
    step: float,
    ignored: Numbers,
) -> None:
    """Write for each row the two highest shares of holders among the rows that share its keys.

    The row itself does not count, nor does the row ``other``, which has the keys ``other_keys``.
    """
    is_other_holder = _is_among(other, holders)
    for n in range(rows.size):
        row = rows[n]
        if row < 0:
            continue
        is_holder, has_other, place = _is_among(row, holders), other not in (row, -1), 0
        for at in range(row_ends[row], row_ends[row + 1]):
            key = row_keys[at]
            while place < other_keys.size and other_keys[place] < key:
                place += 1
            if _is_among(properties[key], ignored):
                continue
            is_shared = has_other and place < other_keys.size and other_keys[place] == key
            count = (counts[key] - is_holder - (is_shared and is_other_holder)) * step
            size = key_ends[key + 1] - key_ends[key] - 1 - is_shared
            share = count / (max(size, count) + _PRIOR)
            if share > shares[n, 0]:
                shares[n, 1] = shares[n, 0]
                shares[n, 0] = share
            elif share > shares[n, 1]:
                shares[n, 1] = share


def _is_among(number: int, numbers: Numbers) -> bool:
    """Return whether a number is in a sorted array, by binary search."""
    low, high = 0, numbers.size
    while low < high:
        middle = (low + high) >> 1
        if numbers[middle] < number:
            low = middle + 1
        else:
            high = middle
    return bool(low < numbers.size and numbers[low] == number)
