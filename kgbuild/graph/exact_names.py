"""Find the items that have a name exactly.

The names of all items are hashed, which takes less time than a query for thousands of names.
"""

from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np

from kgbuild.native.arrays import Array, Positions
from kgbuild.store.columns import Column, Columns
from kgbuild.store.counts import Counts
from kgbuild.store.text_hashes import Hashes, hash_text, hash_texts


class ExactNames:
    """The items of a store by their labels and aliases in its columns."""

    def __init__(self, columns: Columns, counts: Counts):
        self._labels, self._aliases = columns.labels, columns.aliases
        self._counts = counts

    def items(self, name: str) -> Iterator[str]:
        """Yield the ids of the items that have a name, sorted by number, each once."""
        value = hash_text(name)
        hashes, rows = self._index
        last = None
        for at in range(hashes.searchsorted(value), hashes.searchsorted(value, "right")):
            row = int(rows[at])
            column, row = (self._labels, row) if row >= 0 else (self._aliases, ~row)
            number = int(column.keys[row])
            if number != last and column.text_at(row) == name:
                yield f"Q{number}"
                last = number

    @cached_property
    def _index(self) -> Sequence[Array]:
        """The hashes of all names of items, sorted, and their rows: n of labels, ~n of aliases."""
        return self._counts.arrays(("exact_names",), (np.uint64, np.int64), self._read)

    def _read(self) -> tuple[Hashes, Positions]:
        labels, aliases = map(_rows_of_items, (self._labels, self._aliases))
        hashes = np.concatenate(
            (hash_texts(self._labels, labels), hash_texts(self._aliases, aliases))
        )
        items = np.concatenate((self._labels.keys[labels], self._aliases.keys[aliases]))
        order = np.lexsort((items, hashes))
        return hashes[order], np.concatenate((labels, ~aliases))[order]


def _rows_of_items(column: Column) -> Positions:
    first = int(column.keys.searchsorted(0))  # the keys of properties are negative
    return np.arange(first, len(column.keys))
