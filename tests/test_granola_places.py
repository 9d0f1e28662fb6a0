"""The places around a place: as they were when it happened, and with what proves it."""

from contextlib import ExitStack

import pytest

from kgbuild.building import Evidence
from kgbuild.granola.places import Places
from kgbuild.kg.reading import opened
from tests.conftest import triples

DATE = 'wd:{} wdt:{} "{}T00:00:00Z"^^<http://www.w3.org/2001/XMLSchema#dateTime>'


@pytest.fixture
def places(make_store):
    with ExitStack() as held:
        yield lambda *lines: Places(
            held.enter_context(opened(make_store(triples("\n".join(lines))))).knowledge({})
        )


TOWN = (
    "wd:Q1 wdt:P131 wd:Q2",  # a town in a district,
    "wd:Q2 wdt:P131 wd:Q3",  # in a state,
    "wd:Q3 wdt:P17 wd:Q4",  # in a country,
    "wd:Q4 wdt:P17 wd:Q4",  # which is its own,
    "wd:Q4 wdt:P30 wd:Q5",  # on a continent
)


def test_the_nearest_first_with_all_that_leads_there(places):
    found = places(*TOWN).above("Q1", None)
    assert [one.qid for one in found] == ["Q2", "Q3", "Q4", "Q5"]
    assert found[2].evidence == (
        Evidence("Q1", "P131", "Q2"),
        Evidence("Q2", "P131", "Q3"),
        Evidence("Q3", "P17", "Q4"),
    )


def test_several_parents_give_all_chains(places):
    found = places(*TOWN, "wd:Q1 wdt:P131 wd:Q9", "wd:Q9 wdt:P17 wd:Q8").above("Q1", None)
    assert [one.qid for one in found] == ["Q2", "Q9", "Q3", "Q8", "Q4", "Q5"]


@pytest.mark.parametrize(
    ("when", "reached"),
    [
        ((1990, 1990), ["Q2", "Q3", "Q4", "Q5"]),
        ((1950, 1950), ["Q2"]),  # the state was not there yet, nor anything by way of it
        (None, ["Q2"]),  # it ended in 2001: it is not there now
        ((2001, 2001), ["Q2", "Q3", "Q4", "Q5"]),  # in its last year, perhaps
        ((1951, 1999), ["Q2", "Q3", "Q4", "Q5"]),  # some time in these years
    ],
)
def test_nothing_that_was_not_there(places, when, reached):
    dates = (DATE.format("Q3", "P571", "1961-05-05"), DATE.format("Q3", "P576", "2001-05-05"))
    assert [one.qid for one in places(*TOWN, *dates).above("Q1", when)] == reached


def test_what_lost_its_precision_has_the_benefit_of_the_doubt(places):
    # The 1 January of 1970 may be all that is left of "the 1970s", or of the 1960s' end.
    dates = (DATE.format("Q3", "P571", "1970-01-01"),)
    assert len(places(*TOWN, *dates).above("Q1", (1965, 1965))) == 4
    assert len(places(*TOWN, *dates).above("Q1", (1950, 1950))) == 1


def test_continents_are_above_countries_only(places):
    assert places("wd:Q1 wdt:P30 wd:Q5").above("Q1", None) == []


def test_circles(places):
    found = places("wd:Q1 wdt:P131 wd:Q2", "wd:Q2 wdt:P131 wd:Q1", "wd:Q2 wdt:P131 wd:Q2")
    assert [one.qid for one in found.above("Q1", None)] == ["Q2"]
