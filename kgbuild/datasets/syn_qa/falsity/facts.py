"""Read the statements of a relation from a store, in any direction and by equivalent properties."""

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

from kgbuild.graph.hierarchy import Links, Wholes
from kgbuild.relations import Relation
from kgbuild.rows import Evidence

WITHIN = "within"
"""The property of the evidence that an item lies within another one, over several steps."""
_MEMBER_OF, _HAS_PART = "P463", "P527"


class Form(NamedTuple):
    """A way in which a relation holds, and a triple that states or suggests it.

    ``name`` is ``stated``, ``narrower``, ``inverse`` or ``symmetric`` for statements with the
    property of the relation, a narrower one, the inverse one, or the subject and object exchanged;
    or ``chain``, ``shared``, ``group``, ``within`` or ``broader``, which ``Facts.form`` explains.
    """

    name: str
    evidence: Evidence


class Facts:
    """Finds the items that a relation joins, and checks whether it joins two items.

    ``relations`` has the relations that the relation refers to, by id. ``links`` and ``partners``
    are cached.
    """

    def __init__(
        self,
        statements: Links,
        wholes: Wholes,
        relation: Relation,
        relations: Mapping[str, Relation],
    ):
        self._statements = statements
        self._wholes = wholes
        self._relation = relation

        def facts_of(pids: Sequence[str]) -> list[Facts]:
            # Relations may refer to each other; without references, the recursion ends.
            plain = (replace(relations[pid], shared=(), broader=()) for pid in pids)
            return [Facts(statements, wholes, relation, {}) for relation in plain]

        self._shared = facts_of(relation.shared)
        self._broader = facts_of(relation.broader)
        self.links = functools.cache(self._read_links)
        self.partners = functools.cache(self._read_partners)
        self._forward_pids = relation.forward_properties
        self._backward_pids = relation.backward_properties
        self._searches: list[tuple[str, Callable[[str, str], Evidence | None]]] = [
            (name, search)
            for name, search, applies in (
                ("chain", self._find_chain, relation.transitive),
                ("shared", self._find_shared_item, relation.shared),
                ("group", self._find_group, relation.groups),
                ("within", self._find_containing_place, relation.within),
                ("broader", self._find_broader, relation.broader),
            )
            if applies
        ]

    def _read_links(self, x: str) -> list[Evidence]:
        """Return the triples that state the items that the relation joins x to.

        Narrower and inverse properties count, and both directions of a symmetric one.
        """
        return sorted({*self._forward(x), *self._backward(x)})

    def _read_partners(self, x: str) -> list[str]:
        """Return the items that the relation joins x to, without duplicates."""
        return [*dict.fromkeys(other_end(triple, x) for triple in self.links(x))]

    def _forward(self, x: str) -> list[Evidence]:
        return [
            Evidence(x, pid, value)
            for pid in self._relation.forward_properties
            for value in self._statements.values(x, pid)
        ]

    def _backward(self, x: str) -> list[Evidence]:
        return [
            Evidence(qid, pid, x)
            for pid in self._relation.backward_properties
            for qid in self._statements.subjects(x, pid)
        ]

    def statement(self, x: str, y: str) -> Evidence | None:
        """Return a triple that states directly that the relation joins x to y, or None."""
        holds = self._statements.holds
        for pid in self._forward_pids:
            if holds(x, pid, y):
                return Evidence(x, pid, y)
        for pid in self._backward_pids:
            if holds(y, pid, x):
                return Evidence(y, pid, x)
        return None

    def support(self, x: str, y: str) -> Evidence | None:
        """Return a triple that states or suggests that the relation joins x to y, or None."""
        form = self.form(x, y)
        return form.evidence if form else None

    def form(self, x: str, y: str) -> Form | None:
        """Return the form in which the graph states or suggests that the relation joins x to y.

        Return None if there is no form. The forms, in this order: a statement; ``chain``, the last
        link of a chain of statements, if the relation is transitive (siblings of siblings);
        ``shared``, a triple of x with an item that y shares (a parent); ``group``, a statement
        about a group that x belongs to; ``within``, a place that contains the other place, for
        relations with places; ``broader``, support of a broader relation.
        """
        if triple := self.statement(x, y):
            return Form(self._statement_form(triple, x), triple)
        for name, search in self._searches:
            if triple := search(x, y):
                return Form(name, triple)
        return None

    def _statement_form(self, triple: Evidence, x: str) -> str:
        if triple.property == self._relation.pid:
            return "stated" if triple.subject == x else "symmetric"
        return "narrower" if triple.subject == x else "inverse"

    def _find_broader(self, x: str, y: str) -> Evidence | None:
        return _first(facts.support(x, y) for facts in self._broader)

    def _find_group(self, x: str, y: str) -> Evidence | None:
        groups = {*self._statements.values(x, _MEMBER_OF), *self._statements.subjects(x, _HAS_PART)}
        return _first(self.statement(group, y) for group in sorted(groups))

    def _find_chain(self, x: str, y: str) -> Evidence | None:
        reached = [x]
        for item in reached:  # grows during the loop: breadth first
            if last_link := self.statement(item, y):
                return last_link
            reached += [qid for qid in self.partners(item) if qid not in reached]
        return None

    def _find_shared_item(self, x: str, y: str) -> Evidence | None:
        for facts in self._shared:
            partners = {*facts.partners(y)} - {x}
            for triple in facts.links(x):
                if other_end(triple, x) in partners:
                    return triple
        return None

    def _find_containing_place(self, x: str, y: str) -> Evidence | None:
        for value in (triple.object for triple in self._forward(x)):
            if y in self._wholes.above(value):
                return Evidence(value, WITHIN, y)
            if value in self._wholes.above(y):
                return Evidence(y, WITHIN, value)
        return None


def other_end(triple: Evidence, x: str) -> str:
    """Return the item that a triple joins to x."""
    return triple.object if triple.subject == x else triple.subject


def _first(triples: Iterable[Evidence | None]) -> Evidence | None:
    return next(filter(None, triples), None)
