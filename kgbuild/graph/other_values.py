"""Find what no column and no index has: texts, numbers and links as values, and redirects."""

import functools
from collections.abc import Mapping, Sequence

import numpy as np

from kgbuild import wikidata
from kgbuild.dump.scanning import rules
from kgbuild.native.arrays import Array, Positions
from kgbuild.store.arrays import distinct
from kgbuild.store.columns import Columns
from kgbuild.store.counts import Counts
from kgbuild.store.oxigraph import Graph
from kgbuild.store.postings import Postings


class OtherValues:
    """The items with such values, by property.

    ``sizes`` are the numbers of the statements of each property. Where the index and the columns
    have as many, no query is needed.
    """

    def __init__(
        self,
        graph: Graph,
        columns: Columns,
        postings: Postings,
        counts: Counts,
        sizes: Mapping[str, int],
    ):
        self._graph = graph
        self._columns = columns
        self._postings = postings
        self._counts = counts
        self._sizes = sizes

    @functools.cached_property
    def _others(self) -> Positions:
        """The number of such values of each property, by its number."""
        others = np.zeros(rules.PROPERTIES, np.int64)
        for pid, size in self._sizes.items():
            others[wikidata.number(pid)] = size
        index, columns = self._postings, self._columns
        np.subtract.at(others, index.properties, np.diff(index.key_ends))
        return others - columns.times.property_sizes() - columns.unknown_values.property_sizes()

    def items(self, pid: str) -> Positions:
        """Return the numbers of the items with such values of a property, sorted."""
        if not self._others[wikidata.number(pid)]:
            return np.empty(0, np.int64)
        name = ("other_values", pid)
        (items,) = self._counts.arrays(name, (np.int64,), lambda: [self._read(pid)])
        return items

    def _read(self, pid: str) -> Positions:
        rows = self._graph.select("other_values", property=pid)
        return distinct(np.fromiter((wikidata.number(qid) for (qid,) in rows), np.int64))


class Redirects:
    """The old ids of items that were merged into others, in arrays that are kept beside the store.

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
