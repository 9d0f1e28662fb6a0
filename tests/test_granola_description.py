"""Parse descriptions: people, nouns, a country, and nothing that is not true."""

from collections.abc import Callable, Iterator

import pytest

from kgbuild.catalog import catalog
from kgbuild.datasets.granola.levels.descriptions import Description
from kgbuild.datasets.granola.levels.places import Places
from kgbuild.graph.open import open_store
from tests.conftest import load_text, triples
from tests.test_granola_profile import COUNTRY, about, alias, item

Read = Callable[[str], Description | None]

COUNTRIES = (
    item("Q30", "United States of America", COUNTRY, alias("United States"), alias("US")),
    item("Q145", "United Kingdom", COUNTRY, alias("UK")),
    item("Q142", "France", COUNTRY),
    item("Q230", "Georgia", COUNTRY),
    item("Q16", "Canada", COUNTRY, alias("CA")),
    item("Q183", "Germany", COUNTRY),
    # States and a city that are known by their labels.
    item("Q1370", "Virginia", "Q515"),
    item("Q1397", "Ohio", "Q515"),
    item("Q1223", "Washington", "Q515"),
    item("Q1384", "New York", "Q515"),
    item("Q60", "New York City", "Q515"),
    # A former state whose people were called the same, and which was called the same.
    item("Q43287", "German Empire", "Q3024240", alias("Germany")),
)
CASES = [
    ("English rock band", "English", "rock band", "Q21", "Q21"),
    ("city in Fairfax County, Virginia, United States", None, "city", "Q1370 Q30", "Q30"),
    ("county in Virginia, United States", None, "county", "Q1370 Q30", "Q30"),
    ("river in Virginia and in Ohio, United States", None, "river", "Q1370 Q1397 Q30", "Q30"),
    ("borough of New York City, New York, United States", None, "borough", "Q60 Q1384 Q30", "Q30"),
    ("federal district that holds the capital, Washington", None, "federal district", "", None),
    ("city in King County, Washington", None, "city", "Q1223", None),
    ("American writer and playwright (1871–1942)", "American", "writer|playwright", "Q30", "Q30"),
    (
        "the retired French association football player",
        "French",
        "association football player",
        "Q142",
        "Q142",
    ),
    (
        "19th-century German painter, poet and composer",
        "German",
        "painter|poet|composer",
        "Q183",
        "Q183",
    ),
    ("1987 novel by Ann Lee", None, "novel", "", None),
    ("Northern Irish actor", "Northern Irish", "actor", "Q26", "Q26"),
    ("Southern German politician", "German", "politician", "Q183", "Q183"),
    (
        "Trinidadian and Tobagonian sprinter",
        "Trinidadian and Tobagonian",
        "sprinter",
        "Q754",
        "Q754",
    ),
    ("German-born American physicist", None, "German-", "", None),  # of which of both is not told
    ("company in France, Germany", None, "company", "Q142 Q183", None),  # which of them?
    ("French company in Germany", "French", "company", "Q183", None),
    ("city in Georgia", None, "city", "Q230", None),  # or the one of the United States
    ("college in Claremont, CA", None, "college", "", None),  # California, not Canada
    ("French film director from France", "French", "film director", "Q142 Q142", "Q142"),
    ("city north-west of France", None, "city north-west", "", None),  # beside it
    ("town 5 km to the west of Italy, Germany", None, "town 5 km", "Q183 Q183", "Q183"),
    ("town in the north of Germany", None, "town", "Q183 Q183", "Q183"),
    ("painter", None, "painter", "", None),
    ("American", None, "American", "", None),  # what of it?
]
"""Descriptions, each with its people, nouns, places and country."""
HERO = "fictional American detective"


@pytest.fixture(scope="module")
def read(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Read]:
    """Return a function that reads the description of the item that has it."""
    texts = [*(text for text, *_ in CASES), HERO, " "]
    qids = {text: f"Q{n}" for n, text in enumerate(texts, 1000)}
    items = (item(qid, qid, None, about(text)) for text, qid in qids.items())
    text = triples("".join((*COUNTRIES, *items)))
    with open_store(load_text(tmp_path_factory.mktemp("descriptions"), text)) as store:
        descriptions = Places(store.knowledge(catalog().kinds)).descriptions
        yield lambda text: descriptions.read(qids.get(text, "Q999"))


@pytest.mark.parametrize(("text", "people", "nouns", "places", "country"), CASES)
def test_parsed_descriptions(
    read: Read, text: str, people: str | None, nouns: str, places: str, country: str | None
) -> None:
    expected = Description(text, people, (*nouns.split("|"),), (*places.split(),), country)
    assert read(text) == expected


@pytest.mark.parametrize("text", [HERO, "a text of nobody"])
def test_descriptions_that_are_ignored(read: Read, text: str) -> None:
    assert read(text) is None


def test_a_description_of_nothing_but_spaces(read: Read) -> None:
    assert read(" ") in (None, Description(" ", None, (), (), None))
