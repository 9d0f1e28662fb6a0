"""How knowledge sets grow: what is chosen, in which order, and what is dropped."""

import math
from collections.abc import Callable, Sequence
from itertools import permutations

import pytest

from kgbuild.catalog import catalog
from kgbuild.datasets.biokalma.questions.question_texts import PairTexts
from kgbuild.datasets.biokalma.sets.candidates import AskedProperties
from kgbuild.datasets.biokalma.sets.evolve import (
    AskedProperty,
    Chosen,
    Compare,
    Dropped,
    Evolution,
    join_parallel,
    specificity,
)
from kgbuild.datasets.biokalma.sets.minimal import Minimality
from kgbuild.datasets.biokalma.sets.pool import Piece, Pools
from kgbuild.graph.knowledge import Knowledge
from kgbuild.graph.open import Store
from kgbuild.wikidata import Value

Grown = tuple[list[Chosen], list[Dropped]]
Made = tuple[list[AskedProperty], list[Dropped]]
PLACES = """wd:Q1 wdt:P31 wd:Q5
wd:Q2 wdt:P31 wd:Q5
wd:Q10 wdt:P17 wd:Q11
wd:Q31 wdt:P279 wd:Q30
"""


@pytest.fixture(scope="module")
def known(shared_store_of: Callable[..., Store]) -> Knowledge:
    """Return a world with two people, a town and its country, and an occupation of another."""
    return shared_store_of(PLACES).knowledge(catalog().kinds)


@pytest.fixture(scope="module")
def minimality(known: Knowledge) -> Minimality:
    return Minimality(known)


def fact(pid: str, value: str, qid: str = "Q1") -> Piece:
    return Piece(qid, pid, Value("item", value), f"label {value}")


def first(one: Piece) -> Chosen:
    return Chosen(one, 0, 1.0, 0.0, 0.01)


def candidate(specific_to: float, *facts: Piece) -> AskedProperty:
    """Return a property of one subject or of both."""
    return AskedProperty(facts, specific_to)


JOINT = fact("P26", "Q2")
BEGUN = [first(JOINT)]


def unmeasured(_: Sequence[Piece], candidates: Sequence[AskedProperty]) -> list[float]:
    return [0.0 for _ in candidates]


@pytest.fixture
def grow(minimality: Minimality) -> Callable[..., Grown]:
    """Return a function that lets a set grow from what joins Q1 and Q2."""

    def grown(
        *waiting: AskedProperty,
        rounds: int = 6,
        alpha: float = 0.5,
        seed: int = 0,
        by: Compare = unmeasured,
        begun: Sequence[Chosen] = BEGUN,
        lacking: int = 9,
    ) -> Grown:
        evolution = Evolution(alpha, seed, minimality)
        return evolution.grow(begun, waiting, by, rounds, {"Q1": lacking, "Q2": lacking})

    return grown


def names(chosen: Sequence[Chosen]) -> list[tuple[str, str]]:
    return [(one.piece.qid, one.piece.pid) for one in chosen]


def weighed(**shares: float) -> Compare:
    """Return a coherence that knows each property's share."""
    return lambda _, candidates: [shares[one.pid] for one in candidates]


# Equation 1


@pytest.mark.parametrize(
    ("items", "holders", "found"),
    [
        (100, 100, math.log(2)),  # all have one
        (100, 50, math.log(4)),
        (100, 1, math.log(200)),
        (100, 0, math.log(200)),  # what nobody of the class has is no rarer than that
        (1, 1, math.log(2)),
    ],
)
def test_specificity_by_hand(items: int, holders: int, found: float) -> None:
    assert specificity(items, holders) == found


def test_scores_by_hand(grow: Callable[..., Grown]) -> None:
    some = [candidate(2.0, fact("P19", "Q40")), candidate(4.0, fact("P69", "Q41"))]
    chosen, dropped = grow(*some, alpha=0.25, by=weighed(P19=0.9, P69=0.1))
    # 0.25 · 2 + 0.75 · 0.9 = 1.175, and 0.25 · 4 + 0.75 · 0.1 = 1.075.
    assert chosen == [
        first(JOINT),
        Chosen(fact("P19", "Q40"), 1, 2.0, 0.9, pytest.approx(1.175)),
        Chosen(fact("P69", "Q41"), 2, 4.0, 0.1, pytest.approx(1.075)),
    ]
    assert dropped == []


