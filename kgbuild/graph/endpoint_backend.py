"""Read an endpoint like a store: queries answer what a store's indexes would."""

import functools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from kgbuild import wikidata
from kgbuild.graph.endpoint_names import LANGUAGE, Names
from kgbuild.graph.source import Source
from kgbuild.net.http import Client
from kgbuild.store.endpoint import Endpoint
from kgbuild.store.labels import Labels
from kgbuild.store.oxigraph import Graph
from kgbuild.store.terms import Param

if TYPE_CHECKING:  # slow to import
    from kgbuild.graph.similarity import Neighbour
    from kgbuild.relations import Kind

_PLACES = 8
"""The number of properties that property_overlap.rq compares."""
_CACHED = 1 << 14
"""Items whose statements and kinds are kept in memory."""


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

    def __init__(self, graph: Graph, statements: Statements, kinds: "Mapping[str, Kind]"):
        self._graph = graph
        self._statements = statements
        self._kinds = kinds
        self.names = functools.lru_cache(_CACHED)(self._read)

    def classes(self, qid: str) -> tuple[str, ...]:
        """Return the direct classes of an item, by number."""
        return self._statements.values(qid, "P31")

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

        places = {f"p{n + 1}": properties[n % len(properties)] for n in range(_PLACES)}
        params: dict[str, Param] = {"min_overlap": max(min_overlap, 1), **places}
        results = [self._graph.select("property_overlap", item=qid, **params) for qid in qids]
        return [[Neighbour(*row) for row in rows[:most]] for rows in results]

    def shared_values(
        self, one: str, other: str, properties: Iterable[str]
    ) -> list[tuple[str, str]]:
        """Return the (property, value) that two items share, the rarest first, ties by id."""
        wanted = set(properties)
        rows = self._graph.select("shared", one=one, other=other)
        rows.sort(key=lambda row: (row[2], wikidata.number(row[0]), wikidata.number(row[1])))
        return [(pid, value) for pid, value, _ in rows if pid in wanted]


class Known(NamedTuple):
    """What answers questions about the items at an endpoint."""

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

    def knowledge(self, kinds: "Mapping[str, Kind]") -> Known:
        """Return what answers questions about items of these kinds."""
        statements = Statements(self.graph)
        kinds_of_items = Kinds(self.graph, statements, kinds)
        return Known(self.graph, statements, self.labels, kinds_of_items, Similarity(self.graph))


@contextmanager
def served(client: Client, url: str, language: str = LANGUAGE) -> Iterator[EndpointStore]:
    """Open the endpoint at a URL for reading in a language, and close the client at the end.

    No request is sent before the first question.

    Raises:
        NoEndpointError: this is no URL.
    """
    with closing(client):
        graph = Endpoint(url, client)
        yield EndpointStore(graph, Labels(graph, language), Names(graph, language), language)
