"""The index of items by their values, on the disk beside the graph.

A *key* is a pair of a property and an item as its value. A *row* is an item that is the subject of
statements. Keys are numbered by rising frequency, then by property and value; rows are numbered in
the order of the items' numbers. The index has the sorted list of the keys of each row, the sorted
list of the rows of each key ("postings"), and the keys in the order of their values. It is a single
file of ``arrays``.
"""

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from kgbuild import wikidata
from kgbuild.dump.scanning import rules
from kgbuild.native.arrays import Array, Numbers, Positions
from kgbuild.store import arrays
from kgbuild.store.arrays import are_new, distinct, ends_of
from kgbuild.store.spill import ArraysWriter, Spill, in_ranges

if TYPE_CHECKING:
    from kgbuild.dump.scanning.scanner import (
        Scanned,  # it has machine code, which reading does not need
    )

LAYOUT = 2
"""The version of the arrays."""
# The types of the arrays of Postings.
_TYPES = (np.int32, np.int32, np.int32, np.int64, np.int32, np.int64, np.int32, np.int32)
VALUE_BITS = 30
"""Number of bits for the number of an item, which has at most nine digits."""
_LOW = 0xFFFFFFFF
"""A mask of the low 32 bits of a number, which have the second number of a pair."""


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
        return arrays.places(numbers, self.items)

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
    return Postings(*arrays.map_arrays(path, LAYOUT, fingerprint, _TYPES))


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
        codes = scanned.predicate[are_links] << VALUE_BITS | scanned.object[are_links]
        self._codes.append(codes)
        self._subjects.append(scanned.subject[are_links])

    def arrays(self) -> list[Array | Spill]:
        """Return the arrays of ``Postings``: number the keys, and group them and their items.

        A pair has a key or an item in its high 32 bits, and a member of its group in the low ones.
        """
        new = self.new
        code_file, sizes, pairs = new(np.int64), new(np.int32), new(np.int64)
        for part_codes, subjects in in_ranges(self._codes, self._subjects):
            first = len(code_file) << 32
            part_codes, part = _numbered(part_codes, subjects)
            code_file.append(part_codes)
            sizes.append(np.bincount(part >> 32))
            part += first
            pairs.append(part)
            del part, part_codes, subjects

        by_frequency = np.argsort(sizes.taken(), kind="stable")
        codes = code_file.taken()[by_frequency]
        numbers = np.empty(len(codes), np.int32)
        numbers[by_frequency] = np.arange(len(codes), dtype=np.int32)
        del by_frequency
        by_item, by_key = new(np.int64), new(np.int64)
        for part in pairs:
            keys, subjects = numbers[part >> 32].astype(np.int64), part & _LOW
            by_item.append(subjects << 32 | keys)
            by_key.append(keys << 32 | subjects)
        pairs.close()
        del numbers

        item_file, row_ends, row_keys = self._grouped(by_item)
        items = item_file.taken()
        _, key_ends, key_items = self._grouped(by_key)
        key_rows = new(np.int32)
        for part in key_items:
            key_rows.append(items.searchsorted(part))

        properties = (codes >> VALUE_BITS).astype(np.int32)
        codes &= (1 << VALUE_BITS) - 1
        values = codes.astype(np.int32)
        codes *= rules.PROPERTIES
        codes += properties
        by_value = np.argsort(codes).astype(np.int32)
        return [items, properties, values, row_ends, row_keys, key_ends, key_rows, by_value]

    def _grouped(self, pairs: Spill) -> tuple[Spill, Spill, Spill]:
        """Return the groups of pairs, where each ends, after a zero, and the sorted members."""
        groups, sizes, members = (self.new(np.int32) for _ in range(3))
        for (part,) in in_ranges(pairs, low_bits=32):
            part.sort()
            members.append(part & _LOW)
            part >>= 32
            starts = np.flatnonzero(are_new(part))
            groups.append(part[starts])
            sizes.append(np.diff(starts, append=len(part)))
            del part
        return groups, self.new(np.int64, ends_of(sizes.taken())), members


def _numbered(codes: Positions, subjects: Numbers) -> tuple[Positions, Positions]:
    """Return the distinct codes, and the distinct pairs of the number of a code and a subject.

    Both are sorted. Arrays are changed in place, since they are the largest of a load.
    """
    order = np.argsort(codes)
    pairs = codes[order]
    begin_group = are_new(pairs)
    codes = pairs[begin_group]
    np.cumsum(begin_group, out=pairs)
    pairs -= 1
    pairs <<= 32
    pairs |= subjects[order]
    pairs.sort()
    return codes, pairs[are_new(pairs)]