@pytest.mark.parametrize(("alpha", "first_one"), [(0, "P19"), (1, "P69")])
def test_alpha_weighs_the_two(grow: Callable[..., Grown], alpha: float, first_one: str) -> None:
    some = [candidate(2.0, fact("P19", "Q40")), candidate(4.0, fact("P69", "Q41"))]
    chosen, _ = grow(*some, alpha=alpha, by=weighed(P19=0.9, P69=0.1))
    assert chosen[1].piece.pid == first_one
    assert chosen[1].score == (0.9 if alpha == 0 else 4.0)


def test_coherence_is_measured_against_the_chosen_facts(grow: Callable[..., Grown]) -> None:
    asked = []

    def by(pieces: Sequence[Piece], candidates: Sequence[AskedProperty]) -> list[float]:
        asked.append((list(pieces), list(candidates)))
        return [0.0 for _ in candidates]

    some = [candidate(2.0, fact("P19", "Q40")), candidate(4.0, fact("P69", "Q41"))]
    grow(*some, by=by)
    assert asked == [([JOINT], some), ([JOINT, fact("P69", "Q41")], some[:1])]


# Ties and order


def test_ties_are_broken_by_the_seed(grow: Callable[..., Grown]) -> None:
    some = [
        candidate(1.0, fact(pid, f"Q{n}")) for n, pid in enumerate(("P19", "P69", "P102", "P140"))
    ]
    orders = {tuple(names(grow(*some, seed=seed)[0])) for seed in range(20)}
    assert len(orders) > 1
    assert grow(*some, seed=3) == grow(*some, seed=3)


def test_the_order_of_candidates_makes_no_difference(grow: Callable[..., Grown]) -> None:
    some = [
        candidate(1.0, fact("P19", "Q10")),
        candidate(1.0, fact("P27", "Q11")),  # which the birthplace tells
        candidate(1.0, fact("P69", "Q42")),
        candidate(1.0, fact("P102", "Q43"), fact("P102", "Q44")),
        candidate(1.0, fact("P140", "Q45", "Q2")),
    ]
    # Seven pieces for six rounds: which one stays out is no matter of order, either.
    found = [grow(*order) for order in permutations(some)]
    assert all(one == found[0] for one in found)


# Properties with several values


def test_a_property_is_added_with_all_values_and_each_takes_a_round(
    grow: Callable[..., Grown],
) -> None:
    values = [fact("P102", f"Q{n}") for n in (40, 41, 42)]
    chosen, _ = grow(candidate(4.0, *values), candidate(2.0, fact("P19", "Q43")))
    assert [(one.round, one.piece.value.text) for one in chosen] == [
        *((0, "Q2"), (1, "Q40"), (2, "Q41"), (3, "Q42"), (4, "Q43"))
    ]
    assert len({one.score for one in chosen[1:4]}) == 1


def test_candidates_that_need_too_many_rounds_are_skipped(grow: Callable[..., Grown]) -> None:
    three = candidate(4.0, *(fact("P102", f"Q{n}") for n in (40, 41, 42)))
    two = candidate(3.0, *(fact("P69", f"Q{n}", "Q2") for n in (43, 44)))
    one = candidate(1.0, fact("P19", "Q45", "Q2"))
    chosen, dropped = grow(three, two, one, rounds=4)
    assert names(chosen)[1:] == [("Q1", "P102")] * 3 + [("Q2", "P19")]
    assert dropped == []  # there is no fault in them
    assert names(grow(three, rounds=2)[0]) == [("Q1", "P26")]


def test_no_more_pieces_than_rounds(grow: Callable[..., Grown]) -> None:
    some = [candidate(1.0, fact(f"P{9000 + n}", f"Q{n}", f"Q{1 + n % 2}")) for n in range(20)]
    for rounds in (4, 6, 12):
        assert len(grow(*some, rounds=rounds)[0]) == 1 + rounds


