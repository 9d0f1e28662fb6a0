"""Parse descriptions: people, nouns, a country, and nothing that is not true."""

from collections.abc import Callable, Iterator

import pytest

from kgbuild.catalog import catalog
from kgbuild.datasets.granola.levels.descriptions import Description
from kgbuild.datasets.granola.levels.places import Places
from kgbuild.graph.open import open_store
from tests.conftest import loaded, triples
from tests.test_granola_profile import COUNTRY, alias, item

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
TEXTS = {
    "band": "English rock band",
    "city": "city in Fairfax County, Virginia, United States",
    "hero": "fictional American detective",
    "mother": "American writer and playwright (1871–1942)",
    "retired": "the retired French association football player",
    "century": "19th-century German painter, poet and composer",
    "year": "1987 novel by Ann Lee",
    "northern": "Northern Irish actor",
    "southern": "Southern German politician",
    "three words": "Trinidadian and Tobagonian sprinter",
    "born": "German-born American physicist",
    "two countries": "company in France, Germany",
    "both": "French company in Germany",
    "state": "city in Georgia",
    "code": "college in Claremont, CA",
    "abroad": "French film director from France",
    "county": "county in Virginia, United States",
    "two states": "river in Virginia and in Ohio, United States",
    "borough": "borough of New York City, New York, United States",
    "capital": "federal district that holds the capital, Washington",
    "county of Washington": "city in King County, Washington",
    "plain": "painter",
    "alone": "American",
    "empty": " ",
    "none": None,
}
"""Descriptions by the names of the items that have them."""


@pytest.fixture(scope="module")
def read(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Read]:
    """Return a function that reads the description of the item of a name in ``TEXTS``."""
    names = {name: f"Q{n}" for n, name in enumerate(TEXTS, 1000)}
    said = [item(names[name], name, None, *_about(text)) for name, text in TEXTS.items()]
    with open_store(
        loaded(tmp_path_factory.mktemp("descriptions"), triples("".join((*COUNTRIES, *said))))
    ) as store:
        knowledge = store.knowledge(catalog().kinds)
        descriptions = Places(knowledge).descriptions
        yield lambda name: descriptions.read(names[name])


def _about(text: str | None) -> list[str]:
    return [] if text is None else [f'schema:description "{text}"@en']


@pytest.mark.parametrize(
    ("name", "people", "nouns", "places", "country"),
    [
        ("band", "English", ("rock band",), ("Q21",), "Q21"),
        ("city", None, ("city",), ("Q1370", "Q30"), "Q30"),
        ("county", None, ("county",), ("Q1370", "Q30"), "Q30"),
        ("two states", None, ("river",), ("Q1370", "Q1397", "Q30"), "Q30"),
        ("borough", None, ("borough",), ("Q60", "Q1384", "Q30"), "Q30"),
        ("capital", None, ("federal district",), (), None),
        ("county of Washington", None, ("city",), ("Q1223",), None),
        ("mother", "American", ("writer", "playwright"), ("Q30",), "Q30"),
        ("retired", "French", ("association football player",), ("Q142",), "Q142"),
        ("century", "German", ("painter", "poet", "composer"), ("Q183",), "Q183"),
        ("year", None, ("novel",), (), None),
        ("northern", "Northern Irish", ("actor",), ("Q26",), "Q26"),
        ("southern", "German", ("politician",), ("Q183",), "Q183"),
        ("three words", "Trinidadian and Tobagonian", ("sprinter",), ("Q754",), "Q754"),
        ("born", None, ("German-",), (), None),  # of which of both is not told
        ("two countries", None, ("company",), ("Q142", "Q183"), None),  # which of them?
        ("both", "French", ("company",), ("Q183",), None),
        ("state", None, ("city",), ("Q230",), None),  # it may be the one of the United States
        ("code", None, ("college",), (), None),  # California, not Canada
        ("abroad", "French", ("film director",), ("Q142", "Q142"), "Q142"),
        ("plain", None, ("painter",), (), None),
        ("alone", None, ("American",), (), None),  # what of it?
    ],
)
def test_parsed_descriptions(
    read: Read,
    name: str,
    people: str | None,
    nouns: tuple[str, ...],
    places: tuple[str, ...],
    country: str | None,
) -> None:
    assert read(name) == Description(TEXTS[name] or "", people, nouns, places, country)


@pytest.mark.parametrize("name", ["hero", "none"])
def test_descriptions_that_are_ignored(read: Read, name: str) -> None:
    assert read(name) is None


def test_a_description_of_nothing_but_spaces(read: Read) -> None:
    assert read("empty") in (None, Description(" ", None, (), (), None))
