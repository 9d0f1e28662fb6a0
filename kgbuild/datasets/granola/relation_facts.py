"""Read the values of a relation, which statements have in both directions, and their years."""

import functools

from kgbuild.catalog import catalog
from kgbuild.datasets.granola.date_bounds import SafeDates
from kgbuild.graph.knowledge import Knowledge
from kgbuild.graph.times import Years
from kgbuild.relations import Relation
from kgbuild.rows import Evidence, Rejected
from kgbuild.wikidata import Value, number

DATE = ("date",)
"""The kinds of the objects of relations whose answers are times."""
_LIFE = {"P569": ("P570", -100, 0), "P570": ("P569", 0, 100)}
"""For birth and death: the other property, and the range of years from the other date."""


class RelationFacts:
    """The values of relations, each with the triple that states it.

    Statements in the opposite direction count if the relation is symmetric, or if another relation
    is exactly its inverse: "child" is the inverse of "father" and "mother".
    """

    def __init__(self, knowledge: Knowledge):
        self._statements = knowledge.statements
        self._times = knowledge.times
        self._safe_dates = functools.cache(functools.partial(SafeDates, knowledge))

    def values(self, subject: str, relation: Relation) -> dict[str, Evidence]:
        """Return the values of a subject with their triples, ordered by the number of the item."""
        values, subjects = self._statements.values, self._statements.subjects
        triples = [Evidence(subject, relation.pid, qid) for qid in values(subject, relation.pid)]
        triples += [
            Evidence(qid, pid, subject)
            for pid in catalog().mirrors(relation)
            for qid in subjects(subject, pid)
        ]
        return _by_number(subject, triples)

    def all_values(self, relation: Relation) -> dict[str, dict[str, Evidence]]:
        """Return the values of all subjects with their triples, ordered by number."""
        triples: dict[str, list[Evidence]] = {}
        for subject, value in self._statements.pairs(relation.pid):
            triples.setdefault(subject, []).append(Evidence(subject, relation.pid, value))
        for pid in catalog().mirrors(relation):
            for value, subject in self._statements.pairs(pid):
                triples.setdefault(subject, []).append(Evidence(value, pid, subject))
        values = ((subject, _by_number(subject, triples[subject])) for subject in triples)
        return {subject: by_value for subject, by_value in sorted(values, key=_number) if by_value}

    def dates(self, subject: str, pid: str) -> list[Value]:
        """Return the dates of a subject with a safe precision; an empty list if none is safe."""
        try:
            return self._safe_dates(pid).dates(subject)
        except Rejected:
            return []

    def population(self, relation: Relation) -> list[tuple[str, Years | None]]:
        """Return all values of a relation, each with the years of its subject."""
        return [
            (value, self.years(subject, relation))
            for subject, values in self.all_values(relation).items()
            for value in values
        ]

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


def _by_number(subject: str, triples: list[Evidence]) -> dict[str, Evidence]:
    """Return the values in triples of a subject, each with its first triple."""
    values: dict[str, Evidence] = {}
    for triple in triples:
        value = triple.object if triple.subject == subject else triple.subject
        if value != subject:
            values.setdefault(value, triple)
    return dict(sorted(values.items(), key=_number))


def _number(item: tuple[str, object]) -> int:
    return number(item[0])
