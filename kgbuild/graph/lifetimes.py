"""Whether two items existed at the same time, judged by dates of unknown precision."""

from typing import NamedTuple, TypeAlias

from kgbuild import wikidata
from kgbuild.relations import Kind
from kgbuild.rows import Evidence
from kgbuild.store.oxigraph import Graph

MARGIN = 1
"""Years that must lie between two lifetimes: most dates are only known to the year."""

Dated: TypeAlias = tuple[str, Kind | None]
"""An item and its kind, which names the properties that date it."""


class _Date(NamedTuple):
    """The first and the last year that a date can mean, and the triple that states it."""

    first: int
    last: int
    evidence: Evidence


class Lifetimes:
    """The lifetimes of items, by the properties that date items of their kind."""

    def __init__(self, graph: Graph):
        self._graph = graph
        self._cache: dict[tuple[str, str], list[_Date]] = {}

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

    def _dates(self, qid: str, pids: tuple[str, ...]) -> list[_Date]:
        return [date for pid in pids for date in self._read(qid, pid)]

    def _read(self, qid: str, pid: str) -> list[_Date]:
        if (qid, pid) not in self._cache:
            values = self._graph.select("values", subject=qid, property=pid)
            self._cache[qid, pid] = [
                _Date(*years, Evidence(qid, pid, value.text))
                for (value,) in values
                if (years := wikidata.years(value))
            ]
        return self._cache[qid, pid]
