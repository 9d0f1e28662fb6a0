"""Assess any assumption: evidence for and against it, and the probability that it is true."""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from kgbuild.catalog import Path, catalog
from kgbuild.datasets.syn_qa.falsity.grading import grade
from kgbuild.datasets.syn_qa.falsity.path_facts import PathFacts
from kgbuild.datasets.syn_qa.falsity.risk import risk
from kgbuild.datasets.syn_qa.questions import Chain
from kgbuild.errors import MalformedIdError
from kgbuild.graph.association import CommonValue
from kgbuild.graph.statements import Statements
from kgbuild.graph.times import Lifetimes
from kgbuild.rows import Evidence
from kgbuild.wikidata import number, parse_item

if TYPE_CHECKING:
    from kgbuild.graph.open import Store

T = TypeVar("T")
_LOCK = threading.Lock()
"""Threads assess one after the other, because ``Associations`` counts for one value at a time."""


@dataclass(frozen=True)
class Assessment:
    """The evidence in a store for and against an assumption (subject, relation, object).

    If the store states or suggests the assumption, ``support`` is the triple, ``falsity`` is None
    and ``risk`` is 1. Otherwise ``falsity`` is the grade and ``evidence`` has its triples; ``risk``
    is the estimated probability, from 0 to 1, that the assumption is true. ``values`` is the number
    of values of the subject, ``mean_values`` the mean over all subjects. ``sources`` are the values
    of other properties that contribute most to the probability.
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
    sources: list[CommonValue]


def assess(store: "Store", subject: str, relation: str, object_: str) -> Assessment:
    """Assess the assumption that a relation joins two items, each named by id or label.

    Raises:
        KgbuildError: no item has the label; the error has similar names.
        WrongCallError: the store has no statement about an item; the error has near ids; there are
            no questions about the relation.
    """
    with _LOCK:
        known = catalog()
        knowledge = _kept(store, "knowledge", partial(store.knowledge, known.kinds))
        x, y = (_item(store, knowledge.statements, text) for text in (subject, object_))
        path = Path(known.relation(relation, "syn_qa"))
        facts = _kept(store, path.name, partial(PathFacts, knowledge, path))
        return _assess(knowledge.statements, facts, Lifetimes(knowledge.times), x, y)


def _kept(store: "Store", name: str, make: Callable[[], T]) -> T:
    """Return what is kept with a store under a name; the first call makes it."""
    key = __name__, name
    if key not in store.kept:
        store.kept[key] = make()
    kept: T = store.kept[key]
    return kept


def _assess(
    statements: Statements, facts: PathFacts, lifetimes: Lifetimes, x: str, y: str
) -> Assessment:
    # There is no subject that x replaces; the object is in its place.
    signals = facts.signals(np.array([number(x)], np.int32), Chain(y, y, y))
    (probability,) = risk(signals).tolist()
    joining = [Evidence(*triple) for triple in statements.between(x, y)]
    support = facts.last.support(x, y) or next(iter(joining), None)
    falsity: str | None = None
    evidence: list[Evidence] = []
    if support is None:
        falsity, evidence = grade(facts, lifetimes, None, Chain(x, x, y))
    return Assessment(
        subject=x,
        relation=facts.path.name,
        object=y,
        support=support,
        falsity=falsity,
        evidence=evidence,
        risk=1.0 if support else probability,
        values=int(facts.usage.values(np.array([number(x)], np.int32))[0]),
        mean_values=signals.mean_values,
        sources=facts.associations.sources(x, facts.holders(y)),
    )


def _item(store: "Store", statements: Statements, text: str) -> str:
    """Return the id of an item, from its id or label; raise an error if the store lacks it."""
    try:
        qid = parse_item(text)
    except MalformedIdError:
        return store.lookup(text, 1)[0].qid
    if not statements.is_subject(qid):
        store.subgraph(qid, 1)
    return qid
