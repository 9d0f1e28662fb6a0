"""Decide whether an assumption is false, and grade the evidence."""

from typing import NamedTuple

from kgbuild.datasets.syn_qa.path_facts import PathFacts
from kgbuild.datasets.syn_qa.stored_facts import NO_VALUE, StoredFacts
from kgbuild.graph.statements import Statements
from kgbuild.graph.times import Dated, Lifetimes
from kgbuild.rows import Evidence, Rejected


class Grade(NamedTuple):
    """The certainty that an assumption is false, and the triples that are the evidence.

    From the most certain: ``impossible`` (the two items did not exist at the same time),
    ``contradicted`` (the relation has at most one value, and it is another item), ``closed`` (the
    subject has other values, and nearly all items have a single value), ``absent`` (the store lacks
    the statement).
    """

    falsity: str
    evidence: list[Evidence]


def grade(facts: PathFacts, lifetimes: Lifetimes, x: Dated, y: Dated) -> Grade:
    """Grade the falsity of (x, last relation of a path, y), which the store does not state.

    Items come with their kinds.
    """
    relation, (qid, _) = facts.path.last, x
    if relation.contemporary and (dates := lifetimes.disjoint_dates(x, y)):
        return Grade("impossible", dates)
    if relation.single_valued and (values := facts.last.direct_evidence(qid)):
        return Grade("contradicted", values)
    evidence = facts.last.evidence(qid)
    has_none = any(triple.object == NO_VALUE for triple in evidence)
    is_closed = evidence and (facts.usage.is_exclusive or has_none)
    return Grade("closed" if is_closed else "absent", evidence)


def check_false(facts: StoredFacts, statements: Statements, x: str, y: str) -> None:
    """Check that the store does not state or suggest that the relation joins x to y.

    Raises:
        Rejected: it does, or another property joins x and y, or x has an unknown value.
    """
    if facts.has_unknown_value(x):
        raise Rejected("unknown value")
    if triple := facts.support(x, y):
        raise Rejected("holds", " ".join(triple))
    if joining := statements.between(x, y):
        raise Rejected("joined", " ".join(joining[0]))
