"""The pairs of subjects: items of a class that a statement joins.

Source: appendix A.1 of the paper, which takes pairs of people from annotated sentences.
"""

import functools
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from kgbuild import wikidata
from kgbuild.catalog import Catalog, Relation, clean
from kgbuild.datasets.biokalma.minimal import Minimality, Triple
from kgbuild.datasets.biokalma.rows import DATASET
from kgbuild.english.normalize import fold
from kgbuild.graph.hierarchy import components
from kgbuild.graph.statements import Statements
from kgbuild.rows import Rejected, split
from kgbuild.store.labels import Labels

PEOPLE = "Q5"
"""The class that questions are about unless another one is asked for."""


@dataclass(frozen=True)
class Pairs:
    """Finds the joined items of one class."""

    statements: Statements
    labels: Labels
    catalog: Catalog
    minimality: Minimality
    of_class: str

    @functools.cached_property
    def members(self) -> frozenset[str]:
        """The items that are directly of the class."""
        return frozenset(self.statements.subjects(self.of_class, "P31"))

    @functools.cached_property
    def relations(self) -> Mapping[str, Relation]:
        """The relations that join subjects, by their paths, in the order of the file."""
        return {relation.path: relation for relation in self.catalog.asking(DATASET)}

    def joined(self, relation: Relation) -> list[Triple]:
        """Return the statements of a relation of which one item, at least, is of the class.

        Those of a path stand for two: (x, P800/P57, y) for (x, P800, z) and (z, P57, y).
        """
        if relation.via:
            found = {
                (x, relation.path, y)
                for x, between in self.statements.pairs(relation.via)
                for y in self.statements.values(between, relation.pid)
            }
        else:
            found = {(x, relation.pid, y) for x, y in self.statements.pairs(relation.pid)}
        members = self.members
        return sorted(one for one in found if one[0] in members or one[2] in members)

    def steps(self, statement: Triple) -> list[Triple]:
        """Return the statements that one stands for: itself, or two with an item between."""
        x, path, y = statement
        via, _, pid = path.rpartition("/")
        if not via:
            return [statement]
        values, holds = self.statements.values, self.statements.holds
        leading = [one for one in values(x, via) if holds(one, pid, y)]
        between = next((one for one in leading if self.labels.label(one)), leading[0])
        return [(x, via, between), (between, pid, y)]

    def check(self, statement: Triple) -> None:
        """Raise unless a question is to be asked of the two whom a statement joins.

        Raises:
            Rejected: it is not.
        """
        x, _, y = statement
        if outside := [qid for qid in (x, y) if qid not in self.members]:
            raise Rejected("not of the class", outside[0])
        self.check_names(x, y)
        if alike := self._namesakes(x, y) or self._namesakes(y, x):
            raise Rejected("namesake", alike[0])
        asked = self._asked(x, y)
        if asked != statement:
            mirrored = asked[::2] != (x, y) and self.minimality.follows(statement, [asked])
            raise Rejected("mirrored" if mirrored else "joined otherwise", " ".join(asked))

    def check_names(self, x: str, y: str) -> None:
        """Raise unless two items are two, by their names as well.

        Raises:
            Rejected: they are not.
        """
        if x == y:
            raise Rejected("same item", x)
        names = [clean(self.labels.label(qid) or "") for qid in (x, y)]
        if not all(names):
            raise Rejected("no label", x if not names[0] else y)
        if fold(names[0]) == fold(names[1]):
            raise Rejected("same name", names[0])

    def _namesakes(self, qid: str, other: str) -> list[str]:
        """Return the items, joined to one of two, that have the name of the other one."""
        name = fold(self.labels.label(qid) or "")
        joined = self._neighbours[other] - {qid, other}
        return sorted(
            (one for one in joined if fold(self.labels.label(one) or "") == name),
            key=wikidata.number,
        )

    @functools.cached_property
    def _neighbours(self) -> Mapping[str, set[str]]:
        """The items that a statement joins to each."""
        found: dict[str, set[str]] = defaultdict(set)
        for relation in self.relations.values():
            for x, y in () if relation.via else self.statements.pairs(relation.pid):
                found[x].add(y)
                found[y].add(x)
        return found

    def _asked(self, x: str, y: str) -> Triple:
        """Return the statement by which a question about two items begins.

        Of those that follow from others it is none; of the rest, that of the first relation in
        the file; of two of one relation, that about the smaller number.
        """
        joining = [one for one in self.statements.between(x, y) if one[1] in self.relations]
        joining += self._paths(x, y) + self._paths(y, x)
        follows = self.minimality.follows
        telling = [
            one
            for one in joining
            if not any(follows(one, [other]) and not follows(other, [one]) for other in joining)
        ]
        order = [*self.relations]
        return min(telling, key=lambda one: (order.index(one[1]), wikidata.number(one[0])))

    def _paths(self, x: str, y: str) -> list[Triple]:
        """Return by which paths one item leads to another."""
        values, holds = self.statements.values, self.statements.holds
        return [
            (x, path, y)
            for path, relation in self.relations.items()
            if relation.via and any(holds(one, relation.pid, y) for one in values(x, relation.via))
        ]

    def split(self, qid: str) -> str:
        """Return the split of a subject: all that are joined, over any steps, share one."""
        return split(self._components[qid])

    @functools.cached_property
    def _components(self) -> dict[str, str]:
        """The smallest item of the component of each item that is joined to another."""
        members = self.members
        return components(
            (x, y)
            for relation in self.relations.values()
            for x, _, y in self.joined(relation)
            if x in members and y in members
        )
