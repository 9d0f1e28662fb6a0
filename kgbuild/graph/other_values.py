"""Find the items with values that no column and no index has: texts, numbers and links."""

import functools
from collections.abc import Mapping

import numpy as np

from kgbuild import wikidata
from kgbuild.dump import rules
from kgbuild.native.kernel import kernel
from kgbuild.store.arrays import Numbers, Positions, distinct
from kgbuild.store.columns import Columns
from kgbuild.store.counts import Counts
from kgbuild.store.oxigraph import Graph
from kgbuild.store.postings import Postings

_VERSION = 1


class OtherValues:
    """The items with such values, by property.

    ``sizes`` are the numbers of the statements of each property. Where the index and the columns
    have as many, no query is needed.
    """

    def __init__(
        self,
        graph: Graph,
        index: Postings,
        columns: Columns,
        counts: Counts,
        sizes: Mapping[str, int],
    ):
        self._graph = graph
        self._index = index
        self._columns = columns
        self._counts = counts
        self._sizes = sizes

    @functools.cached_property
    def _others(self) -> Positions:
        """The number of such values of each property, by its number."""
        others = np.zeros(rules.PROPERTIES, np.int64)
        for pid, size in self._sizes.items():
            others[wikidata.number(pid)] = size
        _subtract(self._index.properties, self._index.key_ends, others)
        columns = self._columns
        return others - columns.times.property_sizes() - columns.unknown_values.property_sizes()

    def items(self, pid: str) -> Positions:
        """Return the numbers of the items with such values of a property, sorted."""
        if not self._others[wikidata.number(pid)]:
            return np.empty(0, np.int64)
        (items,) = self._counts.arrays(
            ("other_values", pid), _VERSION, (np.int64,), lambda: [self._read(pid)]
        )
        return items

    def _read(self, pid: str) -> Positions:
        rows = self._graph.select("other_values", property=pid)
        return distinct(np.fromiter((wikidata.number(qid) for (qid,) in rows), np.int64))


@kernel
def _subtract(properties: Numbers, key_ends: Positions, sizes: Positions) -> None:
    """Subtract the numbers of the statements in the index from those of their properties."""
    for key in range(properties.size):
        sizes[properties[key]] -= key_ends[key + 1] - key_ends[key]
