"""Ids, IRIs, values and dates of Wikidata."""

import datetime
import doctest
import importlib
import pkgutil
import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import kgbuild
from kgbuild import wikidata
from kgbuild.errors import MalformedIdError
from kgbuild.wikidata import Value, parse_item, parse_property, show

NUMBERS = st.integers(1, 10**9 - 1)

MALFORMED = [
    "",
    " ",
    "Q",
    "42",
    "Q0",
    "Q-1",
    "Q42x",
    "wd:Q42",
    "<http://www.wikidata.org/entity/Q42>",
    "http://www.wikidata.org/entity/",
    "http://example.org/Q42",
    "Q1000000000000",  # 13 digits
    "Q" + "9" * 10_000,
    "Q٤٢",  # Arabic digits
    "Ｑ42",  # the Q of full width
    "🦊",
    "Q42\x00",
    "Q42\nQ43",
    "\udcff",
]


@pytest.mark.parametrize("text", [*MALFORMED, "P26", "http://www.wikidata.org/prop/direct/P26"])
def test_what_is_no_id_of_an_item(text):
    with pytest.raises(MalformedIdError) as caught:
        parse_item(text)
    assert caught.value.text == text and "the id of an item" in str(caught.value)


@pytest.mark.parametrize("text", [*(text.replace("Q", "P") for text in MALFORMED), "Q42"])
def test_what_is_no_id_of_a_property(text):
    with pytest.raises(MalformedIdError) as caught:
        parse_property(text)
    assert caught.value.text == text and "the id of a property" in str(caught.value)


@pytest.mark.parametrize("write", [str, str.lower, " {}\n".format, f"{wikidata.ENTITY}{{}}".format])
@settings(max_examples=30)
@given(NUMBERS)
def test_ids_are_read_however_they_are_written(write, number):
    assert parse_item(write(f"Q{number}")) == f"Q{number}"
    assert parse_property(write(f"P{number}")) == f"P{number}"
    assert parse_property(f"{wikidata.DIRECT}p{number}") == f"P{number}"
    assert wikidata.number(f"Q{number}") == number


@settings(max_examples=60)
@given(st.text() | st.from_regex(r"\s*[QqPp]\d*\w?\s*"))
def test_any_text_is_an_id_or_an_error(text):
    try:
        found = parse_item(text)
    except MalformedIdError as error:
        assert error.text == text
    else:
        assert re.fullmatch("Q[1-9][0-9]{0,11}", found)
        assert found == text.strip().upper()


@pytest.mark.parametrize(
    ("iri", "entity"),
    [
        (f"{wikidata.ENTITY}Q42", "Q42"),
        (f"{wikidata.ENTITY}P26", "P26"),
        (f"{wikidata.DIRECT}P26", "P26"),
        (f"{wikidata.ENTITY}q42", None),  # an IRI, unlike what a user types, has one case
        (f"{wikidata.ENTITY}Q042", None),
        (f"{wikidata.ENTITY}L7-F1", None),
        (f"{wikidata.ENTITY}", None),
        (f"{wikidata.NO_VALUE}P26", None),
        ("Q42", None),
        ("", None),
    ],
)
def test_the_id_of_an_iri(iri, entity):
    assert wikidata.of_iri(iri) == entity


@pytest.mark.parametrize(
    ("iri", "value"),
    [
        (f"{wikidata.ENTITY}Q42", Value("item", "Q42")),
        (f"{wikidata.ENTITY}P26", Value("property", "P26")),
        (f"{wikidata.UNKNOWN_VALUE}abc", Value("unknown", "")),
        # A property as the object of a statement is written as an entity, never as a predicate.
        (f"{wikidata.DIRECT}P26", Value("link", f"{wikidata.DIRECT}P26")),
        (f"{wikidata.ENTITY}L7-F1", Value("link", f"{wikidata.ENTITY}L7-F1")),
        ("https://example.org/a", Value("link", "https://example.org/a")),
    ],
)
def test_the_value_of_an_iri(iri, value):
    assert wikidata.value_of_iri(iri) == value


