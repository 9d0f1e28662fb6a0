"""Assess any assumption: what a store knows for it and against it, and how likely it is true."""

import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kgbuild.catalog import Path, catalog
from kgbuild.datasets.syn_qa.falsity import grade
from kgbuild.datasets.syn_qa.path_facts import PathFacts
from kgbuild.datasets.syn_qa.questions import Chain
from kgbuild.datasets.syn_qa.risk import risk
from kgbuild.errors import MalformedIdError
from kgbuild.graph.association import Source
from kgbuild.graph.statements import Statements
from kgbuild.graph.times import Lifetimes
from kgbuild.rows import Evidence
from kgbuild.wikidata import parse_item

if TYPE_CHECKING:
    from kgbuild.graph.knowledge import Knowledge
    from kgbuild.graph.open import Store

_ASSESSING = threading.Lock()
"""Associations count for one value at a time, so threads assess one after the other."""


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
    with _ASSESSING:
        knowledge = _knowledge(store)
        x, y = (_item(store, knowledge.statements, end) for end in (subject, object_))
        facts = _facts(store, relation)
        return _assess(knowledge.statements, facts, Lifetimes(knowledge.graph), x, y)


def _knowledge(store: "Store") -> "Knowledge":
    key = (__name__,)
    if key not in store.kept:
        store.kept[key] = store.knowledge(catalog().kinds)
    knowledge: Knowledge = store.kept[key]
    return knowledge


def _facts(store: "Store", name: str) -> PathFacts:
    """Return the facts about a relation, which counts all its statements once."""
    relation = catalog().relation(name, "syn_qa")
    key = __name__, relation.pid
    if key not in store.kept:
        store.kept[key] = PathFacts(_knowledge(store), catalog(), Path(relation))
    facts: PathFacts = store.kept[key]
    return facts


def _assess(
    statements: Statements, facts: PathFacts, lifetimes: Lifetimes, x: str, y: str
) -> Assessment:
    # The subject that the item would replace is not known: the object takes its place.
    signals = facts.signals([x], Chain(y, y, y))
    (probability,) = risk(signals).tolist()
    joining = [Evidence(*triple) for triple in statements.between(x, y)]
    support = facts.last.support(x, y) or next(iter(joining), None)
    falsity: str | None = None
    evidence: list[Evidence] = []
    if support is None:
        ends = (x, facts.questions.subject(x)), (y, facts.questions.object(y))
        falsity, evidence = grade(facts, lifetimes, *ends)
    return Assessment(
        subject=x,
        relation=facts.path.name,
        object=y,
        support=support,
        falsity=falsity,
        evidence=evidence,
        risk=1.0 if support else probability,
        values=facts.usage.values[x],
        mean_values=signals.mean_values,
        sources=facts.associations.sources(x, facts.holders(y)),
    )


def _item(store: "Store", statements: Statements, text: str) -> str:
    """Return the id of an item by its id or label; raise an error if the store does not know it."""
    try:
        qid = parse_item(text)
    except MalformedIdError:
        return store.lookup(text, 1)[0].qid
    if not statements.is_subject(qid):
        store.subgraph(qid, 1)
    return qid
