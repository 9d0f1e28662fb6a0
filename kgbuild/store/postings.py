"""The index of items by their values, on the disk beside the graph.

A *key* is a pair of a property and an item as its value. A *row* is an item that is the subject of
statements. Keys are numbered by rising frequency, then by property and value; rows are numbered in
the order of the items' numbers. The index has the sorted list of the keys of each row, the sorted
list of the rows of each key ("postings"), and the keys in the order of their values. It is a single
file of ``arrays``, which ``postings_writer`` writes.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from kgbuild import wikidata
from kgbuild.store.arrays import Array, Numbers, Positions, distinct, map_arrays

LAYOUT = 2
"""The version of the arrays."""
# The types of the arrays of Postings.
_TYPES = (np.int32, np.int32, np.int32, np.int64, np.int32, np.int64, np.int32, np.int32)


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

    def row_of_each(self, qids: Iterable[str]) -> Positions:
        """Return the row of each item, or -1 if it is not a subject."""
        return self.row_of_each_number(np.fromiter(map(wikidata.number, qids), np.int32))

    def row_of_each_number(self, numbers: Numbers) -> Positions:
        """Return the result of ``row_of_each`` for the numbers of items."""
        rows = self.items.searchsorted(numbers)
        are_subjects = rows < len(self.items)
        are_subjects[are_subjects] = self.items[rows[are_subjects]] == numbers[are_subjects]
        rows[~are_subjects] = -1
        return rows

    def rows_of(self, qids: Iterable[str]) -> Numbers:
        """Return the rows of those items that are subjects, sorted, without repetitions."""
        return self.rows_of_numbers(np.fromiter(map(wikidata.number, qids), np.int32))

    def rows_of_numbers(self, numbers: Numbers) -> Numbers:
        """Return the result of ``rows_of`` for the numbers of items."""
        rows = distinct(self.row_of_each_number(numbers))
        return rows[rows >= 0].astype(np.int32)

    def keys(self, row: int) -> Numbers:
        """Return the keys of a row, the rarest first."""
        start, end = self.row_ends[row : row + 2].tolist()
        return self.row_keys[start:end]

    def keys_to(self, qid: str) -> Numbers:
        """Return the keys with this item as value, sorted by property."""
        # NumPy's search with ``by_value`` as its sorter would first copy it to 64-bit numbers.
        number, value = wikidata.number(qid), self.values.item
        start = bisect_left(self.by_value, number, key=value)
        end = bisect_right(self.by_value, number, start, key=value)
        return self.by_value[start:end]

    def rows(self, key: int) -> Numbers:
        """Return the rows that have a key."""
        start, end = self.key_ends[key : key + 2].tolist()
        return self.key_rows[start:end]


def open_postings(path: Path, fingerprint: str, *, is_checked: bool = False) -> Postings:
    """Map the index in a file into memory; check that its graph has this fingerprint.

    The content is checked, too, unless it ``is_checked`` already.

    Raises:
        DamagedStoreError: there is no such index, or it is damaged.
    """
    return Postings(*map_arrays(path, LAYOUT, fingerprint, _TYPES, None if is_checked else _check))


def _check(arrays: Sequence[Array]) -> None:
    """Check that all lists are sorted, and that their members exist.

    Compiled code does not check bounds, so it would read outside of an array.
    """
    postings = Postings(*arrays)
    rows, keys = len(postings.items), len(postings.properties)
    if not len(postings.values) == len(postings.by_value) == keys:
        raise ValueError("its parts are not of one size")
    if not _are_below(postings.by_value, keys):
        raise ValueError("it points outside of itself")
    for ends, list_count, members, limit in (
        (postings.row_ends, rows, postings.row_keys, keys),
        (postings.key_ends, keys, postings.key_rows, rows),
    ):
        if len(ends) != list_count + 1 or ends[0] != 0 or ends[-1] != len(members):
            raise ValueError("its parts are not of one size")
        if not (ends[:-1] < ends[1:]).all():  # no list is empty
            raise ValueError("its lists are out of order")
        descents = members[1:] <= members[:-1]
        descents[ends[1:-1] - 1] = False  # between the end of a list and the next list
        if descents.any():
            raise ValueError("its lists are out of order")
        if not _are_below(members, limit):
            raise ValueError("it points outside of itself")


def _are_below(numbers: Numbers, limit: int) -> bool:
    """Return whether all numbers are at least 0 and below a limit."""
    unsigned = numbers.view(np.uint32)  # in which negative numbers are large
    return len(numbers) == 0 or bool(unsigned.max() < limit)
