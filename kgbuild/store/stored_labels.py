"""Read labels, descriptions and aliases from the columns of a store."""

import functools
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from kgbuild.catalog import catalog
from kgbuild.wikidata import entity_key

if TYPE_CHECKING:
    from kgbuild.store.columns import Columns  # it imports NumPy, which few commands need

_CACHE_SIZE = 1 << 17
"""Maximum number of labels, of descriptions and of aliases that are kept in memory."""


class StoredLabels:
    """The labels, descriptions and aliases in the columns that ``open_columns`` returns.

    They are in ``language``.
    """

    def __init__(self, open_columns: "Callable[[], Columns]", language: str):
        self.language = language
        self._columns = open_columns
        self.label = functools.lru_cache(_CACHE_SIZE)(self._label)
        self.description = functools.lru_cache(_CACHE_SIZE)(self._description)
        self.aliases = functools.lru_cache(_CACHE_SIZE)(self._aliases)

    def read_all(self, pid: str) -> None:
        """Do nothing: single labels are fast."""

    def read(self, entities: Iterable[str]) -> None:
        """Do nothing, likewise."""

    def _label(self, entity: str) -> str | None:
        """Return the label of an item or a property, in the store or in the catalog, or None."""
        label = self._columns().labels.text(entity_key(entity))
        return label or catalog().properties.get(entity)

    def _description(self, entity: str) -> str | None:
        """Return the description of an item or a property, or None."""
        return self._columns().descriptions.text(entity_key(entity))

    def _aliases(self, entity: str) -> tuple[str, ...]:
        """Return the aliases of an item or a property, sorted."""
        return tuple(self._columns().aliases.texts(entity_key(entity)))
