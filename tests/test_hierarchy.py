"""Of which kind an item is: by its classes and by what those are subclasses of."""

from contextlib import ExitStack

import pytest

from kgbuild.kg.hierarchy import Kinds
from kgbuild.kg.reading import Opened, opened
from kgbuild.relations import Kind, catalog
from tests.conftest import triples

KINDS = {
    "person": Kind("person", classes=("Q5",)),
    "place": Kind("place", classes=("Q10", "Q20")),
    "words": Kind("words"),  # a kind without classes only words labels
}


@pytest.fixture
def open_store(make_store):
    with ExitStack() as held:
        yield lambda text: held.enter_context(opened(make_store(triples(text))))


def kinds_of(held: Opened, *qids: str) -> list[list[str]]:
    kinds = Kinds(held.graph, KINDS)
    return [kinds.of(qid) for qid in qids]


def test_by_class_and_by_subclass_over_any_number_of_steps(open_store):
    held = open_store(
        """
        wd:Q1 wdt:P31 wd:Q5
        wd:Q2 wdt:P31 wd:Q51
        wd:Q3 wdt:P31 wd:Q52
        wd:Q4 wdt:P31 wd:Q20
        wd:Q6 wdt:P31 wd:Q99
        wd:Q51 wdt:P279 wd:Q5
        wd:Q52 wdt:P279 wd:Q51
        wd:Q52 wdt:P279 wd:Q98
        wd:Q5 wdt:P279 wd:Q99
        """
    )
    assert kinds_of(held, "Q1", "Q2", "Q3", "Q4") == [["person"]] * 3 + [["place"]]
    # What is above a kind's class is no such kind; nor is the class itself, nor what is not there.
    assert kinds_of(held, "Q6", "Q5", "Q999") == [[], [], []]


def test_an_item_may_be_of_several_kinds_in_the_order_of_the_file(open_store):
    held = open_store(
        """
        wd:Q1 wdt:P31 wd:Q10
        wd:Q1 wdt:P31 wd:Q20
        wd:Q1 wdt:P31 wd:Q5
        wd:Q2 wdt:P31 wd:Q30
        wd:Q30 wdt:P279 wd:Q20
        wd:Q30 wdt:P279 wd:Q5
        """
    )
    assert kinds_of(held, "Q1", "Q2") == [["person", "place"]] * 2


def test_circles_of_subclasses(open_store):
    # Wikidata has some.
    held = open_store(
        """
        wd:Q5 wdt:P279 wd:Q51
        wd:Q51 wdt:P279 wd:Q52
        wd:Q52 wdt:P279 wd:Q5
        wd:Q10 wdt:P279 wd:Q10
        wd:Q1 wdt:P31 wd:Q52
        wd:Q2 wdt:P31 wd:Q10
        """
    )
    assert kinds_of(held, "Q1", "Q2") == [["person"], ["place"]]


def test_a_store_without_subclasses(open_store):
    assert kinds_of(open_store("wd:Q1 wdt:P31 wd:Q5"), "Q1") == [["person"]]


def test_classes_are_direct_and_are_items(open_store):
    held = open_store(
        """
        wd:Q1 wdt:P31 wd:Q5
        wd:Q1 wdt:P31 wd:Q51
        wd:Q1 wdt:P31 _:unknown
        wd:Q1 wdt:P31 wd:P7
        wd:Q51 wdt:P279 wd:Q52
        """
    )
    kinds = Kinds(held.graph, KINDS)
    assert kinds.classes("Q1") == {"Q5", "Q51"}
    assert kinds.classes("Q999") == frozenset()


def test_each_item_is_read_once(open_store):
    held = open_store("wd:Q1 wdt:P31 wd:Q5")
    asked: list[str] = []

    class Counted:
        def select(self, query: str, **params: object) -> list:
            asked.append(query)
            return held.graph.select(query, **params)  # type: ignore[arg-type]

    kinds = Kinds(Counted(), KINDS)
    for _ in range(3):
        assert kinds.of("Q1") == ["person"]
        assert kinds.of("Q999") == []
    assert asked == ["relation_pairs", "values", "values"]


@pytest.mark.parametrize(("qid", "name"), [("Q255", "person"), ("Q64", "place"), ("Q16", "place")])
def test_items_of_the_sample(sample, qid, name):
    assert Kinds(sample.graph, catalog().kinds).of(qid)[0] == name


def test_the_subclasses_of_the_real_slice_are_those_of_a_path_query(real_store):
    # A second opinion: up from each class over every step, in plain Python.
    with opened(real_store) as held:
        kinds = Kinds(held.graph, catalog().kinds)
        above: dict[str, set[str]] = {}
        for subclass, superclass in held.graph.select("relation_pairs", property="P279"):
            above.setdefault(subclass, set()).add(superclass)
        for qid, _ in held.graph.select("relation_pairs", property="P31")[::1000]:
            reached = set(kinds.classes(qid))
            while more := set().union(*(above.get(c, set()) for c in reached)) - reached:
                reached |= more
            expected = [k.name for k in catalog().kinds.values() if reached & set(k.classes)]
            assert kinds.of(qid) == expected
