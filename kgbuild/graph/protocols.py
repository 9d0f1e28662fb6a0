"""What commands ask, whether a store or an endpoint answers."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Protocol

from kgbuild.store.labels import Labels
from kgbuild.store.oxigraph import Graph

if TYPE_CHECKING:
    # Which compile.
    from kgbuild.graph.similarity import Neighbour


class Statements(Protocol):
    """Tells of statements between items."""

    def between(self, one: str, other: str) -> list[tuple[str, str, str]]:
        """Return the statements about two items, whichever is the subject, in order."""

    def popularity(self, qid: str) -> int:
        """Return how many statements point to an item."""


class Kinds(Protocol):
    """Tells the kinds of items."""

    def classes(self, qid: str) -> tuple[str, ...]:
        """Return the direct classes of an item, by number."""

    def names(self, qid: str) -> list[str]:
        """Return the names of the kinds that an item is of."""


class Similarity(Protocol):
    """Finds the items like an item."""

    def most_similar_to_each(
        self, qids: Sequence[str], properties: Sequence[str], most: int, min_overlap: int = 1
    ) -> "list[list[Neighbour]]":
        """Return, of each item, the ``most`` of the same class that share most values."""

    def shared_values(
        self, one: str, other: str, properties: Iterable[str]
    ) -> list[tuple[str, str]]:
        """Return the (property, value) that two items share, the rarest first, ties by id."""


class Known(Protocol):
    """What is asked to find out which items a question is about."""

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
        """What finds similar items."""
