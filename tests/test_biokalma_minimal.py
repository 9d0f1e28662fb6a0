"""Which pieces of knowledge make others superfluous."""

from collections.abc import Callable

import pytest

from kgbuild.catalog import catalog
from kgbuild.datasets.biokalma.sets.minimal import Minimality, stands_in
from kgbuild.datasets.biokalma.sets.pool import Piece
from kgbuild.graph.open import Store
from kgbuild.wikidata import Value

PLACES = """
    wd:Q10 wdt:P131 wd:Q11
    wd:Q11 wdt:P17 wd:Q12
    wd:Q33 wdt:P279 wd:Q34
    wd:Q20 wdt:P17 wd:Q21
    wd:Q22 wdt:P131 wd:Q20
    wd:Q20 wdt:P576 "1946-06-18T00:00:00Z"^^<http://www.w3.org/2001/XMLSchema#dateTime>
"""


@pytest.fixture(scope="module")
def minimality(shared_store_of: Callable[..., Store]) -> Minimality:
    return Minimality(shared_store_of(PLACES).knowledge(catalog().kinds))


def fact(qid: str, pid: str, value: str, shown: str = "") -> Piece:
    return Piece(qid, pid, Value("item", value), shown or f"label of {value}")


@pytest.mark.parametrize(
    ("known", "implied"),
    [
        # (x, P, y) says (y, Q, x): symmetric relations and inverse ones.
        ([("Q1", "P26", "Q2")], ("Q2", "P26", "Q1")),
        ([("Q1", "P40", "Q2")], ("Q2", "P22", "Q1")),
        ([("Q2", "P25", "Q1")], ("Q1", "P40", "Q2")),
        ([("Q1", "P802", "Q2")], ("Q2", "P1066", "Q1")),
        # Narrower ones: who prepared a doctorate under somebody is a student of that person.
        ([("Q1", "P184", "Q2")], ("Q1", "P1066", "Q2")),
        ([("Q2", "P185", "Q1")], ("Q1", "P184", "Q2")),
        ([("Q1", "P26", "Q2")], ("Q1", "P451", "Q2")),
        # Kinship over two steps: who share a parent are siblings, siblings share their parents,
        # and a sibling's sibling is one.
        ([("Q1", "P22", "Q3"), ("Q2", "P22", "Q3")], ("Q1", "P3373", "Q2")),
        ([("Q3", "P40", "Q1"), ("Q3", "P40", "Q2")], ("Q1", "P3373", "Q2")),
        ([("Q1", "P3373", "Q2"), ("Q1", "P25", "Q3")], ("Q2", "P25", "Q3")),
        ([("Q1", "P3373", "Q2"), ("Q2", "P3373", "Q3")], ("Q1", "P3373", "Q3")),
        # A couple's child is told once, though it may be a stepchild of one.
        ([("Q1", "P26", "Q2"), ("Q2", "P40", "Q3")], ("Q1", "P40", "Q3")),
    ],
)
def test_facts_that_follow_from_relations(
    minimality: Minimality, known: list[tuple[str, str, str]], implied: tuple[str, str, str]
) -> None:
    assert minimality.follows(implied, known)
    facts = [*(fact(*one) for one in known), fact(*implied)]
    found = minimality.redundant([], facts)
    assert found is not None
    assert found[0] == facts[-1]  # the last of those that might go


@pytest.mark.parametrize(
    ("known", "free"),
    [
        ([("Q1", "P40", "Q2")], ("Q1", "P26", "Q2")),
        ([("Q1", "P1066", "Q2")], ("Q1", "P184", "Q2")),  # not every teacher is a doctoral one
        ([("Q1", "P737", "Q2")], ("Q2", "P737", "Q1")),
        ([], ("Q1", "P26", "Q2")),
    ],
)
def test_facts_that_do_not_follow(
    minimality: Minimality, known: list[tuple[str, str, str]], free: tuple[str, str, str]
) -> None:
    assert not minimality.follows(free, known)
    assert not any(minimality.implies(fact(*one), fact(*free)) for one in known)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        # Citizens of a country (Q12) that was told with the birthplace (Q10, in Q11, in Q12).
        (("P19", "Q10"), ("P27", "Q12")),
        (("P551", "Q10"), ("P551", "Q11")),
        # A film actor (Q33) is an actor (Q34).
        (("P106", "Q33"), ("P106", "Q34")),
        # A cause of death tells the manner; an award tells that there was a nomination for it.
        (("P509", "Q20"), ("P1196", "Q21")),
        (("P166", "Q20"), ("P1411", "Q20")),
    ],
)
def test_one_piece_implies_another(
    minimality: Minimality, one: tuple[str, str], other: tuple[str, str]
) -> None:
    told, implied = fact("Q1", *one), fact("Q1", *other)
    assert minimality.implies(told, implied)
    assert not minimality.implies(implied, told)
    of_somebody_else = implied._replace(qid="Q2")
    assert not minimality.implies(told, of_somebody_else)
    assert minimality.redundant([], [told, of_somebody_else]) is None


def test_places_of_events_do_not_imply_each_other(minimality: Minimality) -> None:
    # Where somebody was born tells nothing of where somebody died, not even in one country.
    born, died = fact("Q1", "P19", "Q10"), fact("Q1", "P20", "Q12")
    assert not minimality.implies(born, died)
    assert not minimality.implies(died, born)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        # Labels say nothing: these are two universities, two states, two museums.
        (("P69", "Q40", "Ohio Wesleyan University"), ("P69", "Q41", "Wesleyan University")),
        (("P106", "Q40", "tennis player"), ("P641", "Q41", "tennis")),
        (("P101", "Q40", "biology"), ("P106", "Q41", "biologist")),
        # A former state (Q20, dissolved) and what it lay in, or what came after it, both stand.
        (("P27", "Q20", "Kingdom of Italy"), ("P27", "Q21", "Italy")),
        (("P551", "Q22", "Milan"), ("P551", "Q20", "Kingdom of Italy")),
    ],
)
def test_two_values_stand_unless_the_store_says_that_one_tells_the_other(
    minimality: Minimality, one: tuple[str, str, str], other: tuple[str, str, str]
) -> None:
    facts = fact("Q1", *one), fact("Q1", *other)
    assert minimality.redundant([], facts) is None


@pytest.mark.parametrize(
    ("part", "whole", "stands"),
    [
        ("tennis", "Tennis player", True),
        ("Émile Zola", "the novels of emile zola", True),
        ("art", "martial arts", False),
        ("York", "New York", True),
        ("New York", "York", False),
    ],
)
def test_words_in_order(part: str, whole: str, stands: bool) -> None:
    assert stands_in(part, whole) is stands


def test_only_the_finest_values_of_a_property_count(minimality: Minimality) -> None:
    writer, philosopher = fact("Q1", "P106", "Q34"), fact("Q1", "P106", "Q33")  # a kind of Q34
    others = [fact("Q2", "P106", "Q34"), fact("Q1", "P101", "Q34")]
    for pieces in ([writer, philosopher, *others], [philosopher, *others, writer]):
        assert minimality.finest(pieces) == [philosopher, *others]
