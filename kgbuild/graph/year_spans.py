"""Read the first and the last year of the times of all items that have a property.

Equal texts are read once, so the times of millions of items take as long as those of thousands.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from kgbuild import wikidata
from kgbuild.store.arrays import Flags, Numbers, Positions, are_among
from kgbuild.store.columns import PROPERTY_BITS, PROPERTY_MASK, Column, Columns
from kgbuild.store.text_hashes import Hashes, hash_text, hash_texts
from kgbuild.wikidata import Value

_ODD = np.uint64(0x9E3779B97F4A7C15)
"""A number by which items are multiplied, so that sums with hashes of texts are hashes, too."""


class YearSpans(NamedTuple):
    """The earliest and the latest year that the times of an item can mean, by number of the item.

    Items without a year are left out. The items are sorted.
    """

    items: Positions
    first: Positions
    last: Positions

    def of(self, items: Numbers) -> tuple[Flags, Positions, Positions]:
        """Return whether each item has years, and its first and last year, else 0."""
        rows = self.items.searchsorted(items)
        has_years = rows < len(self.items)
        has_years[has_years] = self.items[rows[has_years]] == items[has_years]
        first, last = np.zeros((2, len(items)), np.int64)
        rows = rows[has_years]
        first[has_years], last[has_years] = self.first[rows], self.last[rows]
        return has_years, first, last


def year_spans(columns: Columns, pid: str, items: Numbers) -> YearSpans:
    """Return the years of those of ``items``, which are sorted, that have times for a property.

    The precisions of a time, if there are any, count: see ``wikidata.years``.
    """
    times = _read(columns.times, pid, items, _time)
    precise = _read(columns.precisions, pid, items, _precise_time)
    # A precision without its time does not count, nor does a time beside its precisions.
    is_imprecise = ~np.isin(times.statements, precise.statements)
    has_time = np.isin(precise.statements, times.statements)
    parts = times.of(is_imprecise & times.has_year), precise.of(has_time & precise.has_year)
    numbers, first, last = map(np.concatenate, zip(*parts, strict=True))
    order = np.argsort(numbers, kind="stable")
    numbers, first, last = numbers[order], first[order], last[order]
    starts = np.flatnonzero(np.diff(numbers, prepend=-1))
    if len(starts):
        first, last = np.minimum.reduceat(first, starts), np.maximum.reduceat(last, starts)
    return YearSpans(numbers[starts], first, last)


class _Times(NamedTuple):
    """The times of a property in a column.

    ``statements`` has hashes of the items with the texts of their times.
    """

    items: Positions
    statements: Hashes
    has_year: Flags
    first: Positions
    last: Positions

    def of(self, rows: Flags) -> tuple[Positions, Positions, Positions]:
        """Return the items of some rows, with the first and the last year of each."""
        return self.items[rows], self.first[rows], self.last[rows]


def _read(column: Column, pid: str, wanted: Numbers, parse: Callable[[str], Value]) -> _Times:
    """Return the times of some items in a column; ``parse`` reads each distinct text once."""
    rows = np.flatnonzero((column.keys & PROPERTY_MASK) == wikidata.number(pid))
    items = column.keys[rows] >> PROPERTY_BITS
    are_wanted = are_among(items, wanted.astype(np.int64))
    rows, items = rows[are_wanted], items[are_wanted]
    text_hashes, some, numbers = np.unique(
        hash_texts(column, rows), return_index=True, return_inverse=True
    )
    texts = [column.text_at(row) for row in rows[some].tolist()]
    values = [parse(text) for text in texts]
    years = [wikidata.years(value) for value in values]
    hashes = [
        hash_text(value.text) if value.text != text else text_hash
        for value, text, text_hash in zip(values, texts, text_hashes, strict=True)
    ]
    spans = np.array([span or (0, 0) for span in years], np.int64).reshape(-1, 2)[numbers]
    return _Times(
        items=items,
        statements=(items.astype(np.uint64) * _ODD) ^ np.array(hashes, np.uint64)[numbers],
        has_year=np.array([span is not None for span in years], np.bool_)[numbers],
        first=spans[:, 0],
        last=spans[:, 1],
    )


def _time(text: str) -> Value:
    return Value("time", text)


def _precise_time(text: str) -> Value:
    time, _, code = text.partition("/")
    return Value("time", time, precision=int(code))
