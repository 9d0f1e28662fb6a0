"""Pairs of items as arrays of numbers: count them, join them, and sample them in a seeded order."""

import itertools
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import numpy as np

from kgbuild.graph.key_hashes import Keys, hash_keys
from kgbuild.native.arrays import Flags, Numbers, Positions
from kgbuild.store import arrays
from kgbuild.store.postings import VALUE_BITS

_BATCH = 1 << 12
"""Number of pairs that are converted to texts at a time."""


class Pairs(NamedTuple):
    """The pairs ``(subjects[n], values[n])`` of numbers of items."""

    subjects: Numbers
    values: Numbers

    def swapped(self) -> "Pairs":
        """Return each pair with its items exchanged."""
        return Pairs(self.values, self.subjects)

    def where(self, are_chosen: Flags) -> "Pairs":
        """Return the chosen pairs."""
        return Pairs(self.subjects[are_chosen], self.values[are_chosen])


def distinct(parts: Iterable[Pairs]) -> Pairs:
    """Return the pairs of all parts, sorted and without repetitions."""
    codes = [part.subjects.astype(np.int64) << VALUE_BITS | part.values for part in parts]
    unique = arrays.distinct(np.concatenate([np.empty(0, np.int64), *codes]))
    values = unique & ((1 << VALUE_BITS) - 1)
    return Pairs((unique >> VALUE_BITS).astype(np.int32), values.astype(np.int32))


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
    return ((x, y) for _, x, y in _shuffled((name, *pairs), seed))


def shuffled_statements(path: str, pairs: Pairs, seed: int) -> Iterator[tuple[str, str, str]]:
    """Return the statements (x, path, y) in the order of ``rows.shuffled`` with them as keys."""
    return ((x, path, y) for x, _, y in _shuffled((pairs.subjects, path, pairs.values), seed))


def shuffled_items(name: str, items: Numbers | Positions, seed: int) -> Iterator[str]:
    """Return the ids of items in the order of ``rows.shuffled`` with the keys (name, item)."""
    return (item for _, item in _shuffled((name, items), seed))


def _shuffled(keys: Keys, seed: int) -> Iterator[tuple[str, ...]]:
    """Yield keys in the order of the first eight bytes of their hashes."""
    order = np.argsort(hash_keys((str(seed), *keys)), kind="stable")
    for start in range(0, len(order), _BATCH):
        part = order[start : start + _BATCH]
        columns = (
            itertools.repeat(column)
            if isinstance(column, str)
            else [f"Q{number}" for number in column[part].tolist()]
            for column in keys
        )
        yield from zip(*columns, strict=False)
