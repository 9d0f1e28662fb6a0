"""What one asks of a store or of an endpoint alike: items by name, similar items, subgraphs."""

import itertools
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

from kgbuild import wikidata
from kgbuild.catalog import catalog
from kgbuild.errors import NoKindError, UnknownItemError
from kgbuild.relations import Kind
from kgbuild.store import labels as names_of_items
from kgbuild.store.labels import Labels, Match, Spellings
from kgbuild.store.oxigraph import Graph

if TYPE_CHECKING:
    # These import NumPy, which few need.
    from kgbuild.graph.protocols import Known
    from kgbuild.graph.similarity import Neighbour
    from kgbuild.graph.subgraph import Subgraph


class SharedValue(NamedTuple):
    """A property and an item as its value, which two items share, with their labels."""

    property: str
    property_label: str
    value: str
    value_label: str


class SimilarItem(NamedTuple):
    """An item that shares ``overlap`` values with another one; the rarest value comes first."""

    qid: str
    label: str
    overlap: int
    shared: list[SharedValue]


class Source(ABC):
    """A store or an endpoint that is open for reading, in ``language``.

    ``graph`` answers queries, ``labels`` has the labels of items in that language, and ``names``
    knows how names are spelled.
    """

    graph: Graph
    labels: Labels
    names: Spellings
    language: str

    @abstractmethod
    def knowledge(self, kinds: Mapping[str, Kind]) -> "Known":
        """Return what answers questions about items, which are of these kinds.

        Raises:
            DamagedStoreError: the index of values cannot be opened.
        """

    @cached_property
    def _known(self) -> "Known":
        return self.knowledge(catalog().kinds)

    def lookup(
        self, name: str, limit: int | None = None, language: str | None = None
    ) -> list[Match]:
        """Return the items with that label or alias, the best match first.

        Case and accents do not matter to a store. An endpoint finds names as they are spelled, in
        small letters or with capitals. At most ``limit`` items are returned, with labels and
        descriptions in ``language``, if it is not that of the store.

        Raises:
            UnknownNameError: no item has that name; it holds similar names.
        """
        matches = names_of_items.lookup(self.graph, self.names, name, language or self.language)
        return matches[:limit]

    def subgraph(self, qid: str, limit: int = 50) -> "Subgraph":
        """Return the statements of an item and about it.

        For each property and direction, at most ``limit`` statements are returned.

        Raises:
            MalformedIdError: ``qid`` is no id of an item.
            UnknownItemError: there is no statement about the item.
        """
        from kgbuild.graph.subgraph import subgraph

        item = wikidata.parse_item(qid)
        return subgraph(self.graph, self.labels, item, limit, self.language)

    def similar(self, qid: str, k: int = 10, min_overlap: int = 1) -> list[SimilarItem]:
        """Return the ``k`` items of the same class that share most property values with an item.

        They share at least ``min_overlap`` values. Which properties are compared depends on the
        kind of the item, as ``relations.toml`` says.

        Raises:
            MalformedIdError: ``qid`` is no id of an item.
            UnknownItemError: there is no statement about the item.
            NoKindError: the item is of no kind that has properties to compare.
        """
        (similar,) = self.similar_to_each([qid], k, min_overlap).values()
        return similar

    def similar_to_each(
        self, qids: Iterable[str], k: int = 10, min_overlap: int = 1
    ) -> dict[str, list[SimilarItem]]:
        """Return, by the id of each item, what ``similar`` returns: faster than one by one.

        Raises:
            MalformedIdError, UnknownItemError, NoKindError: as ``similar``.
        """
        items = dict.fromkeys(map(wikidata.parse_item, qids))
        compared = {item: self._kind(item).similarity for item in items}
        neighbours = self._neighbours(compared, k, min_overlap)
        shared_values = self._known.similarity.shared_values
        found = [
            (item, neighbour, shared_values(item, neighbour.qid, compared[item]))
            for item in items
            for neighbour in neighbours[item]
        ]
        self.labels.read(_ids(found))
        similar: dict[str, list[SimilarItem]] = {item: [] for item in items}
        for item, (qid, overlap, _), values in found:
            shared = [self._shared(*value) for value in values]
            similar[item].append(SimilarItem(qid, self._label(qid), overlap, shared))
        return similar

    def _neighbours(
        self, compared: Mapping[str, Sequence[str]], k: int, min_overlap: int
    ) -> "dict[str, list[Neighbour]]":
        """Return the neighbours of items, each with the properties that are compared."""
        neighbours: dict[str, list[Neighbour]] = {}
        for properties in dict.fromkeys(compared.values()):
            items = [item for item in compared if compared[item] == properties]
            similarity = self._known.similarity
            most_similar = similarity.most_similar_to_each(items, properties, k, min_overlap)
            neighbours.update(zip(items, most_similar, strict=True))
        return neighbours

    def _kind(self, item: str) -> Kind:
        """Return the first kind of an item that says which properties are compared."""
        for name in self._known.kinds.names(item):
            if catalog().kinds[name].similarity:
                return catalog().kinds[name]
        classes = self._known.kinds.classes(item)
        if not classes and self.labels.label(item) is None:
            from kgbuild.graph.subgraph import near_ids

            raise UnknownItemError(item, near_ids(self.labels, item))
        raise NoKindError(item, sorted(classes))

    def _shared(self, pid: str, value: str) -> SharedValue:
        return SharedValue(pid, self._label(pid), value, self._label(value))

    def _label(self, entity: str) -> str:
        return self.labels.label(entity) or entity


def _ids(found: "Iterable[tuple[str, Neighbour, list[tuple[str, str]]]]") -> Iterator[str]:
    """Yield the ids of neighbours and of the properties and values that are shared with them."""
    for _, neighbour, values in found:
        yield neighbour.qid
        yield from itertools.chain.from_iterable(values)
