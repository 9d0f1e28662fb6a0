"""Find the items that were merged into others: their old ids redirect to the new ones."""

import functools
from collections.abc import Sequence

import numpy as np

from kgbuild import wikidata
from kgbuild.store.arrays import Array
from kgbuild.store.counts import Counts
from kgbuild.store.oxigraph import Graph


class Redirects:
    """The redirects of a store, in arrays that are kept beside it.

    A slice has the redirects to its items, as the dump has them.
    """

    def __init__(self, graph: Graph, counts: Counts):
        self._graph = graph
        self._counts = counts

    def merged_into(self, qid: str) -> list[str]:
        """Return the items that were merged into an item, sorted by number."""
        *_, targets, merged = self._arrays
        return _found(targets, merged, qid)

    def target(self, qid: str) -> str:
        """Return the item that an item was merged into, or the item itself."""
        merged, targets, *_ = self._arrays
        return next(iter(_found(merged, targets, qid)), qid)

    @functools.cached_property
    def _arrays(self) -> Sequence[Array]:
        """The merged items with their targets, and the targets with the merged items.

        Each pair is sorted by its first array.
        """
        return self._counts.arrays(("redirects",), (np.int32,) * 4, self._read)

    def _read(self) -> Sequence[Array]:
        rows = self._graph.select("redirects")
        numbers = np.array([[*map(wikidata.number, row)] for row in rows], np.int32)
        merged, targets = numbers.reshape(-1, 2).T
        order, by_target = np.lexsort((targets, merged)), np.lexsort((merged, targets))
        return merged[order], targets[order], targets[by_target], merged[by_target]


def _found(keys: Array, values: Array, qid: str) -> list[str]:
    """Return the items in ``values`` where the sorted ``keys`` have an item."""
    number = np.int32(wikidata.number(qid))  # for an int, searchsorted would convert the array
    start, end = keys.searchsorted(number), keys.searchsorted(number, "right")
    return [f"Q{value}" for value in values[start:end].tolist()]