@pytest.mark.parametrize(
    ("datatype", "language", "kind"),
    [
        (f"{wikidata.XSD}dateTime", None, "time"),
        (f"{wikidata.XSD}decimal", None, "quantity"),
        (f"{wikidata.XSD}integer", None, "quantity"),
        (wikidata.WKT, None, "point"),
        (f"{wikidata.XSD}string", None, "string"),
        ("http://www.w3.org/1998/Math/MathML", None, "string"),
        ("http://www.w3.org/1999/02/22-rdf-syntax-ns#langString", "en", "text"),
    ],
)
def test_the_value_of_a_literal(datatype, language, kind):
    assert wikidata.value_of_literal("1", datatype, language) == Value(kind, "1", language)


@pytest.mark.parametrize(
    ("time", "shown"),
    [
        ("1770-12-17T00:00:00Z", "1770-12-17"),
        ("1770-12-17", "1770-12-17"),
        # A truthy dump writes a year, a decade and a century as a 1 January.
        ("1770-01-01T00:00:00Z", "1770"),
        ("1770-01-02T00:00:00Z", "1770-01-02"),
        ("1770-02-01T00:00:00Z", "1770-02-01"),
        ("0079-10-24T00:00:00Z", "0079-10-24"),
        ("0079-01-01T00:00:00Z", "79"),
        ("0001-01-01T00:00:00Z", "1"),
        # There was no year 0: 0000 is 1 BCE, and all years before it are one off.
        ("0000-01-01T00:00:00Z", "1 BCE"),
        ("-0000-01-01T00:00:00Z", "1 BCE"),
        ("-0001-01-01T00:00:00Z", "2 BCE"),
        ("-0043-01-01T00:00:00Z", "44 BCE"),
        ("-0043-03-15T00:00:00Z", "15 March 44 BCE"),
        ("0000-12-31T00:00:00Z", "31 December 1 BCE"),
        ("-13798000000-01-01T00:00:00Z", "13798000001 BCE"),
        ("10000-01-01T00:00:00Z", "10000"),
        ("12345-06-07T00:00:00Z", "12345-06-07"),
        ("1770-00-00T00:00:00Z", "1770-00-00"),
        # What is no time of XML Schema is shown as it stands.
        ("17xx", "17xx"),
        ("1770-13-01T00:00:00Z", "1770-13-01T00:00:00Z"),
        ("770-01-01T00:00:00Z", "770-01-01T00:00:00Z"),
        ("1770-1-1", "1770-1-1"),
        ("1770-01-01 or so", "1770-01-01 or so"),
        ("١٧٧٠-01-01T00:00:00Z", "١٧٧٠-01-01T00:00:00Z"),
        ("", ""),
        ("9" * 5000 + "-01-01T00:00:00Z", "9" * 5000 + "-01-01T00:00:00Z"),
    ],
)
def test_how_a_time_is_shown(time, shown):
    assert show(Value("time", time)) == shown


@pytest.mark.parametrize(
    ("time", "precision", "shown"),
    [
        ("1952-01-01", 11, "1952-01-01"),  # a real New Year's Day
        ("1952-03-11", 11, "1952-03-11"),
        ("1952-03-01", 10, "1952-03"),
        ("1952-01-01", 10, "1952-01"),
        ("1952-01-01", 9, "1952"),
        ("1952-03-11", 9, "1952"),
        ("1952-01-01", 8, "1950s"),
        ("1900-01-01", 7, "19th century"),  # as Wikidata's pages count
        ("1901-01-01", 7, "20th century"),
        ("1850-01-01", 7, "19th century"),
        ("0100-01-01", 7, "1st century"),
        ("1101-01-01", 7, "12th century"),
        ("2050-01-01", 7, "21st century"),
        ("2000-01-01", 6, "2nd millennium"),
        ("2001-01-01", 6, "3rd millennium"),
        ("-0043-01-01", 9, "44 BCE"),
        ("-0043-03-01", 10, "March 44 BCE"),
        ("-0043-03-15", 11, "15 March 44 BCE"),
        ("-0043-01-01", 8, "40s BCE"),
        ("-0799-01-01", 7, "8th century BCE"),
        ("-0999-01-01", 6, "1st millennium BCE"),
        ("-409999999-01-01", 2, "about 410,000,000 BCE"),
        ("12000-01-01", 5, "about 12,000"),
    ],
)
def test_how_a_time_of_known_precision_is_shown(time, precision, shown):
    assert show(Value("time", f"{time}T00:00:00Z", precision=precision)) == shown


