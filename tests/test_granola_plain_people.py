"""People have the same facets in vectors as one by one, and what may be a person is left out."""

import itertools
from collections.abc import Callable, Iterable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgbuild.catalog import catalog
from kgbuild.datasets.granola.levels.classes import Facet
from kgbuild.datasets.granola.levels.item_answers import ItemAnswers
from kgbuild.datasets.granola.levels.profiles import Profiles
from kgbuild.datasets.granola.relation_facts import DATE, RelationFacts
from kgbuild.dump.filter import Filter
from kgbuild.graph.open import Store, open_store
from kgbuild.store.load import load
from tests.conftest import triples

HUMAN, CITY = "Q5", "Q515"
WRITER, PLAYWRIGHT, POLITICIAN = "Q36180", "Q214917", "Q82955"
BRITISH, AMERICAN, ENGLISH = "Q145", "Q30", "Q21"
WORLD = (
    f'wd:{WRITER} rdfs:label "writer"@en',
    f'wd:{PLAYWRIGHT} rdfs:label "playwright"@en',
    f"wd:{PLAYWRIGHT} wdt:P279 wd:{WRITER}",
    *(f"wd:Q{5000 + n} wdt:P106 wd:{PLAYWRIGHT}" for n in range(6)),
    *(f"wd:Q{5100 + n} wdt:P106 wd:{WRITER}" for n in range(9)),
    *(f"wd:{country} wdt:P31 wd:Q6256" for country in (BRITISH, AMERICAN, ENGLISH)),
    f'wd:{BRITISH} wdt:P1549 "British"@en',
    f"wd:{ENGLISH} wdt:P17 wd:{BRITISH}",
)
TEXTS = (
    "British writer",
    "English playwright and composer (born 1950)",
    "American-born British playwright",
    "fictional American writer",
    "36th president of the United States",
    "writer known for his British plays",
    "made up, ba fa ke ge",
)


def facets_of_people(store: Store, items: Iterable[int]) -> dict[str, set[Facet]]:
    """Return the facets of the people among items, and compare them with their profiles."""
    profiles = Profiles(store.knowledge(catalog().kinds))
    numbers = np.array([*items], np.int32)
    plain = profiles.plain_people.among(numbers, lambda _: None)
    facets: dict[str, set[Facet]] = {qid: set() for qid in map("Q{}".format, plain.items.tolist())}
    qids = [*facets]
    for facet, people in plain.holders.items():
        assert (np.diff(people) > 0).all()
        for person in people.tolist():
            facets[qids[person]].add(facet)
    for qid, when in itertools.product(facets, (None, (1950, 1960))):
        assert facets[qid] == {*profiles.profile(qid, when).facets}, qid
    places = profiles.plain_places.among(numbers, lambda _: None)
    assert not {*plain.items.tolist()} & {*places.items.tolist()}
    return facets


@pytest.fixture
def read(make_store) -> Callable[..., dict[str, set[Facet]]]:
    def of(*lines: str) -> dict[str, set[Facet]]:
        with open_store(make_store(triples("\n".join((*WORLD, *lines))))) as store:
            return facets_of_people(store, range(1, 100))

    return of


def text(qid: str, description: str) -> str:
    return f'wd:{qid} schema:description "{description}"@en'


def test_occupations_and_nationalities(read) -> None:
    results = read(
        *(f"wd:Q{n} wdt:P31 wd:{HUMAN}" for n in (6, 7, 8)),
        f"wd:Q6 wdt:P106 wd:{PLAYWRIGHT}",
        f"wd:Q6 wdt:P27 wd:{BRITISH}",
        text("Q7", "British playwright"),
    )
    both = {("P106", PLAYWRIGHT), ("P106", WRITER), ("people", "British")}
    assert results == {"Q6": both, "Q7": both, "Q8": set()}


def test_somebody_without_a_class(read) -> None:
    assert {*read(f"wd:Q6 wdt:P106 wd:{WRITER}", text("Q7", "British writer"))} == {"Q6"}


def test_what_is_no_person(read) -> None:
    assert not read(f"wd:Q6 wdt:P31 wd:{CITY}", f"wd:Q6 wdt:P106 wd:{WRITER}")


def values_of(*values: str) -> st.SearchStrategy[list[str]]:
    return st.lists(st.sampled_from(values), max_size=3, unique=True)


PERSON_LINES = st.fixed_dictionaries(
    {
        "P31": values_of(HUMAN, HUMAN, CITY),
        "P106": values_of(WRITER, PLAYWRIGHT, POLITICIAN, "Q999"),
        "P27": values_of(BRITISH, AMERICAN, ENGLISH, "Q999"),
        "text": st.sampled_from([None, *TEXTS]),
    }
)


@settings(max_examples=40, deadline=None)
@given(st.lists(PERSON_LINES, min_size=1, max_size=12))
def test_random_people(tmp_path_factory, people) -> None:
    lines = [*WORLD]
    for number, person in enumerate(people, 50):
        qid, description = f"Q{number}", person["text"]
        pids = ("P31", "P106", "P27")
        lines += [f"wd:{qid} wdt:{pid} wd:{value}" for pid in pids for value in person[pid]]
        lines += [text(qid, description)] if description else []
    folder = tmp_path_factory.mktemp("people")
    (folder / "all.nt").write_text(triples("\n".join(lines)))
    load([str(folder / "all.nt")], folder / "kg", Filter())
    with open_store(folder / "kg") as store:
        facets_of_people(store, range(1, 100))


def test_people_of_a_dump(sample: Store) -> None:
    facts = RelationFacts(sample.knowledge(catalog().kinds))
    values = [
        facts.population(relation).values
        for relation in catalog().relations_of("granola")
        if relation.object_kinds != DATE
    ]
    assert len(facets_of_people(sample, np.unique(np.concatenate(values)).tolist())) > 20


def test_counting_tells_how_far_it_is(sample: Store) -> None:
    knowledge = sample.knowledge(catalog().kinds)
    relation = catalog().relations["P26"]
    population = RelationFacts(knowledge).population(relation, [("Q515", None)])
    told: list[tuple[str, int, int]] = []
    ItemAnswers(relation, population, Profiles(knowledge), progress=lambda *step: told.append(step))
    steps, done, sizes = zip(*told, strict=True)
    assert {*steps} == {"counting the possible answers to P26"}
    assert {*sizes} == {len(population)} == {len(population.items())}
    assert [*done] == sorted(done)
    assert done[-1] == len(population) - 1  # the last item, which is no person, is read by itself
