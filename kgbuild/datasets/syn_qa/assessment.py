"""Assess any assumption: what a store knows for it and against it, and how likely it is true."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from kgbuild.catalog import Path, catalog
from kgbuild.datasets.syn_qa.falsity import grade
from kgbuild.datasets.syn_qa.path_facts import Chain, PathFacts
from kgbuild.datasets.syn_qa.risk import risk
from kgbuild.errors import MalformedIdError
from kgbuild.graph.association import Source
from kgbuild.graph.times import Lifetimes
from kgbuild.rows import Evidence
from kgbuild.wikidata import parse_item

if TYPE_CHECKING:
    from kgbuild.graph.open import Store


@dataclass(frozen=True)
class Assessment:
    """What a store knows about an assumption (subject, relation, object).

    If the store states or suggests it, ``support`` is the triple, ``falsity`` is None and ``risk``
    is 1. Otherwise ``falsity`` is the grade, ``evidence`` are the triples behind it, and ``risk``
    estimates, from 0 to 1, that the assumption is true. ``values`` counts the subject's values of
    the relation, ``mean_values`` is their average; ``sources`` are the values of other properties
    that make the assumption most likely.
    """

    subject: str
    relation: str
    object: str
    support: Evidence | None
    falsity: str | None
    evidence: list[Evidence]
    risk: float
    values: int
    mean_values: float
    sources: list[Source]


def assess(store: "Store", subject: str, relation: str, object_: str) -> Assessment:
    """Assess the assumption that a relation joins two items, each named by id or label.

    Raises:
        UnknownNameError: no item has the label of an end; it holds similar names.
        UnknownItemError: the store has no statement about an end; it holds near ids.
        UnknownRelationError, AmbiguousRelationError: there are no questions about the relation.
    """
    known = catalog()
    x, y = _item(store, subject), _item(store, object_)
    knowledge = store.knowledge(known.kinds)
    facts = PathFacts(knowledge, known, Path(known.relation(relation, "syn_qa")))
    # The subject that the item would replace is not known: the object takes its place.
    (signals,) = facts.signals([x], Chain(y, y, y))
    joining = [Evidence(*triple) for triple in knowledge.statements.between(x, y)]
    support = facts.last.support(x, y) or next(iter(joining), None)
    falsity: str | None = None
    evidence: list[Evidence] = []
    if support is None:
        ends = (x, facts.questions.subject(x)), (y, facts.questions.object(y))
        falsity, evidence = grade(facts, Lifetimes(knowledge.graph), *ends)
    return Assessment(
        subject=x,
        relation=facts.path.name,
        object=y,
        support=support,
        falsity=falsity,
        evidence=evidence,
        risk=1.0 if support else risk(signals),
        values=signals.values,
        mean_values=signals.mean_values,
        sources=facts.associations.sources(x, facts.holders(y)),
    )


def _item(store: "Store", text: str) -> str:
    """Return the id of an item by its id or label; raise an error if the store does not know it."""
    try:
        qid = parse_item(text)
    except MalformedIdError:
        return store.lookup(text, 1)[0].qid
    store.subgraph(qid, 1)
    return qid
