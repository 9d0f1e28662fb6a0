"""Find the items with values that no column and no index has: texts, numbers and links."""

from collections.abc import Mapping

import numpy as np

from kgbuild import wikidata
from kgbuild.dump import rules
from kgbuild.store.arrays import Positions
from kgbuild.store.columns import PROPERTY_BITS, Column, Columns
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
        self._counts = counts
        self._others = np.zeros(rules.PROPERTIES, np.int64)
        for pid, size in sizes.items():
            self._others[wikidata.number(pid)] = size
        of_keys = np.diff(index.key_ends)
        self._others[: int(index.properties.max(initial=0)) + 1] -= np.bincount(
            index.properties, of_keys, minlength=1
        ).astype(np.int64)
        self._others -= _sizes(columns.times) + _sizes(columns.unknown_values)

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
        return np.unique(np.fromiter((wikidata.number(qid) for (qid,) in rows), np.int64))


def _sizes(column: Column) -> Positions:
    """Return the number of statements of each property in a column."""
    return np.bincount(column.keys & ((1 << PROPERTY_BITS) - 1), minlength=rules.PROPERTIES)
