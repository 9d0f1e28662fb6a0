"""The times that properties say of items: of each property all at once, by one query."""

from collections.abc import Mapping

from kgbuild import wikidata
from kgbuild.store.oxigraph import Graph
from kgbuild.wikidata import Value

Years = tuple[int, int]
"""The first and the last year that a time may mean."""


class Times:
    """Tells the times of items."""

    def __init__(self, graph: Graph):
        self._graph = graph
        self._read: dict[str, Mapping[str, tuple[Value, ...]]] = {}

    def by_item(self, pid: str) -> Mapping[str, tuple[Value, ...]]:
        """Return all items that have a time for a property, by number, with their times in order.

        A time has its precision where the dump told it.
        """
        if pid not in self._read:
            found: dict[str, set[Value]] = {}
            for qid, value, told in self._graph.select("times", property=pid, precision=pid):
                if value.kind == "time":
                    precise = value._replace(precision=int(told) if told else None)
                    found.setdefault(qid, set()).add(precise)
            self._read[pid] = {
                qid: tuple(sorted(found[qid], key=lambda value: (value.text, value.precision or 0)))
                for qid in sorted(found, key=wikidata.number)
            }
        return self._read[pid]

    def years(self, qid: str, pid: str) -> list[Years]:
        """Return the years that each of an item's times for a property may mean."""
        values = self.by_item(pid).get(qid, ())
        return [years for value in values if (years := wikidata.years(value))]
