"""The times of items: their order, their precision, and the years that they can mean."""

from collections.abc import Callable

import pytest

from kgbuild.graph.open import Store
from kgbuild.graph.times import Times
from kgbuild.wikidata import Value

MakeTimes = Callable[..., Times]
TIME = '"{}T00:00:00Z"^^<http://www.w3.org/2001/XMLSchema#dateTime>'
PRECISION = '<urn:kgbuild:precision:P569> "{}T00:00:00Z/{}"'


def time(day: str, precision: int | None = None) -> Value:
    return Value("time", f"{day}T00:00:00Z", precision=precision)


@pytest.fixture
def make(store_of: Callable[..., Store]) -> MakeTimes:
    """Return a function that loads lines and tells times."""
    return lambda *lines: Times(store_of(*lines).columns())


def test_all_items_by_number_with_their_times_in_order(make: MakeTimes) -> None:
    results = make(
        f"wd:Q10 wdt:P569 {TIME.format('1999-05-05')}",
        f"wd:Q9 wdt:P569 {TIME.format('1999-05-05')}",
        f"wd:Q9 wdt:P569 {TIME.format('1899-05-05')}",
        f"wd:Q9 wdt:P570 {TIME.format('1950-05-05')}",
    ).by_item("P569")
    assert list(results.items()) == [
        ("Q9", (time("1899-05-05"), time("1999-05-05"))),
        ("Q10", (time("1999-05-05"),)),
    ]


def test_only_times_of_items_count(make: MakeTimes) -> None:
    times = make(
        "wd:Q1 wdt:P569 wd:Q2",  # an item is no time,
        'wd:Q2 wdt:P569 "1999"',  # nor is a text,
        "wd:Q3 wdt:P569 _:unknown",  # nor what nobody knows
        f"wd:P26 wdt:P569 {TIME.format('1999-05-05')}",  # and a property is no item
    )
    assert times.by_item("P569") == {}
    assert times.by_item("P577") == {}  # of which the store has nothing
    assert times.years("Q1", "P569") == []


def test_a_precision_is_that_of_its_time(make: MakeTimes) -> None:
    times = make(
        f"wd:Q1 wdt:P569 {TIME.format('1800-01-01')}",
        f"wd:Q1 wdt:P569 {TIME.format('1805-01-01')}",
        f"wd:Q1 {PRECISION.format('1800-01-01', 7)}",
        f"wd:Q2 wdt:P569 {TIME.format('1800-01-01')}",  # of this one nothing is told
        f"wd:Q2 wdt:P570 {TIME.format('1805-01-01')}",
    )
    assert times.by_item("P569") == {
        "Q1": (time("1800-01-01", 7), time("1805-01-01")),
        "Q2": (time("1800-01-01"),),
    }
    # A century begins anywhere in a hundred years before its number.
    assert times.years("Q1", "P569") == [(1701, 1899), (1805, 1805)]


def test_a_time_of_two_precisions_is_two(make: MakeTimes) -> None:
    times = make(
        f"wd:Q1 wdt:P569 {TIME.format('1800-01-01')}",
        f"wd:Q1 {PRECISION.format('1800-01-01', 9)}",
        f"wd:Q1 {PRECISION.format('1800-01-01', 8)}",
    )
    # Two statements say so, and each is in order.
    assert times.by_item("P569")["Q1"] == (time("1800-01-01", 8), time("1800-01-01", 9))


@pytest.mark.parametrize(
    ("day", "years"),
    [
        ("1999-05-05", [(1999, 1999)]),
        ("1999-01-01", [(1999, 1999)]),  # or some day of it
        ("1990-01-01", [(1981, 1999)]),  # or the decade
        ("-0043-03-15", [(-43, -43)]),  # 44 BC
        ("12000-03-15", [(12000, 12000)]),  # beyond what has dates
        ("-13798000000-01-01", [(-13798000099, -13797999901)]),  # the Big Bang, more or less
        ("1999-13-05", []),  # no month
    ],
)
def test_years(make: MakeTimes, day: str, years: list[tuple[int, int]]) -> None:
    assert make(f"wd:Q1 wdt:P569 {TIME.format(day)}").years("Q1", "P569") == years
