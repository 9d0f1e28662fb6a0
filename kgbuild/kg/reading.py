"""Open a loaded store for reading."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from kgbuild.kg import manifest
from kgbuild.kg.labels import Labels, Names
from kgbuild.kg.manifest import Manifest
from kgbuild.kg.store import Store


class Opened(NamedTuple):
    """A store: its manifest, its triples, the labels in its language, its table of names."""

    manifest: Manifest
    graph: Store
    labels: Labels
    names: Names

    @property
    def language(self) -> str:
        """The language in which the store is read: the first one that was loaded."""
        return self.manifest.languages[0]


@contextmanager
def opened(store: Path) -> Iterator[Opened]:
    """Open the store in a folder, and keep a later load from removing it meanwhile.

    Raises:
        NoStoreError, DamagedStoreError: there is none, or it cannot be opened.
    """
    with manifest.reading(store) as (made, folder):
        graph = Store(folder / manifest.GRAPH)
        yield Opened(made, graph, Labels(graph, made.languages[0]), Names(folder / manifest.NAMES))
