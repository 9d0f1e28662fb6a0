"""Open a loaded store for reading, or an endpoint in its place."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from kgbuild.store import manifest
from kgbuild.store.labels import Labels, Names
from kgbuild.store.manifest import Manifest
from kgbuild.store.oxigraph import TripleStore

if TYPE_CHECKING:
    # These compile, and few need them.
    from kgbuild.catalog import Kind
    from kgbuild.graph.knowledge import Knowledge
    from kgbuild.graph.protocols import Held
    from kgbuild.graph.similarity import Similarity
    from kgbuild.graph.statements import Statements
    from kgbuild.store.postings import Postings


class Store(NamedTuple):
    """A store: its manifest and folder, triples, labels in its language, table of names."""

    manifest: Manifest
    folder: Path
    graph: TripleStore
    labels: Labels
    names: Names

    @property
    def language(self) -> str:
        """The language in which the store is read: the first one that was loaded."""
        return self.manifest.languages[0]

    def similarity(self) -> "Similarity":
        """Return what finds similar items.

        Raises:
            DamagedStoreError: the index of values cannot be opened.
        """
        from kgbuild.graph.similarity import Similarity

        return Similarity(self._postings())

    def statements(self) -> "Statements":
        """Return what tells of statements between items.

        Raises:
            DamagedStoreError: the index of values cannot be opened.
        """
        from kgbuild.graph.statements import Statements

        return Statements(self._postings())

    def knowledge(self, kinds: Mapping[str, "Kind"]) -> "Knowledge":
        """Return what builders ask; items are of these kinds.

        Raises:
            DamagedStoreError: the index of values cannot be opened.
        """
        from kgbuild.graph.association import Associations
        from kgbuild.graph.hierarchy import Kinds, Wholes
        from kgbuild.graph.knowledge import Knowledge
        from kgbuild.graph.similarity import Similarity
        from kgbuild.graph.statements import Statements
        from kgbuild.graph.times import Times

        postings = self._postings()
        statements = Statements(postings)
        return Knowledge(
            graph=self.graph,
            statements=statements,
            times=Times(self.graph),
            labels=self.labels,
            kinds=Kinds(statements, kinds),
            wholes=Wholes(statements),
            similarity=Similarity(postings),
            associations=Associations(postings),
        )

    def _postings(self) -> "Postings":
        from kgbuild.store import postings

        return postings.opened(self.folder / manifest.POSTINGS, self.manifest.fingerprint)


@contextmanager
def open_store(store: Path) -> Iterator[Store]:
    """Open the store in a folder, and keep a later load from removing it meanwhile.

    Raises:
        NoStoreError, DamagedStoreError: there is none, or it cannot be opened.
    """
    with manifest.reading(store) as (made, folder):
        graph = TripleStore(folder / manifest.GRAPH)
        labels = Labels(graph, made.languages[0])
        yield Store(made, folder, graph, labels, Names(folder / manifest.NAMES))


@contextmanager
def open_source(
    store: Path, endpoint: str | None, notice: Callable[[str], None], language: str | None = None
) -> "Iterator[Held]":
    """Open the store in a folder, or the endpoint at a URL if there is one.

    ``notice`` is told when the endpoint makes us wait; ``language`` is one in which it is asked for
    names, too.

    Raises:
        NoStoreError, DamagedStoreError: there is no store, or it cannot be opened.
        NoEndpointError: the URL is none.
    """
    if endpoint is None:
        with open_store(store) as loaded:
            yield loaded
        return
    from kgbuild.graph.endpoint_backend import LANGUAGE, served
    from kgbuild.net.http import PACE, Client, is_here

    client = Client(0.0 if is_here(endpoint) else PACE, notice)
    with served(client, endpoint, language or LANGUAGE) as far:
        yield far
