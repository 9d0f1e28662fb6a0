"""Read the times of items, and tell whether two items existed at the same time."""

import functools
from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

from kgbuild import wikidata
from kgbuild.relations import Kind
from kgbuild.rows import Evidence
from kgbuild.store.oxigraph import Graph
from kgbuild.wikidata import Value

MARGIN = 1
"""Years that must lie between two lifetimes: most dates are only known to the year."""

Years = tuple[int, int]
"""The first and the last year that a time can mean."""
Dated: TypeAlias = tuple[str, Kind | None]
"""An item and its kind, which names the properties that date it."""


class Times:
    """The times of items, by property; each property is read once."""

    def __init__(self, graph: Graph):
        self._graph = graph
        self.by_item = functools.cache(self._read)

    def _read(self, pid: str) -> Mapping[str, tuple[Value, ...]]:
        """Return, for all items that have a time for a property, their times in order.

        The items are in the order of their numbers. A time has its precision if the dump has it.
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
        """Return the years that each time of an item for a property can mean."""
        values = self.by_item(pid).get(qid, ())
        return [years for value in values if (years := wikidata.years(value))]


class _Date(NamedTuple):
    """The first and the last year that a date can mean, and the triple that states it."""

    first: int
    last: int
    evidence: Evidence


class Lifetimes:
    """The lifetimes of items, by the properties that date items of their kind."""

    def __init__(self, graph: Graph):
        self._graph = graph
        self._dates = functools.cache(self._read)

    def disjoint_dates(self, one: Dated, other: Dated) -> list[Evidence]:
        """Return an end and a later beginning that show that two items never coexisted, or nothing.

        If an item has several dates, the earliest beginning and the latest end count.
        """
        for earlier, later in ((one, other), (other, one)):
            ends = self._dates(earlier[0], earlier[1].ends if earlier[1] else ())
            begins = self._dates(later[0], later[1].begins if later[1] else ())
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
