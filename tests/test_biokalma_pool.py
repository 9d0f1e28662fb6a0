"""What a knowledge pool holds, and what it leaves out."""

from collections.abc import Callable

import pytest

from kgbuild.catalog import catalog
from kgbuild.datasets.biokalma.questions.lexicon import lexicon
from kgbuild.datasets.biokalma.sets.pool import Piece, Pools
from kgbuild.graph.open import Store
from kgbuild.rows import Evidence
from kgbuild.wikidata import Value
from tests.test_granola_profile import HUMAN, TIME, alias, item

XSD = "http://www.w3.org/2001/XMLSchema#"
DAY = TIME.format("1596-07-08")
NEW_YEAR = TIME.format("1654-01-01")

SILENT = [
    "wdt:P31 wd:Q10",  # what it is, its names and its sex tell nothing
    "wdt:P21 wd:Q10",
    "wdt:P735 wd:Q10",
    "wdt:P734 wd:Q10",
    "wdt:P910 wd:Q10",
    "wdt:P19 _:somewhere",  # unknown values
    "wdt:P19 <http://www.wikidata.org/.well-known/genid/0a1b>",
    "wdt:P19 wd:Q999",  # nobody knows its name
    "wdt:P19 wd:Q14",  # nor can it be seen
    f'wdt:P2048 "+1.7"^^<{XSD}decimal>',  # of what unit?
    'wdt:P625 "Point(4 45)"^^<http://www.opengis.net/ont/geosparql#wktLiteral>',
    "wdt:P856 <http://example.org/>",
    'wdt:P1477 "Ann Mary Lee"@en',  # a name, again
    'wdt:P9999 "00-17"',  # an id: there are no words for the property
    'wdt:P9999 "a text"@en',
    'wdt:P19 "at sea"@en',
]
DATES = [
    ("1596-07-08", None, "1596-07-08"),
    ("1654-01-01", None, "1654"),  # a day that may be none
    ("1654-01-01", 11, "1654-01-01"),
    ("1654-03-01", 10, "1654-03"),
    ("1850-01-01", 8, "1850s"),
    ("1850-01-01", 7, "19th century"),
    ("-0043-03-15", None, "15 March 44 BCE"),
]
LABELS = [
    ("[NA]", "[NA]"),
    ("Q1, place of birth: Rome", "Q1, place of birth: Rome"),
    ("{value} <a|b> [c|d] (e|f|g)", "{value} <a|b> [c|d] (e|f|g)"),
    ('\\"Heroes\\"', '"Heroes"'),
    ("two\\nlines\\tand a tab", "two lines and a tab"),
    ("\\u200eLyon \\ufeff", "Lyon"),
    ("東京", "東京"),
    ("x" * 250, "x" * 250),
]


def person(number: int, *facts: str) -> str:
    return item(f"Q{number}", "Ann Lee", HUMAN, *facts)


def dated(number: int, day: str, precision: int | None) -> str:
    how = f'<urn:kgbuild:precision:P569> "{day}T00:00:00Z/{precision}"'
    return person(number, f"wdt:P569 {TIME.format(day)}", *([how] if precision else []))


WORLD = (
    item("Q10", "Lyon", None, alias("Lugdunum")),
    item("Q11", "Nice", None),
    item("Q12", "Springfield", None),
    item("Q13", "Springfield", None),
    item("Q14", " \\u200e ", None),
    item("Q20", "tailor", None),
    item("Q100", "baker", None),
    'wd:P9998 rdfs:label " shirt\\u00a0 number\\u200e"@en\n',
    person(1, "wdt:P19 wd:Q10", f"wdt:P569 {DAY}"),
    person(3, "wdt:P9999 wd:Q10"),
    person(4, "wdt:P19 wd:Q13", "wdt:P19 wd:Q12", "wdt:P20 wd:Q13"),
    person(
        5,
        f"wdt:P569 {NEW_YEAR}",
        f"wdt:P570 {NEW_YEAR}",
        '<urn:kgbuild:precision:P570> "1654-01-01T00:00:00Z/11"',
    ),
    person(
        6,
        f"wdt:P570 {DAY}",
        "wdt:P106 wd:Q100",
        "wdt:P106 wd:Q20",
        "wdt:P20 wd:Q10",
        f"wdt:P569 {NEW_YEAR}",
        f"wdt:P569 {DAY}",
    ),
    *(person(200 + n, fact, "wdt:P20 wd:Q11") for n, fact in enumerate(SILENT)),
    *(dated(300 + n, day, precision) for n, (day, precision, _) in enumerate(DATES)),
    *(
        item(f"Q{500 + n}", label, None) + person(400 + n, f"wdt:P19 wd:Q{500 + n}")
        for n, (label, _) in enumerate(LABELS)
    ),
)


