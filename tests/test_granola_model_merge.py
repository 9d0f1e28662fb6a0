"""Merge the answers of a model with those of the graph: linked, or in their order."""

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgbuild.catalog import catalog
from kgbuild.datasets.granola.levels.classes import Facet
from kgbuild.datasets.granola.levels.item_answers import ItemAnswers
from kgbuild.datasets.granola.levels.linker import FacetLinker
from kgbuild.datasets.granola.levels.order import MODEL, Gold, new_answers, put_at_levels
from kgbuild.datasets.granola.levels.profiles import Profiles
from kgbuild.datasets.granola.relation_facts import Population
from kgbuild.evaluate.text_metrics import normalise
from kgbuild.graph.open import Store
from kgbuild.rows import Evidence
from tests.test_granola_levels import candidate
from tests.test_granola_profile import (
    CITY,
    COUNTRY,
    HUMAN,
    PLAYWRIGHT,
    USA,
    WRITER,
    WRITERS,
    alias,
    bearers,
    item,
)

GOLD = candidate("Lund", 9.0, "Scania, Sweden", "Lunda")
SCANIA = candidate("Scania", 5.0, "Sweden", "Skåne", tier=200)
SWEDEN = candidate("Sweden", 2.0, tier=100)
EUROPE: Facet = ("place", "Europe")


def link(text: str) -> tuple[Facet, ...]:
    return (EUROPE,) if text == "Europe" else ()


def measured(facets: tuple[Facet, ...]) -> tuple[float, frozenset[object], int]:
    return 1.0, frozenset(facets), 0


def order(*said: str) -> list[tuple[str, str, float]]:
    coarser = [SWEDEN, SCANIA]
    coarser += new_answers([GOLD], coarser, said, link, measured)
    results, _ = put_at_levels([GOLD], coarser, set(), 0.5, "")
    return [(one.candidate.text, one.candidate.kind, one.bits) for one in results]


GRAPH = [("Lund", "place", 9.0), ("Scania", "place", 5.0), ("Sweden", "place", 2.0)]


@pytest.mark.parametrize("said", [[], ["Scania", "Sweden"], ["the SKÅNE", "sweden."], ["Lunda"]])
def test_answers_of_the_graph_stay_the_same(said: list[str]) -> None:
    # Also by an alias, and whatever case, article and stop stand there.
    assert order(*said) == GRAPH


def test_linked_answers_are_measured() -> None:
    # The model puts Europe before Scania; its tier says otherwise.
    assert order("Europe", "Scania") == [*GRAPH, ("Europe", MODEL, 1.0)]


@pytest.mark.parametrize(
    ("said", "place", "bits"),
    [
        (["Scania", "southern Sweden", "Sweden"], 2, 5.0),  # at most what is before it tells
        (["Scania", "Sweden", "the north"], 3, 2.0),
        (["a town"], 1, 9.0),  # or the gold answer
        # All that is before it is before it, not only the last one; and it tells no more.
        (["Sweden", "Scania", "the north"], 3, 2.0),
    ],
)
def test_unlinked_answers_follow_those_before_them(
    said: list[str], place: int, bits: float
) -> None:
    results = order(*said)
    (new,) = (text for text in said if text not in ("Scania", "Sweden"))
    assert results[place] == (new, MODEL, bits)
    assert [one for one in results if one[1] != MODEL] == GRAPH


def test_several_unlinked_ones_stay_in_their_order() -> None:
    # What is said twice stands where it was said first.
    results = [text for text, _, _ in order("zig", "alpha", "Sweden", "mid", "zig")]
    assert [text for text in results if text in ("zig", "alpha", "mid")] == ["zig", "alpha", "mid"]
    assert results.index("mid") > results.index("Sweden")


SAID = st.lists(st.sampled_from(["Scania", "Sweden", "Lund", "Europe", "x", "y", "z", "The X"]))


@given(SAID)
def test_any_answers_of_a_model(said: list[str]) -> None:
    results = order(*said)
    bits = [bits for _, _, bits in results]
    assert bits == sorted(bits, reverse=True)
    assert [one for one in results if one[1] != MODEL] == GRAPH
    places = {normalise(text): place for place, (text, _, _) in enumerate(results)}
    assert {*map(normalise, said)} <= {*places}
    first = list(dict.fromkeys(map(normalise, said)))
    for n, text in enumerate(first):
        if text in ("x", "y", "z"):  # of which nothing is known but its place
            assert all(places[before] < places[text] for before in first[:n])


# Linking


def population_of(*numbers: int) -> Population:
    """Return items as possible answers that are the values of no statement."""
    return Population(lambda: np.empty(0, np.int32), [f"Q{n}" for n in numbers])


@pytest.fixture(scope="module")
def made(shared_store_of: Callable[..., Store]) -> Profiles:
    """Return the profiles of a small store."""
    return Profiles(shared_store_of(*WORLD).knowledge(catalog().kinds))


BOSNIA = "Q225"
WORLD = (
    *WRITERS,
    item(USA, "United States", COUNTRY, alias("USA"), f"wdt:P17 wd:{USA}"),
    item("Q1384", "New York", CITY, alias("NY"), f"wdt:P131 wd:{USA}"),
    item("Q60", "New York City", CITY, alias("New York"), "wdt:P131 wd:Q1384"),
    item(BOSNIA, "Bosnia and Herzegovina", COUNTRY, 'wdt:P1549 "Bosnian and Herzegovinian"@en'),
    item("Q3918", "university", None),
    item("Q1", "Ann", HUMAN, f"wdt:P106 wd:{PLAYWRIGHT}", f"wdt:P27 wd:{USA}"),
    item("Q2", "Bo", HUMAN, f"wdt:P106 wd:{WRITER}", f"wdt:P27 wd:{BOSNIA}"),
)
AMERICAN, BOSNIAN = ("people", "American"), ("people", "Bosnian and Herzegovinian")
PLAYS, WRITES, UNIVERSITY = ("P106", PLAYWRIGHT), ("P106", WRITER), ("P31", "Q3918")
STATE, NEW_YORK, CITY_OF = ("place", USA), ("place", "Q1384"), ("place", "Q60")
FACETS = {AMERICAN, BOSNIAN, PLAYS, WRITES, UNIVERSITY, STATE, NEW_YORK, CITY_OF}


