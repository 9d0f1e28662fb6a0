"""The holders of properties, compared with their definition, holders.rq."""

from collections.abc import Iterator

import pytest

from kgbuild.catalog import catalog
from kgbuild.datasets.biokalma.holders import property_holders
from kgbuild.dump.filter import Filter
from kgbuild.graph.knowledge import Knowledge
from kgbuild.graph.open import open_store
from kgbuild.store.load import load
from tests.conftest import triples
from tests.test_biokalma_pool import DAY, NEW_YEAR, person

WORLD = (
    # Two values of a property count once, also if one is unknown or a text.
    person(1, "wdt:P19 wd:Q10", "wdt:P19 wd:Q11", f"wdt:P569 {DAY}", f"wdt:P569 {NEW_YEAR}"),
    person(2, "wdt:P19 wd:Q10", "wdt:P19 _:b", 'wdt:P19 "at sea"@en', f"wdt:P569 {DAY}"),
    person(3, 'wdt:P19 "on the road"@en', "wdt:P569 _:c"),
    person(4, 'wdt:P1477 "Ann"@en'),  # a property without items and times
    "wd:Q5 wdt:P19 wd:Q10\n",  # not an instance of the class
)


@pytest.fixture(scope="module")
def knowledge(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Knowledge]:
    folder = tmp_path_factory.mktemp("holders")
    (folder / "all.nt").write_text(triples("".join(WORLD)), encoding="utf-8")
    load([str(folder / "all.nt")], folder / "kg", Filter())
    with open_store(folder / "kg") as store:
        yield store.knowledge(catalog().kinds)


def test_holders_are_those_of_the_query(knowledge: Knowledge) -> None:
    queried = dict(knowledge.graph.select("holders", **{"class": "Q5"}))
    assert queried == {"P31": 4, "P19": 3, "P569": 3, "P1477": 1}
    del queried["P1477"]  # no answer cites its values
    assert property_holders(knowledge, "Q5") == queried


def test_a_class_without_instances_has_no_holders(knowledge: Knowledge) -> None:
    assert property_holders(knowledge, "Q999") == {}
