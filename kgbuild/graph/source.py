"""Read a store or an endpoint in the same way: items by name, similar items, subgraphs."""

import itertools
from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterable, Mapping
from contextlib import ExitStack
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, Self, TypeAlias

from kgbuild import wikidata
from kgbuild.calls import Count, checked
from kgbuild.catalog import catalog
from kgbuild.errors import KgbuildError
from kgbuild.relations import Kind
from kgbuild.store import labels as names_of_items
from kgbuild.store.labels import Labels, Match, Spellings
from kgbuild.store.oxigraph import Graph

if TYPE_CHECKING:
    # These import NumPy, which few commands need.
    from kgbuild.graph.endpoint_backend import EndpointKnowledge
    from kgbuild.graph.knowledge import Knowledge
    from kgbuild.graph.subgraph import Subgraph

AnyKnowledge: TypeAlias = "Knowledge | EndpointKnowledge"


class SharedValue(NamedTuple):
    """A (property, value) pair that two items share, with labels; the value is an item."""

    property: str
    property_label: str
    value: str
    value_label: str


class SimilarItem(NamedTuple):
    """An item that shares ``overlap`` values with another item; the rarest value comes first."""

    qid: str
    label: str
    overlap: int
    shared: list[SharedValue]

    def __repr__(self) -> str:
        return f"<SimilarItem {self.qid} ({self.label}): {self.overlap} shared values>"


@checked
class Source(ABC):
    """A store or an endpoint that is open for reading, until ``close`` or the end of a block.

    ``graph`` runs queries, ``labels`` has the labels of items in ``language``, and ``names`` finds
    the spellings of names.
    """

    graph: Graph
    labels: Labels
    names: Spellings
    language: str

    @cached_property
    def resources(self) -> ExitStack:
        """What ``close`` closes."""
        return ExitStack()

    is_closed = False

    def close(self) -> None:
        """Close the store or the endpoint, which cannot be used after that."""
        self.resources.close()
        object.__setattr__(self, "is_closed", True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @abstractmethod
    def knowledge(self, kinds: Mapping[str, Kind]) -> AnyKnowledge:
        """Return the sources of facts about items; ``kinds`` are the kinds to distinguish.

        Raises:
            DamagedStoreError: the index of values, or the columns, of a store cannot be opened.
        """

    @cached_property
    def _knowledge(self) -> AnyKnowledge:
        return self.knowledge(catalog().kinds)

    @cached_property
    def kept(self) -> dict[tuple[Hashable, ...], Any]:
        """Objects that other modules keep while the source is open.

        A key begins with the name of the module.
        """
        return {}

    def lookup(
        self, name: str, limit: Count | None = None, language: str | None = None
    ) -> list[Match]:
        """Return at most ``limit`` items with that label or alias, the best match first.

        A store ignores case and accents; an endpoint finds a few spellings of a name. Labels and
        descriptions are in ``language``, by default the language of the store.

        Raises:
            KgbuildError: no item has that name; the error has similar names.
        """
        matches = names_of_items.lookup(self.graph, self.names, name, language or self.language)
        return matches[:limit]

    def subgraph(self, qid: str, limit: Count = 50) -> "Subgraph":
        """Return the statements with an item as subject or value.

        Each property has at most ``limit`` statements in each direction.

        Raises:
            MalformedIdError: ``qid`` is not the id of an item.
            WrongCallError: there is no statement about the item.
        """
        from kgbuild.graph.subgraph import subgraph

        item = wikidata.parse_item(qid)
        return subgraph(self.graph, self.labels, item, limit, self.language)

    def similar(self, qid: str, k: Count = 10, min_overlap: Count = 1) -> list[SimilarItem]:
        """Return at most ``k`` similar items of the same class, the most similar first.

        Similarity is the number of shared property values; it is at least ``min_overlap``.
        ``relations.toml`` lists the properties to compare for each kind of items.

        Raises:
            MalformedIdError: ``qid`` is not the id of an item.
            WrongCallError: there is no statement about the item.
            KgbuildError: no kind of the item has properties to compare.
        """
        (similar,) = self.similar_to_each([qid], k, min_overlap).values()
        return similar

    def similar_to_each(
        self, qids: Iterable[str], k: Count = 10, min_overlap: Count = 1
    ) -> dict[str, list[SimilarItem]]:
        """Return the result of ``similar`` for each item by its id, faster than single calls.

        Raises:
            MalformedIdError, WrongCallError, KgbuildError: as for ``similar``.
        """
        items = dict.fromkeys(map(wikidata.parse_item, qids))
        by_properties: dict[tuple[str, ...], list[str]] = {}
        for item in items:
            by_properties.setdefault(self._kind(item).similarity, []).append(item)
        search = self._knowledge.similarity
        matches = [
            (item, neighbour, search.shared_values(item, neighbour.qid, properties))
            for properties, members in by_properties.items()
            for item, neighbours in zip(
                members,
                search.most_similar_to_each(members, properties, k, min_overlap),
                strict=True,
            )
            for neighbour in neighbours
        ]
        self.labels.read(
            entity
            for _, neighbour, values in matches
            for entity in (neighbour.qid, *itertools.chain.from_iterable(values))
        )
        similar: dict[str, list[SimilarItem]] = {item: [] for item in items}
        for item, (qid, overlap, _), values in matches:
            shared = [
                SharedValue(pid, self._label(pid), value, self._label(value))
                for pid, value in values
            ]
            similar[item].append(SimilarItem(qid, self._label(qid), overlap, shared))
        return similar

    def _kind(self, item: str) -> Kind:
        """Return the first kind of an item that has properties to compare."""
        for name in self._knowledge.kinds.names(item):
            if catalog().kinds[name].similarity:
                return catalog().kinds[name]
        classes = self._knowledge.statements.values(item, "P31")
        if not classes and self.labels.label(item) is None:
            from kgbuild.graph.subgraph import unknown_item

            raise unknown_item(item)
        listed = f"its classes ({', '.join(sorted(classes))}) belong to none of its kinds"
        raise KgbuildError(
            f"Nothing is similar to {item}: relations.toml names the properties to compare by "
            f"kind, and {listed if classes else 'the item has no class (P31)'}."
        )

    def _label(self, entity: str) -> str:
        return self.labels.label(entity) or entity