@pytest.mark.parametrize(
    ("text", "own", "linked"),
    [
        ("USA", set(), (STATE,)),
        ("A writer", set(), (WRITES,)),
        ("the dramatist.", set(), (PLAYS,)),
        ("an American playwright", set(), (AMERICAN, PLAYS)),
        ("Bosnian and Herzegovinian writer", set(), (BOSNIAN, WRITES)),
        # A university is no citizen: it is in the country.
        ("an American university", set(), (STATE, UNIVERSITY)),
        # Two are called so: the one of the answer itself, else the smaller id.
        ("New York", {NEW_YORK}, (NEW_YORK,)),
        ("New York", {CITY_OF}, (CITY_OF,)),
        ("New York", set(), (min(NEW_YORK, CITY_OF),)),
        ("an American", set(), (AMERICAN,)),
        # What nobody is, or nobody says so.
        ("a Bosnian writer", set(), ()),
        ("a baker", set(), ()),
        ("an American New York", set(), ()),
        ("a famous American playwright", set(), ()),
        ("", set(), ()),
    ],
)
def test_links(made: Profiles, text: str, own: set[Facet], linked: tuple[Facet, ...]) -> None:
    linker = FacetLinker(lambda: FACETS, made)
    assert linker.link(text, own) == linked


# All together


Ask = Callable[..., tuple[list[tuple[str, str, float]], list[tuple[str, str]]]]


@pytest.fixture
def ask(store_of: Callable[..., Store]) -> Ask:
    """Return a function that gives the answers instead of Ann, who wrote a book."""
    books = (item(f"Q{4000 + n}", f"Book {n}", "Q571", f"wdt:P50 wd:Q{n}") for n in (1, 2))
    profiles = Profiles(store_of(*WORLD, *books).knowledge(catalog().kinds))
    # Of the others nothing is known but what they do.
    everybody = population_of(1, 2, *range(5000, 5006), *range(5100, 5109))
    answers = ItemAnswers(catalog().relations["P50"], everybody, profiles)
    gold = Gold(("Ann",), "Q1", (Evidence("Q4001", "P50", "Q1"),))

    def asked(*said: str) -> tuple[list[tuple[str, str, float]], list[tuple[str, str]]]:
        results, dropped = answers.levelled([gold], "Book 1", 0.1, said)
        return [(o.candidate.text, o.candidate.kind, o.bits) for o in results], dropped

    return asked


def test_a_trivial_answer_of_a_model_is_dropped(ask: Ask) -> None:
    graph, _ = ask()
    results, dropped = ask("an American writer", "a wordsmith", "a writer", "somebody")
    # Whoever wrote a book is a writer; it is linked, and what is vaguer still tells nothing.
    assert ("a writer", "trivial") in dropped
    assert ("somebody", "tells little") in dropped
    assert [one[:2] for one in results if one not in graph] == [
        ("an American writer", MODEL),  # not an alias of "a writer", which is trivial
        ("a wordsmith", MODEL),
    ]
    texts = [text for text, _, _ in results]
    assert texts.index("a wordsmith") > texts.index("an American writer")


def test_answers_linked_to_the_graph_are_merged(ask: Ask) -> None:
    graph, _ = ask()
    # Also by other words.
    assert ask("an American dramatist", "The Playwright") == ask()
    # A nationality alone is no answer of the graph, and coarser than its answers.
    results, _ = ask("the American")
    assert [one[:2] for one in results[len(graph) :]] == [("the American", MODEL)]


def test_implied_answers_are_confirmed(store_of: Callable[..., Store]) -> None:
    # Fewer are said to be performing artists than actors, so that the graph does not answer
    # with it; but every actor is one, and a model may say so.
    world = (
        item("Q33999", "actor", None, "wdt:P279 wd:Q713200"),
        item("Q713200", "performing artist", None),
        item("Q82955", "politician", None),
        bearers(5000, 9, "P106", "Q33999"),
        bearers(5100, 5, "P106", "Q713200"),
        bearers(5200, 5, "P106", "Q82955"),
        item("Q1", "Ann", HUMAN, "wdt:P106 wd:Q33999"),
    )
    profiles = Profiles(store_of(*world).knowledge(catalog().kinds))
    everybody = population_of(1, *range(5000, 5009), *range(5100, 5105), 5200)
    answers = ItemAnswers(catalog().relations["P26"], everybody, profiles)
    gold = Gold(("Ann",), "Q1", ())
    said = ("a performing artist", "a politician")
    results, dropped = answers.levelled([gold], "Bo", 0.01, said)
    assert dropped == [("a politician", "unconfirmed")]
    assert [(one.candidate.text, one.candidate.kind) for one in results] == [
        *(("Ann", "item"), ("an actor", "occupation"), ("a performing artist", MODEL))
    ]


def test_contradicted_answers_are_unconfirmed(ask: Ask) -> None:
    graph, _ = ask()
    text = "a Bosnian and Herzegovinian writer"
    results, dropped = ask(text)
    # Of Ann's nationality the graph knows another: the model is not believed.
    assert results == graph
    assert (text, "unconfirmed") in dropped
