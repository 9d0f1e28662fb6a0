"""Mark items by the values that they have, many items at a time.

A mark is a number whose bits stand for conditions. A row of the index gets the marks of its keys,
combined; ``postings`` defines rows and keys.
"""

import functools
from collections.abc import Mapping, Sequence

import numpy as np

from kgbuild import wikidata
from kgbuild.native.kernel import kernel
from kgbuild.store.arrays import Bytes, Numbers, Positions
from kgbuild.store.postings import Postings


class RowMarks:
    """Marks the rows of an index."""

    def __init__(self, postings: Postings):
        self._index = postings
        self._of_properties = functools.cache(self._read_of_properties)

    def _read_of_properties(self, pids: Sequence[str]) -> Bytes:
        """Return a bit for each key, which is set if the key belongs to one of the properties.

        The bits of all keys stay in the cache of the processor, unlike their properties.
        """
        numbers = np.array([*map(wikidata.number, pids)], np.int32)
        return np.packbits(np.isin(self._index.properties, numbers), bitorder="little")

    def of(
        self, rows: Positions, by_key: Mapping[int, int], by_property: Mapping[str, int]
    ) -> Positions:
        """Return the mark of each row.

        A key has the mark ``by_key``; if it has none, the mark of its property.
        """
        index = self._index
        keys = np.array(sorted(by_key), np.int32)
        marks = np.array([by_key[key] for key in keys.tolist()], np.int64)
        properties = np.array([*map(wikidata.number, by_property)], np.int32)
        other_marks = np.array([*by_property.values()], np.int64)
        result = np.zeros(len(rows), np.int64)
        are_marked = self._of_properties(tuple(by_property))
        lists = (np.ascontiguousarray(rows), index.row_ends, index.row_keys, index.properties)
        _mark(result, *lists, are_marked, keys, marks, properties, other_marks)
        return result


@kernel
def _mark(
    result: Positions,
    rows: Positions,
    row_ends: Positions,
    row_keys: Numbers,
    key_properties: Numbers,
    are_marked: Bytes,
    keys: Numbers,
    marks: Positions,
    properties: Numbers,
    other_marks: Positions,
) -> None:
    """Write the marks of rows; both the keys of a row and ``keys`` are sorted.

    ``are_marked`` has a bit for each key, which is set if its property is one of ``properties``.
    """
    for n in range(rows.size):
        at = 0
        for place in range(row_ends[rows[n]], row_ends[rows[n] + 1]):
            key = row_keys[place]
            while at < keys.size and keys[at] < key:
                at += 1
            if at < keys.size and keys[at] == key:
                result[n] |= marks[at]
                continue
            if not are_marked[key >> 3] >> (key & 7) & 1:
                continue
            pid = key_properties[key]
            for other in range(properties.size):
                if properties[other] == pid:
                    result[n] |= other_marks[other]
