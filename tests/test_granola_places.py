"""The places around a place at a time, each with the triples that prove it."""

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgbuild.catalog import catalog
from kgbuild.datasets.granola.levels.places import Places
from kgbuild.graph.open import open_store
from kgbuild.rows import Evidence
from tests.conftest import load_text, triples

DATE = 'wd:{} wdt:{} "{}T00:00:00Z"^^<http://www.w3.org/2001/XMLSchema#dateTime>'


@pytest.fixture
def places(store_of):
    """Return a function that makes places without kinds: each item may contain a place."""
    return lambda *lines: Places(store_of(*lines).knowledge({}))


TOWN = (
    "wd:Q1 wdt:P131 wd:Q2",  # a town in a district,
    "wd:Q2 wdt:P131 wd:Q3",  # in a state,
    "wd:Q3 wdt:P17 wd:Q4",  # in a country,
    "wd:Q4 wdt:P17 wd:Q4",  # which is its own,
    "wd:Q4 wdt:P30 wd:Q5",  # on a continent
)


def test_the_nearest_first_with_all_that_leads_there(places):
    results = places(*TOWN).above("Q1")
    assert [*results] == ["Q2", "Q3", "Q4", "Q5"]
    assert results["Q4"] == (
        Evidence("Q1", "P131", "Q2"),
        Evidence("Q2", "P131", "Q3"),
        Evidence("Q3", "P17", "Q4"),
    )


def test_a_city_by_another_name_is_not_around_it(places):
    greater = places('wd:Q1 rdfs:label "London"@en', 'wd:Q2 rdfs:label "Greater London"@en', *TOWN)
    assert [*greater.above("Q1")] == ["Q3", "Q4", "Q5"]
    city_of = ('wd:Q1 rdfs:label "Cape Town"@en', 'wd:Q2 rdfs:label "City of Cape Town"@en')
    assert [*places(*city_of, *TOWN).above("Q1")] == ["Q3", "Q4", "Q5"]
    # The City of London lies in London.
    part = ('wd:Q1 rdfs:label "City of London"@en', 'wd:Q2 rdfs:label "London"@en', *TOWN)
    assert [*places(*part).above("Q1")] == ["Q2", "Q3", "Q4", "Q5"]


def test_several_parents_give_all_chains(places):
    results = places(*TOWN, "wd:Q1 wdt:P131 wd:Q9", "wd:Q9 wdt:P17 wd:Q8").above("Q1")
    assert [*results] == ["Q2", "Q9", "Q3", "Q8", "Q4", "Q5"]


def test_nothing_is_around_a_place_by_way_of_a_former_area(places):
    assert [*places(*TOWN, DATE.format("Q3", "P576", "2001-05-05")).above("Q1")] == ["Q2"]


def test_a_continent_that_the_place_itself_states(places):
    assert [*places("wd:Q1 wdt:P30 wd:Q5").above("Q1")] == ["Q5"]
    # Of two, none is sure; nor is that of the country then.
    both = ("wd:Q2 wdt:P30 wd:Q46", "wd:Q2 wdt:P30 wd:Q48")
    assert [*places(*TOWN, *both).above("Q1")] == ["Q2", "Q3", "Q4"]


def test_no_continent_of_the_sovereign_overseas(places):
    # Hawaii, whose continent nobody states, and a county that only states its country.
    lines = ("wd:Q30 wdt:P17 wd:Q30", "wd:Q30 wdt:P30 wd:Q49", "wd:Q1 wdt:P17 wd:Q30")
    assert [*places(*lines).above("Q1")] == ["Q30", "Q49"]
    overseas = places(*lines, "wd:Q1 wdt:P131 wd:Q782").above("Q1")
    assert [*overseas] == ["Q782", "Q30"]
    described = places(*lines, 'wd:Q1 schema:description "city in Hawaii"@en').above("Q1")
    assert [*described] == ["Q30"]


