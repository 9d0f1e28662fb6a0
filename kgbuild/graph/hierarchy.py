"""Find the kinds of items, and the classes, places and wholes that items belong to.

A kind, such as "person", is a set of classes in ``relations.toml``.
"""

import functools
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from kgbuild.graph.ranked_statements import RankedStatements
from kgbuild.graph.statements import Statements
from kgbuild.relations import Kind

_PART_OF = ("P131", "P17", "P361", "P749")
"""Properties from an item to its place, country, whole and parent organisation."""
_IMPLIED_CLASSES = {
    **dict.fromkeys(("P106", "P21", "P19"), "Q5"),
    **dict.fromkeys(("P57", "P161"), "Q11424"),
}
"""The class of an item without one that has a property: occupation, sex or birthplace make it a
person, a director or a cast a film."""
_CACHE_SIZE = 1 << 17
"""Maximum number of results that are kept in memory."""
Links: TypeAlias = Statements | RankedStatements
"""The statements between items, by property."""


class Kinds:
    """Finds the kinds of items by their classes (P31) and superclasses (P279).

    The class of an item that states none is inferred.

    ``names`` returns the names of the kinds of an item, in the order of the catalog, ``of_class``
    the kinds of the items of a class; both are cached.
    """

    def __init__(self, statements: Statements, kinds: Mapping[str, Kind]):
        self._statements = statements
        self._kinds = kinds
        self.names = functools.lru_cache(_CACHE_SIZE)(self._read_names)
        self.of_class = functools.lru_cache(_CACHE_SIZE)(self._read)

    def _read_names(self, qid: str) -> list[str]:
        values = self._statements.by_property(qid)
        implied = [of_class for pid, of_class in _IMPLIED_CLASSES.items() if pid in values]
        names = frozenset[str]().union(*map(self.of_class, values.get("P31", implied[:1])))
        return [name for name in self._kinds if name in names]

    def _read(self, class_qid: str) -> frozenset[str]:
        """Return the names of the kinds to which the items of a class belong."""
        classes = {class_qid, *above(self._statements, class_qid, ("P279",))}
        return frozenset(
            name for name, kind in self._kinds.items() if not classes.isdisjoint(kind.classes)
        )


class Wholes:
    """Finds the places, wholes and classes of items, as ``wholes.rq`` defines them."""

    def __init__(self, statements: Links):
        self._statements = statements
        self._superclasses = functools.lru_cache(_CACHE_SIZE)(
            lambda qid: above(statements, qid, ("P279",))
        )
        self.above = functools.lru_cache(_CACHE_SIZE)(self._read)

    def _read(self, qid: str) -> frozenset[str]:
        """Return all places, wholes and classes of an item, over any number of steps."""
        classes = self._statements.values(qid, "P31")
        superclasses = (self._superclasses(class_qid) for class_qid in (qid, *classes))
        return above(self._statements, qid, _PART_OF).union(classes, *superclasses)


def above(statements: Links, qid: str, pids: Sequence[str]) -> frozenset[str]:
    """Return the items that one or more statements with the properties lead to."""
    items: set[str] = set()
    queue = [qid]
    for item in queue:  # the list grows during the loop: breadth-first search
        values = {value for pid in pids for value in statements.values(item, pid)} - items
        items |= values
        queue += values
    return frozenset(items)
