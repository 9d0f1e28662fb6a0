"""Decide whether an assumption is false, and how sure that is."""

from typing import NamedTuple

from kgbuild.datasets.syn_qa.facts import Facts
from kgbuild.datasets.syn_qa.risk import risk
from kgbuild.graph.association import Association
from kgbuild.graph.statements import Statements
from kgbuild.graph.times import Dated, Lifetimes
from kgbuild.relations import Relation
from kgbuild.rows import Evidence, Rejected


class Grade(NamedTuple):
    """How sure it is that an assumption is false, and the triples that show it.

    The surest first: ``impossible`` (the two did not exist at the same time), ``contradicted``
    (there is at most one value, and it is another one), ``closed`` (there are values, and this is
    none of them), ``absent`` (the store says nothing about the relation).
    """

    falsity: str
    evidence: list[Evidence]


def grade(relation: Relation, facts: Facts, lifetimes: Lifetimes, x: Dated, y: Dated) -> Grade:
    """Grade the falsity of (x, relation, y), which the store does not say."""
    if relation.contemporary and (apart := lifetimes.disjoint_dates(x, y)):
        return Grade("impossible", apart)
    if relation.single_valued and (own := facts.own_evidence(x[0])):
        return Grade("contradicted", own)
    evidence = facts.evidence(x[0])
    return Grade("closed" if evidence else "absent", evidence)


def risk_of(
    facts: Facts, statements: Statements, x: str, y: str, association: Association, most: float
) -> float:
    """Return the risk that the relation joins x to y although the store does not say so.

    Raises:
        Rejected: the store says or suggests that it does, or the risk is more than ``most``.
    """
    if facts.has_unknown_value(x):
        raise Rejected("unknown value")
    # The quick checks first: support takes longer than a statement and the risk.
    if triple := facts.statement(x, y):
        raise Rejected("holds", " ".join(triple))
    probability = risk(association, bool(facts.evidence(x)))
    if probability > most:
        raise Rejected("risky", f"{probability:.3f}")
    if triple := facts.support(x, y):
        raise Rejected("holds", " ".join(triple))
    if joining := statements.between(x, y):
        raise Rejected("joined", " ".join(joining[0]))
    return probability


def check_not_obvious(facts: Facts, x: str, replacement: str) -> None:
    """Check that one must know the replacement of x to see that the assumption is false.

    Raises:
        Rejected: it lacks a property, or differs in one, that tells.
    """
    if missing := facts.missing_properties(replacement):
        raise Rejected("lacks a property", ", ".join(missing))
    if differing := facts.differing_properties(x, replacement):
        raise Rejected("differs", ", ".join(differing))
