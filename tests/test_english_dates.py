"""Dates at every granularity at which they are known."""

import calendar
import datetime
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgbuild.english.date_levels import KINDS, DateAnswer, answers, bits
from kgbuild.wikidata import Value

DAYS = st.dates(datetime.date(1, 1, 1), datetime.date(9999, 12, 31))
PRECISIONS = st.sampled_from([None, 7, 8, 9, 10, 11])


def time(day: str, precision: int | None = None) -> Value:
    return Value("time", f"{day}T00:00:00Z", precision=precision)


def texts(day: str, precision: int | None = None) -> list[str]:
    return [answer.text for answer in answers(time(day, precision))]


def aliases(day: str, kind: str) -> tuple[str, ...]:
    return next(answer.aliases for answer in answers(time(day)) if answer.kind == kind)


def test_all_years_of_a_century_have_one_text() -> None:
    assert aliases("0999-05-05", "century") == aliases("0950-05-05", "century")


def test_a_day_at_every_granularity() -> None:
    assert answers(time("1961-08-04")) == [
        DateAnswer(
            "day",
            "4 August 1961",
            (
                *("August 4, 1961", "4th August 1961", "4th of August 1961", "August 4th, 1961"),
                *("4 Aug 1961", "Aug 4, 1961", "1961-08-04"),
            ),
            1.0,
        ),
        DateAnswer("month", "August 1961", ("August of 1961", "Aug 1961", "1961-08"), 31.0),
        DateAnswer("year", "1961", (), 365.0),
        DateAnswer("decade", "the 1960s", ("1960s",), 3653.0),  # leap: 1960, 1964, 1968
        DateAnswer(
            "century",
            "the 20th century",
            ("20th century", "the twentieth century", "twentieth century"),
            36525.0,  # 1901 to 2000, of which 25 are leap years
        ),
    ]


@pytest.mark.parametrize(
    ("day", "precision", "first"),
    [
        ("1961-08-04", 11, "4 August 1961"),
        ("1961-08-04", 14, "4 August 1961"),  # known to the second
        ("1961-08-04", 10, "August 1961"),
        ("1961-08-04", 9, "1961"),
        ("1961-08-04", 8, "the 1960s"),
        ("1961-08-04", 7, "the 20th century"),
        ("1961-01-01", 11, "1 January 1961"),  # the store knows that it is the day
        ("1961-01-01", None, "1961"),  # all that may be left of a year
        ("1961-08-01", None, "August 1961"),  # all that may be left of a month
        ("1961-01-02", None, "2 January 1961"),
        ("1961-00-00", 11, "1961"),  # there is no such month, whatever the precision
        ("1961-08-00", None, "August 1961"),
        ("1961-02-30", 11, "February 1961"),  # nor such a day
        ("1900-02-29", 11, "February 1900"),  # 1900 was no leap year
    ],
)
def test_the_precision_is_the_finest_answer(day: str, precision: int | None, first: str) -> None:
    assert texts(day, precision)[0] == first


def test_a_century_ends_with_its_hundredth_year_and_a_decade_begins_with_0() -> None:
    assert texts("1900-01-01") == ["1900"]  # for most people of the 20th century
    assert texts("1900-01-01", 7) == ["the 19th century"]
    assert texts("1901-01-01") == ["1901", "the 20th century"]  # many read "the 1900s" as it
    assert texts("2000-01-01") == ["2000", "the 2000s"]
    assert texts("1999-01-01") == ["1999", "the 1990s", "the 20th century"]


def test_a_decade_that_is_of_two_centuries_has_none() -> None:
    assert texts("1904-01-01", 8) == ["1900–1909"]  # 1900 is of the 19th century
    assert texts("-0403-01-01", 8) == ["the 400s BC"]  # 409 to 400 BC; 400 BC is of the 4th
    assert texts("1911-01-01", 8) == ["the 1910s", "the 20th century"]


def test_before_christ() -> None:
    # Astronomical years: 0 is 1 BC, -43 is 44 BC.
    assert texts("-0043-03-15") == [
        *("15 March 44 BC", "March 44 BC", "44 BC"),
        *("the 40s BC", "the 1st century BC"),
    ]
    assert aliases("-0043-03-15", "year") == ("44 BCE",)
    assert aliases("-0043-03-15", "decade") == ("40s BC", "the 40s BCE", "40s BCE")
    assert "March 15, 44 BCE" in aliases("-0043-03-15", "day")
    assert not [text for text in aliases("-0043-03-15", "day") if text[0] == "-"]  # no ISO form
    assert texts("-0099-01-01") == ["100 BC", "the 100s BC"]
    assert texts("-0100-01-01") == ["101 BC", "the 100s BC", "the 2nd century BC"]


def test_leap_years_before_christ() -> None:
    # 1 BC, the year 0, is a leap year, as is 5 BC; 44 BC is none.
    assert answers(time("0000-01-01"))[0].days == 366.0
    assert answers(time("-0004-01-01"))[0].days == 366.0
    assert answers(time("-0043-01-01"))[0].days == 365.0


