"""Items by their exact names, and first and last names by their hashes."""

from collections import defaultdict

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kgbuild.catalog import catalog
from kgbuild.graph.open import Store
from kgbuild.store.columns import Column
from kgbuild.store.text_hashes import hash_text, hash_texts

TEXTS = st.text() | st.sampled_from(["", "Ada Lee", "ada  LEE", 'Ada "Al" Lee', "Zoë", " ", "Æ"])


def column(texts: list[str]) -> Column:
    content = "".join(texts).encode()
    ends = np.cumsum([0, *(len(text.encode()) for text in texts)])
    keys = np.arange(1, len(texts) + 1)
    return Column(keys, ends, np.frombuffer(content, np.uint8))


def encodable(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


@given(st.lists(TEXTS.map(encodable), max_size=20))
def test_hashes_of_texts(texts: list[str]) -> None:
    rows = np.arange(len(texts))
    assert [*hash_texts(column(texts), rows)] == [*map(hash_text, texts)]


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