def test_circles(places):
    results = places("wd:Q1 wdt:P131 wd:Q2", "wd:Q2 wdt:P131 wd:Q1", "wd:Q2 wdt:P131 wd:Q2")
    assert [*results.above("Q1")] == ["Q2"]


# Which country, of several


@pytest.mark.parametrize(
    ("more", "reached"),
    [
        # Florence is said to be in France, too, as it was for six years: its area tells.
        ((), ["Q2", "Q3"]),
        # The area may be the country itself,
        (("wd:Q1 wdt:P131 wd:Q8",), ["Q2", "Q8", "Q3"]),
        # or its country may stand two steps above.
        (("wd:Q2 wdt:P131 wd:Q20", "wd:Q20 wdt:P17 wd:Q8"), ["Q2", "Q3", "Q8", "Q20"]),
    ],
)
def test_of_several_present_countries_the_confirmed_count(places, more, reached):
    lines = ("wd:Q1 wdt:P17 wd:Q3", "wd:Q1 wdt:P17 wd:Q8", "wd:Q1 wdt:P131 wd:Q2")
    results = places(*lines, "wd:Q2 wdt:P17 wd:Q3", *more).above("Q1")
    assert sorted(results) == sorted(reached)


def test_of_two_present_countries_that_nothing_confirms_neither(places):
    assert places("wd:Q1 wdt:P17 wd:Q3", "wd:Q1 wdt:P17 wd:Q8").above("Q1") == {}
    # But one alone needs none to confirm it.
    assert len(places("wd:Q1 wdt:P17 wd:Q3").above("Q1")) == 1


# What is no longer there

HISTORICAL = 'wd:Q3024240 rdfs:label "historical country"@en'
EMPIRE = ("wd:Q1 wdt:P17 wd:Q2", "wd:Q1 wdt:P17 wd:Q3", "wd:Q3 wdt:P31 wd:Q3024240", HISTORICAL)
"""A town in a country and, before, in a historical one."""


def test_historical_states(places):
    assert [*places(*EMPIRE).above("Q1")] == ["Q2"]


@pytest.mark.parametrize(
    ("lines", "is_former"),
    [
        ((), False),
        ((DATE.format("Q3", "P576", "1900-05-05"),), True),
        (("wd:Q3 wdt:P1366 wd:Q4",), True),  # replaced by another
        (("wd:Q3 wdt:P31 wd:Q48349", 'wd:Q48349 rdfs:label "empire"@en'), True),
        # Canada is a dominion of the British Empire, too, and a country still.
        (("wd:Q3 wdt:P31 wd:Q223832", "wd:Q3 wdt:P31 wd:Q6256"), False),
        (("wd:Q3 wdt:P31 wd:Q6256", "wd:Q3 wdt:P1366 wd:Q4"), False),
        # But what has ended has.
        (("wd:Q3 wdt:P31 wd:Q6256", DATE.format("Q3", "P576", "1900-05-05")), True),
    ],
)
def test_former_places(places, lines, is_former):
    assert places("wd:Q1 wdt:P17 wd:Q3", *lines).history.is_former("Q3") == is_former


# Rivals

COUNTIES = (
    *("wd:Q1 wdt:P131 wd:Q2", "wd:Q1 wdt:P131 wd:Q3", "wd:Q1 wdt:P131 wd:Q9"),
    *("wd:Q2 wdt:P31 wd:Q47168", "wd:Q3 wdt:P31 wd:Q47168"),
    *("wd:Q2 wdt:P131 wd:Q4", "wd:Q3 wdt:P131 wd:Q4", "wd:Q3 wdt:P131 wd:Q5"),
)
"""A town in two counties of one state, one of which lies in a region, too; and in a park."""


