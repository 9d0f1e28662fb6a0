"""Grade the evidence that an assumption is false."""

from typing import NamedTuple

from kgbuild.datasets.syn_qa.falsity.path_facts import PathFacts
from kgbuild.datasets.syn_qa.falsity.stored_facts import NO_VALUE
from kgbuild.datasets.syn_qa.questions import Chain
from kgbuild.graph.times import Lifetimes
from kgbuild.rows import Evidence


class Grade(NamedTuple):
    """The certainty that an assumption is false, and the triples that are the evidence.

    From the most certain: ``impossible`` (the two items did not exist at the same time),
    ``contradicted`` (the relation has at most one value, and it is another item; or the object has
    at most one subject of this sex), ``closed`` (the
    subject has other values, and nearly all items have a single value), ``absent`` (the store lacks
    the statement).
    """

    falsity: str
    evidence: list[Evidence]


def grade(facts: PathFacts, lifetimes: Lifetimes, rival: str | None, false: Chain) -> Grade:
    """Grade the falsity of the last relation of a false chain, which the store does not state.

    ``rival`` is an item of the same sex that the relation joins to the object, if there is one.
    """
    relation, (_, x, y) = facts.path.last, false
    ends = facts.questions.dated(false)
    if relation.contemporary and (dates := lifetimes.disjoint_dates(*ends)):
        return Grade("impossible", dates)
    if rival and relation.one_of_each_sex and (triple := facts.last.statement(rival, y)):
        return Grade("contradicted", [triple])
    evidence = facts.last.evidence(x)
    values = [triple for triple in evidence if triple[:2] == (x, relation.pid)]
    if relation.single_valued and values:
        return Grade("contradicted", values)
    has_none = any(triple.object == NO_VALUE for triple in evidence)
    is_closed = evidence and (facts.usage.is_exclusive or has_none)
    return Grade("closed" if is_closed else "absent", evidence)
