"""What both a store and an endpoint can answer about items."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Protocol

from kgbuild.store.labels import Labels
from kgbuild.store.oxigraph import Graph

if TYPE_CHECKING:  # slow to import
    from kgbuild.graph.similarity import Neighbour


class Links(Protocol):
    """The statements between items, by property."""

    def values(self, qid: str, pid: str) -> Sequence[str]:
        """Return the values of a property of an item that are items."""

    def subjects(self, qid: str, pid: str) -> Sequence[str]:
        """Return the items whose property has an item as a value."""

    def holds(self, subject: str, pid: str, value: str) -> bool:
        """Return whether there is a statement."""


class Statements(Protocol):
    """The statements between items."""

    def between(self, one: str, other: str) -> list[tuple[str, str, str]]:
        """Return the statements that link two items in either direction, in order."""

    def popularity(self, qid: str) -> int:
        """Return the number of statements whose value is an item."""


class Kinds(Protocol):
    """The kinds of items."""

    def classes(self, qid: str) -> tuple[str, ...]:
        """Return the direct classes of an item, by number."""

    def names(self, qid: str) -> list[str]:
        """Return the names of the kinds of an item."""


class Similarity(Protocol):
    """The search for similar items."""

    def most_similar_to_each(
        self, qids: Sequence[str], properties: Sequence[str], most: int, min_overlap: int = 1
    ) -> "list[list[Neighbour]]":
        """Return, for each item, the ``most`` of its class that share most values with it."""

    def shared_values(
        self, one: str, other: str, properties: Iterable[str]
    ) -> list[tuple[str, str]]:
        """Return the (property, value) that two items share, the rarest first, ties by id."""


class Known(Protocol):
    """What finds the items that a question is about."""

    @property
    def graph(self) -> Graph:
        """The triples."""

    @property
    def statements(self) -> Statements:
        """The statements between items."""

    @property
    def labels(self) -> Labels:
        """The labels, in one language."""

    @property
    def kinds(self) -> Kinds:
        """The kinds of items."""

    @property
    def similarity(self) -> Similarity:
        """The search for similar items."""
