"""Read the times of items, and prove that two items never existed at the same time."""

import functools
from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

import numpy as np

from kgbuild import wikidata
from kgbuild.relations import Kind
from kgbuild.rows import Evidence
from kgbuild.store.columns import Columns, statement_key
from kgbuild.wikidata import Value

MARGIN = 1
"""Number of years that must separate two lifetimes, as most dates only have a certain year."""

_CACHE_SIZE = 1 << 17
"""Maximum number of results that are kept in memory."""
Years = tuple[int, int]
"""The first and the last year that a time can mean."""
Dated: TypeAlias = tuple[str, Kind | None]
"""An item and its kind, which lists the properties of its beginning and end."""


class Times:
    """The times in the columns of a store, with their precision if the dump has it."""

    def __init__(self, columns: Columns):
        self._columns = columns
        self.by_item = functools.cache(self._read)
        self.of = functools.lru_cache(_CACHE_SIZE)(self._of)

    def _read(self, pid: str) -> Mapping[str, tuple[Value, ...]]:
        """Return the sorted times of all items that have times for a property.

        The items are sorted by number.
        """
        items = (f"Q{item}" for item in np.unique(self._columns.times.items(pid)).tolist())
        return {qid: self._of(qid, pid) for qid in items}

    def _of(self, qid: str, pid: str) -> tuple[Value, ...]:
        """Return the sorted times of an item's property."""
        texts = self._columns.times.texts(key := _key(qid, pid))
        precisions: dict[str, list[int | None]] = {}
        stated = (text.split("/") for text in self._columns.precisions.texts(key))
        for time, precision in sorted((time, int(code)) for time, code in stated):
            precisions.setdefault(time, []).append(precision)
        return tuple(
            Value("time", text, precision=precision)
            for text in texts
            for precision in precisions.get(text, [None])
        )

    def years(self, qid: str, pid: str) -> list[Years]:
        """Return the first and last year of each time that an item has for a property."""
        return [years for value in self.of(qid, pid) if (years := wikidata.years(value))]

    def dates(self, qid: str, pid: str) -> list[str]:
        """Return the sorted texts of the times of an item's property."""
        return self._columns.times.texts(_key(qid, pid))

    def has_unknown_value(self, qid: str, pid: str) -> bool:
        """Return whether an item has a value for a property that nobody knows."""
        return self._columns.unknown_values.text(_key(qid, pid)) is not None

    def has_no_value(self, qid: str, pid: str) -> bool:
        """Return whether Wikidata states that an item has no value for a property."""
        return self._columns.no_values.text(_key(qid, pid)) is not None


def _key(qid: str, pid: str) -> int:
    return statement_key(wikidata.number(pid), wikidata.number(qid))


class _Date(NamedTuple):
    """A date: the first and the last year that it can mean, and its triple."""

    first: int
    last: int
    evidence: Evidence


class Lifetimes:
    """Reads the lifetimes of items, by the properties that the kind of an item has for them."""

    def __init__(self, times: Times):
        self._times = times
        self._dates = functools.cache(self._read)

    def disjoint_dates(self, a: Dated, b: Dated) -> list[Evidence]:
        """Return the end of an item and the beginning of the item that began later.

        The list is empty if the lifetimes may overlap. If an item has several dates, its earliest
        beginning and its latest end count.
        """
        for earlier, later in ((a, b), (b, a)):
            ends = self._dates(earlier[0], earlier[1].end_properties if earlier[1] else ())
            begins = self._dates(later[0], later[1].begin_properties if later[1] else ())
            if ends and begins:
                end = max(ends, key=lambda date: date.last)
                begin = min(begins, key=lambda date: date.first)
                if end.last + MARGIN < begin.first:
                    return [end.evidence, begin.evidence]
        return []

    def _read(self, qid: str, pids: tuple[str, ...]) -> list[_Date]:
        return [
            _Date(*years, Evidence(qid, pid, text))
            for pid in pids
            for text in self._times.dates(qid, pid)
            if (years := wikidata.years(Value("time", text)))
        ]