@given(st.dates())
def test_every_day_of_our_era_is_shown_as_itself(day):
    text = f"{day.isoformat()}T00:00:00Z"
    expected = str(day.year) if (day.month, day.day) == (1, 1) else day.isoformat()
    assert show(Value("time", text)) == expected


@given(st.dates(), st.integers(0, 10**11))
def test_every_day_before_our_era_is_one_year_off(day, year):
    text = f"-{year:04}-{day.month:02}-{day.day:02}T00:00:00Z"
    shown = show(Value("time", text))
    assert shown.endswith(f"{year + 1} BCE")
    if (day.month, day.day) != (1, 1):
        named = datetime.date(2000, day.month, day.day).strftime("%-d %B")
        assert shown == f"{named} {year + 1} BCE"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (Value("item", "Q42"), "Q42"),
        (Value("unknown", ""), "unknown value"),
        (Value("quantity", "+180"), "180"),
        (Value("quantity", "-1.5"), "-1.5"),
        (Value("quantity", "++1"), "+1"),
        (Value("text", "+49", "en"), "+49"),  # only quantities lose their plus
        (Value("string", "1770-01-01T00:00:00Z"), "1770-01-01T00:00:00Z"),  # only times are dates
        (Value("point", "Point(7.1 50.7)"), "Point(7.1 50.7)"),
        (Value("link", "https://example.org/a"), "https://example.org/a"),
    ],
)
def test_how_other_values_are_shown(value, shown):
    assert show(value) == shown


@settings(max_examples=60)
@given(
    st.sampled_from(["item", "time", "quantity", "text", "point", "unknown"]),
    st.text() | st.from_regex(r"-?\d+-\d\d-\d\d"),
)
def test_whatever_a_dump_says_can_be_shown(kind, text):
    assert isinstance(show(Value(kind, text)), str)


def test_the_examples_in_docstrings_are_true():
    packages = pkgutil.walk_packages(kgbuild.__path__, "kgbuild.")
    # The tasks of a release import Inspect, which only their users need.
    left_out = ("kgbuild.__main__", "kgbuild.export.inspect_tasks")
    modules = [importlib.import_module(p.name) for p in packages if p.name not in left_out]
    # The other modules are searched for examples in vain, which takes most of the time.
    shown = [module for module in modules if ">>>" in Path(module.__file__).read_text("utf-8")]
    results = {module.__name__: doctest.testmod(module) for module in shown}
    assert not {name: result for name, result in results.items() if result.failed}
    # If nothing was tried, nothing was tested.
    assert len(results) > 40 and all(result.attempted for result in results.values())


@pytest.mark.parametrize(
    ("value", "years"),
    [
        (Value("time", "1770-12-17T00:00:00Z"), (1770, 1770)),
        (Value("time", "1771-01-01T00:00:00Z"), (1771, 1771)),
        (Value("time", "1770-01-01T00:00:00Z"), (1761, 1779)),  # the 1770s, perhaps
        (Value("time", "1750-01-01T00:00:00Z"), (1651, 1849)),  # the 18th century, perhaps
        (Value("time", "1750-01-01T00:00:00Z", precision=11), (1750, 1750)),
        (Value("time", "1750-03-01T00:00:00Z", precision=7), (1651, 1849)),
        (Value("time", "-0043-03-15T00:00:00Z"), (-43, -43)),
        (Value("time", "about 1770"), None),
        (Value("item", "Q1770"), None),
    ],
)
def test_the_years_that_a_time_may_mean(value, years):
    assert wikidata.years(value) == years
