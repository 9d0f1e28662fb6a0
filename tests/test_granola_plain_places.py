"""Plain places have the same facets in vectors as one by one, and unclear ones are left out."""

import itertools
from collections.abc import Callable, Iterable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgbuild.catalog import catalog
from kgbuild.datasets.granola.levels.classes import Facet
from kgbuild.datasets.granola.levels.places import PLACE
from kgbuild.datasets.granola.levels.profiles import Profiles
from kgbuild.datasets.granola.relation_facts import DATE, RelationFacts
from kgbuild.dump.filter import Filter
from kgbuild.graph.open import Store, open_store
from kgbuild.store.load import load
from kgbuild.wikidata import XSD
from tests.conftest import triples

WORLD = (
    "wd:Q1 wdt:P31 wd:Q515",  # a city
    "wd:Q515 wdt:P279 wd:Q486972",
    "wd:Q1 wdt:P131 wd:Q2",  # in a district,
    "wd:Q2 wdt:P31 wd:Q149621",
    "wd:Q2 wdt:P131 wd:Q3",  # in a state,
    "wd:Q3 wdt:P31 wd:Q107390",
    "wd:Q3 wdt:P17 wd:Q4",  # in a country,
    "wd:Q1 wdt:P17 wd:Q4",
    "wd:Q4 wdt:P31 wd:Q6256",
    "wd:Q4 wdt:P17 wd:Q4",  # which is its own,
    "wd:Q4 wdt:P30 wd:Q5",  # on a continent
)


def plain_facets(store: Store, items: Iterable[int]) -> dict[str, set[Facet]]:
    """Return the facets of the plain places among items, and compare them with their profiles."""
    profiles = Profiles(store.knowledge(catalog().kinds))
    plain = profiles.plain_places.among(np.array([*items], np.int32), lambda _: None)
    facets: dict[str, set[Facet]] = {
        qid: {(PLACE, qid)} for qid in map("Q{}".format, plain.items.tolist())
    }
    qids = [*facets]
    for facet, places in plain.holders.items():
        assert (np.diff(places) > 0).all()
        for place in places.tolist():
            facets[qids[place]].add(facet)
    for qid, when in itertools.product(facets, (None, (1000, 1000), (1950, 1960))):
        assert facets[qid] == {*profiles.profile(qid, when).facets}, qid
    return facets


@pytest.fixture
def read(make_store) -> Callable[..., dict[str, set[Facet]]]:
    def of(*lines: str) -> dict[str, set[Facet]]:
        with open_store(make_store(triples("\n".join(lines)))) as store:
            return plain_facets(store, range(1, 100))

    return of


def places_of(facets: Iterable[Facet]) -> set[str]:
    return {value for dimension, value in facets if dimension == PLACE}


def test_a_plain_place(read) -> None:
    results = read(*WORLD)
    assert {*results} == {"Q1", "Q2", "Q3"}  # not the country
    assert places_of(results["Q1"]) == {"Q1", "Q2", "Q3", "Q4", "Q5"}
    assert ("P31", "Q515") in results["Q1"]


UNCLEAR = {
    "of two countries, an area must confirm one": ["wd:Q1 wdt:P17 wd:Q6"],
    "a continent of its own comes first": ["wd:Q1 wdt:P30 wd:Q6"],
    "only some years were in a former state": [
        "wd:Q1 wdt:P131 wd:Q6",
        'wd:Q6 schema:description "former state"@en',
    ],
    "and so of areas": ["wd:Q2 wdt:P131 wd:Q6", 'wd:Q6 schema:description "former state"@en'],
    "a town is in one of two districts": ["wd:Q1 wdt:P131 wd:Q6", "wd:Q6 wdt:P31 wd:Q149621"],
    "a place in itself": ["wd:Q1 wdt:P131 wd:Q1"],
    "a country": ["wd:Q1 wdt:P31 wd:Q6256"],
    "a colony has no country around it": ["wd:Q1 wdt:P31 wd:Q133156"],
    "a person": ["wd:Q1 wdt:P31 wd:Q5"],
    "an occupation": ["wd:Q1 wdt:P106 wd:Q36180"],
    "one with its county": ["wd:Q1 wdt:P31 wd:Q3301053"],
    "an area that may be the city": ['wd:Q2 rdfs:label "Greater London"@en'],
    "two continents": ["wd:Q2 wdt:P30 wd:Q6", "wd:Q3 wdt:P30 wd:Q7"],
    "overseas": ['wd:Q1 schema:description "city in Hawaii"@en'],
}


