"""How precise dates are in countries that kept the Julian calendar."""

import datetime
from contextlib import ExitStack

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgbuild.catalog import catalog
from kgbuild.datasets.granola.questions.date_bounds import SafeDates
from kgbuild.datasets.granola.questions.old_style import common_precision
from kgbuild.graph.open import open_store
from tests.conftest import triples
from tests.test_granola_build import MakeStore

RUSSIA, FRANCE = "Q34266", "Q142"
DATE = '"{}T00:00:00Z"^^<http://www.w3.org/2001/XMLSchema#dateTime>'


@pytest.mark.parametrize(
    ("pid", "day", "statements", "precision"),
    [
        # Khrushchev: 3 April or 15 April, so the month is safe.
        ("P569", "1894-04-03", [f"wd:Q1 wdt:P27 wd:{RUSSIA}"], 10),
        # 25 October or 6 November 1895.
        ("P569", "1895-10-25", [f"wd:Q1 wdt:P27 wd:{RUSSIA}"], 9),
        # 19 December 1906 or 1 January 1907; 20 December 1909 or 2 January 1910.
        ("P569", "1906-12-19", [f"wd:Q1 wdt:P27 wd:{RUSSIA}"], 8),
        ("P569", "1909-12-20", [f"wd:Q1 wdt:P27 wd:{RUSSIA}"], 7),
        # The country of the place counts as well, of a death that of its own place.
        ("P569", "1894-04-03", [f"wd:Q2 wdt:P17 wd:{RUSSIA}", "wd:Q1 wdt:P19 wd:Q2"], 10),
        ("P570", "1894-04-03", [f"wd:Q2 wdt:P17 wd:{RUSSIA}", "wd:Q1 wdt:P20 wd:Q2"], 10),
        ("P570", "1894-04-03", [f"wd:Q2 wdt:P17 wd:{RUSSIA}", "wd:Q1 wdt:P19 wd:Q2"], None),
        # Russia changed on 1 February 1918; France had long before.
        ("P569", "1918-01-31", [f"wd:Q1 wdt:P27 wd:{RUSSIA}"], 9),
        ("P569", "1918-02-14", [f"wd:Q1 wdt:P27 wd:{RUSSIA}"], None),
        ("P569", "1894-04-03", [f"wd:Q1 wdt:P27 wd:{FRANCE}"], None),
        # Before the Gregorian calendar there was one calendar only.
        ("P569", "1530-08-25", [f"wd:Q1 wdt:P27 wd:{RUSSIA}"], None),
        # A foundation is not that of a person.
        ("P571", "1894-04-03", [f"wd:Q1 wdt:P27 wd:{RUSSIA}"], None),
    ],
)
def test_the_precision_of_a_day(
    make_store: MakeStore, pid: str, day: str, statements: list[str], precision: int | None
) -> None:
    lines = [f"wd:Q1 wdt:{pid} {DATE.format(day)}", *statements]
    with ExitStack() as stack:
        store = stack.enter_context(
            open_store(make_store(triples("".join(f"{line}\n" for line in lines))))
        )
        (value,) = SafeDates(store.knowledge(catalog().kinds), pid).dates("Q1")
    assert value.precision == precision


def gregorian(day: datetime.date) -> datetime.date:
    """Return the Gregorian date of a Julian one, by its number of days (Richards 2013, ch. 15)."""
    months = (14 - day.month) // 12
    year, month = day.year + 4800 - months, day.month + 12 * months - 3
    days = day.day + (153 * month + 2) // 5 + 365 * year + year // 4 - 32083
    return datetime.date.fromordinal(days - 1721425)


@given(st.dates(datetime.date(1583, 1, 1), datetime.date(1923, 2, 15)))
def test_what_is_said_is_true_in_both_calendars(day: datetime.date) -> None:
    other, precision = gregorian(day), common_precision(day)
    assert (precision == 10) == ((day.year, day.month) == (other.year, other.month))
    assert (precision >= 9) == (day.year == other.year)
    assert (precision >= 8) == (day.year // 10 == other.year // 10)


@pytest.mark.parametrize(
    ("day", "days"),
    [("1600-03-05", 10), ("1700-03-05", 11), ("1800-03-05", 12), ("1900-03-05", 13)],
)
def test_how_far_the_calendars_are_apart(day: str, days: int) -> None:
    # The last day of March whose Julian date lies in March, and the one after it.
    first = datetime.date.fromisoformat(day).replace(day=31 - days)
    assert common_precision(first) == 10
    assert common_precision(first + datetime.timedelta(days=1)) == 9
