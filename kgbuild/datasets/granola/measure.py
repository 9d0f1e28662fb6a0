"""Measure how specific an answer is: its surprise, in bits, among the answers of a relation."""

import functools
import math
from array import array
from collections import defaultdict
from collections.abc import Collection, Iterable

import numpy as np

from kgbuild.datasets.granola.classes import Facet
from kgbuild.store.arrays import Numbers

_NONE: Numbers = np.empty(0, np.int32)


class Measure:
    """Measures answers by the share of a relation's possible answers that they cover.

    ``population`` has the facets of each possible answer. A facet is a value in a dimension, such
    as Paris in the dimension "place". A combination of facets covers the answers that have all of
    them. ``facets`` are all facets; an answer that covers only itself has ``max_bits``.
    """

    def __init__(self, population: Iterable[Iterable[Facet]]):
        self._holders: dict[Facet, array[int]] = defaultdict(lambda: array("i"))
        number = -1
        for number, facets in enumerate(population):
            for facet in facets:
                self._holders[facet].append(number)
        self._size = max(1, number + 1)
        self._bits: dict[frozenset[Facet], float] = {}
        self.facets = frozenset(self._holders)
        self.max_bits = math.log2(self._size)

    def bits_of_item(self, facet: Facet) -> float:
        """Return the bits of an exact answer that is a place or a class, by its facet."""
        return math.log2(self._size / max(1, len(self._numbers(facet))))

    def bits(self, facets: Collection[Facet]) -> float:
        """Return −log2 of the share of possible answers that an answer covers.

        Possible answers without facets count, too, so answers of different dimensions can be
        compared. An answer that covers no possible answer counts as covering one.
        """
        key = frozenset(facets)
        if key not in self._bits:
            covered = functools.reduce(_in_both, map(self._numbers, key))
            self._bits[key] = math.log2(self._size / max(1, len(covered)))
        return self._bits[key]

    def _numbers(self, facet: Facet) -> Numbers:
        """Return the numbers of the possible answers that have a facet."""
        numbers = self._holders.get(facet)
        return np.frombuffer(numbers, np.int32) if numbers else _NONE


def _in_both(first: Numbers, second: Numbers) -> Numbers:
    return np.intersect1d(first, second, assume_unique=True)
