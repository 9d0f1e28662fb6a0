"""Texts and times of entities, on the disk beside the graph, so that builders need no queries.

A column has a text for each of its keys, which are sorted and may repeat; the texts of a key are
sorted, too. The key of labels, descriptions and aliases is the number of an item, or minus the
number of a property. The key of the other columns is a statement's item and property. The queries
``texts_of.rq``, ``aliases.rq``, ``times.rq``, ``unknown_values.rq`` and ``no_values.rq`` define the
columns. All columns are one file of ``arrays``.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from kgbuild import wikidata
from kgbuild.dump.scanning import rules
from kgbuild.native.arrays import Bytes, Positions
from kgbuild.store.arrays import distinct, map_arrays, places
from kgbuild.store.spill import ArraysWriter, Spill, Texts, in_ranges, sorted_order

LAYOUT = 1
"""The version of the arrays."""
PROPERTY_BITS = 17
"""Number of bits for the number of a property, which is below ``rules.PROPERTIES``."""
PROPERTY_MASK = (1 << PROPERTY_BITS) - 1
"""The bits of a key that have the number of the property."""
_TYPES = (np.int64, np.int64, np.uint8)
_BATCH = 1 << 20
"""Number of keys that are counted at a time."""
_RANK_BITS = 2
"""Number of low bits of the key of a label that rank its language, until the best is chosen."""
_SINGLE = ("labels", "descriptions")
"""The columns with a single text for each key."""


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
        rows = places(keys, self.keys)
        return rows[rows >= 0]

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
        number = wikidata.number(qid)
        bounds = number << PROPERTY_BITS, number + 1 << PROPERTY_BITS
        start, end = self.keys.searchsorted(bounds).tolist()
        keys = self.keys[start:end].tolist()
        return [(f"P{key & PROPERTY_MASK}", self.text_at(at)) for at, key in enumerate(keys, start)]

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


def open_columns(path: Path, fingerprint: str) -> Columns:
    """Map the columns in a file into memory; check that their graph has this fingerprint.

    Raises:
        DamagedStoreError: there are no such columns, or they are of another store.
    """
    arrays = map_arrays(path, LAYOUT, fingerprint, _TYPES * len(Columns._fields))
    width = len(_TYPES)
    return Columns._make(Column(*arrays[n : n + width]) for n in range(0, len(arrays), width))


class Entries(NamedTuple):
    """Texts of a column of ``Columns``, one after the other, with their keys and lengths.

    ``language`` is that of all texts if they are names, else empty.
    """

    column: str
    language: str
    keys: Positions
    lengths: Positions
    content: Bytes

    def texts(self) -> Iterator[str]:
        """Yield the texts."""
        content, start = self.content.tobytes(), 0
        for length in self.lengths.tolist():
            yield content[start : start + length].decode()
            start += length


class ColumnsWriter(ArraysWriter):
    """Collects entries and writes columns, in which labels are in ``language`` if possible.

    Repeated entries count once.
    """

    layout = LAYOUT

    def __init__(self, path: Path, language: str, folder: Path):
        super().__init__(path, folder)
        self._language = language
        self._parts = {name: (self.new(np.int64), Texts(self)) for name in Columns._fields}

    def add(self, entries: Entries) -> None:
        """Add entries; names in other languages are ignored."""
        keys, tag = entries.keys, entries.language
        if entries.column == "labels":
            rank = wikidata.language_rank(tag, self._language)
            if rank == wikidata.NO_LABEL:
                return
            keys = keys << _RANK_BITS | rank
        elif entries.column == "descriptions":
            if tag != self._language:
                return
        elif entries.column == "aliases" and tag not in (self._language, "mul"):
            return
        key_file, texts = self._parts[entries.column]
        key_file.append(keys)
        texts.append(entries.lengths, entries.content)

    def arrays(self) -> list[Spill]:
        """Return the arrays of ``Columns``."""
        return [array for name in Columns._fields for array in self._column(name)]

    def _column(self, name: str) -> tuple[Spill, Spill, Spill]:
        """Return the arrays of a ``Column``, sorted and without repetitions."""
        key_file, texts = self._parts[name]
        sorted_keys, copy = self.new(np.int64), Texts(self)
        for keys, part in in_ranges(key_file, texts, low_bits=_RANK_BITS):
            order, are_repeated = sorted_order(keys, part)
            keys, keep = keys[order], ~are_repeated
            if name == "labels":
                keys >>= _RANK_BITS
            if name in _SINGLE:
                keep[1:] &= keys[1:] != keys[:-1]
                keep &= (part[2] > part[1])[order]
            sorted_keys.append(keys[keep])
            copy.copy(part, order[keep])
        return sorted_keys, *copy.arrays()