@pytest.mark.parametrize(
    ("more", "reached"),
    [
        # Somebody born there was born in one county or the other, but in the state for sure.
        ((), ["Q9", "Q4"]),
        # Of two that lie in each other, both count,
        (("wd:Q2 wdt:P131 wd:Q3",), ["Q2", "Q3", "Q9", "Q4", "Q5"]),
        # and what is no longer there is no rival.
        ((DATE.format("Q2", "P576", "1900-05-05"),), ["Q3", "Q9", "Q4", "Q5"]),
    ],
)
def test_of_counties_of_a_town_only_what_is_sure(places, more, reached):
    results = places(*COUNTIES, *more).above("Q1")
    assert sorted(results) == sorted(reached)
    for qid, proof in results.items():  # and all steps stand in the store
        assert proof[0].subject == "Q1" and proof[-1].object == qid


# Continents


def test_nothing_is_above_continents(places):
    results = places(*TOWN, "wd:Q5 wdt:P131 wd:Q6", "wd:Q5 wdt:P17 wd:Q7").above("Q1")
    assert [*results][-1] == "Q5"


def test_a_country_by_its_class(places):
    lines = ("wd:Q1 wdt:P17 wd:Q4", "wd:Q4 wdt:P31 wd:Q3624078", "wd:Q4 wdt:P30 wd:Q5")
    assert [*places(*lines).above("Q1")] == ["Q4", "Q5"]


def test_of_two_continents_that_of_the_mainland(places):
    both = ("wd:Q{0} wdt:P17 wd:Q{0}", "wd:Q{0} wdt:P30 wd:Q46", "wd:Q{0} wdt:P30 wd:Q18")

    def above(country):
        lines = (line.format(country) for line in both)
        return [*places(f"wd:Q1 wdt:P131 wd:Q{country}", *lines).above("Q1")]

    assert above(142) == ["Q142", "Q46"]  # France: Europe, for all its islands
    assert above(4) == ["Q4"]  # of which nobody says where it mostly lies


@pytest.mark.parametrize(
    ("more", "reached"),
    [
        ((), ["Q2", "Q142", "Q46"]),
        # A department overseas: it is on the way, and on another continent.
        (("wd:Q2 wdt:P30 wd:Q18",), ["Q2", "Q142", "Q18"]),
        (("wd:Q1 wdt:P30 wd:Q18",), ["Q2", "Q142", "Q18"]),
        (("wd:Q1 wdt:P30 wd:Q46",), ["Q2", "Q142", "Q46"]),
    ],
)
def test_the_continent_of_the_nearest_place_that_states_one(places, more, reached):
    lines = ("wd:Q1 wdt:P131 wd:Q2", "wd:Q2 wdt:P17 wd:Q142", "wd:Q142 wdt:P17 wd:Q142")
    results = places(*lines, "wd:Q142 wdt:P30 wd:Q46", *more).above("Q1")
    assert [*results] == reached


# Seats and descriptions


def test_seated_items_are_where_their_seat_is(places):
    lines = ("wd:Q1 wdt:P159 wd:Q2", "wd:Q2 wdt:P131 wd:Q3", "wd:Q2 wdt:P159 wd:Q9")
    store = places(*lines, "wd:Q1 wdt:P276 wd:Q8")
    assert [*store.above("Q1", seated=True)] == ["Q2", "Q8", "Q3"]
    # Of a place, and of what lies around the seat, a seat says nothing.
    assert store.above("Q1") == {}


ABOUT = "city in Fairfax County, Virginia, United States"
STATES = (
    f'wd:Q1 schema:description "{ABOUT}"@en',
    'wd:Q30 rdfs:label "United States"@en',
    *('wd:Q7 rdfs:label "Virginia"@en', "wd:Q7 wdt:P31 wd:Q515"),
)


