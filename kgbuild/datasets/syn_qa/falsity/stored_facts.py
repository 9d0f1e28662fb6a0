"""Read the statements of a relation from a store, and its marks of unknown and missing values."""

import functools
from collections.abc import Mapping

import numpy as np

from kgbuild import wikidata
from kgbuild.datasets.syn_qa.falsity.facts import Facts
from kgbuild.graph.knowledge import Knowledge
from kgbuild.native.arrays import Numbers
from kgbuild.relations import Relation
from kgbuild.rows import Evidence

NO_VALUE = "no value"
"""The object of the evidence that an item has no value, as Wikidata states it."""


class StoredFacts(Facts):
    """The facts about a relation in a store; an endpoint has those of ``Facts`` only."""

    def __init__(self, knowledge: Knowledge, relation: Relation, relations: Mapping[str, Relation]):
        super().__init__(knowledge.statements, knowledge.wholes, relation, relations)
        self._stored = knowledge.statements
        self._times = knowledge.times
        self._missing = knowledge.missing
        self.missing_properties = functools.cache(self._missing_properties)
        self._others = functools.cache(lambda pid: {*knowledge.others.items(pid).tolist()})

    def holders(self, y: str) -> Numbers:
        """Return the numbers of the items that the relation joins to y."""
        relation, statements = self._relation, self._stored
        parts = [statements.subject_numbers(y, pid) for pid in relation.forward_properties]
        values = (qid for pid in relation.backward_properties for qid in statements.values(y, pid))
        return np.concatenate([*parts, np.fromiter(map(wikidata.number, values), np.int32)])

    def evidence(self, x: str) -> list[Evidence]:
        """Return the triples of ``links``, and the statement that x has no value."""
        pid = self._relation.pid
        none = {Evidence(x, pid, NO_VALUE)} if x in self._missing.none(pid) else set[Evidence]()
        return sorted(none.union(self.links(x)))

    def has_unknown_value(self, x: str) -> bool:
        """Return whether x has an unknown value, as Wikidata states it: it may be any item."""
        return x in self._missing.unknown(self._relation.pid)

    def _missing_properties(self, x: str) -> list[str]:
        """Return the properties that the relation requires and that x lacks."""
        return [pid for pid in self._relation.required_properties if not self._has(x, pid)]

    def _has(self, x: str, pid: str) -> bool:
        """Return whether x has a value of a property, of any kind."""
        return bool(
            self._statements.values(x, pid)
            or self._times.of(x, pid)
            or x in self._missing.unknown(pid)
            or wikidata.number(x) in self._others(pid)
        )
