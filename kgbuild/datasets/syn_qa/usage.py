"""How a store uses a relation: which items state it, and how many values they have."""

from collections import Counter
from functools import cached_property

from kgbuild.graph.statements import Statements
from kgbuild.relations import Relation

_MIN_ITEMS = 30
"""Number of items from which on it counts that nearly all have one value."""
_MAX_FURTHER = 0.1
"""Maximum number of values per item beyond the first, where nearly all have one."""


class Usage:
    """The statements of a relation in a store, in either direction and by any of its properties."""

    def __init__(self, statements: Statements, relation: Relation):
        self._statements = statements
        self._relation = relation

    @cached_property
    def values(self) -> Counter[str]:
        """The number of values of each item of which the relation is stated."""
        return Counter(x for x, _ in self._pairs())

    @cached_property
    def mean_values(self) -> float:
        """The average number of values of the items of which the relation is stated."""
        return self.values.total() / len(self.values) if self.values else 1.0

    @property
    def is_exclusive(self) -> bool:
        """Whether having one value speaks against another: nearly all items have a single one."""
        return len(self.values) >= _MIN_ITEMS and self.mean_values <= 1 + _MAX_FURTHER

    def _pairs(self) -> set[tuple[str, str]]:
        pairs = self._statements.pairs
        forward = {pair for pid in self._relation.forward for pair in pairs(pid)}
        return forward | {(y, x) for pid in self._relation.backward for x, y in pairs(pid)}
