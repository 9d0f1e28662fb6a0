"""Estimate P(item has a value of a relation | its other values), for items with the relation.

An item "states" a relation if it has a statement with it. An item that does not state the relation
says nothing about how common its values are, so only items that state it are counted. The "holders"
are the items with the value in question. For each other value of an item, the share is the fraction
of holders among the items with this other value. Values of the same relation count, too: who has
one award often has another. The two highest shares are kept, rather than their mean: a single
school, film crew or village can make a value likely.
"""

from collections.abc import Sequence
from typing import Annotated, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from kgbuild.native.arrays import Array, Bytes, Numbers, Positions
from kgbuild.native.kernel import kernel
from kgbuild.store import arrays
from kgbuild.store.counts import Counts
from kgbuild.store.postings import Postings

_MAX_HOLDERS = 4096
"""Maximum number of holders that are read; of more holders, a sample at equal distances is read."""
_PRIOR = 2.0
"""Number of items with the base share that are added to each count: few items prove little."""
Shares: TypeAlias = npt.NDArray[np.float64]


class Association(NamedTuple):
    """For each item, the two highest shares of holders among the items with one of its values."""

    best: Shares
    second: Shares


class CommonValue(NamedTuple):
    """A value of an item that makes the value in question likely.

    ``item_count`` other items have this value and state the relation; ``holder_count`` of them are
    holders.
    """

    property: str
    value: str
    holder_count: int
    item_count: int


class Holders(NamedTuple):
    """The items that have the value in question, as rows of the index.

    ``rows`` are the holders that are read, each of which represents ``step`` holders; ``base`` is
    the share of holders among all items that state the relation.
    """

    rows: Numbers
    step: float
    base: float


