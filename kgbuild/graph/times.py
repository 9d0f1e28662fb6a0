"""Read the times of items, and prove that two items never existed at the same time."""

import functools
from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

from kgbuild import wikidata
from kgbuild.relations import Kind
from kgbuild.rows import Evidence
from kgbuild.store.columns import Columns
from kgbuild.wikidata import Value

MARGIN = 1
"""Number of years that must separate two lifetimes, as most dates only have a certain year."""

_CACHE_SIZE = 1 << 15
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
        self.of_item = functools.lru_cache(_CACHE_SIZE)(self._read_item)

    def _read(self, pid: str) -> Mapping[str, tuple[Value, ...]]:
        """Return the sorted times of all items that have times for a property.

        The items are sorted by number.
        """
        items = (f"Q{item}" for item in self._columns.times.items(pid).tolist())
        return {qid: self.of_item(qid)[pid] for qid in items}

    def of(self, qid: str, pid: str) -> tuple[Value, ...]:
        """Return the sorted times of an item's property."""
        return self.of_item(qid).get(pid, ())

    def _read_item(self, qid: str) -> Mapping[str, tuple[Value, ...]]:
        """Return the sorted times of an item by property."""
        times = self._columns.times.of_item(qid)
        precisions: dict[tuple[str, str], list[int]] = {}
        for pid, text in self._columns.precisions.of_item(qid) if times else ():
            time, _, code = text.partition("/")
            precisions.setdefault((pid, time), []).append(int(code))
        values: dict[str, list[Value]] = {}
        for pid, text in times:
            for precision in sorted(precisions.get((pid, text), ())) or (None,):
                values.setdefault(pid, []).append(Value("time", text, precision=precision))
        return {pid: tuple(times_of_property) for pid, times_of_property in values.items()}

    def years(self, qid: str, pid: str) -> list[Years]:
        """Return the first and last year of each time that an item has for a property."""
        return [years for value in self.of(qid, pid) if (years := wikidata.years(value))]


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

    def last_end(self, item: Dated) -> int | None:
        """Return the last year in which an item may have ended; None if it is unknown."""
        qid, kind = item
        ends = self._dates(qid, kind.end_properties if kind else ())
        return max((date.last for date in ends), default=None)

    def years_later(self, a: Dated, b: Dated) -> Years | None:
        """Return the least and the most years by which ``b`` can have begun after ``a``.

        If an item has several dates, its earliest beginning counts. Without one, there are none.
        """
        begins = [self._dates(qid, kind.begin_properties if kind else ()) for qid, kind in (a, b)]
        if not all(begins):
            return None
        first, second = (min(dates, key=lambda date: date.first) for dates in begins)
        return second.first - first.last, second.last - first.first

    def _read(self, qid: str, pids: tuple[str, ...]) -> list[_Date]:
        return [
            _Date(*years, Evidence(qid, pid, value.text))
            for pid in pids
            for value in self._times.of(qid, pid)
            # A date counts as in a truthy dump, without its precision.
            if (years := wikidata.years(value._replace(precision=None)))
        ]
