"""Assess any assumption: what a store knows for it and against it, and how likely it is true."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kgbuild.catalog import Path, catalog
from kgbuild.datasets.syn_qa.falsity import Grade, grade
from kgbuild.datasets.syn_qa.path_facts import Chain, PathFacts
from kgbuild.datasets.syn_qa.risk import Signals, risk
from kgbuild.graph.association import Source
from kgbuild.graph.times import Lifetimes
from kgbuild.rows import Evidence
from kgbuild.wikidata import parse_item

if TYPE_CHECKING:
    from kgbuild.graph.open import Store


@dataclass(frozen=True)
class Assessment:
    """What a store knows about an assumption (subject, relation, object).

    ``support`` is a triple that states or suggests it; then it is no false assumption, and has
    neither grade nor risk. ``grade`` holds the triples against it. ``sources`` are the values of
    the subject that make it most likely, with the numbers behind ``signals``. ``risk`` estimates,
    from 0 to 1, that it is true.
    """

    subject: str
    relation: str
    object: str
    support: Evidence | None
    grade: Grade | None
    signals: Signals
    sources: list[Source]
    risk: float | None


def assess(store: "Store", subject: str, relation: str, object_: str) -> Assessment:
    """Assess the assumption that a relation, given by id or label, joins two items.

    Raises:
        MalformedIdError: an end is no id of an item.
        UnknownItemError: the store has no statement about an end; it holds near ids.
        UnknownRelationError, AmbiguousRelationError: there are no questions about the relation.
    """
    known = catalog()
    ends = x, y = parse_item(subject), parse_item(object_)
    for qid in ends:
        store.subgraph(qid, 1)  # raises an error for an unknown item
    knowledge = store.knowledge(known.kinds)
    path = Path(known.relation(relation, "syn_qa"))
    facts = PathFacts(knowledge, known, path)
    # Nothing is left out of the counts: the object stands in for a subject to replace.
    (signals,) = facts.signals([x], Chain(y, y, y))
    sources = facts.associations.sources(x, facts.holders(y))
    support = facts.last.support(x, y) or next(
        (Evidence(*triple) for triple in knowledge.statements.between(x, y)), None
    )
    if support:
        return Assessment(x, path.name, y, support, None, signals, sources, None)
    dated = (x, facts.questions.subject(x)), (y, facts.questions.object(y))
    against = grade(path.last, facts.last, Lifetimes(knowledge.graph), *dated)
    return Assessment(x, path.name, y, None, against, signals, sources, risk(signals))