class Associations:
    """Estimates of how likely items have the values of a relation.

    ``stating`` are the numbers of the items that state the relation; ``name`` tells these items
    from those of other relations.
    """

    def __init__(self, postings: Postings, counts: Counts, name: tuple[str, ...], stating: Numbers):
        self._index = postings

        def count() -> tuple[Array, Array]:
            """Return the rows of the items that state the relation, and their number by key."""
            rows = postings.rows_of_numbers(stating)
            sizes = np.zeros(len(postings.values), np.int32)
            _count_keys(sizes, rows, postings.row_ends, postings.row_keys)
            return rows, sizes

        types = (np.int32, np.int32)
        # For each key: the number of items that state the relation, and of holders. Zeros take no
        # memory before they are overwritten.
        self._stating, self._sizes = counts.arrays(("associations", *name), types, count)
        self._holding = np.zeros(len(self._sizes), np.int32)
        self._holding_one_value = np.zeros_like(self._holding)  # for estimate_each, and 0 after it
        # The keys that holders have, the keys of the item that is not counted, and the rows of
        # holders and of items that state the relation, as bits: they stay in the cache of the
        # processor, and to look them up is faster than to search for them.
        self._are_held = np.zeros(len(self._sizes) // 8 + 1, np.uint8)
        self._are_shared = np.zeros_like(self._are_held)
        self._are_holders = np.zeros(len(postings.items) // 8 + 1, np.uint8)
        self._are_stating = np.zeros(len(postings.items) // 8 + 1, np.uint8)
        _set_bits(self._are_stating, self._stating)
        self._counted = Holders(np.empty(0, np.int32), 1.0, 0.0)

    def holders(self, items: Numbers) -> Holders:
        """Return items that have the value in question, for ``estimate`` and ``sources``."""
        rows = self._index.rows_of_numbers(items)
        step = max(1.0, len(rows) / _MAX_HOLDERS)
        sample = rows[np.arange(0, len(rows), step).astype(np.int64)]
        # Each estimate leaves a holder out of both counts (see ``without``).
        base = max(0, len(rows) - 1) / max(1, len(self._stating) - 1)
        return Holders(sample, step, min(1.0, base))

    def estimate(self, rows: Positions, holders: Holders, without: str) -> Association:
        """Estimate, for the item of each row, how likely it has the value of the ``holders``.

        A row is -1 if an item has none. ``without`` is an item that is not counted: the holder that
        led to the value in question.
        """
        index = self._index
        without_row = index.row(without)
        self._count(holders)
        without_keys = index.row_keys[:0] if without_row is None else index.keys(without_row)
        shares = np.full((2, len(rows)), holders.base, np.float64)
        lists = (index.row_ends, index.row_keys, without_keys, self._are_shared)
        excluded = -1 if without_row is None else without_row
        numbers = (self._are_held, self._holding, self._sizes)
        bits = (self._are_stating, self._are_holders)
        _estimate(shares, rows, excluded, *lists, *numbers, *bits, holders.step, holders.base)
        return Association(*shares)

    def estimate_each(self, row: int, holders: Sequence[Holders]) -> Association:
        """Estimate how likely the item of a row has each of some values, given by their holders.

        It is what ``estimate`` returns for each of them without the item.
        """
        index = self._index
        shares = np.array([[one.base for one in holders]] * 2)
        if row >= 0:
            ends = arrays.ends_of(np.array([len(one.rows) for one in holders]))
            rows = np.concatenate([one.rows for one in holders])
            steps = np.array([one.step for one in holders])
            numbers = (self._holding_one_value, self._sizes)
            lists = (index.row_ends, index.row_keys)
            _estimate_each(shares, row, ends, rows, steps, *lists, *numbers, self._are_stating)
        return Association(*shares)

    def sources(self, qid: str, holders: Holders, k: int = 3) -> list[CommonValue]:
        """Return the ``k`` values of an item with the highest shares of holders."""
        index, row = self._index, self._index.row(qid)
        if row is None:
            return []
        self._count(holders)
        keys = index.keys(row)
        is_holder, is_stating = (
            _has_bit(bits, row) for bits in (self._are_holders, self._are_stating)
        )
        counts = ((self._holding[keys] - is_holder) * holders.step).astype(np.int64)
        sizes = np.maximum(self._sizes[keys] - is_stating, counts)
        shares = (counts + _PRIOR * holders.base) / (sizes + _PRIOR)
        best = np.argsort(-shares, kind="stable")[:k]
        return [
            CommonValue(f"P{index.properties[keys[n]]}", f"Q{index.values[keys[n]]}", *numbers)
            for n, *numbers in zip(best, counts[best].tolist(), sizes[best].tolist(), strict=True)
        ]

    def _count(self, holders: Holders) -> None:
        """Count the holders with each key, unless the last call counted the same holders."""
        if holders is not self._counted:
            lists = (self._counted.rows, holders.rows, self._index.row_ends, self._index.row_keys)
            _replace(self._holding, self._are_held, self._are_holders, *lists)
            self._counted = holders


@kernel
def _count_keys(sizes: Numbers, rows: Numbers, row_ends: Positions, row_keys: Numbers) -> None:
    for row in rows:
        for at in range(row_ends[row], row_ends[row + 1]):
            sizes[row_keys[at]] += 1


@kernel
def _set_bits(bits: Bytes, numbers: Numbers) -> None:
    for number in numbers:
        bits[number >> 3] |= 1 << (number & 7)


@kernel
def _replace(
    holding: Numbers,
    are_held: Bytes,
    are_holders: Bytes,
    last_rows: Numbers,
    rows: Numbers,
    row_ends: Positions,
    row_keys: Numbers,
) -> None:
    """Count the keys of the rows in the place of those of ``last_rows``, and set their bits."""
    for row in last_rows:
        are_holders[row >> 3] = 0
        for at in range(row_ends[row], row_ends[row + 1]):
            holding[row_keys[at]] = 0
            are_held[row_keys[at] >> 3] = 0
    for row in rows:
        are_holders[row >> 3] |= 1 << (row & 7)
        for at in range(row_ends[row], row_ends[row + 1]):
            key = row_keys[at]
            holding[key] += 1
            are_held[key >> 3] |= 1 << (key & 7)


@kernel
def _estimate(
    shares: Annotated[Shares, 2],
    rows: Positions,
    without_row: int,
    row_ends: Positions,
    row_keys: Numbers,
    without_keys: Numbers,
    are_shared: Bytes,
    are_held: Bytes,
    holding: Numbers,
    sizes: Numbers,
    are_stating: Bytes,
    are_holders: Bytes,
    step: float,
    base: float,
) -> None:
    """Write the two highest shares of holders among the rows with a key of each row.

    The row itself and ``without_row``, which has the keys ``without_keys``, are not counted;
    ``are_shared`` has a bit for each key, all of them 0, in which these keys are marked meanwhile.
    ``holding`` has the number of holders with a key, and ``sizes`` that of items that state the
    relation; ``are_held`` has a bit for each key of a holder, and ``are_stating`` and
    ``are_holders`` for each row. ``shares`` is filled with ``base``, the minimum of a share.
    """
    is_without_holder = without_row >= 0 and _has_bit(are_holders, without_row)
    is_without_stating = without_row >= 0 and _has_bit(are_stating, without_row)
    _set_bits(are_shared, without_keys)
    for n in range(rows.size):
        row = rows[n]
        if row < 0:
            continue
        is_holder, is_stating = _has_bit(are_holders, row), _has_bit(are_stating, row)
        is_other = row != without_row
        best = second = base
        for at in range(row_ends[row], row_ends[row + 1]):
            key = row_keys[at]
            if not _has_bit(are_held, key):
                continue
            is_shared = is_other and _has_bit(are_shared, key)
            count = (holding[key] - is_holder - (is_shared and is_without_holder)) * step
            if count <= 0:  # without a holder, the share is at most the base
                continue
            size = sizes[key] - is_stating - (is_shared and is_without_stating)
            share = _share(count, size, base)
            second = max(second, min(best, share))
            best = max(best, share)
        shares[0, n], shares[1, n] = best, second
    for key in without_keys:
        are_shared[key >> 3] = 0


@kernel
def _estimate_each(
    shares: Annotated[Shares, 2],
    own: int,
    ends: Positions,
    rows: Numbers,
    steps: Shares,
    row_ends: Positions,
    row_keys: Numbers,
    holding: Numbers,
    sizes: Numbers,
    are_stating: Bytes,
) -> None:
    """Write, for each value, the two highest shares of holders among the rows with a key of a row.

    The holders of value n are ``rows[ends[n]:ends[n + 1]]``; the row ``own`` itself is not counted.
    ``holding`` has a number for each key, all of them 0. The other arrays are those of
    ``_estimate``.
    """
    first, last = row_ends[own], row_ends[own + 1]
    is_stating = _has_bit(are_stating, own)
    for n in range(steps.size):
        _count_holders(own, ends[n], ends[n + 1], rows, row_ends, row_keys, holding)
        base = best = second = shares[0, n]
        for at in range(first, last):
            key = row_keys[at]
            count = (holding[key] - 1) * steps[n]
            holding[key] = 0
            if count > 0:
                share = _share(count, sizes[key] - is_stating, base)
                second = max(second, min(best, share))
                best = max(best, share)
        shares[0, n], shares[1, n] = best, second


def _count_holders(
    own: int,
    start: int,
    end: int,
    rows: Numbers,
    row_ends: Positions,
    row_keys: Numbers,
    holding: Numbers,
) -> None:
    """Write, for each key of the row ``own``, one more than the number of other rows with it."""
    for at in range(row_ends[own], row_ends[own + 1]):
        holding[row_keys[at]] = 1
    for n in range(start, end):
        if rows[n] == own:
            continue
        for at in range(row_ends[rows[n]], row_ends[rows[n] + 1]):
            if holding[row_keys[at]]:
                holding[row_keys[at]] += 1


def _share(count: float, size: int, base: float) -> float:
    """Return the share of holders among items with a value, of which a few prove little."""
    return (count + _PRIOR * base) / (max(size, count) + _PRIOR)


def _has_bit(bits: Bytes, number: int) -> bool:
    return bool(bits[number >> 3] >> (number & 7) & 1)
