"""How much an answer tells: its surprise among all the answers that a relation may have."""

import math
from collections import defaultdict
from collections.abc import Collection, Mapping

from kgbuild.datasets.granola.classes import Facet, Path

_NOBODY: set[str] = set()


class Measure:
    """Measures answers by the share that they cover of a relation's possible answers.

    ``population`` has the facets of each of them. It is counted once; an answer that says
    several things at once is measured by those of which all are true.
    """

    def __init__(self, population: Mapping[str, Mapping[Facet, Path]]):
        self._size = max(1, len(population))
        self._holders: dict[Facet, set[str]] = defaultdict(set)
        self._known: dict[str, set[str]] = defaultdict(set)
        for qid, facets in population.items():
            for facet, path in facets.items():
                self._holders[facet].add(qid)
                if path:  # that an item is itself says nothing of what is known about it
                    self._known[facet[0]].add(qid)
        self._bits: dict[frozenset[Facet], float] = {}

    @property
    def facets(self) -> Collection[Facet]:
        """All facets that some of the population have."""
        return self._holders.keys()

    @property
    def most(self) -> float:
        """The bits of an answer that is one of all."""
        return math.log2(self._size)

    def of_itself(self, facet: Facet) -> float:
        """Return the bits of an answer that is a place or a class: it covers those within it."""
        return math.log2(self._size / max(1, len(self._holders.get(facet, _NOBODY))))

    def bits(self, facets: Collection[Facet]) -> float:
        """Return −log2 of the share that an answer covers, counted where its facets are known.

        What nobody of the population has is as rare as if one of them had.
        """
        key = frozenset(facets)
        if key not in self._bits:
            known = set.intersection(*(self._known.get(facet[0], _NOBODY) for facet in key))
            holders = known.intersection(*(self._holders.get(facet, _NOBODY) for facet in key))
            covered = max(1, len(holders))
            self._bits[key] = math.log2(max(covered, len(known)) / covered)
        return self._bits[key]
