"""Count the items of a store that state a relation, and their values."""

import itertools
from functools import cached_property

import numpy as np

from kgbuild.graph.pairs import distinct
from kgbuild.graph.statements import Statements
from kgbuild.native.arrays import Array, Numbers, Positions
from kgbuild.relations import Relation
from kgbuild.store import arrays
from kgbuild.store.counts import Counts

_MIN_ITEMS = 30
"""Minimum number of items that state a relation, so that it can count as exclusive."""
_MAX_FURTHER = 0.1
"""Maximum mean number of values per item beyond the first, for an exclusive relation."""


class Usage:
    """The statements of a relation in a store, in either direction and by any of its properties."""

    def __init__(self, statements: Statements, counts: Counts, relation: Relation):
        self._statements = statements
        self._kept = counts
        self._relation = relation
        self.name = ("usage", *relation.forward_properties, "by", *relation.backward_properties)
        """The name of the counts."""

    @cached_property
    def items(self) -> Numbers:
        """The numbers of the items of which the relation is stated, sorted."""
        return self._counts[0]

    @cached_property
    def _counts(self) -> tuple[Numbers, Positions]:
        """The items of which the relation is stated, and the number of values of each."""
        numbers, relation = self._statements.numbers, self._relation

        def count() -> tuple[Array, Array]:
            forward = (numbers(pid) for pid in relation.forward_properties)
            backward = (numbers(pid).swapped() for pid in relation.backward_properties)
            pairs = distinct(itertools.chain(forward, backward))
            return np.unique(pairs.subjects, return_counts=True)

        items, counts = self._kept.arrays(self.name, (np.int32, np.int64), count)
        return items, counts

    def values(self, numbers: Numbers) -> Positions:
        """Return the number of values of each item; ``numbers`` are those of the items."""
        items, counts = self._counts
        if not len(items):
            return np.zeros(len(numbers), np.int64)
        places = arrays.places(numbers, items)
        return np.where(places >= 0, counts[places], 0)

    @cached_property
    def mean_values(self) -> float:
        """The average number of values of the items of which the relation is stated."""
        items, counts = self._counts
        return int(counts.sum()) / len(items) if len(items) else 1.0

    @property
    def is_exclusive(self) -> bool:
        """Whether a value excludes other values: nearly all items have a single value."""
        return len(self.items) >= _MIN_ITEMS and self.mean_values <= 1 + _MAX_FURTHER
