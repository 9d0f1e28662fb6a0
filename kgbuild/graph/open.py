"""Open a store or an endpoint for reading."""

import functools
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from kgbuild.calls import Positive, checked
from kgbuild.graph.endpoint_backend import LANGUAGE, EndpointKnowledge, EndpointNames
from kgbuild.graph.source import Source
from kgbuild.notebook_tables import html_table
from kgbuild.store import manifest
from kgbuild.store.labels import Labels, QueriedLabels, Spellings, StoredLabels
from kgbuild.store.manifest import Manifest
from kgbuild.store.names import Names
from kgbuild.store.oxigraph import TripleStore
from kgbuild.store.sparql.terms import Bound, Solutions

if TYPE_CHECKING:
    # These import NumPy, which few commands need.
    from kgbuild.graph.knowledge import Knowledge
    from kgbuild.net.http import Client
    from kgbuild.relations import Kind
    from kgbuild.store.columns import Columns
    from kgbuild.store.sparql.endpoint import Endpoint


@checked
@dataclass(frozen=True, repr=False)
class Store(Source):
    """A store that is open for reading; ``folder`` has the files of its generation.

    ``columns`` opens the texts and times of entities when it is first called; ``names`` are opened
    when they are first used.
    """

    manifest: Manifest
    folder: Path
    graph: TripleStore
    labels: Labels
    language: str
    columns: "Callable[[], Columns]"

    def __repr__(self) -> str:
        triples, items = self.manifest.triples, self.manifest.items
        return f"<Store {self.folder.parent}: {triples:,} triples about {items:,} items>"

    def _repr_html_(self) -> str:
        files = [
            {"dump": file.name, "date": file.modified, "bytes": f"{file.bytes:,}"}
            for file in self.manifest.files
        ]
        return html_table(repr(self), files)

    @functools.cached_property
    def names(self) -> Spellings:  # type: ignore[override]
        """The spellings of names; raises a DamagedStoreError if they cannot be opened."""
        return Names(self.folder / manifest.NAMES, self.manifest.fingerprint)

    def sparql(
        self, text: str, bind: Mapping[str, Bound] = MappingProxyType({}), timeout: Positive = 60
    ) -> Solutions:
        """Run a query in SPARQL with values for some of its variables (see ``terms.Bound``).

        Raises:
            WrongCallError: the query or a value is wrong.
            KgbuildError: it takes longer than ``timeout`` seconds.
            KgbuildError, DamagedStoreError: it has no result.
        """
        from kgbuild.store import user_query

        return user_query.solutions(self.folder / manifest.GRAPH, text, bind, timeout)

    def knowledge(self, kinds: Mapping[str, "Kind"]) -> "Knowledge":
        """Return the sources of facts about items, as in ``Source``."""
        from kgbuild.graph.knowledge import Knowledge
        from kgbuild.store.counts import Counts
        from kgbuild.store.postings import open_postings

        columns, fingerprint = self.columns(), self.manifest.fingerprint
        postings = open_postings(self.folder / manifest.POSTINGS, fingerprint)
        counts = Counts(self.folder / manifest.COUNTS, fingerprint)
        sizes = self.manifest.properties
        return Knowledge(self.graph, self.labels, columns, postings, counts, sizes, kinds)


@dataclass(frozen=True, repr=False)
class EndpointStore(Source):
    """An endpoint that is read like a store."""

    graph: "Endpoint"
    labels: Labels
    names: EndpointNames
    language: str

    def __repr__(self) -> str:
        return f"<EndpointStore {self.graph.name}>"

    def knowledge(self, kinds: Mapping[str, "Kind"]) -> EndpointKnowledge:
        """Return the sources of facts about items, as in ``Source``."""
        return EndpointKnowledge(self.graph, self.labels, kinds)


@contextmanager
def open_store(path: Path) -> Iterator[Store]:
    """Open the store in a folder; no load can remove it while it is open.

    Labels are in the first language that was loaded.

    Raises:
        NoStoreError, DamagedStoreError: there is no store, or a file of it is damaged.
    """
    with manifest.checked(path) as (current, folder):

        @functools.cache
        def columns() -> "Columns":
            from kgbuild.store.columns import open_columns

            return open_columns(folder / manifest.COLUMNS, current.fingerprint)

        graph = TripleStore(folder / manifest.GRAPH)
        language = current.languages[0]
        yield Store(current, folder, graph, StoredLabels(columns, language), language, columns)


@contextmanager
def open_source(
    path: Path,
    endpoint: str | None = None,
    notice: Callable[[str], None] = lambda _: None,
    language: str | None = None,
) -> Iterator[Source]:
    """Open the endpoint at a URL, or the store in a folder if ``endpoint`` is None.

    ``notice`` is called with a sentence when the endpoint is slow or busy. ``language`` is the
    language of an endpoint's labels, by default English.

    Raises:
        NoStoreError, DamagedStoreError: there is no store, or it cannot be opened.
        KgbuildError: ``endpoint`` is invalid.
    """
    if endpoint is None:
        with open_store(path) as store:
            yield store
        return
    from kgbuild.net.http import Client
    from kgbuild.net.urls import is_local
    from kgbuild.net.waits import PACE

    client = Client(0.0 if is_local(endpoint) else PACE, notice)
    with open_endpoint(client, endpoint, language or LANGUAGE) as store:
        yield store


@contextmanager
def open_endpoint(
    client: "Client", url: str, language: str = LANGUAGE
) -> "Iterator[EndpointStore]":
    """Open the endpoint at a URL for reading in a language, and close the client at the end.

    No request is sent before the first query.

    Raises:
        KgbuildError: ``url`` is invalid.
    """
    from kgbuild.store.sparql.endpoint import Endpoint

    with closing(client):
        graph = Endpoint(url, client)
        labels, names = QueriedLabels(graph, language), EndpointNames(graph, language)
        yield EndpointStore(graph, labels, names, language)
