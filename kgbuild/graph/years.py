"""The years in which all items of a store began, kept beside the store.

``Eras`` defines them: the year of an item's description, and the earliest year of its statements.
"""

import re
from typing import NamedTuple

import numpy as np

from kgbuild import wikidata
from kgbuild.store.arrays import Array, Bytes, Flags, Positions
from kgbuild.store.columns import PROPERTY_BITS, PROPERTY_MASK, Column, Columns
from kgbuild.store.counts import Counts
from kgbuild.store.postings import Postings
from kgbuild.wikidata import Value

BEGINS = ("P569", "P571", "P577", "P1191", "P580", "P585", "P2031")
"""Birth, inception, publication, first performance, start, point in time, start of work."""
NO_YEAR = np.iinfo(np.int64).max
_BATCH = 1 << 20
"""Number of texts that are read at a time."""
_USUAL = ("0123456789",) * 4 + ("-", "01", "0123456789", "-", "0123456789", "0123456789")
"""The letters of nearly all times, before a T: 1952-03-11."""
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

    ``NO_YEAR`` is in the place of years that are not known.
    """

    def __init__(self, postings: Postings, columns: Columns, counts: Counts):
        def count() -> tuple[Array, Array]:
            stated = _stated(postings, columns.times)
            return stated, _own(postings, columns.descriptions, stated)

        name = ("row_years", *BEGINS)
        self.stated, self.own = counts.arrays(name, (np.int64, np.int64), count)


def _stated(postings: Postings, times: Column) -> Positions:
    """Return the earliest year of the statements of each row."""
    years = np.full(len(postings.items), NO_YEAR, np.int64)
    pids = np.array([*map(wikidata.number, BEGINS)])
    for start in range(0, len(times.keys), _BATCH):
        keys = times.keys[start : start + _BATCH]
        places = start + np.flatnonzero(np.isin(keys & PROPERTY_MASK, pids))
        rows = postings.row_of_each_number((times.keys[places] >> PROPERTY_BITS).astype(np.int32))
        places, rows = places[rows >= 0], rows[rows >= 0]
        np.minimum.at(years, rows, _years_of_times(times, places))
    return years


def _years_of_times(times: Column, places: Positions) -> Positions:
    """Return the years of the times at some places of a column.

    They are the years as written: a time is in the middle of the years that it can mean.
    """
    starts, ends = times.ends[places], times.ends[places + 1]
    years = np.full(len(places), NO_YEAR, np.int64)
    is_usual = ends - starts > len(_USUAL)
    offsets = starts[is_usual, np.newaxis] + np.arange(len(_USUAL) + 1)
    letters = times.content[offsets]
    has_form = letters[:, -1] == ord("T")
    for n, allowed in enumerate(_USUAL):
        has_form &= np.isin(letters[:, n], [*allowed.encode()])
    is_usual[is_usual] = has_form & ~((letters[:, 5] == ord("1")) & (letters[:, 6] > ord("2")))
    digits = times.content[starts[is_usual, np.newaxis] + np.arange(4)].astype(np.int64) - ord("0")
    years[is_usual] = digits @ np.array([1000, 100, 10, 1])
    for n in np.flatnonzero(~is_usual).tolist():
        text = times.content[starts[n] : ends[n]].tobytes().decode()
        if day := wikidata.day(Value("time", text)):
            years[n] = day[0]
    return years


def _own(postings: Postings, descriptions: Column, stated: Positions) -> Positions:
    """Return the year of the description of each row, or else the stated one."""
    years = stated.copy()
    for start in range(0, len(descriptions.keys), _BATCH):
        ends = descriptions.ends[start : start + _BATCH + 1]
        places = start + np.flatnonzero(_may_have_year(descriptions.content, ends))
        rows = postings.row_of_each_number(descriptions.keys[places].astype(np.int32))
        for place, row in zip(places.tolist(), rows.tolist(), strict=True):
            first, last = descriptions.ends[place : place + 2].tolist()
            year = described(descriptions.content[first:last].tobytes().decode()).begin
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
