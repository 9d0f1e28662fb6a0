"""Count the items of a store that state a relation, and their values."""

from collections import Counter
from functools import cached_property

from kgbuild.graph.statements import Statements
from kgbuild.relations import Relation

_MIN_ITEMS = 30
"""Minimum number of items that state a relation, so that it can count as exclusive."""
_MAX_FURTHER = 0.1
"""Maximum mean number of values per item beyond the first, for an exclusive relation."""
_MIN_STATING = 0.5
"""Minimum share of similar items that state a relation, so that it is not seldom stated."""
_MAX_FURTHER_IF_SELDOM = 0.2
"""Maximum mean number of values per item beyond the first, if a relation is seldom stated."""


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
        """Whether a value excludes other values: nearly all items have a single value."""
        return len(self.values) >= _MIN_ITEMS and self.mean_values <= 1 + _MAX_FURTHER

    def is_closed_for(self, stating_share: float) -> bool:
        """Return whether the absence of a statement is evidence that it is false.

        ``stating_share`` is the share of similar items that state the relation. A relation is
        closed if most items state it, if items have about one value, or if an inverse property can
        state it as well. For other relations, such as places of work, many true statements are
        missing.
        """
        has_single_values = self.mean_values <= 1 + _MAX_FURTHER_IF_SELDOM
        is_often_stated = stating_share >= _MIN_STATING
        return is_often_stated or has_single_values or bool(self._relation.backward_properties)

    def _pairs(self) -> set[tuple[str, str]]:
        pairs = self._statements.pairs
        forward = {pair for pid in self._relation.forward_properties for pair in pairs(pid)}
        return forward | {
            (y, x) for pid in self._relation.backward_properties for x, y in pairs(pid)
        }