@pytest.fixture(scope="module")
def pools(shared_store_of: Callable[..., Store]) -> Pools:
    """Return the pools of a store in which each person has something of its own."""
    return Pools(shared_store_of(*WORLD).knowledge(catalog().kinds))


def told(pools: Pools, number: int) -> list[tuple[str, str]]:
    return [(fact.pid, fact.value_text) for fact in pools.pieces(f"Q{number}")]


def test_pools_have_items_and_dates(pools: Pools) -> None:
    born, day = pools.pieces("Q1")
    assert born == Piece("Q1", "P19", Value("item", "Q10"), "Lyon")
    assert (born.value_qid, born.triple) == ("Q10", ("Q1", "P19", "Q10"))
    assert born.evidence == Evidence("Q1", "P19", "Q10")
    # A date is cited as one, but proved by what the store has.
    assert (day.value_text, day.value_qid) == ("1596-07-08", None)
    assert day.evidence == Evidence("Q1", "P569", "1596-07-08T00:00:00Z")


@pytest.mark.parametrize("number", range(len(SILENT)))
def test_pools_lack_uninformative_statements(pools: Pools, number: int) -> None:
    assert told(pools, 200 + number) == [("P20", "Nice")]


def test_pools_have_items_of_properties_without_words(pools: Pools) -> None:
    assert "P9999" not in lexicon().properties
    assert told(pools, 3) == [("P9999", "Lyon")]


def test_labels_of_properties(pools: Pools) -> None:
    assert pools.property_label("P9998") == "shirt number"  # without what is not seen
    assert pools.property_label("P19") == "place of birth"  # by relations.toml, not by the store
    assert pools.property_label("P9999") == "P9999"  # nobody knows it


def test_equal_citations_occur_once(pools: Pools) -> None:
    # Of two Springfields the smaller id stands for both; where somebody died is something else.
    found = [(fact.pid, fact.value_qid) for fact in pools.pieces("Q4")]
    assert found == [("P19", "Q12"), ("P20", "Q13")]


@pytest.mark.parametrize("number", range(len(DATES)))
def test_dates(pools: Pools, number: int) -> None:
    (fact,) = pools.pieces(f"Q{300 + number}")
    assert (fact.value_text, fact.value.precision) == (DATES[number][2], DATES[number][1])


def test_a_precision_is_that_of_its_property_alone(pools: Pools) -> None:
    assert told(pools, 5) == [("P569", "1654"), ("P570", "1654-01-01")]


def test_order_is_by_numbers(pools: Pools) -> None:
    assert told(pools, 6) == [
        ("P20", "Lyon"),
        ("P106", "tailor"),  # Q20, which is not before Q100 by its letters
        ("P106", "baker"),
        ("P569", "1596-07-08"),
        ("P569", "1654"),
        ("P570", "1596-07-08"),
    ]


@pytest.mark.parametrize("number", range(len(LABELS)))
def test_labels_lose_invisible_characters(pools: Pools, number: int) -> None:
    assert told(pools, 400 + number) == [("P19", LABELS[number][1])]


def test_unknown_items_have_an_empty_pool(pools: Pools) -> None:
    assert (pools.pieces("Q77"), pools.label("Q77")) == ((), "")


def test_a_value_may_have_other_spellings(pools: Pools) -> None:
    born, day = pools.pieces("Q1")
    assert pools.spellings(born) == ("Lugdunum",)
    assert pools.spellings(day) == ()
