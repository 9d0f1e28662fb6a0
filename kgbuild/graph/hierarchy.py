"""What lies above items: the kinds that they are of, and the wholes that they lie in."""

from collections.abc import Iterable, Mapping, Sequence

from kgbuild import wikidata
from kgbuild.catalog import Kind
from kgbuild.graph.statements import Statements


class Kinds:
    """Tells the kind of items by their classes (P31) and those classes' superclasses (P279)."""

    def __init__(self, statements: Statements, kinds: Mapping[str, Kind]):
        import networkx as nx

        self._statements = statements
        above: nx.DiGraph[str] = nx.DiGraph()
        above.add_edges_from(
            (superclass, subclass) for subclass, superclass in statements.pairs("P279")
        )
        self._known: dict[str, set[str]] = {}
        for kind in kinds.values():
            below = {
                c for root in kind.classes if root in above for c in nx.descendants(above, root)
            }
            self._known[kind.name] = below | set(kind.classes)

    def classes(self, qid: str) -> tuple[str, ...]:
        """Return the direct classes of an item, by number."""
        return self._statements.values(qid, "P31")

    def names(self, qid: str) -> list[str]:
        """Return the names of the kinds that an item is of, in the order of the file."""
        classes = self.classes(qid)
        return [kind for kind, known in self._known.items() if not known.isdisjoint(classes)]


class Wholes:
    """Tells what items lie in, are parts or are kinds of, as ``wholes.rq`` defines it."""

    def __init__(self, statements: Statements):
        self._statements = statements
        self._read: dict[str, frozenset[str]] = {}
        self._superclasses: dict[str, frozenset[str]] = {}

    def above(self, qid: str) -> frozenset[str]:
        """Return all items above an item, over any number of steps. Each is asked for once."""
        if qid not in self._read:
            classes = self._statements.values(qid, "P31")
            above = (self._above(each) | {each} for each in classes)
            self._read[qid] = self._reached(qid, _PARTS).union(self._above(qid), *above)
        return self._read[qid]

    def _above(self, qid: str) -> frozenset[str]:
        if qid not in self._superclasses:
            self._superclasses[qid] = self._reached(qid, ("P279",))
        return self._superclasses[qid]

    def _reached(self, qid: str, pids: Sequence[str]) -> frozenset[str]:
        """Return what one step or more along the properties leads to."""
        reached: dict[str, None] = {}
        ahead = [qid]
        for one in ahead:  # grows while it is walked: breadth first
            for value in (v for pid in pids for v in self._statements.values(one, pid)):
                if value not in reached:
                    reached[value] = None
                    ahead.append(value)
        return frozenset(reached)


def components(joined: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return, for each item of the pairs, the smallest item that is joined to it over any steps.

    >>> components([("Q3", "Q2"), ("Q2", "Q10"), ("Q7", "Q5")])
    {'Q3': 'Q2', 'Q2': 'Q2', 'Q10': 'Q2', 'Q7': 'Q5', 'Q5': 'Q5'}
    """
    import networkx as nx

    graph: nx.Graph[str] = nx.Graph()
    graph.add_edges_from(joined)
    smallest: dict[str, str] = {}
    for component in nx.connected_components(graph):
        smallest.update(dict.fromkeys(component, min(component, key=wikidata.number)))
    return {qid: smallest[qid] for qid in graph}


_PARTS = ("P131", "P17", "P361", "P749")