def test_the_first_facts_take_no_round(grow: Callable[..., Grown]) -> None:
    some = [candidate(1.0, fact(f"P{9000 + n}", f"Q{n}", f"Q{1 + n % 2}")) for n in range(20)]
    begun = [*BEGUN, first(fact("P19", "Q40")), first(fact("P19", "Q41", "Q2"))]
    chosen, _ = grow(*some, begun=begun, rounds=4)
    assert chosen[:3] == begun
    assert [one.round for one in chosen[3:]] == [1, 2, 3, 4]


# Both subjects


def both(pid: str, specific_to: float = 1.0) -> AskedProperty:
    """Return a property that one clause asks of both."""
    return candidate(specific_to, fact(pid, "Q40"), fact(pid, "Q41", "Q2"))


def test_what_is_asked_of_both_comes_first(grow: Callable[..., Grown]) -> None:
    alone = [candidate(9.0, fact("P102", "Q42")), candidate(8.0, fact("P140", "Q43", "Q2"))]
    chosen, _ = grow(*alone, both("P19"), both("P69", 2.0))
    assert names(chosen)[1:] == [
        *(("Q1", "P69"), ("Q2", "P69"), ("Q1", "P19"), ("Q2", "P19")),
        *(("Q1", "P102"), ("Q2", "P140")),
    ]
    assert [one.round for one in chosen] == [0, 1, 2, 3, 4, 5, 6]


def test_two_properties_are_asked_of_both(grow: Callable[..., Grown]) -> None:
    chosen, _ = grow(*(both(pid) for pid in ("P19", "P69", "P102", "P140")), rounds=8)
    assert len({one.piece.pid for one in chosen[1:]}) == 2


def test_a_subject_with_enough_facts_gets_no_more(grow: Callable[..., Grown]) -> None:
    mine = [candidate(9.0, fact(pid, "Q40")) for pid in ("P19", "P69", "P102")]
    its = [candidate(1.0, fact(pid, "Q41", "Q2")) for pid in ("P140", "P172", "P103")]
    chosen, _ = grow(*mine, *its, lacking=2)
    assert [one.piece.qid for one in chosen[1:]] == ["Q1", "Q1", "Q2", "Q2"]
    # What is asked of both counts for each, and what it needs beside that is asked of one.
    chosen, _ = grow(*mine[:2], *its[:2], both("P20"), lacking=2)
    assert [one.piece.qid for one in chosen[1:]] == ["Q1", "Q2", "Q1", "Q2"]


def test_a_property_is_not_asked_of_each_in_turn(grow: Callable[..., Grown]) -> None:
    # One has two schools, the other one: no clause asks both for them.
    mine = candidate(9.0, fact("P512", "Q40"), fact("P512", "Q42"))
    its = [candidate(8.0, fact("P512", "Q41", "Q2")), candidate(1.0, fact("P19", "Q43", "Q2"))]
    assert names(grow(mine, *its)[0])[1:] == [("Q1", "P512"), ("Q1", "P512"), ("Q2", "P19")]


def test_half_of_an_implied_candidate_is_not_asked(grow: Callable[..., Grown]) -> None:
    # The birthplace of one implies the country, that of the other does not.
    birthplace = candidate(4.0, fact("P19", "Q10"))
    countries = candidate(3.0, fact("P27", "Q11"), fact("P27", "Q12", "Q2"))
    begun = [*BEGUN, *map(first, birthplace.pieces)]
    chosen, dropped = grow(countries, begun=begun)
    assert names(chosen)[2:] == []
    assert [one.piece.qid for one in dropped] == ["Q1", "Q2"]


def test_candidates_of_both() -> None:
    of_one, of_other = (
        [AskedProperty((fact(pid, value, qid),), 1.0) for pid in ("P19", "P69")]
        for qid, value in (("Q1", "Q40"), ("Q2", "Q41"))
    )
    made = join_parallel([*of_one, *of_other], lambda x, y: x[0].pid == y[0].pid == "P19")
    both = (*of_one[0].pieces, *of_other[0].pieces)
    assert [one.pieces for one in made] == [both, of_one[1].pieces, of_other[1].pieces]
    assert [one.is_parallel for one in made] == [True, False, False]
    assert (made[0].pid, made[0].specificity, len(made[0].pieces)) == ("P19", 1.0, 2)


# What is dropped


