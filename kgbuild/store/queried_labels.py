"""Read labels, descriptions and aliases by queries, from an endpoint or a graph."""

from collections.abc import Iterable

from kgbuild.catalog import catalog
from kgbuild.store.oxigraph import Graph
from kgbuild.store.terms import Row

_NO_LABEL = (3, "")
"""The (rank, text) of a missing label; labels have ranks from 0 to 2 (``_rank``)."""


class QueriedLabels:
    """Labels, descriptions and aliases in a language; each is read once."""

    def __init__(self, graph: Graph, language: str = "en"):
        self._graph = graph
        self.language = language
        self._texts: dict[str, tuple[str | None, str | None]] = {}
        self._aliases: dict[str, tuple[str, ...]] = {}

    def read_all(self, pid: str) -> None:
        """Read the labels and descriptions of all items that have a property, in one query."""
        rows = self._graph.select("labels", property=pid, language=self.language)
        for item, texts in self._best_texts(rows).items():
            self._texts.setdefault(item, texts)

    def read(self, entities: Iterable[str]) -> None:
        """Read the labels and descriptions of these items and properties in one query."""
        missing = [*dict.fromkeys(entity for entity in entities if entity not in self._texts)]
        if missing:
            rows = self._graph.select("texts_of", entity=missing, language=self.language)
            by_id = ((entity.text, label, description) for entity, label, description in rows)
            texts = self._best_texts(by_id)
            self._texts.update((entity, texts.get(entity, (None, None))) for entity in missing)

    def _best_texts(self, rows: Iterable[Row]) -> dict[str, tuple[str | None, str | None]]:
        """Return the (label, description) of each entity in rows (entity, label, description).

        If an entity has several, they are its best label and its first description.
        """
        labels: dict[str, tuple[int, str]] = {}
        descriptions: dict[str, str] = {}
        for entity, label, description in rows:
            candidate = (self._rank(label.language), label.text) if label else _NO_LABEL
            labels[entity] = min(candidate, labels.get(entity, candidate))
            if description:
                descriptions[entity] = min(description, descriptions.get(entity, description))
        return {
            entity: (text or None, descriptions.get(entity)) for entity, (_, text) in labels.items()
        }

    def _rank(self, language: str) -> int:
        """Return the rank of a label's language; 0 is best, and "mul" is for all languages."""
        return 0 if language == self.language else 1 if language == "mul" else 2

    def _read(self, entity: str) -> tuple[str | None, str | None]:
        """Return the label and the description of an item or a property."""
        if entity not in self._texts:
            self.read([entity])
        return self._texts[entity]

    def label(self, entity: str) -> str | None:
        """Return the label of an item or a property, in the store or in the catalog, or None."""
        return self._read(entity)[0] or catalog().properties.get(entity)

    def description(self, entity: str) -> str | None:
        """Return the description of an item or a property, or None."""
        return self._read(entity)[1]

    def aliases(self, entity: str) -> tuple[str, ...]:
        """Return the aliases of an item or a property, in the order of the query."""
        if entity not in self._aliases:
            rows = self._graph.select("aliases", entity=entity, language=self.language)
            self._aliases[entity] = tuple(alias for (alias,) in rows)
        return self._aliases[entity]
