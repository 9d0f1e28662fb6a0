"""The index of items by their values, on the disk beside the graph.

A *key* is a pair of a property and an item as its value. A *row* is an item that is the subject of
statements. Keys are numbered by rising frequency, then by property and value; rows are numbered in
the order of the items' numbers. The index has the sorted list of the keys of each row, the sorted
list of the rows of each key ("postings"), and the keys in the order of their values. It is a single
file of ``arrays``.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kgbuild import wikidata
from kgbuild.dump import rules
from kgbuild.store.arrays import Array, Numbers, Positions, distinct, ends_of, map_arrays, places
from kgbuild.store.spill import ArraysWriter, Spill

if TYPE_CHECKING:
    from kgbuild.dump.scanner import Scanned  # it has machine code, which reading does not need

LAYOUT = 2
"""The version of the arrays."""
# The types of the arrays of Postings.
_TYPES = (np.int32, np.int32, np.int32, np.int64, np.int32, np.int64, np.int32, np.int32)
_VALUE_BITS = 30
"""Number of bits for the number of an item, which has at most nine digits."""
_LOW = 0xFFFFFFFF
"""A mask of the low 32 bits of a number, which have the second number of a pair."""
_PART = 1 << 24
"""Number of pairs that are sorted at a time, unless a single group has more."""


class Postings(NamedTuple):
    """The arrays of the index.

    Row r is the item ``items[r]``; its keys are ``row_keys[row_ends[r]:row_ends[r + 1]]``. Key k is
    ``(properties[k], values[k])``; its rows are ``key_rows[key_ends[k]:key_ends[k + 1]]``.
    ``by_value`` has all keys, sorted by value and property.
    """

    items: Numbers
    properties: Numbers
    values: Numbers
    row_ends: Positions
    row_keys: Numbers
    key_ends: Positions
    key_rows: Numbers
    by_value: Numbers

    def row(self, qid: str) -> int | None:
        """Return the row of an item, or None if it is not a subject."""
        number = np.int32(wikidata.number(qid))  # for an int, searchsorted would convert the array
        row = int(self.items.searchsorted(number))
        return row if row < len(self.items) and self.items[row] == number else None

    def row_of_each_number(self, numbers: Numbers) -> Positions:
        """Return the row of each item by its number, or -1 if it is not a subject."""
        return places(numbers, self.items)

    def rows_of_numbers(self, numbers: Numbers) -> Numbers:
        """Return the rows of those items that are subjects, sorted, without repetitions."""
        rows = distinct(self.row_of_each_number(numbers))
        return rows[rows >= 0].astype(np.int32)

    def keys(self, row: int) -> Numbers:
        """Return the keys of a row, the rarest first."""
        start, end = self.row_ends[row : row + 2].tolist()
        return self.row_keys[start:end]

    def rows(self, key: int) -> Numbers:
        """Return the rows that have a key."""
        start, end = self.key_ends[key : key + 2].tolist()
        return self.key_rows[start:end]


def open_postings(path: Path, fingerprint: str) -> Postings:
    """Map the index in a file into memory; check that its graph has this fingerprint.

    Raises:
        DamagedStoreError: there is no such index, or it is damaged.
    """
    return Postings(*map_arrays(path, LAYOUT, fingerprint, _TYPES))


class PostingsWriter(ArraysWriter):
    """Builds an index of scanned triples. Repeated triples count once.

    Statements are sorted in parts, so memory grows by the number of keys only.
    """

    layout = LAYOUT

    def __init__(self, path: Path, folder: Path):
        super().__init__(path, folder)
        # For each triple: a code of its property and value, and its subject.
        self._codes = self.new(np.int64)
        self._subjects = self.new(np.int32)

    def add(self, scanned: "Scanned") -> None:
        """Add the triples that link two items by a direct property; ignore others."""
        are_direct = (scanned.predicate > 0) & (scanned.predicate < rules.PROPERTIES)
        are_links = are_direct & (scanned.subject > 0) & (scanned.object > 0)
        codes = scanned.predicate[are_links] << _VALUE_BITS | scanned.object[are_links]
        self._codes.append(codes)
        self._subjects.append(scanned.subject[are_links])

    def arrays(self) -> list[Array | Spill]:
        """Return the arrays of ``Postings``: number the keys and rows, and group them.

        A pair has a row or key in its high 32 bits, and a member of its group in the low ones.
        """
        new = self.new
        codes, items = _distinct(self._codes), _distinct(self._subjects)
        pairs = new(np.int64)
        for part, subjects in zip(self._codes, self._subjects, strict=True):
            pairs.append(np.searchsorted(items, subjects) << 32 | _positions(codes, part))
        self._codes.close()
        self._subjects.close()

        by_row, row_sizes, key_sizes = new(np.int64), *map(_zeros, (items, codes))
        for part in _sorted_parts(pairs, _sizes(pairs, len(items))):
            part = part[np.diff(part, prepend=-1) != 0]
            by_row.append(part)
            _count(row_sizes, part >> 32)
            _count(key_sizes, part & _LOW)
        pairs.close()

        by_frequency = np.argsort(key_sizes, kind="stable")
        new_numbers = np.empty(len(codes), np.int64)
        new_numbers[by_frequency] = np.arange(len(codes))
        codes, key_sizes = codes[by_frequency], key_sizes[by_frequency]
        by_key, row_keys, key_rows = new(np.int64), new(np.int32), new(np.int32)
        for part in by_row:
            part = part & ~_LOW | new_numbers[part & _LOW]
            part.sort()
            row_keys.append(part & _LOW)
            by_key.append((part & _LOW) << 32 | part >> 32)
        by_row.close()
        for part in _sorted_parts(by_key, key_sizes):
            key_rows.append(part & _LOW)
        by_key.close()

        properties, values = codes >> _VALUE_BITS, codes & ((1 << _VALUE_BITS) - 1)
        by_value = np.argsort(values * rules.PROPERTIES + properties)
        heads = [array.astype(np.int32) for array in (items, properties, values)]
        rows, keys = (ends_of(row_sizes), row_keys), (ends_of(key_sizes), key_rows)
        return [*heads, *rows, *keys, by_value.astype(np.int32)]


def _distinct(parts: Iterable[Array]) -> Array:
    """Return the distinct numbers of all parts, sorted."""
    numbers: Array = np.empty(0, np.int64)
    waiting: list[Array] = []
    for part in parts:
        waiting.append(distinct(part))
        if sum(map(len, waiting)) >= max(_PART, len(numbers)):
            numbers, waiting = distinct(np.concatenate([numbers, *waiting])), []
    return distinct(np.concatenate([numbers, *waiting]))


def _positions(distinct_numbers: Array, numbers: Array) -> Positions:
    """Return the position of each number; the search is faster if they are sorted first."""
    order = np.argsort(numbers)
    positions = np.empty(len(numbers), np.int64)
    positions[order] = np.searchsorted(distinct_numbers, numbers[order])
    return positions


def _zeros(groups: Array) -> Positions:
    return np.zeros(len(groups), np.int64)


def _count(sizes: Positions, groups: Positions) -> None:
    """Add the number of members of each group to the sizes."""
    counts = np.bincount(groups)
    sizes[: len(counts)] += counts


def _sizes(pairs: Spill, groups: int) -> Positions:
    """Return the number of pairs of each group."""
    sizes = np.zeros(groups, np.int64)
    for part in pairs:
        np.add.at(sizes, part >> 32, 1)
    return sizes


def _sorted_parts(pairs: Spill, sizes: Positions) -> Iterator[Positions]:
    """Yield all pairs, sorted, in parts that begin and end with groups of these sizes."""
    ends = ends_of(sizes)
    first = 0
    while first < len(sizes):
        last = max(first + 1, int(np.searchsorted(ends, ends[first] + _PART, "right")) - 1)
        part = np.empty(ends[last] - ends[first], np.int64)
        filled = 0
        for chunk in pairs:
            chosen = chunk[(chunk >= first << 32) & (chunk < last << 32)]
            part[filled : filled + len(chosen)] = chosen
            filled += len(chosen)
        part.sort()
        yield part
        first = last
