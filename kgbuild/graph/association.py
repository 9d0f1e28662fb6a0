"""Estimate P(item has a value of a relation | its other values), for items that state it.

An item of which a relation is not stated may have any value of it: it says nothing about how
common a value is. So shares are counted only among the items that state the relation. Among those
that share one of its other values with an item, count how many have the value in question. This
share is taken of each value of the item, and the two highest ones are kept: one school, film crew
or village makes a value likely, not the average of all values.
"""

from collections.abc import Iterable, Sequence
from typing import Annotated, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from kgbuild import wikidata
from kgbuild.native.kernel import kernel
from kgbuild.store.postings import Numbers, Positions, Postings

_MOST = 4096
"""How many holders of a value are read; of more holders, evenly spread ones are."""
_PRIOR = 2.0
"""Items with the average share that are added to those that share a value: few items prove
little."""


Shares: TypeAlias = npt.NDArray[np.float64]


class Association(NamedTuple):
    """The two highest shares of items with a value among those that share one with each item."""

    best: Shares
    second: Shares


class Source(NamedTuple):
    """A value of an item that makes another one likely.

    Of the ``stating`` other items with the value that state the relation, ``holding`` have the
    value in question.
    """

    property: str
    value: str
    holding: int
    stating: int


class Holders(NamedTuple):
    """The items that have the value in question, as rows of the index.

    ``rows`` are those that are read, each of which stands for ``step`` holders; ``base`` is the
    share of the items that state the relation.
    """

    rows: Numbers
    step: float
    base: float


class Associations:
    """Estimates of how likely items have the values of one relation.

    ``stating`` are the items that state the relation; ``ignored`` are the properties whose values
    do not count, since they say the same.
    """

    def __init__(self, postings: Postings, stating: Iterable[str], ignored: Iterable[str]):
        self._index = postings
        self._ignored = np.array(sorted(map(wikidata.number, ignored)), np.int32)
        self._stating = postings.rows_of(stating)
        self._sizes = np.zeros(len(postings.values), np.int32)
        _add(self._sizes, self._stating, 1, postings.row_ends, postings.row_keys)
        self._counts = np.zeros(len(postings.values), np.int32)
        self._counted = Holders(np.empty(0, np.int32), 1.0, 0.0)

    def holders(self, qids: Iterable[str]) -> Holders:
        """Return the items that have the value as ``estimate`` takes them."""
        rows = self._index.rows_of(qids)
        step = max(1.0, len(rows) / _MOST)
        sample = rows[np.arange(0, len(rows), step).astype(np.int64)]
        # One of the holders is left out of each estimate, of both counts.
        base = max(0, len(rows) - 1) / max(1, len(self._stating) - 1)
        return Holders(sample, step, min(1.0, base))

    def estimate(self, qids: Sequence[str], holders: Holders, without: str) -> Association:
        """Estimate, for each item, how likely it has the value that the ``holders`` have.

        ``without`` is an item that does not count, since it was looked for among the holders.
        """
        index = self._index
        places = index.row_of_each([*qids, without])
        rows, other = places[:-1], int(places[-1])
        self._count(holders)
        other_keys = index.keys(other) if other >= 0 else index.row_keys[:0]
        shares = np.full((2, len(rows)), holders.base, np.float64)
        _estimate(
            *(shares, rows, other, index.row_ends, index.row_keys, other_keys, self._counts),
            *(self._sizes, self._stating, index.properties, *holders, self._ignored),
        )
        return Association(*shares)

    def sources(self, qid: str, holders: Holders, k: int = 3) -> list[Source]:
        """Return the ``k`` values of an item that make the value of the holders most likely."""
        index, row = self._index, self._index.row(qid)
        if row is None:
            return []
        self._count(holders)
        keys = index.keys(row)
        keys = keys[~np.isin(index.properties[keys], self._ignored)]
        own = np.array([_is_among(row, holders.rows), _is_among(row, self._stating)], np.int64)
        counts = ((self._counts[keys] - own[0]) * holders.step).astype(np.int64)
        sizes = np.maximum(self._sizes[keys] - own[1], counts)
        shares = (counts + _PRIOR * holders.base) / (sizes + _PRIOR)
        best = np.argsort(-shares, kind="stable")[:k]
        return [
            Source(f"P{index.properties[keys[n]]}", f"Q{index.values[keys[n]]}", *numbers)
            for n, *numbers in zip(best, counts[best].tolist(), sizes[best].tolist(), strict=True)
        ]

    def _count(self, holders: Holders) -> None:
        """Count how many of the holders have each key, unless these were counted last."""
        if holders is not self._counted:
            index = self._index
            _add(self._counts, self._counted.rows, -1, index.row_ends, index.row_keys)
            _add(self._counts, holders.rows, 1, index.row_ends, index.row_keys)
            self._counted = holders


@kernel
def _add(
    counts: Numbers, rows: Numbers, number: int, row_ends: Positions, row_keys: Numbers
) -> None:
    """Add a number to the count of each key of the rows."""
    for row in rows:
        for place in range(row_ends[row], row_ends[row + 1]):
            counts[row_keys[place]] += number


@kernel
def _estimate(
    shares: Annotated[Shares, 2],
    rows: Positions,
    other: int,
    row_ends: Positions,
    row_keys: Numbers,
    other_keys: Numbers,
    counts: Numbers,
    sizes: Numbers,
    stating: Numbers,
    properties: Numbers,
    holders: Numbers,
    step: float,
    base: float,
    ignored: Numbers,
) -> None:
    """Write, for each row, the two highest shares of holders among those that have its keys.

    Neither the row itself nor ``other``, which has the keys ``other_keys``, count. Shares come in
    as ``base``, and never fall below.
    """
    is_other_holder, is_other_stating = _is_among(other, holders), _is_among(other, stating)
    for n in range(rows.size):
        row = rows[n]
        if row < 0:
            continue
        is_holder, is_stating = _is_among(row, holders), _is_among(row, stating)
        has_other, place = other not in (row, -1), 0
        for at in range(row_ends[row], row_ends[row + 1]):
            key = row_keys[at]
            while place < other_keys.size and other_keys[place] < key:
                place += 1
            if _is_among(properties[key], ignored):
                continue
            is_shared = has_other and place < other_keys.size and other_keys[place] == key
            count = (counts[key] - is_holder - (is_shared and is_other_holder)) * step
            size = sizes[key] - is_stating - (is_shared and is_other_stating)
            share = (count + _PRIOR * base) / (max(size, count) + _PRIOR)
            if share > shares[0, n]:
                shares[1, n] = shares[0, n]
                shares[0, n] = share
            elif share > shares[1, n]:
                shares[1, n] = share


def _is_among(number: int, numbers: Numbers) -> bool:
    """Return whether a number is one of some, which are in order."""
    low, high = 0, numbers.size
    while low < high:
        middle = (low + high) >> 1
        if numbers[middle] < number:
            low = middle + 1
        else:
            high = middle
    return bool(low < numbers.size and numbers[low] == number)
