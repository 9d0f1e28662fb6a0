"""Read the times of items, and prove that two items never existed at the same time."""

import functools
from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

from kgbuild import wikidata
from kgbuild.relations import Kind
from kgbuild.rows import Evidence
from kgbuild.store.oxigraph import Graph
from kgbuild.wikidata import Value

MARGIN = 1
"""Number of years that must separate two lifetimes, as most dates only have a certain year."""

Years = tuple[int, int]
"""The first and the last year that a time can mean."""
Dated: TypeAlias = tuple[str, Kind | None]
"""An item and its kind, which lists the properties of its beginning and end."""


class Times:
    """Reads the times of items; each property is read once, for all items."""

    def __init__(self, graph: Graph):
        self._graph = graph
        self.by_item = functools.cache(self._read)

    def _read(self, pid: str) -> Mapping[str, tuple[Value, ...]]:
        """Return the sorted times of all items that have times for a property.

        The items are sorted by number. A time has its precision if the dump has it.
        """
        times: dict[str, set[Value]] = {}
        for qid, value, precision in self._graph.select("times", property=pid, precision=pid):
            if value.kind == "time":
                time = value._replace(precision=int(precision) if precision else None)
                times.setdefault(qid, set()).add(time)
        return {
            qid: tuple(sorted(times[qid], key=lambda value: (value.text, value.precision or 0)))
            for qid in sorted(times, key=wikidata.number)
        }

    def years(self, qid: str, pid: str) -> list[Years]:
        """Return the first and last year of each time that an item has for a property."""
        values = self.by_item(pid).get(qid, ())
        return [years for value in values if (years := wikidata.years(value))]


class _Date(NamedTuple):
    """A date: the first and the last year that it can mean, and its triple."""

    first: int
    last: int
    evidence: Evidence


class Lifetimes:
    """Reads the lifetimes of items, by the properties that the kind of an item has for them."""

    def __init__(self, graph: Graph):
        self._graph = graph
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
            _Date(*years, Evidence(qid, pid, value.text))
            for pid in pids
            for (value,) in self._graph.select("values", subject=qid, property=pid)
            if (years := wikidata.years(value))
        ]
