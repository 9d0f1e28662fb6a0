"""Measure how specific an answer is: its surprise, in bits, among the answers of a relation."""

import functools
import math
from array import array
from collections import defaultdict
from collections.abc import Iterable, Sequence

import numpy as np

from kgbuild.datasets.granola.levels.classes import Facet
from kgbuild.native.arrays import Array, Numbers

SHARE_TYPES = (np.uint8, np.int64, np.int32, np.int64)
"""The types of the arrays of ``shares``."""
_NONE: Numbers = np.empty(0, np.int32)
_in_both = functools.partial(np.intersect1d, assume_unique=True)


def shares(population: Iterable[Iterable[Facet]]) -> list[Array]:
    """Return which possible answers have which facets, in arrays that can be kept.

    ``population`` has the facets of each possible answer. A facet is a value in a dimension, such
    as Paris in the dimension "place". The arrays are: the facets, as lines of text; for each facet
    the end of its numbers; the numbers of the possible answers that have it; and how many possible
    answers there are.
    """
    holders: dict[Facet, array[int]] = defaultdict(lambda: array("i"))
    size = 0
    for number, facets in enumerate(population):
        size = number + 1
        for facet in facets:
            holders[facet].append(number)
    ordered = sorted(holders)
    lines = "".join(f"{dimension}\t{value}\n" for dimension, value in ordered)
    lists = [np.frombuffer(holders[facet], np.int32) for facet in ordered]
    return [
        np.frombuffer(lines.encode(), np.uint8),
        np.cumsum([*map(len, lists)], dtype=np.int64),
        np.concatenate([_NONE, *lists]),
        np.array([size], np.int64),
    ]


class Measure:
    """Measures answers by the share of a relation's possible answers that they cover.

    It is made of ``shares``. A combination of facets covers the answers that have all of them.
    An answer that covers only itself has ``max_bits``.
    """

    def __init__(self, arrays: Sequence[Array]):
        lines, self._ends, self._holders, (size,) = arrays
        facets = (line.split("\t") for line in lines.tobytes().decode().splitlines())
        self._indexes = {(dimension, value): n for n, (dimension, value) in enumerate(facets)}
        self._size = max(1, int(size))
        self._bits = functools.cache(self._read_bits)
        self.max_bits = math.log2(self._size)

    def facets(self) -> set[Facet]:
        """Return all facets of the possible answers."""
        return {*self._indexes}

    def bits(self, facets: Iterable[Facet]) -> float:
        """Return −log2 of the share of possible answers that an answer covers.

        Possible answers without facets count, too, so answers of different dimensions can be
        compared. An answer that covers no possible answer counts as covering one.
        """
        return self._bits(frozenset(facets))

    def _read_bits(self, facets: frozenset[Facet]) -> float:
        covered = functools.reduce(_in_both, map(self._numbers, facets))
        return math.log2(self._size / max(1, len(covered)))

    def _numbers(self, facet: Facet) -> Numbers:
        index = self._indexes.get(facet)
        if index is None:
            return _NONE
        return self._holders[self._ends[index - 1] if index else 0 : self._ends[index]]
