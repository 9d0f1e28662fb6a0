"""Find what is above items: their kinds, and the places and wholes that contain them."""

import functools
from collections.abc import Iterable, Mapping, Sequence

from kgbuild import wikidata
from kgbuild.graph.links import Links
from kgbuild.graph.statements import Statements
from kgbuild.relations import Kind

_PARTS = ("P131", "P17", "P361", "P749")
_CACHED = 1 << 17


class Kinds:
    """The kinds of items, by their classes (P31) and the superclasses (P279) of these."""

    def __init__(self, statements: Statements, kinds: Mapping[str, Kind]):
        self._statements = statements
        self._kinds = kinds
        self._of_class = functools.lru_cache(_CACHED)(self._read)

    def names(self, qid: str) -> list[str]:
        """Return the names of the kinds of an item, in the order of the catalog."""
        names = frozenset[str]().union(*map(self._of_class, self._statements.values(qid, "P31")))
        return [name for name in self._kinds if name in names]

    def _read(self, of_class: str) -> frozenset[str]:
        """Return the names of the kinds to which the items of a class belong."""
        classes = {of_class, *above(self._statements, of_class, ("P279",))}
        return frozenset(
            name for name, kind in self._kinds.items() if not classes.isdisjoint(kind.classes)
        )


class Wholes:
    """The places, wholes and classes of items, as ``wholes.rq`` defines them."""

    def __init__(self, statements: Links):
        self._statements = statements
        self._superclasses = functools.lru_cache(_CACHED)(
            lambda qid: above(statements, qid, ("P279",))
        )
        self.above = functools.lru_cache(_CACHED)(self._read)

    def _read(self, qid: str) -> frozenset[str]:
        """Return all items above an item, over any number of steps."""
        classes = self._statements.values(qid, "P31")
        superclasses = (self._superclasses(of_class) for of_class in (qid, *classes))
        return above(self._statements, qid, _PARTS).union(classes, *superclasses)


def above(statements: Links, qid: str, pids: Sequence[str]) -> frozenset[str]:
    """Return the items to which one or more steps along the properties lead."""
    items: set[str] = set()
    queue = [qid]
    for item in queue:  # grows while it is walked: breadth first
        values = {value for pid in pids for value in statements.values(item, pid)} - items
        items |= values
        queue += values
    return frozenset(items)


def components(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return, for each item of the pairs, the smallest item of its connected component.

    >>> components([("Q3", "Q2"), ("Q2", "Q10"), ("Q7", "Q5")])
    {'Q2': 'Q2', 'Q3': 'Q2', 'Q10': 'Q2', 'Q5': 'Q5', 'Q7': 'Q5'}
    """
    import networkx as nx  # slow to import, and few commands need it

    graph: nx.Graph[str] = nx.Graph()
    graph.add_edges_from(pairs)
    return {
        qid: smallest
        for members in nx.connected_components(graph)
        for smallest in [min(members, key=wikidata.number)]
        for qid in sorted(members, key=wikidata.number)
    }
