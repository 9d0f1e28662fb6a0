"""Which statements of a pool say the same as a piece of the minimum knowledge set."""

from collections.abc import Callable

import pytest

from kgbuild.catalog import catalog
from kgbuild.datasets.biokalma.sets.equivalents import equivalence, equivalents
from kgbuild.datasets.biokalma.sets.minimal import Minimality
from kgbuild.datasets.biokalma.sets.pool import Piece
from kgbuild.graph.open import Store
from kgbuild.wikidata import Value

PLACES = """
    wd:Q10 wdt:P131 wd:Q11
    wd:Q11 wdt:P17 wd:Q12
"""


@pytest.fixture(scope="module")
def minimality(shared_store_of: Callable[..., Store]) -> Minimality:
    return Minimality(shared_store_of(PLACES).knowledge(catalog().kinds))


def fact(text: str) -> Piece:
    """Return the fact of a text: the ids of subject, property and value, and the label."""
    qid, pid, value, *label = text.split(" ", 3)
    return Piece(qid, pid, Value("item", value), *label or [f"label of {value}"])


@pytest.mark.parametrize(
    ("piece", "other", "kind"),
    [
        ("Q1 P26 Q2", "Q2 P26 Q1", "mirrored"),
        ("Q1 P40 Q2", "Q2 P22 Q1", "inverse"),
        ("Q2 P22 Q1", "Q1 P40 Q2", "inverse"),
        ("Q1 P802 Q2", "Q2 P1066 Q1", "inverse"),
        ("Q1 P1066 Q2", "Q1 P184 Q2", "other property"),
        ("Q1 P184 Q2", "Q2 P185 Q1", "inverse"),
        ("Q1 P184 Q2", "Q2 P802 Q1", None),  # an advisor is a teacher, but not every teacher is one
        # By the hierarchy: Q10 lies in Q11, which lies in Q12.
        ("Q1 P19 Q10", "Q1 P19 Q12", "coarser"),
        ("Q1 P19 Q11", "Q1 P19 Q10", "finer"),
        ("Q1 P106 Q10", "Q1 P101 Q11", "other property"),  # of one group, and Q10 lies in Q11
        ("Q1 P106 Q5 tennis player", "Q1 P641 Q6 tennis", None),  # labels say nothing
        # Another place, the place of death, somebody else's birth, a place in a school's name.
        ("Q1 P19 Q10", "Q1 P19 Q13", None),
        ("Q1 P19 Q10", "Q1 P20 Q10", None),
        ("Q1 P19 Q10", "Q2 P19 Q10", None),
        ("Q1 P937 Q10", "Q1 P551 Q10", None),
        ("Q1 P166 Q10", "Q1 P1411 Q10", None),
        # A spouse is a partner, but a partner need not be a spouse.
        ("Q1 P451 Q2", "Q1 P26 Q2", "other property"),
        ("Q1 P26 Q2", "Q1 P451 Q2", None),
        ("Q1 P69 Q7 University of Graz", "Q1 P19 Q8 Graz", None),
        # One of several children, and the other parent, are other facts.
        ("Q1 P40 Q2", "Q1 P40 Q3", None),
        ("Q2 P22 Q1", "Q2 P25 Q3", None),
        ("Q1 P26 Q2", "Q2 P40 Q1", None),
    ],
)
def test_what_says_the_same(
    minimality: Minimality, piece: str, other: str, kind: str | None
) -> None:
    assert equivalence(fact(piece), fact(other), minimality) == kind


def test_rows_name_the_piece_by_its_position(minimality: Minimality) -> None:
    married, born = fact("Q1 P26 Q2 Bo"), fact("Q1 P19 Q10 Graz")
    pool = [married, born, fact("Q2 P26 Q1 Ann"), fact("Q1 P19 Q12 Austria"), fact("Q2 P19 Q10")]
    rows = [*equivalents([married, born], pool, minimality)]
    assert [(row["position"], row["value"], row["kind"]) for row in rows] == [
        (1, "Ann", "mirrored"),
        (2, "Austria", "coarser"),
    ]