@pytest.mark.parametrize("more", UNCLEAR.values(), ids=[*UNCLEAR])
def test_unclear_places_are_left_out(read, more: list[str]) -> None:
    assert "Q1" not in read(*WORLD, *more)


CLEAR = {
    "a nested area of another class": (["wd:Q1 wdt:P131 wd:Q3"], {"Q2", "Q3", "Q4", "Q5"}),
    "a second area": (["wd:Q1 wdt:P131 wd:Q6"], {"Q2", "Q3", "Q4", "Q5", "Q6"}),
    "a country that its class rules out": (
        [
            "wd:Q1 wdt:P31 wd:Q9",
            'wd:Q9 rdfs:label "municipality of Finland"@en',
            'wd:Q33 rdfs:label "Finland"@en',
        ],
        {"Q2", "Q3", "Q4", "Q5"},
    ),
    "a continent near it": (["wd:Q2 wdt:P30 wd:Q6"], {"Q2", "Q3", "Q4", "Q6"}),
    "of several continents of one area none": (["wd:Q4 wdt:P30 wd:Q6"], {"Q2", "Q3", "Q4"}),
    "a class of areas that contain nothing": (
        ["wd:Q1 wdt:P131 wd:Q6", "wd:Q6 wdt:P31 wd:Q1907114"],
        {"Q2", "Q3", "Q4", "Q5"},
    ),
    "an end of its own": (
        [f'wd:Q1 wdt:P576 "1955-05-05T00:00:00Z"^^<{XSD}dateTime>'],
        {"Q2", "Q3", "Q4", "Q5"},
    ),
}


@pytest.mark.parametrize(("more", "around"), CLEAR.values(), ids=[*CLEAR])
def test_clear_places(read, more: list[str], around: set[str]) -> None:
    assert places_of(read(*WORLD, *more)["Q1"]) == {"Q1", *around}


@pytest.mark.parametrize(
    ("more", "around"),
    [
        ([], {"Q142"}),
        (["wd:Q1 wdt:P17 wd:Q4"], {"Q4"}),  # a stated country is surer than a described one
    ],
)
def test_a_place_that_a_description_names(read, more: list[str], around: set[str]) -> None:
    france = ("wd:Q142 wdt:P31 wd:Q6256", 'wd:Q142 rdfs:label "France"@en')
    results = read(
        "wd:Q1 wdt:P31 wd:Q515", 'wd:Q1 schema:description "town in France"@en', *france, *more
    )
    assert places_of(results["Q1"]) == {"Q1", *around}


EDGES = st.lists(
    st.tuples(st.integers(1, 8), st.sampled_from(["P131", "P17", "P30"]), st.integers(1, 8)),
    max_size=12,
)
KINDS = st.dictionaries(
    st.integers(1, 8), st.sampled_from(["Q515", "Q6256", "Q107390", "Q149621", "Q48349"])
)


@settings(max_examples=40, deadline=None)
@given(EDGES, KINDS)
def test_places_of_random_graphs(tmp_path_factory, edges, kinds) -> None:
    lines = ["wd:Q9 wdt:P31 wd:Q515", "wd:Q9 wdt:P131 wd:Q8"]
    lines += [f"wd:Q{one} wdt:{pid} wd:Q{other}" for one, pid, other in edges]
    lines += [f"wd:Q{one} wdt:P31 wd:{kind}" for one, kind in kinds.items()]
    folder = tmp_path_factory.mktemp("edges")
    (folder / "all.nt").write_text(triples("\n".join(lines)))
    load([str(folder / "all.nt")], folder / "kg", Filter())
    with open_store(folder / "kg") as store:
        plain_facets(store, range(1, 10))


def test_places_of_a_dump(sample: Store) -> None:
    facts = RelationFacts(sample.knowledge(catalog().kinds))
    values = [
        facts.population(relation).values
        for relation in catalog().relations_of("granola")
        if relation.object_kinds != DATE
    ]
    assert len(plain_facets(sample, np.unique(np.concatenate(values)).tolist())) > 20
