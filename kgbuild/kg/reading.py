"""Open a loaded store for reading."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from kgbuild.kg import manifest
from kgbuild.kg.labels import Labels, Names
from kgbuild.kg.manifest import Manifest
from kgbuild.kg.store import Store

if TYPE_CHECKING:
    from kgbuild.kg.overlap import Overlap  # which compiles, and which few need


class Opened(NamedTuple):
    """A store: its manifest and folder, triples, labels in its language, table of names."""

    manifest: Manifest
    folder: Path
    graph: Store
    labels: Labels
    names: Names

    @property
    def language(self) -> str:
        """The language in which the store is read: the first one that was loaded."""
        return self.manifest.languages[0]

    def overlap(self) -> "Overlap":
        """Open the index of values.

        Raises:
            DamagedStoreError: it cannot be opened.
        """
        from kgbuild.kg import postings
        from kgbuild.kg.overlap import Overlap

        path = self.folder / manifest.POSTINGS
        return Overlap(postings.opened(path, self.manifest.fingerprint))


@contextmanager
def opened(store: Path) -> Iterator[Opened]:
    """Open the store in a folder, and keep a later load from removing it meanwhile.

    Raises:
        NoStoreError, DamagedStoreError: there is none, or it cannot be opened.
    """
    with manifest.reading(store) as (made, folder):
        graph = Store(folder / manifest.GRAPH)
        labels = Labels(graph, made.languages[0])
        yield Opened(made, folder, graph, labels, Names(folder / manifest.NAMES))
