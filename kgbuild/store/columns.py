"""Texts and times of entities, on the disk beside the graph, so that builders need no queries.

A column has a text for each of its keys, which are sorted and may repeat; the texts of a key are
sorted, too. The key of labels, descriptions and aliases is the number of an item, or minus the
number of a property. The key of the other columns is a statement's item and property. The queries
``texts_of.rq``, ``aliases.rq``, ``times.rq``, ``unknown_values.rq`` and ``no_values.rq`` define the
columns. All columns are one file of ``arrays``.
"""

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from kgbuild import wikidata
from kgbuild.dump import rules
from kgbuild.errors import DamagedStoreError
from kgbuild.store.arrays import Array, Bytes, Flags, Positions, distinct, map_arrays

LAYOUT = 1
"""The version of the arrays."""
PROPERTY_BITS = 17
"""Number of bits for the number of a property, which is below ``rules.PROPERTIES``."""
PROPERTY_MASK = (1 << PROPERTY_BITS) - 1
"""The bits of a key that have the number of the property."""
_TYPES = (np.int64, np.int64, np.uint8)
_BATCH = 1 << 20
"""Number of keys that are counted at a time."""


class Column(NamedTuple):
    """The text of key ``keys[n]`` is ``content[ends[n]:ends[n + 1]]``, in UTF-8."""

    keys: Positions
    ends: Positions
    content: Bytes

    def texts(self, key: int) -> list[str]:
        """Return the texts of a key, sorted."""
        first, last = self.keys.searchsorted((key, key + 1)).tolist()
        return [self.text_at(at) for at in range(first, last)] if first < last else []

    def text(self, key: int) -> str | None:
        """Return the first text of a key, or None if it has none."""
        at = int(self.keys.searchsorted(key))
        return self.text_at(at) if at < len(self.keys) and self.keys[at] == key else None

    def rows(self, keys: Positions) -> Positions:
        """Return the position of the first text of each key that has one."""
        rows: Positions = self.keys.searchsorted(keys)
        are_inside = rows < len(self.keys)
        rows, keys = rows[are_inside], keys[are_inside]
        have_text: Flags = self.keys[rows] == keys
        return rows[have_text]

    def items(self, pid: str) -> Positions:
        """Return the numbers of the items that have a property, sorted, without repetitions."""
        keys = self.keys[(self.keys & PROPERTY_MASK) == wikidata.number(pid)]
        return distinct(keys >> PROPERTY_BITS)

    def property_sizes(self) -> Positions:
        """Return the number of statements of each property, by its number."""
        sizes = np.zeros(rules.PROPERTIES, np.int64)
        for start in range(0, len(self.keys), _BATCH):
            pids = self.keys[start : start + _BATCH] & PROPERTY_MASK
            sizes += np.bincount(pids, minlength=rules.PROPERTIES)
        return sizes

    def of_item(self, qid: str) -> list[tuple[str, str]]:
        """Return the (property, text) pairs of an item, sorted by the number of the property."""
        if not len(self.keys):  # such as the precisions of a truthy dump
            return []
        first = statement_key(0, number := wikidata.number(qid))
        start, end = self.keys.searchsorted((first, statement_key(0, number + 1))).tolist()
        if start == end:
            return []
        keys, ends = self.keys[start:end].tolist(), self.ends[start : end + 1].tolist()
        content = self.content[ends[0] : ends[-1]].tobytes()
        return [
            (f"P{key & PROPERTY_MASK}", content[begin - ends[0] : end - ends[0]].decode())
            for key, (begin, end) in zip(keys, itertools.pairwise(ends), strict=True)
        ]

    def text_at(self, at: int) -> str:
        """Return the text at a position."""
        start, end = self.ends[at : at + 2].tolist()
        return self.content[start:end].tobytes().decode()


class Columns(NamedTuple):
    """The columns of a store.

    Labels and descriptions are in the first language of the store, or in what replaces it; aliases
    in this language or in "mul". A precision is a time, a slash and the code of its precision. The
    texts of unknown values, and of the statements that an item has no value, are empty.
    """

    labels: Column
    descriptions: Column
    aliases: Column
    times: Column
    precisions: Column
    unknown_values: Column
    no_values: Column

    def arrays(self) -> Iterator[Array]:
        """Yield the arrays of all columns, in the order of the file."""
        for column in self:
            yield from column


def statement_key(property_number: int, item: int) -> int:
    """Return the key of a property and an item in the columns of statements."""
    return item << PROPERTY_BITS | property_number


def open_columns(path: Path, fingerprint: str) -> Columns:
    """Map the columns in a file into memory; check that their graph has this fingerprint.

    Raises:
        DamagedStoreError: there are no such columns, they are of another store, or of other sizes.
    """
    arrays = map_arrays(path, LAYOUT, fingerprint, _TYPES * len(Columns._fields))
    width = len(_TYPES)
    columns = [Column(*arrays[n : n + width]) for n in range(0, len(arrays), width)]
    for keys, ends, content in columns:
        if len(ends) != len(keys) + 1 or ends[0] != 0 or ends[-1] != len(content):
            raise DamagedStoreError(path, "its parts are not of one size")
    return Columns._make(columns)
