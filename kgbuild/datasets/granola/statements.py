"""What the store states of a relation, whichever way round, and when it was so."""

from kgbuild.catalog import Catalog, Relation
from kgbuild.graph.knowledge import Knowledge
from kgbuild.graph.times import Years
from kgbuild.rows import Evidence
from kgbuild.wikidata import number

DATE = ("date",)
"""The kinds of the objects of relations whose answers are times."""
_LIFE = {"P569": ("P570", -100, 0), "P570": ("P569", 0, 100)}
"""Of birth and death the other one, and how many years before or after that it may be."""


class Stated:
    """Tells of which items a relation holds, each with the triple that says so.

    The relation the other way round says so, too, if it is symmetric or another one says
    exactly that: child, of father and of mother.
    """

    def __init__(self, known: Knowledge, catalog: Catalog):
        self._statements = known.statements
        self._times = known.times
        self._catalog = catalog

    def of(self, subject: str, relation: Relation) -> dict[str, Evidence]:
        """Return the items that a relation joins to a subject, by number."""
        values, subjects = self._statements.values, self._statements.subjects
        triples = [Evidence(subject, relation.pid, one) for one in values(subject, relation.pid)]
        triples += [
            Evidence(one, pid, subject)
            for pid in self._catalog.mirrors(relation)
            for one in subjects(subject, pid)
        ]
        return _by_number(subject, triples)

    def every(self, relation: Relation) -> dict[str, dict[str, Evidence]]:
        """Return all subjects of a relation, by number, with the items that it joins to them."""
        pairs = self._statements.pairs
        found: dict[str, list[Evidence]] = {}
        for one, other in pairs(relation.pid):
            found.setdefault(one, []).append(Evidence(one, relation.pid, other))
        for pid in self._catalog.mirrors(relation):
            for one, other in pairs(pid):
                found.setdefault(other, []).append(Evidence(one, pid, other))
        every = ((subject, _by_number(subject, found[subject])) for subject in found)
        return {subject: values for subject, values in sorted(every, key=_number) if values}

    def is_answer(self, qid: str, relation: Relation) -> bool:
        """Tell whether a relation joins an item to any subject."""
        mirrors = self._catalog.mirrors(relation)
        is_object = any(self._statements.values(qid, pid) for pid in mirrors)
        return is_object or bool(self._statements.subjects(qid, relation.pid))

    def when(self, subject: str, relation: Relation) -> Years | None:
        """Return the years of what a relation says of a subject; None if it is so now.

        Of several times all count. Who is known to have been born, or to have died, did the
        other within a lifetime.
        """
        years = self._times.years(subject, relation.at) if relation.at else []
        if not years and relation.at in _LIFE:
            other, before, after = _LIFE[relation.at]
            years = [
                (first + before, last + after) for first, last in self._times.years(subject, other)
            ]
        return (min(one[0] for one in years), max(one[1] for one in years)) if years else None


def _by_number(subject: str, triples: list[Evidence]) -> dict[str, Evidence]:
    found: dict[str, Evidence] = {}
    for triple in triples:
        value = triple.object if triple.subject == subject else triple.subject
        if value != subject:
            found.setdefault(value, triple)
    return dict(sorted(found.items(), key=_number))


def _number(item: tuple[str, object]) -> int:
    return number(item[0])
