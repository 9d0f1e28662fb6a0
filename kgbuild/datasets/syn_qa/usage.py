"""How a store uses a relation: which items state it, and how many values they have."""

from collections import Counter
from functools import cached_property

from kgbuild.graph.statements import Statements
from kgbuild.relations import Relation

_MIN_ITEMS = 30
"""Number of items from which on it counts that nearly all have one value."""
_MAX_FURTHER = 0.1
"""Maximum number of values per item beyond the first, where nearly all have one."""
_SELDOM = 0.5
"""Share of similar items that state a relation, below which it is seldom stated."""
_MAX_FURTHER_IF_SELDOM = 0.2
"""Maximum number of values per item beyond the first, if the relation is seldom stated."""


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

    def is_closed_for(self, stating: float) -> bool:
        """Return whether missing statements say anything, for items of which a share states it.

        People live and work in more places than anybody states. A relation is closed if most
        similar items state it, if items have about one value, or if its inverse can state it, too.
        """
        is_single = self.mean_values <= 1 + _MAX_FURTHER_IF_SELDOM
        return bool(stating >= _SELDOM or is_single or self._relation.backward)

    def _pairs(self) -> set[tuple[str, str]]:
        pairs = self._statements.pairs
        forward = {pair for pid in self._relation.forward for pair in pairs(pid)}
        return forward | {(y, x) for pid in self._relation.backward for x, y in pairs(pid)}
