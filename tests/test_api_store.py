"""Read a store and an endpoint from Python: both give the same results."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from kgbuild.errors import KgbuildError, MalformedIdError, WrongCallError
from kgbuild.graph.open import open_source
from kgbuild.graph.source import SharedValue, SimilarItem, Source
from kgbuild.graph.subgraph import Edge
from kgbuild.store.labels import Match
from kgbuild.wikidata import Value
from tests.conftest import SAMPLE
from tests.endpoints import serving


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serving(tmp_path_factory.mktemp("served") / "oxigraph", SAMPLE) as address:
        yield address


@pytest.fixture(scope="module", params=["store", "endpoint"])
def source(request: pytest.FixtureRequest, sample_store: Path) -> Iterator[Source]:
    endpoint = request.getfixturevalue("url") if request.param == "endpoint" else None
    with open_source(sample_store, endpoint) as opened:
        yield opened


def test_lookup_returns_the_items_of_a_name(source: Source) -> None:
    (match,) = source.lookup("marie curie")
    # Two statements have her as their value: Pierre's spouse and Irène's mother.
    assert match == Match("Q7186", "Marie Curie", match.description, "label", "Marie Curie", 2)
    assert "radioactivity" in match.description
    with pytest.raises(WrongCallError, match="'limit' must be a whole number from 1 to"):
        source.lookup("marie curie", limit=0)


def test_lookup_in_another_language(source: Source) -> None:
    (match,) = source.lookup("Marie Curie", language="fr")
    # The sample is loaded in English: there is no French description.
    assert (match.qid, match.description) == ("Q7186", "")


def test_a_name_that_no_item_has(source: Source) -> None:
    with pytest.raises(KgbuildError, match="No item is called"):
        source.lookup("Marie Curry Sausage")


def test_subgraph_returns_the_statements_around_an_item(source: Source) -> None:
    around = source.subgraph("Q7186")
    assert (around.qid, around.label, around.language) == ("Q7186", "Marie Curie", "en")
    assert around.total == len(around.edges)  # no property has more than 50 values
    married = Edge("out", "P26", "spouse", Value("item", "Q37463"), "Pierre Curie")
    assert married in around.edges
    assert source.subgraph("http://www.wikidata.org/entity/Q7186") == around


def test_a_limit_cuts_the_values_of_each_property(source: Source) -> None:
    around = source.subgraph("Q7186", limit=1)
    properties = [(edge.direction, edge.property) for edge in around.edges]
    assert len(properties) == len(set(properties)) < around.total


def test_similar_returns_the_items_that_share_most_values(source: Source) -> None:
    first, second = source.similar("Q255", k=2)
    # As test_similarity checks against the definition, property_overlap.rq: seven values each.
    assert (first.qid, first.label, first.overlap) == ("Q254", "Wolfgang Amadeus Mozart", 7)
    assert (second.qid, second.overlap) == ("Q1339", 7)
    assert len(first.shared) == 7
    # The rarest value comes first, the commonest last.
    assert first.shared[0] == SharedValue("P106", "occupation", "Q1259917", "violinist")
    assert first.shared[-1] == SharedValue("P21", "sex or gender", "Q6581097", "male")
    assert source.similar("Q255", min_overlap=8) == []


def test_similar_items_of_several_items(source: Source) -> None:
    # A composer and a city: of two kinds, which are compared by other properties.
    results = source.similar_to_each(["q64", "Q255", "Q64"], k=3)
    assert list(results) == ["Q64", "Q255"]
    assert results == {qid: source.similar(qid, k=3) for qid in results}
    assert all(isinstance(item, SimilarItem) for items in results.values() for item in items)


def test_bad_ids(source: Source) -> None:
    for ask in (source.similar, source.subgraph):
        with pytest.raises(MalformedIdError):
            ask("P31")
        with pytest.raises(WrongCallError, match="There is no statement of"):
            ask("Q999999999")


def test_an_item_of_no_kind_has_no_similar_items(source: Source) -> None:
    with pytest.raises(KgbuildError, match="Nothing is similar to") as caught:
        source.similar("Q6581097")  # male
    assert "Q6581097: " in str(caught.value)


def test_similar_items_need_no_compiler(sample_store: Path) -> None:
    # Start-up: none of these is needed to find similar items.
    code = (
        "import pathlib, sys; from kgbuild.graph.open import open_store\n"
        "with open_store(pathlib.Path(sys.argv[1])) as store: assert store.similar('Q255')\n"
        "heavy = {'duckdb', 'numba', 'rdflib', 'networkx', 'rich', 'spacy'}\n"
        "sys.exit(' '.join(heavy & set(sys.modules)) or 0)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(sample_store)], capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")
