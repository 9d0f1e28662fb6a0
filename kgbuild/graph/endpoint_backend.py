"""Read a SPARQL endpoint like a store: queries replace the indexes of a store."""

import functools
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from kgbuild import wikidata
from kgbuild.store.labels import Labels, Spellings
from kgbuild.store.oxigraph import Graph
from kgbuild.store.sparql.terms import Param

if TYPE_CHECKING:  # slow to import
    from kgbuild.graph.similarity import Neighbour
    from kgbuild.relations import Kind

LANGUAGE = "en"
"""The default language of labels and names."""
_COMPARED = 8
"""Number of properties that property_overlap.rq compares."""
_CACHE_SIZE = 1 << 14
"""Maximum number of items whose statements, and of those whose kinds, are cached in memory."""
_MAX_LOWER = (0, 3, 1 << 10)
"""Maximum number of letters of words that stay in lower case, in three spellings of a name.

So all words after the first have a capital, or those of four letters or more, or none.
"""


class EndpointNames(Spellings):
    """Looks up names at an endpoint, each in a few spellings.

    SPARQL engines are fast only for exact names, so parts of names cannot be searched. These
    spellings are looked up: the name as it is typed, in lower case, and with a capital at the start
    of the name, of each word, or of all but short words. Each is looked up in ``language``, in
    English, and in "mul" (Wikidata's code for all languages).
    """

    def __init__(self, graph: Graph, language: str = LANGUAGE):
        self._graph = graph
        self._languages = tuple(dict.fromkeys((language, LANGUAGE, "mul")))
        self._spellings: dict[str, list[tuple[str, str]]] = {}

    def spellings(self, name: str) -> list[tuple[str, str]]:
        """Return each (spelling, language) of a name that exists at the endpoint, sorted."""
        self.prefetch([name])
        return self._spellings[name]

    def prefetch(self, names: Iterable[str]) -> None:
        """Look up several names in one request, so that ``spellings`` sends none for them."""
        missing = [name for name in dict.fromkeys(names) if name not in self._spellings]
        candidates = dict.fromkeys(pair for name in missing for pair in self._candidates(name))
        rows = self._graph.select("existing_names", name=list(candidates)) if candidates else ()
        matches = {(value.text, value.language) for (value,) in rows}
        for name in missing:
            self._spellings[name] = sorted(self._candidates(name) & matches)

    def _candidates(self, name: str) -> set[tuple[str, str]]:
        """Return each (spelling, language) of a name to look up."""
        # A lone surrogate (from a command line that is not UTF-8) becomes "?": queries are UTF-8.
        typed = name.encode("utf-8", "replace").decode().strip()
        lower = typed.lower()
        with_capitals = (_capitalize(lower, max_lower) for max_lower in _MAX_LOWER)
        spellings = (typed, lower, *with_capitals)
        return {(spelling, language) for spelling in spellings for language in self._languages}


def _capitalize(name: str, max_lower: int) -> str:
    """Return a name with capitals in its first word and in words of more than ``max_lower``."""
    first, *words = name.split(" ")
    other_words = (word[:1].upper() + word[1:] if len(word) > max_lower else word for word in words)
    return " ".join((first[:1].upper() + first[1:], *other_words))


class EndpointStatements:
    """The statements of an endpoint whose values are items."""

    def __init__(self, graph: Graph):
        self._graph = graph
        self._item_statements = functools.lru_cache(_CACHE_SIZE)(self._read)

    def values(self, qid: str, pid: str) -> tuple[str, ...]:
        """Return the ids of the values of an item's property, sorted by their numbers."""
        pairs = self._item_statements(qid)
        return tuple(value for property_id, value in pairs if property_id == pid)

    def between(self, a: str, b: str) -> list[tuple[str, str, str]]:
        """Return the statements that link two items in either direction, sorted."""
        return sorted(
            (subject, pid, value)
            for subject, object_ in ((a, b), (b, a))
            for pid, value in self._item_statements(subject)
            if value == object_
        )

    def popularity(self, qid: str) -> int:
        """Return the number of statements whose value is an item."""
        return sum(count for (count,) in self._graph.select("popularity", item=qid))

    def _read(self, qid: str) -> list[tuple[str, str]]:
        """Return the (property, value) pairs of an item, sorted by property and number of value."""
        rows = self._graph.select("item_statements", item=qid)
        pairs = {(pid, value.text) for pid, value in rows if value.kind == "item"}
        return sorted(pairs, key=lambda pair: (pair[0], wikidata.number(pair[1])))


class EndpointKinds:
    """Finds the kinds of items (see ``relations.toml``) by their classes and superclasses."""

    def __init__(self, graph: Graph, kinds: "Mapping[str, Kind]"):
        self._graph = graph
        self._kinds = kinds
        self.names = functools.lru_cache(_CACHE_SIZE)(self._read)

    def _read(self, qid: str) -> list[str]:
        """Return the names of an item's kinds, in the order of the catalog."""
        classes = {superclass for (superclass,) in self._graph.select("item_classes", item=qid)}
        return [kind.name for kind in self._kinds.values() if not classes.isdisjoint(kind.classes)]


class EndpointSimilarity:
    """The search for similar items, as ``property_overlap.rq`` defines it."""

    def __init__(self, graph: Graph):
        self._graph = graph

    def most_similar_to_each(
        self, qids: Sequence[str], properties: Sequence[str], k: int, min_overlap: int = 1
    ) -> "list[list[Neighbour]]":
        """Return, for each item, at most ``k`` similar items of its class.

        They share at least ``min_overlap`` values of the properties with it.
        """
        from kgbuild.graph.similarity import Neighbour

        # The query has a fixed number of properties, so they are repeated.
        compared = {f"p{n + 1}": properties[n % len(properties)] for n in range(_COMPARED)}
        params: dict[str, Param] = {"min_overlap": max(min_overlap, 1), **compared}
        results = [self._graph.select("property_overlap", item=qid, **params) for qid in qids]
        return [[Neighbour(*row) for row in rows[:k]] for rows in results]

    def shared_values(self, a: str, b: str, properties: Iterable[str]) -> list[tuple[str, str]]:
        """Return each (property, value) that two items share, the rarest first, then by id."""
        compared = set(properties)
        rows = self._graph.select("shared", one=a, other=b)
        by_rarity = sorted(
            (frequency, wikidata.number(pid), wikidata.number(value), pid, value)
            for pid, value, frequency in rows
        )
        return [(pid, value) for *_, pid, value in by_rarity if pid in compared]


class EndpointKnowledge:
    """The sources of facts about the items at an endpoint."""

    def __init__(self, graph: Graph, labels: Labels, kinds: "Mapping[str, Kind]"):
        self.graph, self.labels = graph, labels
        self.statements = EndpointStatements(graph)
        self.kinds = EndpointKinds(graph, kinds)
        self.similarity = EndpointSimilarity(graph)
