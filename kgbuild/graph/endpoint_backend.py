"""An endpoint in the place of a store: what its indexes tell is asked of queries."""

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

if TYPE_CHECKING:
    # Which compiles.
    from kgbuild.catalog import Kind
    from kgbuild.graph.similarity import Neighbour

LANGUAGE = "en"
"""The language in which an endpoint is read."""
_PLACES = 8
"""The properties that property_overlap.rq compares by."""
_REMEMBERED = 1 << 14


_LITTLE = (0, 3, 1 << 10)
"""Letters of words that get no capital, unless they are the first."""


def _capitals(small: str, little: int) -> str:
    """Return a name with capitals at the start, and of all words of more than so many letters."""
    first, *words = small.split(" ")
    longer = (word[:1].upper() + word[1:] if len(word) > little else word for word in words)
    return " ".join((first[:1].upper() + first[1:], *longer))


class Names:
    """Tells how names are spelled, by trying a few spellings.

    Only the very letters of a name are found quickly in any store: as they are given, in small
    letters, and with a capital at the start of the name, of each of its words, or of all but
    short ones; in a language, in English, and for all languages.
    """

    def __init__(self, graph: Graph, language: str = LANGUAGE):
        self._graph = graph
        self._languages = tuple(dict.fromkeys((language, LANGUAGE, "mul")))
        self._known: dict[str, list[tuple[str, str]]] = {}

    def spellings(self, name: str) -> list[tuple[str, str]]:
        """Return (name, language) of those spellings that anything is called by, in order."""
        self.expect([name])
        return self._known[name]

    def expect(self, names: Iterable[str]) -> None:
        """Ask for several names at once."""
        missing = [name for name in dict.fromkeys(names) if name not in self._known]
        tried = dict.fromkeys(form for name in missing for form in self._forms(name))
        rows = self._graph.select("existing_names", name=list(tried)) if tried else ()
        found = {(value.text, value.language) for (value,) in rows}
        for name in missing:
            self._known[name] = sorted(form for form in self._forms(name) if form in found)

    def _forms(self, name: str) -> set[tuple[str, str]]:
        readable = name.encode("utf-8", "replace").decode().strip()
        small = readable.lower()
        forms = (readable, small, *(_capitals(small, n) for n in _LITTLE))
        return {(form, language) for form in forms for language in self._languages}

    def near(self, name: str) -> None:
        """Tell nothing of names that look alike."""


class Statements:
    """Answers questions about statements whose values are items."""

    def __init__(self, graph: Graph):
        self._graph = graph
        self._of = functools.lru_cache(_REMEMBERED)(self._read)

    def values(self, qid: str, pid: str) -> tuple[str, ...]:
        """Return the items that an item has for a property, by number."""
        return tuple(value for found, value in self._of(qid) if found == pid)

    def between(self, one: str, other: str) -> list[tuple[str, str, str]]:
        """Return the statements about two items, whichever is the subject, in order."""
        return sorted(
            (subject, pid, value)
            for subject, wanted in ((one, other), (other, one))
            for pid, value in self._of(subject)
            if value == wanted
        )

    def popularity(self, qid: str) -> int:
        """Return how many statements point to an item."""
        return sum(count for (count,) in self._graph.select("popularity", item=qid))

    def _read(self, qid: str) -> list[tuple[str, str]]:
        rows = self._graph.select("item_statements", item=qid)
        found = {(pid, value.text) for pid, value in rows if value.kind == "item"}
        return sorted(found, key=lambda said: (said[0], wikidata.number(said[1])))


class Kinds:
    """Tells the kind of items by their classes and what lies above these."""

    def __init__(self, graph: Graph, statements: Statements, kinds: "Mapping[str, Kind]"):
        self._graph = graph
        self._statements = statements
        self._kinds = kinds
        self.names = functools.lru_cache(_REMEMBERED)(self._read)

    def classes(self, qid: str) -> tuple[str, ...]:
        """Return the direct classes of an item, by number."""
        return self._statements.values(qid, "P31")

    def _read(self, qid: str) -> list[str]:
        """Return the names of the kinds that an item is of, in the order of the file."""
        above = {above for (above,) in self._graph.select("item_classes", item=qid)}
        return [kind.name for kind in self._kinds.values() if not above.isdisjoint(kind.classes)]


class Similarity:
    """Finds the items like an item, as ``property_overlap.rq`` defines it."""

    def __init__(self, graph: Graph):
        self._graph = graph

    def most_similar_to_each(
        self, qids: Sequence[str], properties: Sequence[str], most: int, min_overlap: int = 1
    ) -> "list[list[Neighbour]]":
        """Return, of each item, the ``most`` of the same class that share most values."""
        from kgbuild.graph.similarity import Neighbour

        places = {f"p{n + 1}": properties[n % len(properties)] for n in range(_PLACES)}
        return [
            [
                Neighbour(*row)
                for row in self._graph.select(
                    "property_overlap", item=qid, min_overlap=max(min_overlap, 1), **places
                )[:most]
            ]
            for qid in qids
        ]

    def shared_values(
        self, one: str, other: str, properties: Iterable[str]
    ) -> list[tuple[str, str]]:
        """Return the (property, value) that two items share, the rarest first, ties by id."""
        wanted = set(properties)
        found = self._graph.select("shared", one=one, other=other)
        found.sort(key=lambda row: (row[2], wikidata.number(row[0]), wikidata.number(row[1])))
        return [(pid, value) for pid, value, _ in found if pid in wanted]


class Known(NamedTuple):
    """What is known of items at an endpoint."""

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
        """Return what answers questions about items, which are of these kinds."""
        statements = Statements(self.graph)
        of_kinds = Kinds(self.graph, statements, kinds)
        return Known(self.graph, statements, self.labels, of_kinds, Similarity(self.graph))


@contextmanager
def served(client: Client, url: str, language: str = LANGUAGE) -> Iterator[EndpointStore]:
    """Open the endpoint at a URL, to be read in a language, and close the connection at the end.

    Raises:
        NoEndpointError: the URL is none. Whether anything is there is seen when it is asked.
    """
    with closing(client):
        graph = Endpoint(url, client)
        yield EndpointStore(graph, Labels(graph, language), Names(graph, language), language)