def test_implied_facts_are_dropped_with_the_implying_fact(grow: Callable[..., Grown]) -> None:
    some = [
        candidate(4.0, fact("P19", "Q10")),
        candidate(3.0, fact("P27", "Q11")),
        candidate(2.0, JOINT_BACK),
    ]
    chosen, dropped = grow(*some)
    assert names(chosen) == [("Q1", "P26"), ("Q1", "P19")]
    assert dropped == [
        Dropped(fact("P27", "Q11"), "implied", "Q1 P19 Q10"),
        Dropped(JOINT_BACK, "implied", "Q1 P26 Q2; Q1 P19 Q10"),
    ]


JOINT_BACK = fact("P26", "Q1", "Q2")


def test_facts_that_imply_a_chosen_piece_are_dropped(grow: Callable[..., Grown]) -> None:
    # The country came first: the birthplace would make it superfluous.
    chosen, dropped = grow(candidate(4.0, fact("P27", "Q11")), candidate(3.0, fact("P19", "Q10")))
    assert names(chosen) == [("Q1", "P26"), ("Q1", "P27")]
    assert dropped == [Dropped(fact("P19", "Q10"), "implied", "Q1 P27 Q11 by it")]


def test_a_property_is_dropped_with_all_its_values(grow: Callable[..., Grown]) -> None:
    both = (fact("P27", "Q11"), fact("P27", "Q12"))
    chosen, dropped = grow(candidate(4.0, fact("P19", "Q10")), candidate(3.0, *both))
    assert names(chosen) == [("Q1", "P26"), ("Q1", "P19")]
    assert [one.piece for one in dropped] == [*both]


# Candidates


@pytest.fixture
def made(known: Knowledge, minimality: Minimality) -> Callable[..., Made]:
    """Return a function that makes candidates of what is known of the two whom JOINT joins."""
    texts = PairTexts(known, Pools(known))
    properties = AskedProperties(texts, minimality, lambda _: 1.5)
    return lambda *pool: properties.of(JOINT.triple, [JOINT], pool)


def test_a_candidate_for_each_property_of_each(made: Callable[..., Made]) -> None:
    pool = [fact("P19", "Q10"), fact("P69", "Q40"), fact("P69", "Q41"), fact("P19", "Q42", "Q2")]
    found, dropped = made(*pool)
    assert found == [
        AskedProperty((pool[0],), 1.5),
        AskedProperty((pool[1], pool[2]), 1.5),
        AskedProperty((pool[3],), 1.5),
    ]
    assert (found[1].qids, found[1].pid, dropped) == (("Q1",), "P69", [])


def test_only_the_finest_of_nested_values_counts(made: Callable[..., Made]) -> None:
    town, country, elsewhere = fact("P19", "Q10"), fact("P19", "Q11"), fact("P106", "Q30")
    finer = fact("P106", "Q31")
    found, dropped = made(country, town, elsewhere, finer)
    assert [one.pieces for one in found] == [(town,), (finer,)]
    assert dropped == []


@pytest.mark.parametrize(
    ("pid", "count", "is_asked"),
    [
        ("P69", 5, True),
        ("P69", 6, False),
        ("P19", 1, True),
        ("P19", 2, False),  # there is no question for several
    ],
)
def test_many_values(made: Callable[..., Made], pid: str, count: int, is_asked: bool) -> None:
    facts = [fact(pid, f"Q{40 + n}") for n in range(count)]
    found, dropped = made(*facts)
    assert [one.pieces for one in found] == ([tuple(facts)] if is_asked else [])
    expected = [Dropped(facts[0], "many values", f"{count} values")]
    assert dropped == ([] if is_asked else expected)


def test_a_revealed_value_drops_its_property(made: Callable[..., Made]) -> None:
    # The other subject is named by the question.
    pool = [fact("P69", "Q40"), fact("P69", "Q2"), fact("P19", "Q42")]
    found, dropped = made(*pool)
    assert [one.pid for one in found] == ["P19"]
    assert dropped == [Dropped(pool[1], "given away", "label Q2")]


def test_an_unfitting_value_drops_its_property(made: Callable[..., Made]) -> None:
    odd = fact("P1196", "Q41")._replace(value_text="natural causes")
    assert made(odd) == ([], [Dropped(odd, "odd value", "natural causes")])
