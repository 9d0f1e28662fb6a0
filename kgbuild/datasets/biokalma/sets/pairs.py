"""Find pairs of items for questions: two items of a class that a statement joins.

A statement can have a path instead of a property: (x, P800/P57, y) abbreviates (x, P800, z) and
(z, P57, y), where z is a work.

Source: appendix A.1 of the BioKaLMA paper, which takes pairs of people from annotated sentences.
"""

import functools
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from kgbuild import wikidata
from kgbuild.catalog import catalog
from kgbuild.datasets.biokalma.rows import DATASET
from kgbuild.datasets.biokalma.sets.minimal import Minimality, Triple, joined_items
from kgbuild.english.normalize import fold
from kgbuild.graph.knowledge import Knowledge
from kgbuild.graph.pairs import Pairs, joined
from kgbuild.graph.times import Lifetimes
from kgbuild.native.arrays import Numbers
from kgbuild.relations import Relation, clean_label
from kgbuild.rows import Rejected
from kgbuild.store.arrays import are_among, distinct


@dataclass(frozen=True)
class SubjectPairs:
    """Finds the joined items of one class."""

    knowledge: Knowledge
    minimality: Minimality
    of_class: str

    def is_member(self, qid: str) -> bool:
        """Return whether an item is a direct instance of the class."""
        return self.knowledge.statements.holds(qid, "P31", self.of_class)

    @functools.cached_property
    def members(self) -> Numbers:
        """The numbers of the direct instances of the class, sorted."""
        return self.knowledge.statements.subject_numbers(self.of_class, "P31")

    def holders(self, pid: str) -> int:
        """Return the number of members with a value of a property, also an unknown one."""
        columns = self.knowledge.columns
        others = columns.times.items(pid), columns.unknown_values.items(pid)
        numbers = [
            self.knowledge.statements.numbers(pid).subjects,
            *(items.astype(np.int32) for items in (*others, self.knowledge.others.items(pid))),
        ]
        return int(are_among(distinct(np.concatenate(numbers)), self.members).sum())

    @functools.cached_property
    def relations(self) -> Mapping[str, Relation]:
        """The joining relations by their paths, in the order of relations.toml."""
        return {relation.path: relation for relation in catalog().relations_of(DATASET)}

    def pairs_of(self, relation: Relation) -> Pairs:
        """Return the items that a relation joins, of which at least one is of the class.

        ``check`` rejects statements whose other item is of another class, so they are reported.
        """
        numbers = self.knowledge.statements.numbers
        pairs = numbers(relation.pid)
        if relation.connecting_property:
            pairs = joined(numbers(relation.connecting_property), pairs)
        return pairs.where(
            are_among(pairs.subjects, self.members) | are_among(pairs.values, self.members)
        )

    def joins(self, relation: Relation) -> bool:
        """Return whether a relation joins any two items of the class."""
        pairs = self.pairs_of(relation)
        both = are_among(pairs.subjects, self.members) & are_among(pairs.values, self.members)
        return bool(both.any())

    def steps(self, statement: Triple) -> list[Triple]:
        """Return the statement itself, or the two statements that a path abbreviates."""
        x, path, y = statement
        via, _, pid = path.rpartition("/")
        if not via:
            return [statement]
        z = self._works(statement)[0]
        return [(x, via, z), (z, pid, y)]

    def _works(self, statement: Triple) -> list[str]:
        """Return the items between the two of a statement; none if the statement has no path."""
        x, path, y = statement
        via, _, pid = path.rpartition("/")
        values, holds = self.knowledge.statements.values, self.knowledge.statements.holds
        return [item for item in values(x, via) if holds(item, pid, y)] if via else []

    def check(self, statement: Triple) -> None:
        """Check that a question can be made about the two items of a statement.

        Raises:
            Rejected: it cannot; reasons.toml has the reasons.
        """
        x, _, y = statement
        if outside := [qid for qid in (x, y) if not self.is_member(qid)]:
            raise Rejected("not of the class", outside[0])
        self.check_distinct_names(x, y)
        opening = self.opening(x, y)
        if opening != statement:
            is_reversed = joined_items(opening) == (y, x)
            is_mirrored = is_reversed and self.minimality.follows(statement, [opening])
            raise Rejected("mirrored" if is_mirrored else "joined otherwise", " ".join(opening))
        if len(items := self._works_of_both(statement)) > 1:
            raise Rejected("several works", " ".join(items))
        self._check_lives(statement)

    def _works_of_both(self, statement: Triple) -> list[str]:
        """Return the works that "which film of x did y make" can mean: notable ones and others.

        There are none if the statement has no path.
        """
        x, path, y = statement
        statements = self.knowledge.statements
        if works := self._works(statement):
            others = statements.subjects(y, path.rpartition("/")[2])
            has_name = self.knowledge.labels.label
            works += [work for work in others if statements.between(work, x) and has_name(work)]
        return [*dict.fromkeys(works)]

    def _check_lives(self, statement: Triple) -> None:
        """Check that the lives of two fit what joins them.

        What joins contemporaries may join the young and the old, as marriages do.

        Raises:
            Rejected: one of two contemporaries had ended before the other began, or the years
                between the beginnings of others are more or fewer than those of the relation.
        """
        x, path, y = statement
        relation = self.relations[path]
        kinds, names = catalog().kinds, self.knowledge.kinds.names
        x_dated, y_dated = (
            (qid, next((kinds[name] for name in names(qid)), None)) for qid in (x, y)
        )
        if relation.contemporary:
            if dates := self._lifetimes.disjoint_dates(x_dated, y_dated):
                raise Rejected("other time", "; ".join(" ".join(date) for date in dates))
            return
        least, most = relation.years_later
        later = self._lifetimes.years_later(x_dated, y_dated)
        if later and (later[1] < least or later[0] > most):
            raise Rejected("other time", f"{y} began {later[0]} years after {x}")

    @functools.cached_property
    def _lifetimes(self) -> Lifetimes:
        return Lifetimes(self.knowledge.times)

    def check_distinct_names(self, x: str, y: str) -> None:
        """Check that two items are distinct and have distinct labels.

        Raises:
            Rejected: they are equal or have equal labels, or an item has no label.
        """
        if x == y:
            raise Rejected("same item", x)
        names = [clean_label(self.knowledge.labels.label(qid) or "") for qid in (x, y)]
        if not all(names):
            raise Rejected("no label", x if not names[0] else y)
        if fold(names[0]) == fold(names[1]):
            raise Rejected("same name", names[0])

    def opening(self, x: str, y: str) -> Triple:
        """Return the statement that opens the question about two items.

        No other statement about them may imply it, except an equivalent one, which it implies as
        well. Among several such statements, the order of the relations in relations.toml decides,
        then the number of the subject's id.
        """
        statements = self.knowledge.statements.between(x, y)
        joining = [statement for statement in statements if statement[1] in self.relations]
        joining += self._paths(x, y) + self._paths(y, x)
        follows = self.minimality.follows
        independent = [
            triple
            for triple in joining
            if not any(
                follows(triple, [premise]) and not follows(premise, [triple]) for premise in joining
            )
        ]
        paths = [*self.relations]
        return min(
            independent, key=lambda triple: (paths.index(triple[1]), wikidata.number(triple[0]))
        )

    def _paths(self, x: str, y: str) -> list[Triple]:
        """Return the statements with a path from x to y."""
        values, holds = self.knowledge.statements.values, self.knowledge.statements.holds
        return [
            (x, path, y)
            for path, relation in self.relations.items()
            if relation.connecting_property
            and any(holds(z, relation.pid, y) for z in values(x, relation.connecting_property))
        ]