def test_what_the_description_names_without_a_statement(store_of):
    def places(*lines):
        return Places(store_of(*lines).knowledge(catalog().kinds))

    proof = (Evidence("Q1", "schema:description", ABOUT),)
    # The state is known by its label, the country by the list of countries.
    assert places(*STATES).above("Q1") == {"Q7": proof, "Q30": proof}
    # Of two places with this label it may be either, unless one is far better known.
    rival = ('wd:Q8 rdfs:label "Virginia"@en', "wd:Q8 wdt:P31 wd:Q515")
    assert places(*STATES, *rival).above("Q1") == {"Q30": proof}
    links = [f"wd:Q{n} wdt:P19 wd:Q7" for n in range(100, 112)]
    known = places(*STATES, *rival, *links, "wd:Q99 wdt:P19 wd:Q8").above("Q1")
    assert [*known] == ["Q7", "Q30"]
    # It counts beside a statement, if it names no alternative to what is stated.
    stated = (*STATES, "wd:Q1 wdt:P131 wd:Q2")
    assert [*places(*stated).above("Q1")] == ["Q2", "Q7", "Q30"]
    other = places(*stated, "wd:Q2 wdt:P31 wd:Q515").above("Q1")
    assert [*other] == ["Q2", "Q30"]
    # What a statement tells of the past only is as good as nothing.
    past = ("wd:Q1 wdt:P17 wd:Q2", "wd:Q2 wdt:P31 wd:Q515", DATE.format("Q2", "P576", "1900-05-05"))
    assert [*places(*STATES, *past).above("Q1")] == ["Q7", "Q30"]


def test_a_country_within_the_country_that_a_description_names(places):
    lines = (
        *("wd:Q1 wdt:P17 wd:Q145", "wd:Q145 wdt:P17 wd:Q145", "wd:Q21 wdt:P17 wd:Q145"),
        *('wd:Q21 rdfs:label "England"@en', 'wd:Q1 schema:description "town in Kent, England"@en'),
    )
    assert [*places(*lines).above("Q1")] == ["Q21", "Q145"]


def test_areas_that_a_place_does_not_name(places):
    def above(*lines):
        return [*places(*lines).above("Q1")]

    part, capital = "wd:Q2 wdt:P150 wd:Q1", "wd:Q1 wdt:P1376 wd:Q3"
    assert places(part).above("Q1") == {"Q2": (Evidence("Q2", "P150", "Q1"),)}
    assert places(capital).above("Q1") == {"Q3": (Evidence("Q1", "P1376", "Q3"),)}
    # What has the place as a part comes before what it rules, and what it names before both.
    assert above(part, capital) == ["Q2"]
    assert above(part, capital, "wd:Q1 wdt:P131 wd:Q4") == ["Q4"]
    # Moscow is a part of Russia itself, and rules an area beside it.
    country = ("wd:Q1 wdt:P131 wd:Q5", "wd:Q5 wdt:P17 wd:Q5")
    assert above(capital, *country) == ["Q5"]
    # Maine was in Massachusetts, another state.
    assert above(part, "wd:Q1 wdt:P31 wd:Q9", "wd:Q2 wdt:P31 wd:Q9") == []


EDGES = st.lists(
    st.tuples(st.integers(1, 6), st.sampled_from(["P131", "P17", "P30"]), st.integers(1, 6)),
    max_size=15,
)


@settings(max_examples=25)
@given(EDGES, st.sets(st.integers(1, 6)))
def test_places_of_random_graphs(tmp_path_factory, edges, countries):
    lines = [f"wd:Q{one} wdt:{pid} wd:Q{other}" for one, pid, other in edges]
    lines += [f"wd:Q{one} wdt:P31 wd:Q6256" for one in countries] or ["wd:Q1 wdt:P1 wd:Q2"]
    folder = load_text(tmp_path_factory.mktemp("edges"), triples("\n".join(lines)))
    with open_store(folder) as store:
        knowledge = store.knowledge({})
        results = Places(knowledge).above("Q1")
        # Never the place itself, and every step stands in the store.
        assert "Q1" not in results
        for qid, proof in results.items():
            assert proof[0].subject == "Q1" and proof[-1].object == qid
            assert all(knowledge.statements.holds(*step) for step in proof)
            assert all(a.object == b.subject for a, b in itertools.pairwise(proof))
            assert all(step.property != "P30" for step in proof[:-1])
        lengths = [len(proof) for proof in results.values() if proof[-1].property != "P30"]
        assert lengths == sorted(lengths)  # the nearest first, and the continent last
