"""Classes and their subclasses: of which kind an item is."""

from collections.abc import Mapping

from kgbuild.kg.store import Graph
from kgbuild.relations import Kind


class Kinds:
    """Tells the kind of items by their classes (P31) and those classes' superclasses (P279)."""

    def __init__(self, graph: Graph, kinds: Mapping[str, Kind]):
        import networkx as nx

        self._graph = graph
        above: nx.DiGraph[str] = nx.DiGraph()
        above.add_edges_from(
            (superclass, subclass)
            for subclass, superclass in graph.select("relation_pairs", property="P279")
        )
        self._known: dict[str, set[str]] = {}
        self._read: dict[str, frozenset[str]] = {}
        for kind in kinds.values():
            below = {
                c for root in kind.classes if root in above for c in nx.descendants(above, root)
            }
            self._known[kind.name] = below | set(kind.classes)

    def classes(self, qid: str) -> frozenset[str]:
        """Return the direct classes of an item. Each item is read from the store once."""
        if qid not in self._read:
            values = self._graph.select("values", subject=qid, property="P31")
            self._read[qid] = frozenset(value.text for (value,) in values if value.kind == "item")
        return self._read[qid]

    def of(self, qid: str) -> list[str]:
        """Return the names of the kinds that an item is of, in the order of the file."""
        classes = self.classes(qid)
        return [kind for kind, known in self._known.items() if not known.isdisjoint(classes)]
