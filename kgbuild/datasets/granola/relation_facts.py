"""Read the values of a relation, which statements have in both directions.

A truthy dump states no precision of dates, and writes a year, a decade and a century as a 1
January: "the 20th century" becomes 1 January 2000.
"""

import functools
import re
from collections.abc import Callable, Iterable, Sequence

import numpy as np

from kgbuild import wikidata
from kgbuild.catalog import catalog
from kgbuild.graph.knowledge import Knowledge
from kgbuild.graph.pairs import Pairs, distinct
from kgbuild.native.arrays import Numbers
from kgbuild.relations import Relation
from kgbuild.rows import Evidence
from kgbuild.store import arrays
from kgbuild.wikidata import Value, number

DATE = ("date",)
"""The kinds of the objects of relations whose answers are times."""
_MOST = 1 << 16
"""The least number of values of which only a sample counts."""


class Population:
    """The values of a relation, whose numbers ``values`` returns, and further items."""

    def __init__(self, values: Callable[[], Numbers], further: Iterable[str]):
        self._read = values
        self._further = dict.fromkeys(further)

    @functools.cached_property
    def _values(self) -> Numbers:
        return arrays.distinct(self._read())

    def items(self) -> list[str]:
        """Return the ids of all items."""
        return [*dict.fromkeys((*_ids(self._values), *self._further))]

    def sampled(self) -> list[str]:
        """Return the ids of the items that count: values, sorted by number, and the further items.

        Of more than ``_MOST`` values, every second or third counts, and so on: shares of so many
        are as good as those of all.
        """
        sample = self._values[:: len(self._values) // _MOST + 1]
        return [*dict.fromkeys((*_ids(sample), *self._further))]


def _ids(numbers: Numbers) -> list[str]:
    return [f"Q{number}" for number in numbers.tolist()]


class RelationFacts:
    """The values of relations, each with the triple that states it.

    Statements in the opposite direction count if the relation is symmetric, or if another relation
    is exactly its inverse: "child" is the inverse of "father" and "mother".
    ``share_with_one_value`` returns, for the id of a relation, the share of its subjects that have
    a single value: the others show how many true answers a subject may have.
    """

    def __init__(self, knowledge: Knowledge):
        self._statements = knowledge.statements
        self._times = knowledge.times
        self.share_with_one_value = functools.cache(self._share_with_one_value)
        self._labels = knowledge.labels

    def values(self, subject: str, relation: Relation) -> dict[str, Evidence]:
        """Return the values of a subject with their triples, ordered by the number of the item."""
        statements, pid = self._statements, relation.pid
        triples = {qid: Evidence(subject, pid, qid) for qid in statements.values(subject, pid)}
        for mirror in catalog().mirrors(relation):
            for qid in statements.subjects(subject, mirror):
                triples.setdefault(qid, Evidence(qid, mirror, subject))
        return {qid: triples[qid] for qid in sorted(triples, key=number) if qid != subject}

    def pairs(self, relation: Relation) -> Pairs:
        """Return all subjects with their values, sorted by subject; none is a value of itself."""
        numbers = self._statements.numbers
        mirrors = (numbers(pid).swapped() for pid in catalog().mirrors(relation))
        pairs = distinct([numbers(relation.pid), *mirrors])
        are_two = pairs.subjects != pairs.values
        return Pairs(pairs.subjects[are_two], pairs.values[are_two])

    def _share_with_one_value(self, pid: str) -> float | None:
        relation = catalog().relations.get(pid)
        if relation is None:
            return None
        if relation.object_kinds == DATE:
            counts = np.array([len(values) for values in self._times.by_item(pid).values()])
        else:
            _, counts = np.unique(self.pairs(relation).subjects, return_counts=True)
        return round(float((counts == 1).mean()), 3) if len(counts) else None

    def dates(self, subject: str, pid: str) -> list[Value]:
        """Return the dates of a subject whose precision is certain."""
        return safe_dates(self._times.of(subject, pid), self._labels.description(subject))

    def population(
        self, relation: Relation, others: Iterable[str] = (), is_backward: bool = False
    ) -> Population:
        """Return the values of a relation, and further items, ``others``.

        If the relation ``is_backward``, its values are the subjects of statements.
        """

        def values() -> Numbers:
            pairs = self.pairs(relation)
            return pairs.subjects if is_backward else pairs.values

        return Population(values, others)

    def is_value(self, qid: str, relation: Relation) -> bool:
        """Return whether an item is a value of any subject."""
        is_subject = any(self._statements.values(qid, pid) for pid in catalog().mirrors(relation))
        return is_subject or bool(self._statements.subjects(qid, relation.pid))


def safe_dates(values: Sequence[Value], description: str | None) -> list[Value]:
    """Return the dates of an item whose precision is certain.

    The 1 January of a round year may be all that is left of a decade or a century, so it counts
    only with a stated precision, or as a year that is in the ``description`` of the item.
    """
    safe = []
    for value in values:
        if day := wikidata.day(value):
            year = day[0] if day[0] > 0 else day[0] - 1  # 100 BC is -100
            if value.precision is not None or day[1:] != (1, 1) or year % 10:
                safe.append(value)
            elif re.search(rf"\b{year}\b", description or ""):
                safe.append(value._replace(precision=wikidata.YEAR))
    return safe
