"""How sure it is that an assumption is false, and what proves it."""

from typing import NamedTuple

from kgbuild.catalog import Relation
from kgbuild.datasets.syn_qa.falsity import Facts
from kgbuild.graph.lifetimes import Dated, Lifetimes
from kgbuild.rows import Evidence

FALSITY = {
    "impossible": "the two did not exist at the same time",
    "contradicted": "there is one value at most, and it is another one",
    "closed": "there are values, and this is none of them",
    "absent": "nothing is known of the relation",
}
"""The grades of falsity, the surest first."""


class Grade(NamedTuple):
    """A grade of falsity and the triples that give it."""

    falsity: str
    evidence: list[Evidence]


def grade(relation: Relation, facts: Facts, lifetimes: Lifetimes, x: Dated, y: Dated) -> Grade:
    """Grade the falsity of (x, relation, y), which the store does not say."""
    if relation.contemporary and (apart := lifetimes.disjoint_dates(x, y)):
        return Grade("impossible", apart)
    if relation.single_valued and (stated := facts.stated(x[0])):
        return Grade("contradicted", stated)
    others = facts.others(x[0])
    return Grade("closed" if others else "absent", others)
