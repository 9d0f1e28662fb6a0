"""Dates as people write them, read back."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgbuild.english.date_levels import answers
from kgbuild.english.date_parsing import read
from kgbuild.wikidata import Value


@pytest.mark.parametrize(
    ("text", "time", "precision"),
    [
        ("22 March 1958", "1958-03-22", 11),
        ("March 22, 1958", "1958-03-22", 11),
        ("02 March 1958", "1958-03-02", 11),
        ("march  22nd 1958", "1958-03-22", 11),
        ("22nd of March, 1958", "1958-03-22", 11),
        ("Mar. 22, 1958", "1958-03-22", 11),
        ("Sept. 1958", "1958-09-01", 10),
        ("1958-03-22", "1958-03-22", 11),
        ("1 January 1958", "1958-01-01", 11),  # a day that is written is known
        ("March 1958", "1958-03-01", 10),
        ("March of 1958", "1958-03-01", 10),
        ("1958-03", "1958-03-01", 10),
        ("1958", "1958-01-01", 9),
        ("the 1950s", "1950-01-01", 8),
        ("1950s", "1950-01-01", 8),
        ("the 20th century", "1901-01-01", 7),
        ("twentieth century", "1901-01-01", 7),
        ("44 BC", "-0043-01-01", 9),
        ("44 B.C.", "-0043-01-01", 9),
        ("15 March 44 BCE", "-0043-03-15", 11),
        ("the 1st century BC", "0000-01-01", 7),
        ("AD 79", "0079-01-01", 9),
        ("79", "0079-01-01", 9),
        ("c. 1881", "1881-01-01", 9),
        # As programs write them: Wikidata's JSON, a data frame's times and numbers.
        *(
            (f"1881-10-25{end}", "1881-10-25", 11)
            for end in ("T00:00:00Z", " 00:00:00", " 00:00:00+00")
        ),
        ("+1881-10-25T00:00:00Z", "1881-10-25", 11),
        ("+1881-00-00T00:00:00Z", "1881-01-01", 9),
        ("1881-10-00", "1881-10-01", 10),
        ("1881.0", "1881-01-01", 9),
    ],
)
def test_a_date(text: str, time: str, precision: int) -> None:
    assert read(text) == Value("time", f"{time}T00:00:00Z", precision=precision)


@pytest.mark.parametrize(
    "text",
    [
        *("", "IDK", "in his youth", "spring 1958", "Marchember 1958"),
        *("30 February 1958", "0 March 1958", "32 March 1958", "29 February 1900"),
        *("1958-13", "1958-00", "1958-02-30", "0", "0000", "AD 44 BC"),
        "the 70s",  # of which century?
        "the 0s AD",
        "0th century",
        "3/4/1958",  # of March, or of April
        *("12345", "the 1955s", "3.14"),
    ],
)
def test_no_date(text: str) -> None:
    assert read(text) is None


YEARS = st.integers(-9998, 9999).map(lambda year: f"{'-' * (year < 0)}{abs(year):04}")
DAYS = st.dates().map(lambda day: day.strftime("-%m-%d"))


@given(YEARS, DAYS, st.sampled_from([None, 7, 8, 9, 10, 11]))
def test_all_written_dates_are_read(year: str, day: str, precision: int | None) -> None:
    for answer in answers(Value("time", f"{year}{day}T00:00:00Z", precision=precision)):
        for text in (answer.text, *answer.aliases):
            value = read(text)
            assert value is not None, text
            assert answers(value)[0] == answer, text


@given(st.text())
def test_any_text_is_a_date_or_none(text: str) -> None:
    value = read(text)
    assert value is None or answers(value)
