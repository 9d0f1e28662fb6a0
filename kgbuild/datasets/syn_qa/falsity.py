"""Whether a relation holds of two items, as far as a store can tell."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property

from kgbuild.catalog import Relation
from kgbuild.graph.knowledge import Knowledge
from kgbuild.rows import Evidence

NO_VALUE = "no value"
"""What stands as the object of the evidence where Wikidata says that there is no value."""
MEMBER_OF, HAS_PART = "P463", "P527"
WITHIN = "within"
"""What stands as the property where one item lies within another, over several steps."""


class Facts:
    """What the store says of one relation, in whichever direction and property it says it.

    ``relations`` holds the relations that this one may refer to, by id.
    """

    def __init__(self, known: Knowledge, relation: Relation, relations: Mapping[str, Relation]):
        self._graph = known.graph
        self._statements = known.statements
        self._wholes = known.wholes
        self._relation = relation

        def plain(pids: tuple[str, ...]) -> list[Facts]:
            # Relations may name each other; of those named here, only their own statements count.
            found = (replace(relations[pid], shared=(), broader=()) for pid in pids)
            return [Facts(known, other, {}) for other in found]

        self._shared = plain(relation.shared)
        self._broader = plain(relation.broader)
        self._others: dict[str, list[Evidence]] = {}
        self._having: dict[tuple[str, str], bool] = {}

    def others(self, x: str) -> list[Evidence]:
        """Return the triples that say of which items the relation does hold, for x.

        The relation itself, narrower and inverse ones count, and its mirror image if it is
        symmetric. If Wikidata says that there is no value, that is the evidence.
        """
        if x not in self._others:
            self._others[x] = sorted({*self._forward(x), *self._backward(x), *self._none(x)})
        return self._others[x]

    def stated(self, x: str) -> list[Evidence]:
        """Return the triples of x with the relation's own property."""
        return [e for e in self.others(x) if e.subject == x and e.property == self._relation.pid]

    def partners(self, x: str) -> list[str]:
        """Return the items of which the relation holds, for x, each once."""
        ends = (e.object if e.subject == x else e.subject for e in self.others(x))
        return [qid for qid in dict.fromkeys(ends) if qid != NO_VALUE]

    def holders(self, y: str) -> list[str]:
        """Return the items of which the store says that the relation holds with y."""
        relation, statements = self._relation, self._statements
        found = [qid for pid in relation.forward for qid in statements.subjects(y, pid)]
        return found + [qid for pid in relation.backward for qid in statements.values(y, pid)]

    def _forward(self, x: str) -> list[Evidence]:
        return [
            Evidence(x, pid, value)
            for pid in self._relation.forward
            for value in self._statements.values(x, pid)
        ]

    def _backward(self, x: str) -> list[Evidence]:
        return [
            Evidence(qid, pid, x)
            for pid in self._relation.backward
            for qid in self._statements.subjects(x, pid)
        ]

    def _none(self, x: str) -> list[Evidence]:
        return [Evidence(x, self._relation.pid, NO_VALUE)] if x in self._without else []

    @cached_property
    def _without(self) -> set[str]:
        """The items of which Wikidata says that they have no value."""
        said = self._graph.select("no_values", property=self._relation.pid)
        return {qid for (qid,) in said}

    @cached_property
    def _unknown(self) -> set[str]:
        """The items that have a value that nobody knows."""
        said = self._graph.select("unknown_values", property=self._relation.pid)
        return {qid for (qid,) in said}

    def has_unknown(self, x: str) -> bool:
        """Tell whether x has a value of the relation that nobody knows: it may be any item."""
        return x in self._unknown

    def lacks(self, x: str) -> list[str]:
        """Return those of the properties that the relation requires of which x has no value."""
        return [pid for pid in self._relation.requires if not self._has(x, pid)]

    def _has(self, x: str, pid: str) -> bool:
        if (x, pid) not in self._having:
            self._having[x, pid] = bool(self._graph.select("values", subject=x, property=pid))
        return self._having[x, pid]

    def says(self, x: str, y: str) -> Evidence | None:
        """Return a triple that says, or comes near to saying, that the relation holds, or None.

        Where a chain of the relation is the relation (siblings of siblings), its last link is
        returned; where sharing something suggests it (a parent), what x shares; where it may be
        said of a member, what is said of the group; where a broader relation holds, that. Where
        objects lie within each other, what holds of a part of y holds of y, and what holds of
        something that y is a part of may hold of y.
        """
        return (
            self.states(x, y)
            or (self._chain(x, y) if self._relation.transitive else None)
            or self._common(x, y)
            or (self._of_group(x, y) if self._relation.groups else None)
            or (self._nests(x, y) if self._relation.within else None)
            or next(filter(None, (facts.says(x, y) for facts in self._broader)), None)
        )

    def differs(self, x: str, other: str) -> list[str]:
        """Return the properties in which the two should be alike, and are not."""
        values = self._statements.values
        return [
            pid
            for pid in self._relation.alike
            if (mine := {*values(x, pid)}) and not mine & {*values(other, pid)}
        ]

    def states(self, x: str, y: str) -> Evidence | None:
        """Return a triple that says in so many words that the relation holds, or None."""
        ways = [Evidence(x, pid, y) for pid in self._relation.forward]
        ways += [Evidence(y, pid, x) for pid in self._relation.backward]
        return next((way for way in ways if self._statements.holds(*way)), None)

    def _of_group(self, x: str, y: str) -> Evidence | None:
        groups = {
            *self._statements.values(x, MEMBER_OF),
            *self._statements.subjects(x, HAS_PART),
        }
        found = (self.states(group, y) for group in sorted(groups))
        return next(filter(None, found), None)

    def _chain(self, x: str, y: str) -> Evidence | None:
        reached = [x]
        for one in reached:  # grows while it is walked: breadth first
            if found := self.states(one, y):
                return found
            reached += [qid for qid in self.partners(one) if qid not in reached]
        return None

    def _common(self, x: str, y: str) -> Evidence | None:
        for facts in self._shared:
            theirs = set(facts.partners(y))
            for evidence in facts.others(x):
                if theirs & ({*evidence} - {x}):
                    return evidence
        return None

    def _nests(self, x: str, y: str) -> Evidence | None:
        for value in (e.object for e in self._forward(x)):
            if y in self._wholes.above(value):
                return Evidence(value, WITHIN, y)
            if value in self._wholes.above(y):
                return Evidence(y, WITHIN, value)
        return None