def test_a_year_of_two_digits_needs_its_era() -> None:
    assert texts("0079-08-24") == [
        *("24 August 79 AD", "August 79 AD", "79 AD"),
        *("the 70s AD", "the 1st century"),  # "the 70s" would be the 1970s
    ]
    assert aliases("0079-08-24", "year") == ("AD 79", "79 CE", "79")
    assert "70s" not in aliases("0079-08-24", "decade")
    assert "0079-08-24" in aliases("0079-08-24", "day")
    assert aliases("0962-02-02", "year") == ("962 AD", "AD 962", "962 CE")
    assert "first century AD" in aliases("0079-08-24", "century")


def test_the_years_around_christ_have_no_decade() -> None:
    assert texts("0009-01-01") == ["9 AD", "the 1st century"]
    assert texts("-0008-01-01") == ["9 BC", "the 1st century BC"]
    assert texts("0000-01-01", 8) == ["the 1st century BC"]


@pytest.mark.parametrize(
    "value",
    [
        time("10000-01-01"),
        time("-10000-01-01"),
        time("-13798000000-01-01", 3),
        time("9999999999999999-12-31"),
        time("1500-01-01", 6),  # a millennium
        time("1500-01-01", 0),
        time("1961-13-01"),
        Value("time", "1961"),
        Value("time", "soon"),
        Value("unknown", ""),
        Value("string", "1961-08-04T00:00:00Z"),
        Value("item", "Q42"),
    ],
)
def test_invalid_and_imprecise_dates(value: Value) -> None:
    assert answers(value) == []


@given(st.integers(-9999, 9999), st.integers(0, 12), st.integers(0, 99), PRECISIONS)
def test_any_date_has_answers(year: int, month: int, day: int, precision: int | None) -> None:
    sign = "-" if year < 0 else ""
    found = answers(time(f"{sign}{abs(year):04}-{month:02}-{day:02}", precision))
    kinds = [answer.kind for answer in found]
    assert kinds == sorted(kinds, key=KINDS.index)
    lengths = [answer.days for answer in found]
    assert lengths == sorted(set(lengths))
    assert found  # where no decade is said (the years 1 to 9), the century is left
    for answer in found:
        assert answer.text not in answer.aliases
        assert len(set(answer.aliases)) == len(answer.aliases)


Interval = tuple[int, int]
"""The first and the last day, both counted from 1 January 1."""


def ordinal_of_end(year: int) -> int:
    """Return the last day of a year; 10000, which a century ends with, is a leap year."""
    end = datetime.date(min(year, 9999), 12, 31).toordinal()
    return end + (366 if year == 10000 else 0)


def years(first: int, last: int) -> Interval:
    return datetime.date(max(first, 1), 1, 1).toordinal(), ordinal_of_end(last)


def read(text: str) -> Interval:
    """Read what an answer says, as somebody would who knows nothing of how it was written."""
    text = text.removesuffix(" AD")
    if century := re.fullmatch(r"the (\d+)(?:st|nd|rd|th) century", text):
        last = int(century[1]) * 100
        return years(last - 99, last)
    if decade := re.fullmatch(r"the (\d+)s|(\d+00)–\d+09", text):
        first = int(decade[1] or decade[2])
        return years(first, first + 9)
    *day, year = text.split()
    if not day:
        return years(int(year), int(year))
    month = list(calendar.month_name).index(day[-1])
    last = calendar.monthrange(int(year), month)[1]
    first = int(day[0]) if len(day) == 2 else 1
    begin = datetime.date(int(year), month, first).toordinal()
    return begin, begin if len(day) == 2 else begin + last - 1


@given(DAYS, PRECISIONS)
def test_texts_say_the_interval(day: datetime.date, precision: int | None) -> None:
    found = answers(time(day.isoformat(), precision))
    said = [read(answer.text) for answer in found]
    assert [last - first + 1 for first, last in said] == [answer.days for answer in found]
    # Each level holds the finest one, whole, ...
    finest = said[0]
    assert finest[0] <= day.toordinal() <= finest[1]
    assert all(first <= finest[0] and finest[1] <= last for first, last in said)
    # ... and the one before it, unless that is the first decade of a century.
    straddles = day.year % 100 < 10
    for finer, coarser, answer in zip(said, said[1:], found[1:], strict=False):
        if answer.kind != "century" or not straddles:
            assert coarser[0] <= finer[0] and finer[1] <= coarser[1]


def test_bits_are_the_surprise_of_an_interval() -> None:
    assert bits(1, 1024) == 10.0
    assert bits(365, 365) == 0.0
    assert bits(36525, 365) == 0.0  # it covers more than there is: nothing is said
    month, year = (answer.days for answer in answers(time("1961-08-01"))[:2])
    assert bits(month, 100_000) > bits(year, 100_000)
