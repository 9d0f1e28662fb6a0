"""Read an endpoint like a store: queries take the place of a store's indexes."""

import functools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from kgbuild import wikidata
from kgbuild.graph.source import Source
from kgbuild.net.http import Client
from kgbuild.store.endpoint import Endpoint
from kgbuild.store.labels import Labels
from kgbuild.store.oxigraph import Graph
from kgbuild.store.terms import Param

if TYPE_CHECKING:  # slow to import
    from kgbuild.graph.similarity import Neighbour
    from kgbuild.relations import Kind

LANGUAGE = "en"
"""The default language of labels and names."""
_COMPARED = 8
"""The number of properties that property_overlap.rq compares."""
_CACHED = 1 << 14
"""Items whose statements and kinds are kept in memory."""
_LONGEST_LOWER = (0, 3, 1 << 10)
"""Lengths up to which words get no capital, unless they are the first: none, short ones, all."""


class Names:
    """The names at an endpoint, each looked up in a few spellings.

    Engines find only an exact name quickly. A name is tried as it is typed, in lower case, and with
    a capital at the start of the name, of each word, or of all but short words; in a language, in
    English, and for all languages.
    """

    def __init__(self, graph: Graph, language: str = LANGUAGE):
        self._graph = graph
        self._languages = tuple(dict.fromkeys((language, LANGUAGE, "mul")))
        self._spellings: dict[str, list[tuple[str, str]]] = {}

    def spellings(self, name: str) -> list[tuple[str, str]]:
        """Return the (name, language) of the spellings that are names of anything, in order."""
        self.expect([name])
        return self._spellings[name]

    def expect(self, names: Iterable[str]) -> None:
        """Look several names up in one request, for ``spellings``."""
        missing = [name for name in dict.fromkeys(names) if name not in self._spellings]
        candidates = dict.fromkeys(form for name in missing for form in self._forms(name))
        rows = self._graph.select("existing_names", name=list(candidates)) if candidates else ()
        matches = {(value.text, value.language) for (value,) in rows}
        for name in missing:
            self._spellings[name] = sorted(form for form in self._forms(name) if form in matches)

    def near(self, name: str) -> None:
        """Return nothing: an endpoint does not find similar names."""

    def _forms(self, name: str) -> set[tuple[str, str]]:
        typed = name.encode("utf-8", "replace").decode().strip()
        lower = typed.lower()
        forms = (typed, lower, *(_capitals(lower, longest) for longest in _LONGEST_LOWER))
        return {(form, language) for form in forms for language in self._languages}


def _capitals(name: str, longest_lower: int) -> str:
    """Return a name with capitals at its start and of all words longer than a length."""
    first, *words = name.split(" ")
    changed = (word[:1].upper() + word[1:] if len(word) > longest_lower else word for word in words)
    return " ".join((first[:1].upper() + first[1:], *changed))


class Statements:
    """The statements of an endpoint whose values are items."""

    def __init__(self, graph: Graph):
        self._graph = graph
        self._of = functools.lru_cache(_CACHED)(self._read)

    def values(self, qid: str, pid: str) -> tuple[str, ...]:
        """Return the values of a property of an item, by number."""
        return tuple(value for own_pid, value in self._of(qid) if own_pid == pid)

    def between(self, one: str, other: str) -> list[tuple[str, str, str]]:
        """Return the statements that link two items in either direction, in order."""
        return sorted(
            (subject, pid, value)
            for subject, object_ in ((one, other), (other, one))
            for pid, value in self._of(subject)
            if value == object_
        )

    def popularity(self, qid: str) -> int:
        """Return the number of statements whose value is an item."""
        return sum(count for (count,) in self._graph.select("popularity", item=qid))

    def _read(self, qid: str) -> list[tuple[str, str]]:
        rows = self._graph.select("item_statements", item=qid)
        pairs = {(pid, value.text) for pid, value in rows if value.kind == "item"}
        return sorted(pairs, key=lambda pair: (pair[0], wikidata.number(pair[1])))


class Kinds:
    """The kinds of items, by their classes and superclasses."""

    def __init__(self, graph: Graph, kinds: "Mapping[str, Kind]"):
        self._graph = graph
        self._kinds = kinds
        self.names = functools.lru_cache(_CACHED)(self._read)

    def _read(self, qid: str) -> list[str]:
        """Return the names of an item's kinds, in the order of the catalog."""
        classes = {superclass for (superclass,) in self._graph.select("item_classes", item=qid)}
        return [kind.name for kind in self._kinds.values() if not classes.isdisjoint(kind.classes)]


class Similarity:
    """The search for similar items, as ``property_overlap.rq`` defines it."""

    def __init__(self, graph: Graph):
        self._graph = graph

    def most_similar_to_each(
        self, qids: Sequence[str], properties: Sequence[str], most: int, min_overlap: int = 1
    ) -> "list[list[Neighbour]]":
        """Return, for each item, the ``most`` of its class that share most values with it."""
        from kgbuild.graph.similarity import Neighbour

        compared = {f"p{n + 1}": properties[n % len(properties)] for n in range(_COMPARED)}
        params: dict[str, Param] = {"min_overlap": max(min_overlap, 1), **compared}
        results = [self._graph.select("property_overlap", item=qid, **params) for qid in qids]
        return [[Neighbour(*row) for row in rows[:most]] for rows in results]

    def shared_values(
        self, one: str, other: str, properties: Iterable[str]
    ) -> list[tuple[str, str]]:
        """Return the (property, value) that two items share, the rarest first, ties by id."""
        compared = set(properties)
        rows = self._graph.select("shared", one=one, other=other)
        rows.sort(key=lambda row: (row[2], wikidata.number(row[0]), wikidata.number(row[1])))
        return [(pid, value) for pid, value, _ in rows if pid in compared]


class EndpointKnowledge(NamedTuple):
    """The sources of facts about the items at an endpoint."""

    graph: Graph
    statements: Statements
    labels: Labels
    kinds: Kinds
    similarity: Similarity


@dataclass(frozen=True)
class EndpointStore(Source):
    """An endpoint that is read like a store."""

    graph: Graph
    labels: Labels
    names: Names
    language: str

    def knowledge(self, kinds: "Mapping[str, Kind]") -> EndpointKnowledge:
        """Return the sources of facts about items, which are of these kinds."""
        graph = self.graph
        return EndpointKnowledge(
            graph, Statements(graph), self.labels, Kinds(graph, kinds), Similarity(graph)
        )


@contextmanager
def open_endpoint(client: Client, url: str, language: str = LANGUAGE) -> Iterator[EndpointStore]:
    """Open the endpoint at a URL for reading in a language, and close the client at the end.

    No request is sent before the first query.

    Raises:
        NoEndpointError: ``url`` is no URL.
    """
    with closing(client):
        graph = Endpoint(url, client)
        yield EndpointStore(graph, Labels(graph, language), Names(graph, language), language)
