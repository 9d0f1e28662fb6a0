"""The years of many items in arrays are those of single items."""

from itertools import product

import numpy as np
import pytest

from kgbuild.graph.times import Times
from kgbuild.graph.years import year_spans
from kgbuild.wikidata import XSD

DAYS = ("1800-01-01", "1999-12-31", "-0043-03-15", "-13798000000-00-00", "no date")
STATEMENTS = dict(enumerate([*product(DAYS, repeat=2), *((day,) for day in DAYS)], 1))
"""Items with one time or with two."""


ITEMS = np.arange(1, 100, dtype=np.int32)


@pytest.mark.parametrize(
    "precisions",
    [
        {},
        {n: (days[0], 7) for n, days in STATEMENTS.items() if n % 2},  # of one of two times
        dict.fromkeys(STATEMENTS, ("2000-01-01", 9)),  # of no time
        {90: ("1800-01-01", 9)},  # of an item without times
    ],
)
def test_years_of_many_items(store_of, precisions) -> None:
    lines = [
        f'wd:Q{n} wdt:P569 "{day}T00:00:00Z"^^<{XSD}dateTime>'
        for n, days in STATEMENTS.items()
        for day in days
    ]
    lines += [
        f'wd:Q{n} <urn:kgbuild:precision:P569> "{day}T00:00:00Z/{code}"'
        for n, (day, code) in precisions.items()
    ]
    store = store_of(*lines)
    times, spans = Times(store.columns()), year_spans(store.columns(), "P569", ITEMS)
    expected = {n: times.years(f"Q{n}", "P569") for n in range(1, 100)}
    assert len([*filter(None, expected.values())]) > 20
    some = ITEMS[::3]
    of_some = year_spans(store.columns(), "P569", some)
    assert {*of_some.items} == {*some} & {*spans.items}
    assert [*map(list, of_some.of(some))] == [*map(list, spans.of(some))]
    rows = zip(*spans.of(ITEMS), strict=True)
    results = dict(enumerate(rows, 1))
    assert results == {
        n: (True, min(first for first, _ in years), max(last for _, last in years))
        if years
        else (False, 0, 0)
        for n, years in expected.items()
    }
    assert not any(year_spans(store.columns(), "P570", ITEMS).of(ITEMS)[0])
