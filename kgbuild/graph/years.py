"""Read the years of the times and descriptions of many items.

Equal texts are read once, so the times of millions of items take as long as those of thousands.
"""

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from kgbuild import wikidata
from kgbuild.native.arrays import Array, Positions
from kgbuild.store.columns import PROPERTY_BITS, PROPERTY_MASK, Column, Columns
from kgbuild.store.counts import Counts
from kgbuild.store.postings import Postings
from kgbuild.store.text_hashes import hash_texts
from kgbuild.wikidata import Value

BEGINS = ("P569", "P571", "P577", "P1191", "P580", "P585", "P2031")
"""Birth, inception, publication, first performance, start, point in time, start of work."""
NO_YEAR = np.iinfo(np.int64).max
_BATCH = 1 << 18
"""Number of texts that are read at a time."""
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
        texts, numbers = _distinct_texts(times, at)
        days = (wikidata.day(Value("time", text)) for text in texts)
        written = np.fromiter((day[0] if day else NO_YEAR for day in days), np.int64)
        np.minimum.at(years, rows, written[numbers])
    return years


def _distinct_texts(column: Column, rows: Positions) -> tuple[Sequence[str], Positions]:
    """Return the distinct texts of rows, and the number of the text of each row."""
    _, some, numbers = np.unique(hash_texts(column, rows), return_index=True, return_inverse=True)
    return [column.text_at(row) for row in rows[some].tolist()], numbers


def _own(postings: Postings, descriptions: Column, stated: Positions) -> Positions:
    """Return the year of the description of each row, or else the stated one."""
    years = stated.copy()
    for start in range(0, len(descriptions.keys), _BATCH):
        keys = descriptions.keys[start : start + _BATCH]
        rows = postings.row_of_each_number(keys.astype(np.int32))
        for at, row in enumerate(rows.tolist(), start):
            if row >= 0 and (year := described(descriptions.text_at(at)).begin) is not None:
                years[row] = year
    return years
