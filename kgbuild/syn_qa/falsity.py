"""Whether a relation holds of two items, as far as a store can tell."""

from kgbuild.building import Evidence
from kgbuild.kg.store import Graph
from kgbuild.relations import Relation

NO_VALUE = "no value"
"""What stands as the object of the evidence where Wikidata says that there is no value."""

WITHIN = "within"
"""What stands as the property where one item lies within another, over several steps."""


class Facts:
    """What the store says of one relation, in whichever direction and property it says it."""

    def __init__(self, graph: Graph, relation: Relation):
        self._graph = graph
        self._relation = relation
        self._above: dict[str, set[str]] = {}

    def says(self, x: str, y: str) -> Evidence | None:
        """Return a triple that says, or comes near to saying, that the relation holds, or None.

        The relation itself, narrower and inverse ones count, and its mirror image if it is
        symmetric. Where objects lie within each other, what holds of a part of y holds of y,
        and what holds of something that y is a part of may hold of y.
        """
        for pid in self._relation.forward:
            if self._graph.select("holds", subject=x, property=pid, object=y):
                return Evidence(x, pid, y)
        for pid in self._relation.backward:
            if self._graph.select("holds", subject=y, property=pid, object=x):
                return Evidence(y, pid, x)
        return self._nests(x, y) if self._relation.within else None

    def _nests(self, x: str, y: str) -> Evidence | None:
        for value in self._items(x):
            if y in self._wholes(value):
                return Evidence(value, WITHIN, y)
            if value in self._wholes(y):
                return Evidence(y, WITHIN, value)
        return None

    def _wholes(self, qid: str) -> set[str]:
        if qid not in self._above:
            self._above[qid] = {whole for (whole,) in self._graph.select("wholes", part=qid)}
        return self._above[qid]

    def _items(self, x: str) -> list[str]:
        values = self._graph.select("values", subject=x, property=self._relation.pid)
        return sorted(value.text for (value,) in values if value.kind == "item")

    def has_unknown(self, x: str) -> bool:
        """Tell whether x has a value of the relation that nobody knows: it may be any item."""
        values = self._graph.select("values", subject=x, property=self._relation.pid)
        return any(value.kind == "unknown" for (value,) in values)

    def others(self, x: str) -> list[Evidence]:
        """Return the triples that say of which items the relation does hold, for x.

        If Wikidata says that there is none, that is the evidence.
        """
        found = [
            Evidence(x, pid, value.text)
            for pid in self._relation.forward
            for (value,) in self._graph.select("values", subject=x, property=pid)
            if value.kind == "item"
        ]
        found += [
            Evidence(qid, pid, x)
            for pid in self._relation.backward
            for (qid,) in self._graph.select("subjects", object=x, property=pid)
        ]
        if self._graph.select("no_value", subject=x, property=self._relation.pid):
            found.append(Evidence(x, self._relation.pid, NO_VALUE))
        return sorted(set(found))
