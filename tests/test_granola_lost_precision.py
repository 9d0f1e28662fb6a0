"""How precise dates are that a dump has written as a 1 January, and what contradicts them."""

from contextlib import ExitStack

import pytest

from kgbuild.catalog import catalog
from kgbuild.datasets.granola.questions.lost_precision import LostPrecision, SafeDates
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
    ("more", "year", "precision"),
    [
        # No year has more than the others: the year is safe, and what it lies in.
        ({}, 1950, 9),
        ({}, 1960, 9),
        # One that is not round is never doubted.
        ({1953: 90}, 1953, None),
        # Round years have twice as many: as many are decades as years.
        (dict.fromkeys(range(1910, 2000, 10), 20), 1960, 8),
        (dict.fromkeys(range(1910, 2000, 10), 20), 1950, 8),
        # 1950 alone has ten times as many: they are of the century.
        ({1950: 100}, 1950, 7),
        ({1950: 100}, 1960, 9),
        # The century that 1900 names ends with it,
        ({1900: 200}, 1900, 7),
        # Of a year with nothing around it only the widest meaning is.
        ({1650: 1}, 1650, 7),
        ({1660: 1}, 1660, 8),
    ],
)
def test_the_finest_safe_precision_of_a_1_january(more, year, precision):
    value = january(EVEN | more).safe("Q1", date(year))
    assert value and value.precision == precision


def test_a_century_that_may_be_a_decade_is_not_safe():
    # 1900 ends one century, and begins another one as a decade.
    more = {**dict.fromkeys(range(1910, 2000, 10), 110), 1900: 200}
    assert january(EVEN | more).safe("Q1", date(1900)) is None


@pytest.mark.parametrize(
    "value",
    [
        date(1950, 9),  # a dump with precisions is believed
        date(1950, 7),
        date(1950, day="05-03"),
    ],
)
def test_what_is_precise_stays(value):
    assert january(EVEN | {1950: 100}).safe("Q1", value) == value


def test_groups_are_compared_with_themselves():
    # Ten organisations a year hide no excess of people, nor the other way round.
    times = {f"Q{n}": [date(1960)] for n in range(1, 21)}
    times |= {f"Q{n}": [date(1950 + n % 20)] for n in range(100, 300)}
    precision = LostPrecision(times, lambda qid: int(qid[1:]) < 100)
    safe = [precision.safe(qid, date(1960)) for qid in ("Q1", "Q100")]
    assert [value and value.precision for value in safe] == [8, 9]


def test_centuries_before_christ_are_round_as_people_count_them():
    # 100 BC is written -0099.
    value = january({}).safe("Q1", date(-99))
    assert value and value.precision == 7


def test_dates_of_an_item(make_store):
    with ExitStack() as stack:
        lines = (DATE.format("Q1", "P569", "1953-05-05"), "wd:Q1 wdt:P31 wd:Q5")
        knowledge = stack.enter_context(open_store(make_store(triples("\n".join(lines)))))
        dates = SafeDates(knowledge.knowledge(catalog().kinds), "P569")
        assert [value.text[:10] for value in dates.dates("Q1")] == ["1953-05-05"]
        with pytest.raises(Rejected, match="no date"):
            dates.dates("Q2")
