"""How precise dates are that a dump has written as a 1 January, and what contradicts them."""

from contextlib import ExitStack

import pytest

from kgbuild.catalog import catalog
from kgbuild.datasets.granola.questions.date_bounds import SafeDates
from kgbuild.datasets.granola.questions.lost_precision import LostPrecision
from kgbuild.graph.open import open_store
from kgbuild.rows import Rejected
from kgbuild.wikidata import Value
from tests.conftest import triples

DATE = 'wd:{} wdt:{} "{}T00:00:00Z"^^<http://www.w3.org/2001/XMLSchema#dateTime>'


def date(year: int, precision: int | None = None, day: str = "01-01") -> Value:
    minus = "-" if year < 0 else ""
    return Value("time", f"{minus}{abs(year):04}-{day}T00:00:00Z", precision=precision)


def january(counts: dict[int, int]) -> LostPrecision:
    """Return the precisions where as many items as ``counts`` says have the 1 January of a year."""
    dates = [date(year) for year, count in counts.items() for _ in range(count)]
    return LostPrecision({f"Q{n}": [value] for n, value in enumerate(dates, 1)}, lambda _: None)


EVEN = dict.fromkeys(range(1900, 2000), 10)
"""Ten in every year of a century."""


@pytest.mark.parametrize(
    ("more", "year", "readings"),
    [
        # No year has more than the others: the year is safe, and what it lies in.
        ({}, 1950, [(9, 1950, 1950), (8, 1950, 1959), (7, 1901, 2000)]),
        ({}, 1960, [(9, 1960, 1960), (8, 1960, 1969)]),
        # One that is not round is never doubted.
        ({1953: 90}, 1953, [(None, 1953, 1953)]),
        # Round years have twice as many: as many are decades as years.
        (dict.fromkeys(range(1910, 2000, 10), 20), 1960, [(8, 1960, 1969)]),
        (dict.fromkeys(range(1910, 2000, 10), 20), 1950, [(8, 1950, 1959), (7, 1901, 2000)]),
        # 1950 alone has ten times as many: they are of the century.
        ({1950: 100}, 1950, [(7, 1901, 2000)]),
        ({1950: 100}, 1960, [(9, 1960, 1960), (8, 1960, 1969)]),
        # The century that 1900 names ends with it,
        ({1900: 200}, 1900, [(7, 1801, 1900)]),
        # but if as many may be of the decade, which begins another century, nothing is safe.
        ({**dict.fromkeys(range(1910, 2000, 10), 110), 1900: 200}, 1900, []),
        # Of a year with nothing around it only the widest meaning is.
        ({1650: 1}, 1650, [(7, 1601, 1700)]),
        ({1660: 1}, 1660, [(8, 1660, 1669)]),
    ],
)
def test_readings_of_a_1_january(more, year, readings):
    results = january(EVEN | more).readings("Q1", date(year))
    assert [(one.value.precision, one.first, one.last) for one in results] == readings


@pytest.mark.parametrize(
    ("value", "span"),
    [
        (date(1950, 9), (1950, 1950)),  # a dump with precisions is believed
        (date(1950, 7), (1851, 2049)),
        (date(1950, day="05-03"), (1950, 1950)),
    ],
)
def test_what_is_precise_stays(value, span):
    (reading,) = january(EVEN | {1950: 100}).readings("Q1", value)
    assert reading == (value, *span)


def test_groups_are_compared_with_themselves():
    # Ten organisations a year hide no excess of people, nor the other way round.
    times = {f"Q{n}": [date(1960)] for n in range(1, 21)}
    times |= {f"Q{n}": [date(1950 + n % 20)] for n in range(100, 300)}
    precision = LostPrecision(times, lambda qid: int(qid[1:]) < 100)
    assert [one.value.precision for one in precision.readings("Q1", date(1960))] == [8]
    assert [one.value.precision for one in precision.readings("Q100", date(1960))] == [9, 8]


def test_centuries_before_christ_are_round_as_people_count_them():
    # 100 BC is written -0099.
    (reading,) = january({}).readings("Q1", date(-99))
    assert reading.value.precision == 7


# Contradictions


@pytest.fixture
def safe(make_store):
    with ExitStack() as stack:

        def read(pid, *lines):
            folder = make_store(triples("\n".join((*lines, "wd:Q1 wdt:P31 wd:Q5"))))
            knowledge = stack.enter_context(open_store(folder)).knowledge(catalog().kinds)
            return SafeDates(knowledge, pid).dates("Q1")

        yield read


BORN = DATE.format("Q1", "P569", "1953-05-05")


@pytest.mark.parametrize(
    ("lines", "is_contradicted"),
    [
        ((), False),
        ((DATE.format("Q1", "P570", "1990-05-05"),), False),
        ((DATE.format("Q1", "P570", "1940-05-05"),), True),
        ((DATE.format("Q1", "P570", "2090-05-05"),), True),  # nobody grew so old
        # One of two dates that fits is enough,
        ((DATE.format("Q1", "P570", "1940-05-05"), DATE.format("Q1", "P570", "1990-05-05")), False),
        # and what may be decades away contradicts nothing.
        ((DATE.format("Q1", "P570", "1950-01-01"),), False),
        (("wd:Q2 wdt:P161 wd:Q1", DATE.format("Q2", "P577", "1949-05-05")), True),
        (("wd:Q2 wdt:P161 wd:Q1", DATE.format("Q2", "P577", "1959-05-05")), False),
        # Her child is born when she is nine, or ten.
        (("wd:Q1 wdt:P40 wd:Q2", DATE.format("Q2", "P569", "1962-05-05")), True),
        (("wd:Q1 wdt:P40 wd:Q2", DATE.format("Q2", "P569", "1963-05-05")), False),
        # Her school was closed before.
        (("wd:Q1 wdt:P69 wd:Q2", DATE.format("Q2", "P576", "1950-05-05")), True),
    ],
)
def test_other_statements_contradict_a_birth(safe, lines, is_contradicted):
    if is_contradicted:
        with pytest.raises(Rejected, match="contradicted"):
            safe("P569", BORN, *lines)
    else:
        assert [value.text[:10] for value in safe("P569", BORN, *lines)] == ["1953-05-05"]


def test_a_coarser_reading_that_nothing_contradicts(safe):
    # She acted in 1952, so she was not born in "2000", but in the 20th century.
    acted = ("wd:Q2 wdt:P161 wd:Q1", DATE.format("Q2", "P577", "1952-05-05"))
    (value,) = safe("P569", DATE.format("Q1", "P569", "2000-01-01"), *acted)
    assert value.precision == 7


def test_only_the_date_that_fits_stays(safe):
    died = DATE.format("Q1", "P570", "1940-05-05")
    dates = safe("P569", BORN, DATE.format("Q1", "P569", "1903-05-05"), died)
    assert [value.text[:10] for value in dates] == ["1903-05-05"]
