"""Items by their exact names, and first and last names by their hashes."""

from collections import defaultdict

from kgbuild.catalog import catalog
from kgbuild.graph.open import Store


def test_the_items_of_all_names(sample: Store) -> None:
    labels, names = sample.labels, sample.knowledge(catalog().kinds).names
    expected = defaultdict[str, list[str]](list)
    for qid in (f"Q{key}" for key in sample.columns().labels.keys.tolist() if key > 0):
        for name in {labels.label(qid), *labels.aliases(qid)}:
            expected[name].append(qid)
    assert len(expected) > 1000
    assert {name: [*names.items(name)] for name in expected} == expected
    assert max(map(len, expected.values())) > 1


def test_items_without_a_name_and_names_that_an_item_has_twice(store_of) -> None:
    names = ("Q2 rdfs:label", "Q2 skos:altLabel", "Q1 skos:altLabel", "P7 rdfs:label")
    store = store_of(*(f'wd:{name} "Ada"@en' for name in names))
    names = store.knowledge(catalog().kinds).names
    assert [*names.items("Ada")] == ["Q1", "Q2"]
    assert [*names.items("ada")] == [*names.items("")] == []
