"""The kinds of items, by their classes and superclasses, and the wholes that contain them."""

from hypothesis import given, settings
from hypothesis import strategies as st

from kgbuild.catalog import catalog
from kgbuild.graph.hierarchy import Kinds, Wholes
from kgbuild.graph.open import Store, open_store
from kgbuild.relations import Kind
from tests.conftest import load_text, triples

KINDS = {
    "person": Kind("person", classes=("Q5",)),
    "place": Kind("place", classes=("Q10", "Q20")),
    "words": Kind("words"),  # a kind without classes only words labels
}


def kinds_of(store: Store, *qids: str) -> list[list[str]]:
    kinds = Kinds(store.knowledge({}).statements, KINDS)
    return [kinds.names(qid) for qid in qids]


def test_by_class_and_by_subclass_over_any_number_of_steps(store_of):
    store = store_of(
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
    assert kinds_of(store, "Q1", "Q2", "Q3", "Q4") == [["person"]] * 3 + [["place"]]
    # What is above a kind's class is no such kind; nor is the class itself, nor what is not there.
    assert kinds_of(store, "Q6", "Q5", "Q999") == [[], [], []]


def test_an_item_may_be_of_several_kinds_in_the_order_of_the_file(store_of):
    store = store_of(
        """
        wd:Q1 wdt:P31 wd:Q10
        wd:Q1 wdt:P31 wd:Q20
        wd:Q1 wdt:P31 wd:Q5
        wd:Q2 wdt:P31 wd:Q30
        wd:Q30 wdt:P279 wd:Q20
        wd:Q30 wdt:P279 wd:Q5
        """
    )
    assert kinds_of(store, "Q1", "Q2") == [["person", "place"]] * 2


def test_circles_of_subclasses(store_of):
    # Wikidata has some.
    store = store_of(
        """
        wd:Q5 wdt:P279 wd:Q51
        wd:Q51 wdt:P279 wd:Q52
        wd:Q52 wdt:P279 wd:Q5
        wd:Q10 wdt:P279 wd:Q10
        wd:Q1 wdt:P31 wd:Q52
        wd:Q2 wdt:P31 wd:Q10
        """
    )
    assert kinds_of(store, "Q1", "Q2") == [["person"], ["place"]]


def test_classes_are_direct_and_are_items(store_of):
    store = store_of(
        """
        wd:Q1 wdt:P31 wd:Q5
        wd:Q1 wdt:P31 wd:Q51
        wd:Q1 wdt:P31 _:unknown
        wd:Q1 wdt:P31 wd:P7
        wd:Q51 wdt:P279 wd:Q52
        """
    )
    statements = store.knowledge({}).statements
    assert statements.values("Q1", "P31") == ("Q5", "Q51")
    assert statements.values("Q999", "P31") == ()


def test_the_subclasses_of_the_real_slice_are_those_of_a_path_query(real_store):
    # A second opinion: up from each class over every step, in plain Python.
    with open_store(real_store) as store:
        kinds = Kinds(store.knowledge({}).statements, catalog().kinds)
        above: dict[str, set[str]] = {}
        for subclass, superclass in store.graph.select("relation_pairs", property="P279"):
            above.setdefault(subclass, set()).add(superclass)
        keys = store.columns().labels.keys.tolist()
        for qid in [f"Q{key}" for key in keys if key > 0][::1000]:
            reached = set(store.knowledge({}).statements.values(qid, "P31"))
            while more := set().union(*(above.get(c, set()) for c in reached)) - reached:
                reached |= more
            expected = [k.name for k in catalog().kinds.values() if reached & set(k.classes)]
            assert kinds.names(qid) == expected


EDGES = st.lists(
    st.tuples(
        st.integers(1, 6), st.sampled_from(["P131", "P17", "P361", "P749", "P31", "P279", "P1"])
    ).flatmap(lambda edge: st.tuples(*map(st.just, edge), st.integers(1, 6))),
    min_size=1,
    max_size=16,
)


@settings(max_examples=10)
@given(EDGES)
def test_wholes_are_those_of_the_query(tmp_path_factory, edges):
    # Circles and all: the query is the definition.
    text = "\n".join(f"wd:Q{one} wdt:{pid} wd:Q{other}" for one, pid, other in edges)
    with open_store(load_text(tmp_path_factory.mktemp("wholes"), triples(text))) as store:
        wholes = Wholes(store.knowledge({}).statements)
        for qid in (f"Q{n}" for n in range(1, 8)):
            expected = {whole for (whole,) in store.graph.select("wholes", part=qid)}
            assert wholes.above(qid) == expected
