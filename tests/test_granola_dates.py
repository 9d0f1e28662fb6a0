"""Dates of a truthy dump, which states no precision."""

import pytest

from kgbuild.datasets.granola.date_golds import safe_dates
from kgbuild.wikidata import Value


def date(text: str, precision: int | None = None) -> Value:
    return Value("time", f"{text}T00:00:00Z", precision=precision)


@pytest.mark.parametrize(
    ("value", "description", "precision"),
    [
        (date("1960-01-01"), "book", "none"),  # a year, a decade, or
        (date("2000-01-01"), None, "none"),  # a century
        (date("-0099-01-01"), None, "none"),  # 100 BC
        (date("1960-01-01"), "1960 book", 9),
        (date("1960-01-01"), "book of 19601 pages", "none"),
        (date("1953-01-01"), None, None),  # who would call a decade so?
        (date("1960-05-03"), None, None),
        (date("1950-01-01", 7), None, 7),  # a dump with precisions is believed
        (date("1950-01-01", 9), None, 9),
    ],
)
def test_the_precision_of_a_round_year_is_certain_if_it_is_stated(
    value: Value, description: str | None, precision: int | str | None
) -> None:
    expected = [] if precision == "none" else [value._replace(precision=precision)]
    assert safe_dates([value], description) == expected
