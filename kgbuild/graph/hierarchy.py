"""What lies above items: the kinds that they are of, and the wholes that they lie in."""

import functools
from collections.abc import Iterable, Mapping, Sequence

from kgbuild import wikidata
from kgbuild.catalog import Kind
from kgbuild.graph.protocols import Links
from kgbuild.graph.statements import Statements

_PARTS = ("P131", "P17", "P361", "P749")
_CACHED = 1 << 17


class Kinds:
    """Return the kinds of items by their classes (P31) and those classes' superclasses (P279)."""

    def __init__(self, statements: Statements, kinds: Mapping[str, Kind]):
        self._statements = statements
        self._kinds = kinds
        self._of_class = functools.lru_cache(_CACHED)(self._read)

    def classes(self, qid: str) -> tuple[str, ...]:
        """Return the direct classes of an item, by number."""
        return self._statements.values(qid, "P31")

    def names(self, qid: str) -> list[str]:
        """Return the names of the kinds of an item, in the order of the file."""
        names = frozenset[str]().union(*map(self._of_class, self.classes(qid)))
        return [name for name in self._kinds if name in names]

    def _read(self, of_class: str) -> frozenset[str]:
        """Return the names of the kinds to which the items of a class belong."""
        above = {of_class, *_reached(self._statements, of_class, ("P279",))}
        return frozenset(
            name for name, kind in self._kinds.items() if not above.isdisjoint(kind.classes)
        )


class Wholes:
    """Return what items lie in, are parts or are kinds of, as ``wholes.rq`` defines it."""

    def __init__(self, statements: Links):
        self._statements = statements
        self._superclasses = functools.lru_cache(_CACHED)(self._read_superclasses)
        self.above = functools.lru_cache(_CACHED)(self._read)

    def _read(self, qid: str) -> frozenset[str]:
        """Return all items above an item, over any number of steps."""
        classes = self._statements.values(qid, "P31")
        above = (self._superclasses(of_class) | {of_class} for of_class in classes)
        return _reached(self._statements, qid, _PARTS).union(self._superclasses(qid), *above)

    def _read_superclasses(self, qid: str) -> frozenset[str]:
        return _reached(self._statements, qid, ("P279",))


def _reached(statements: Links, qid: str, pids: Sequence[str]) -> frozenset[str]:
    """Return the items that one step or more along the properties leads to."""
    reached: dict[str, None] = {}
    ahead = [qid]
    for item in ahead:  # grows while it is walked: breadth first
        for value in (value for pid in pids for value in statements.values(item, pid)):
            if value not in reached:
                reached[value] = None
                ahead.append(value)
    return frozenset(reached)


def components(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Return, for each item of the pairs, the smallest item that is joined to it over any steps.

    >>> components([("Q3", "Q2"), ("Q2", "Q10"), ("Q7", "Q5")])
    {'Q2': 'Q2', 'Q3': 'Q2', 'Q10': 'Q2', 'Q5': 'Q5', 'Q7': 'Q5'}
    """
    import networkx as nx  # which takes time to import, and few commands need it

    graph: nx.Graph[str] = nx.Graph()
    graph.add_edges_from(pairs)
    return {
        qid: smallest
        for members in nx.connected_components(graph)
        for smallest in [min(members, key=wikidata.number)]
        for qid in sorted(members, key=wikidata.number)
    }
