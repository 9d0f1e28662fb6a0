"""Read the years of the times and descriptions of many items.

Equal texts are read once, so the times of millions of items take as long as those of thousands.
"""

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from kgbuild import wikidata
from kgbuild.native.arrays import Array, Bytes, Flags, Numbers, Positions
from kgbuild.store.arrays import are_among, places
from kgbuild.store.columns import PROPERTY_BITS, PROPERTY_MASK, Column, Columns
from kgbuild.store.counts import Counts
from kgbuild.store.postings import Postings
from kgbuild.store.text_hashes import Hashes, hash_text, hash_texts
from kgbuild.wikidata import Value

BEGINS = ("P569", "P571", "P577", "P1191", "P580", "P585", "P2031")
"""Birth, inception, publication, first performance, start, point in time, start of work."""
NO_YEAR = np.iinfo(np.int64).max
_BATCH = 1 << 18
"""Number of texts that are read at a time."""
_ODD = np.uint64(0x9E3779B97F4A7C15)
"""A number by which items are multiplied, so that sums with hashes of texts are hashes, too."""
_FIRST_OTHER = 128
"""The first byte that is not ASCII."""
_DESCRIBED = re.compile(
    r"^(?P<work>\d{4})\b|\((?:born )?(?P<begin>\d{3,4})(?:\s?[-–]\s?(?P<end>\d{3,4}))?\)"
)


class Described(NamedTuple):
    """The years of a beginning and an end in a description, None where there is none."""

    begin: int | None
    end: int | None


def described(description: str | None) -> Described:
    """Return the years in a description, as Wikidata writes them.

    They are exact, while a truthy dump lacks the precision of dates.

    >>> described("1934 film by Victor Schertzinger"), described("French painter (1840-1916)")
    (Described(begin=1934, end=None), Described(begin=1840, end=1916))
    """
    match = _DESCRIBED.search(description or "")
    begin, end = (match["work"] or match["begin"], match["end"]) if match else (None, None)
    return Described(int(begin) if begin else None, int(end) if end else None)


class BeginYears:
    """For each row of the index: the year of a statement, and of the description or a statement.

    ``Eras`` defines them: the earliest year of an item's statements, and that of its description.
    ``NO_YEAR`` is in the place of years that are not known. They are kept beside the store.
    """

    def __init__(self, postings: Postings, columns: Columns, counts: Counts):
        def count() -> tuple[Array, Array]:
            stated = _stated(postings, columns.times)
            return stated, _own(postings, columns.descriptions, stated)

        name = ("row_years", *BEGINS)
        self.stated, self.own = counts.arrays(name, (np.int64, np.int64), count)


def _stated(postings: Postings, times: Column) -> Positions:
    """Return the earliest year of the statements of each row.

    They are the years as written: a time is in the middle of the years that it can mean.
    """
    years = np.full(len(postings.items), NO_YEAR, np.int64)
    pids = np.array([*map(wikidata.number, BEGINS)])
    for start in range(0, len(times.keys), _BATCH):
        keys = times.keys[start : start + _BATCH]
        at = start + np.flatnonzero(np.isin(keys & PROPERTY_MASK, pids))
        rows = postings.row_of_each_number((times.keys[at] >> PROPERTY_BITS).astype(np.int32))
        at, rows = at[rows >= 0], rows[rows >= 0]
        texts, _, numbers = _distinct_texts(times, at)
        days = (wikidata.day(Value("time", text)) for text in texts)
        written = np.fromiter((day[0] if day else NO_YEAR for day in days), np.int64)
        np.minimum.at(years, rows, written[numbers])
    return years


def _distinct_texts(column: Column, rows: Positions) -> tuple[Sequence[str], Hashes, Positions]:
    """Return the distinct texts of rows, their hashes, and the number of the text of each row."""
    hashes, some, numbers = np.unique(
        hash_texts(column, rows), return_index=True, return_inverse=True
    )
    return [column.text_at(row) for row in rows[some].tolist()], hashes, numbers


def _own(postings: Postings, descriptions: Column, stated: Positions) -> Positions:
    """Return the year of the description of each row, or else the stated one."""
    years = stated.copy()
    for start in range(0, len(descriptions.keys), _BATCH):
        ends = descriptions.ends[start : start + _BATCH + 1]
        at = start + np.flatnonzero(_may_have_year(descriptions.content, ends))
        rows = postings.row_of_each_number(descriptions.keys[at].astype(np.int32))
        for place, row in zip(at.tolist(), rows.tolist(), strict=True):
            year = described(descriptions.text_at(place)).begin
            if row >= 0 and year is not None:
                years[row] = year
    return years


def _may_have_year(content: Bytes, ends: Positions) -> Flags:
    """Return which texts have three digits in a row, or letters that could be digits."""
    text = content[ends[0] : ends[-1]]
    are_digits = (text >= ord("0")) & (text <= ord("9"))
    may_have = text >= _FIRST_OTHER
    may_have[2:] |= are_digits[2:] & are_digits[1:-1] & are_digits[:-2]
    counts = np.cumsum(np.concatenate([[0], may_have]), dtype=np.int64)
    bounds: Positions = ends - ends[0]
    return counts[bounds[1:]] > counts[bounds[:-1]]


class YearSpans(NamedTuple):
    """The earliest and the latest year that the times of an item can mean, by number of the item.

    Items without a year are left out. The items are sorted.
    """

    items: Positions
    first: Positions
    last: Positions

    def of(self, items: Numbers) -> tuple[Flags, Positions, Positions]:
        """Return whether each item has years, and its first and last year, else 0."""
        rows = places(items.astype(np.int64), self.items)
        has_years = rows >= 0
        first, last = np.zeros((2, len(items)), np.int64)
        first[has_years], last[has_years] = self.first[rows[has_years]], self.last[rows[has_years]]
        return has_years, first, last


def year_spans(columns: Columns, pid: str, items: Numbers) -> YearSpans:
    """Return the years of those of ``items``, which are sorted, that have times for a property.

    The precisions of a time, if there are any, count: see ``wikidata.years``.
    """
    times = _read(columns.times, pid, items, partial(Value, "time"))
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
    texts, text_hashes, numbers = _distinct_texts(column, rows)
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


def _precise_time(text: str) -> Value:
    time, _, code = text.partition("/")
    return Value("time", time, precision=int(code))
