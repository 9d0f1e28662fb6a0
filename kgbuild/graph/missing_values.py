"""Read the marks of Wikidata that a value is unknown, or that an item has no value."""

import functools

from kgbuild.store.columns import Column, Columns


class MissingValues:
    """The items with such a mark, by property; those of a property are read once."""

    def __init__(self, columns: Columns):
        self._columns = columns
        self.unknown = functools.cache(self._unknown)
        self.none = functools.cache(self._none)

    def _unknown(self, pid: str) -> frozenset[str]:
        """Return the items that have a value for a property that nobody knows."""
        return _qids(self._columns.unknown_values, pid)

    def _none(self, pid: str) -> frozenset[str]:
        """Return the items that have no value for a property."""
        return _qids(self._columns.no_values, pid)


def _qids(column: Column, pid: str) -> frozenset[str]:
    return frozenset(f"Q{item}" for item in column.items(pid).tolist())
