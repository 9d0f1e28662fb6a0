"""Whether a relation holds of two items, as far as a store can tell."""

from collections.abc import Mapping
from dataclasses import replace

from kgbuild.building import Evidence
from kgbuild.kg.store import Graph
from kgbuild.relations import Relation

NO_VALUE = "no value"
"""What stands as the object of the evidence where Wikidata says that there is no value."""
MEMBER_OF, HAS_PART = "P463", "P527"
WITHIN = "within"
"""What stands as the property where one item lies within another, over several steps."""


class Facts:
    """What the store says of one relation, in whichever direction and property it says it.

    ``relations`` holds the relations that this one may refer to, by id.
    """

    def __init__(self, graph: Graph, relation: Relation, relations: Mapping[str, Relation]):
        self._graph = graph
        self._relation = relation
        # Relations may name each other; of those named here, only their own statements count.
        plain = {pid: replace(other, shared=(), bars=()) for pid, other in relations.items()}
        self._shared = [Facts(graph, plain[pid], {}) for pid in relation.shared]
        self._bars = [Facts(graph, plain[pid], {}) for pid in relation.bars]
        self._others: dict[str, list[Evidence]] = {}
        self._above: dict[str, set[str]] = {}

    def others(self, x: str) -> list[Evidence]:
        """Return the triples that say of which items the relation does hold, for x.

        The relation itself, narrower and inverse ones count, and its mirror image if it is
        symmetric. If Wikidata says that there is no value, that is the evidence.
        """
        if x not in self._others:
            self._others[x] = sorted({*self._forward(x), *self._backward(x), *self._none(x)})
        return self._others[x]

    def partners(self, x: str) -> list[str]:
        """Return the items of which the relation holds, for x, each once."""
        ends = (e.object if e.subject == x else e.subject for e in self.others(x))
        return [qid for qid in dict.fromkeys(ends) if qid != NO_VALUE]

    def holders(self, y: str) -> list[str]:
        """Return the items of which the store says that the relation holds with y."""
        relation, select = self._relation, self._graph.select
        found = [
            qid for pid in relation.forward for (qid,) in select("subjects", object=y, property=pid)
        ]
        for pid in relation.backward:
            values = select("values", subject=y, property=pid)
            found += [value.text for (value,) in values if value.kind == "item"]
        return found

    def _forward(self, x: str) -> list[Evidence]:
        return [
            Evidence(x, pid, value.text)
            for pid in self._relation.forward
            for (value,) in self._graph.select("values", subject=x, property=pid)
            if value.kind == "item"
        ]

    def _backward(self, x: str) -> list[Evidence]:
        return [
            Evidence(qid, pid, x)
            for pid in self._relation.backward
            for (qid,) in self._graph.select("subjects", object=x, property=pid)
        ]

    def _none(self, x: str) -> list[Evidence]:
        pid = self._relation.pid
        said = self._graph.select("no_value", subject=x, property=pid)
        return [Evidence(x, pid, NO_VALUE)] if said else []

    def has_unknown(self, x: str) -> bool:
        """Tell whether x has a value of the relation that nobody knows: it may be any item."""
        values = self._graph.select("values", subject=x, property=self._relation.pid)
        return any(value.kind == "unknown" for (value,) in values)

    def lacks(self, x: str) -> list[str]:
        """Return those of the properties that the relation requires of which x has no value."""
        return [
            pid
            for pid in self._relation.requires
            if not self._graph.select("values", subject=x, property=pid)
        ]

    def says(self, x: str, y: str) -> Evidence | None:
        """Return a triple that says, or comes near to saying, that the relation holds, or None.

        Where a chain of the relation is the relation (siblings of siblings), its last link is
        returned; where sharing something suggests it (a parent), what x shares; where it may be
        said of a member, what is said of the group. Where objects lie within each other, what
        holds of a part of y holds of y, and what holds of something that y is a part of may
        hold of y.
        """
        return (
            self._states(x, y)
            or (self._chain(x, y) if self._relation.transitive else None)
            or self._common(x, y)
            or (self._of_group(x, y) if self._relation.groups else None)
            or (self._nests(x, y) if self._relation.within else None)
        )

    def barred(self, x: str, y: str) -> Evidence | None:
        """Return a triple for which nobody would believe the relation of x and y, or None."""
        return next((found for bar in self._bars if (found := bar._states(x, y))), None)

    def differs(self, x: str, other: str) -> list[str]:
        """Return the properties in which the two should be alike, and are not."""
        return [
            pid
            for pid in self._relation.alike
            if (mine := self._texts(x, pid)) and not mine & self._texts(other, pid)
        ]

    def _texts(self, x: str, pid: str) -> set[str]:
        return {value.text for (value,) in self._graph.select("values", subject=x, property=pid)}

    def states(self, x: str, y: str) -> bool:
        """Tell whether the store says that the relation holds, in so many words."""
        return self._states(x, y) is not None

    def _states(self, x: str, y: str) -> Evidence | None:
        ways = [Evidence(x, pid, y) for pid in self._relation.forward]
        ways += [Evidence(y, pid, x) for pid in self._relation.backward]
        return next((way for way in ways if self._graph.select("holds", **way._asdict())), None)

    def _of_group(self, x: str, y: str) -> Evidence | None:
        values = self._graph.select("values", subject=x, property=MEMBER_OF)
        groups = {value.text for (value,) in values if value.kind == "item"}
        groups |= {qid for (qid,) in self._graph.select("subjects", object=x, property=HAS_PART)}
        found = (self._states(group, y) for group in sorted(groups))
        return next(filter(None, found), None)

    def _chain(self, x: str, y: str) -> Evidence | None:
        reached = [x]
        for one in reached:  # grows while it is walked: breadth first
            if found := self._states(one, y):
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
            if y in self._wholes(value):
                return Evidence(value, WITHIN, y)
            if value in self._wholes(y):
                return Evidence(y, WITHIN, value)
        return None

    def _wholes(self, qid: str) -> set[str]:
        if qid not in self._above:
            self._above[qid] = {whole for (whole,) in self._graph.select("wholes", part=qid)}
        return self._above[qid]
