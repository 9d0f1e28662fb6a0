"""The years of all rows of the index are those of the items' texts and times."""

from collections.abc import Callable

from kgbuild.graph.open import Store
from kgbuild.graph.years import BEGINS, NO_YEAR, described
from kgbuild.wikidata import XSD

TIMES = (
    *("1952-03-11", "1800-01-01", "-0043-03-15", "0000-01-01", "9999-12-31", "1999-00-00"),
    *("-13798000000-00-00", "12345-06-07", "1999-13-01", "1999-19-01", "1999-1-01", "+1952-03-11"),
)
DESCRIPTIONS = (
    *("French painter (1840-1916)", "1934 film", "painter of São Paulo", "(born ١٩٥٢)", "area 51"),
    *("ends with 19", "99 balloons", "actor (born 1970)", "Ā", ""),
)


def check(store: Store) -> None:
    """Check the years of all rows against the texts and times of their items."""
    knowledge = store.knowledge({})
    years = knowledge.begin_years()
    for row, item in enumerate(knowledge.postings.items.tolist()):
        qid = f"Q{item}"
        spans = [span for pid in BEGINS for span in knowledge.times.years(qid, pid)]
        stated = min((sum(span) // 2 for span in spans), default=NO_YEAR)
        begin = described(store.labels.description(qid)).begin
        assert int(years.stated[row]) == stated, qid
        assert int(years.own[row]) == (stated if begin is None else begin), qid


def test_the_years_of_the_sample(sample: Store) -> None:
    check(sample)


def test_unusual_times_and_descriptions(store_of: Callable[..., Store]) -> None:
    lines = []
    for n in range(len(TIMES) * len(DESCRIPTIONS)):
        time, description = TIMES[n % len(TIMES)], DESCRIPTIONS[n // len(TIMES)]
        lines += [
            f"wd:Q{n + 1} wdt:P31 wd:Q5000",
            f'wd:Q{n + 1} wdt:{BEGINS[n % 3]} "{time}T00:00:00Z"^^<{XSD}dateTime>',
            f'wd:Q{n + 1} schema:description "{description}"@en',
        ]
    lines += [f'wd:Q1 wdt:P571 "1700-05-05T00:00:00Z"^^<{XSD}dateTime>']  # the earliest counts
    check(store_of(*lines))
