"""Read the values of a relation, which statements have in both directions, and their years."""

import functools
from collections import defaultdict
from collections.abc import Iterable

import numpy as np

from kgbuild.catalog import catalog
from kgbuild.datasets.granola.date_golds import safe_dates
from kgbuild.datasets.granola.levels.population import Population
from kgbuild.graph.knowledge import Knowledge
from kgbuild.graph.pairs import Pairs, distinct
from kgbuild.graph.times import Years
from kgbuild.graph.years import year_spans
from kgbuild.native.arrays import Flags, Numbers, Positions
from kgbuild.relations import Relation
from kgbuild.rows import Evidence
from kgbuild.store import arrays
from kgbuild.wikidata import Value, number

DATE = ("date",)
"""The kinds of the objects of relations whose answers are times."""
_LIFE = {"P569": ("P570", -100, 0), "P570": ("P569", 0, 100)}
"""For birth and death: the other property, and the range of years from the other date."""


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
        self._spans = functools.partial(year_spans, knowledge.columns)
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
        """Return the share of the subjects of a relation that have a single value, or None."""
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
        self,
        relation: Relation,
        others: Iterable[tuple[str, Years | None]] = (),
        is_backward: bool = False,
    ) -> Population:
        """Return the values of a relation with the years of all its subjects.

        ``others`` are further items with years. If the relation ``is_backward``, its values are
        the subjects of statements.
        """
        further: dict[str, set[Years | None]] = defaultdict(set)
        for qid, years in others:
            further[qid].add(years)
        years_of_each = functools.partial(self._years_of_each, pid=relation.event_date_property)

        def pairs() -> Pairs:
            return self.pairs(relation).swapped() if is_backward else self.pairs(relation)

        return Population(pairs, years_of_each, further)

    def is_value(self, qid: str, relation: Relation) -> bool:
        """Return whether an item is a value of any subject."""
        is_subject = any(self._statements.values(qid, pid) for pid in catalog().mirrors(relation))
        return is_subject or bool(self._statements.subjects(qid, relation.pid))

    def years(self, subject: str | None, relation: Relation) -> Years | None:
        """Return the years in which the values of a subject were true; None if they still are.

        The years include all dates by the property ``relation.event_date_property``. If it is the
        birth or the death of a person and only the other date is stated, the years include a
        lifetime. Without a subject, they are None.
        """
        if not subject or not relation.event_date_property:
            return None
        years = self._times.years(subject, relation.event_date_property)
        if not years and relation.event_date_property in _LIFE:
            pid, before, after = _LIFE[relation.event_date_property]
            years = [
                (first + before, last + after) for first, last in self._times.years(subject, pid)
            ]
        return (min(first for first, _ in years), max(last for _, last in years)) if years else None

    def _years_of_each(
        self, subjects: Numbers, pid: str | None
    ) -> tuple[Flags, Positions, Positions]:
        """Return the result of ``years`` for many subjects: whether there are any, first, last.

        Years that there are not are 0.
        """
        if not pid:
            has_years = np.zeros(len(subjects), np.bool_)
            return has_years, *np.zeros((2, len(subjects)), np.int64)
        items = arrays.distinct(subjects)
        has_years, first, last = self._spans(pid, items).of(subjects)
        if pid in _LIFE:
            other, before, after = _LIFE[pid]
            has_other, first_of_other, last_of_other = self._spans(other, items).of(subjects)
            is_derived = has_other & ~has_years
            first[is_derived] = first_of_other[is_derived] + before
            last[is_derived] = last_of_other[is_derived] + after
            has_years |= has_other
        return has_years, first, last
