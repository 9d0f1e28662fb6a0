"""Lifetimes of items: dates without precision may be early or late."""

import pytest

from kgbuild.graph.times import Lifetimes, Times
from kgbuild.relations import Kind
from kgbuild.rows import Evidence

PERSON = Kind("person", begin_properties=("P569",), end_properties=("P570",))
COMPANY = Kind("company", begin_properties=("P571",), end_properties=("P576",))


@pytest.fixture
def apart(store_of):
    """Return a function that compares Q1, a person, and Q2, a company, by what is said."""

    def compare(*dates: str) -> list[Evidence]:
        lines = []
        for date in dates:
            qid, pid, day = date.split()
            lines.append(
                f'wd:{qid} wdt:{pid} "{day}T00:00:00Z"^^<http://www.w3.org/2001/XMLSchema#dateTime>'
            )
        lifetimes = Lifetimes(Times(store_of(*lines).columns()))
        return lifetimes.disjoint_dates(("Q1", PERSON), ("Q2", COMPANY))

    return compare


def test_dead_before_the_founding(apart):
    died = Evidence("Q1", "P570", "1912-04-05T00:00:00Z")
    founded = Evidence("Q2", "P571", "1914-06-02T00:00:00Z")
    assert apart("Q1 P570 1912-04-05", "Q2 P571 1914-06-02") == [died, founded]


def test_born_after_the_end(apart):
    ended = Evidence("Q2", "P576", "1901-03-03T00:00:00Z")
    born = Evidence("Q1", "P569", "1904-02-02T00:00:00Z")
    assert apart("Q1 P569 1904-02-02", "Q2 P576 1901-03-03") == [ended, born]


@pytest.mark.parametrize(
    "dates",
    [
        ("Q1 P570 1912-04-05", "Q2 P571 1913-06-02"),  # the next year: within the margin
        ("Q1 P570 1912-04-05",),  # nobody knows when the company began
        ("Q1 P569 1912-04-05", "Q2 P571 1950-06-02"),  # nobody knows when the person died
        # A 1 January may be all that is left of a decade (1920) or a century (1900, 1950).
        ("Q1 P570 1912-04-05", "Q2 P571 1920-01-01"),
        ("Q1 P570 1900-01-01", "Q2 P571 1950-06-02"),
        ("Q1 P570 1912-04-05", "Q2 P571 1950-01-01"),
        # Of several dates the earliest beginning and the latest end count.
        ("Q1 P570 1912-04-05", "Q2 P571 1914-06-02", "Q2 P571 1902-06-02"),
        ("Q1 P570 1912-04-05", "Q1 P570 1932-04-05", "Q2 P571 1914-06-02"),
    ],
)
def test_lifetimes_that_may_overlap(apart, dates):
    assert apart(*dates) == []


def test_years_before_christ(apart):
    assert apart("Q1 P570 -0043-03-15", "Q2 P571 0027-02-02")
    assert not apart("Q1 P570 0027-03-15", "Q2 P571 -0043-02-02")


def test_a_first_of_january_of_an_odd_year_is_that_year(apart):
    assert apart("Q1 P570 1911-01-01", "Q2 P571 1913-01-01")


def test_items_of_no_kind_have_no_dates(store_of):
    lifetimes = Lifetimes(Times(store_of("wd:Q1 wdt:P31 wd:Q5").columns()))
    assert lifetimes.disjoint_dates(("Q1", None), ("Q2", COMPANY)) == []
