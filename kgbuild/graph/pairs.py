"""Pairs of items as arrays of numbers: count them, join them, and sample them in a seeded order."""

import itertools
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kgbuild.rows import digest, shuffle_key
from kgbuild.store.arrays import Numbers, Positions

_BATCH = 1 << 16
"""Number of pairs that are hashed or converted at a time."""
_VALUE_BITS = 30
"""Number of bits for the number of an item, which has at most nine digits."""


class Pairs(NamedTuple):
    """The pairs ``(subjects[n], values[n])`` of numbers of items."""

    subjects: Numbers
    values: Numbers

    def swapped(self) -> "Pairs":
        """Return each pair with its items exchanged."""
        return Pairs(self.values, self.subjects)


def distinct(parts: Iterable[Pairs]) -> Pairs:
    """Return the pairs of all parts, sorted and without repetitions."""
    codes = [part.subjects.astype(np.int64) << _VALUE_BITS | part.values for part in parts]
    unique = np.unique(np.concatenate([np.empty(0, np.int64), *codes]))
    values = unique & ((1 << _VALUE_BITS) - 1)
    return Pairs((unique >> _VALUE_BITS).astype(np.int32), values.astype(np.int32))


def joined(first: Pairs, last: Pairs) -> Pairs:
    """Return the distinct pairs (x, y) for which an item z has (x, z) in first, (z, y) in last."""
    return distinct([links(first, last)])


def links(first: Pairs, last: Pairs) -> Pairs:
    """Return the pairs of ``joined``, each as often as there are such items z."""
    order = np.argsort(last.subjects, kind="stable")
    subjects, values = last.subjects[order], last.values[order]
    starts = np.searchsorted(subjects, first.values)
    sizes = np.searchsorted(subjects, first.values, "right") - starts
    return Pairs(np.repeat(first.subjects, sizes), values[positions(starts, sizes)])


def positions(starts: Positions, sizes: Positions) -> Positions:
    """Return the positions of slices, one after the other: start, start + 1 and so on."""
    before = np.cumsum(sizes) - sizes
    return np.repeat(starts - before, sizes) + np.arange(sizes.sum())


def shuffled_pairs(name: str, pairs: Pairs, seed: int) -> Iterator[tuple[str, str]]:
    """Return the ids of pairs in the order of ``rows.shuffled`` with the keys (name, x, y)."""
    return ((x, y) for x, y in _shuffled(name, pairs, seed))


def shuffled_items(name: str, items: Numbers | Positions, seed: int) -> Iterator[str]:
    """Return the ids of items in the order of ``rows.shuffled`` with the keys (name, item)."""
    return (item for (item,) in _shuffled(name, (items,), seed))


def _shuffled(
    name: str, columns: Sequence[Numbers | Positions], seed: int
) -> Iterator[tuple[str, ...]]:
    """Yield the ids of rows, whose items are in ``columns``, in a random order.

    The order comes from the first bytes of the hashes, so the memory is that of a few arrays.
    """
    prefixes = np.empty(len(columns[0]), np.uint64)
    for start in range(0, len(prefixes), _BATCH):
        part = slice(start, start + _BATCH)
        hashes = (digest(str(seed), name, *row)[:8] for row in _ids(columns, part))
        prefixes[part] = np.frombuffer(b"".join(hashes), ">u8")
    order = np.argsort(prefixes, kind="stable")
    in_order = (
        row
        for start in range(0, len(order), _BATCH)
        for row in _with_ids(prefixes, columns, order[start : start + _BATCH])
    )
    for _, rows in itertools.groupby(in_order, key=lambda row: row[0]):
        equal = [ids for _, ids in rows]
        if len(equal) > 1:
            equal.sort(key=lambda ids: shuffle_key((name, *ids), seed))
        yield from equal


def _with_ids(
    prefixes: npt.NDArray[np.uint64], columns: Sequence[Numbers | Positions], part: Positions
) -> Iterator[tuple[int, tuple[str, ...]]]:
    return zip(prefixes[part].tolist(), _ids(columns, part), strict=True)


def _ids(
    columns: Sequence[Numbers | Positions], part: slice | Positions
) -> Iterator[tuple[str, ...]]:
    """Yield the ids of some rows."""
    return zip(*(_qids(column[part].tolist()) for column in columns), strict=True)


def _qids(numbers: Iterable[int]) -> Iterator[str]:
    return (f"Q{number}" for number in numbers)
