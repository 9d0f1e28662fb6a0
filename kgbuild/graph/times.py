"""The times that items have for a property, read by one query for each property."""

from collections.abc import Mapping

from kgbuild import wikidata
from kgbuild.store.oxigraph import Graph
from kgbuild.wikidata import Value

Years = tuple[int, int]
"""The first and the last year that a time can mean."""


class Times:
    """The times of items, by property; each property is read once."""

    def __init__(self, graph: Graph):
        self._graph = graph
        self._read: dict[str, Mapping[str, tuple[Value, ...]]] = {}

    def by_item(self, pid: str) -> Mapping[str, tuple[Value, ...]]:
        """Return, for all items that have a time for a property, their times in order.

        The items are in the order of their numbers. A time has its precision if the dump has it.
        """
        if pid not in self._read:
            times: dict[str, set[Value]] = {}
            for qid, value, precision in self._graph.select("times", property=pid, precision=pid):
                if value.kind == "time":
                    time = value._replace(precision=int(precision) if precision else None)
                    times.setdefault(qid, set()).add(time)
            self._read[pid] = {
                qid: tuple(sorted(times[qid], key=lambda value: (value.text, value.precision or 0)))
                for qid in sorted(times, key=wikidata.number)
            }
        return self._read[pid]

    def years(self, qid: str, pid: str) -> list[Years]:
        """Return the years that each time of an item for a property can mean."""
        values = self.by_item(pid).get(qid, ())
        return [years for value in values if (years := wikidata.years(value))]
