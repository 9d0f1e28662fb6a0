"""Measure how specific an answer is: its surprise, in bits, among the answers of a relation."""

import math
from collections import defaultdict
from collections.abc import Collection, Mapping

from kgbuild.datasets.granola.classes import Facet, Proof

_EMPTY: set[str] = set()


class Measure:
    """Measures answers by the share of a relation's possible answers that they cover.

    ``population`` has the facets of each possible answer, each with the triples that prove it. A
    facet is a value in a dimension, such as Paris in the dimension "place". A combination of facets
    covers the answers that have all of them. ``facets`` are all facets; an answer that covers only
    itself has ``max_bits``.
    """

    def __init__(self, population: Mapping[str, Mapping[Facet, Proof]]):
        self._size = max(1, len(population))
        self._holders: dict[Facet, set[str]] = defaultdict(set)
        for qid, facets in population.items():
            for facet in facets:
                self._holders[facet].add(qid)
        self._bits: dict[frozenset[Facet], float] = {}
        self.facets = frozenset(self._holders)
        self.max_bits = math.log2(self._size)

    def bits_of_item(self, facet: Facet) -> float:
        """Return the bits of an exact answer that is a place or a class, by its facet."""
        return math.log2(self._size / max(1, len(self._holders.get(facet, _EMPTY))))

    def bits(self, facets: Collection[Facet]) -> float:
        """Return −log2 of the share of possible answers that an answer covers.

        Possible answers without facets count, too, so answers of different dimensions can be
        compared. An answer that covers no possible answer counts as covering one.
        """
        key = frozenset(facets)
        if key not in self._bits:
            covered = set.intersection(*(self._holders.get(facet, _EMPTY) for facet in key))
            self._bits[key] = math.log2(self._size / max(1, len(covered)))
        return self._bits[key]
