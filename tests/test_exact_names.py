"""Items by their exact names, and first and last names by their hashes."""

from collections import defaultdict

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from kgbuild.datasets.granola.name_counts import NameCounts

from kgbuild.catalog import catalog
from kgbuild.english.normalize import fold
from kgbuild.graph.open import Store, open_store
from kgbuild.store.columns import Column
from kgbuild.store.text_hashes import (
    hash_folded,
    hash_outer_words,
    hash_text,
    hash_texts,
    hash_with_endings,
)
from tests.conftest import triples

TEXTS = st.text() | st.sampled_from(["", "Ada Lee", "ada  LEE", 'Ada "Al" Lee', "Zoë", " ", "Æ"])


def column(texts: list[str]) -> Column:
    content = "".join(texts).encode()
    ends = np.cumsum([0, *(len(text.encode()) for text in texts)])
    keys = np.arange(1, len(texts) + 1)
    return Column(keys, ends, np.frombuffer(content, np.uint8))


def encodable(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


@settings(deadline=None)  # the first call may compile
@given(st.lists(TEXTS.map(encodable), max_size=20))
def test_hashes_of_texts_and_of_their_outer_words(texts: list[str]) -> None:
    rows = np.arange(len(texts))
    assert [*hash_texts(column(texts), rows)] == [*map(hash_text, texts)]
    with_endings = hash_with_endings("Zoë", texts)
    assert [*with_endings] == [hash_text(f"Zoë{text}") for text in texts]
    words = [fold(text).split() for text in texts]
    assert [*hash_folded(column(texts), rows, fold)[0]] == [hash_text(fold(text)) for text in texts]
    first, last = hash_outer_words(column(texts), rows, fold)
    assert [*first] == [hash_text(parts[0]) if parts else 0 for parts in words]
    assert [*last] == [hash_text(parts[-1]) if parts else 0 for parts in words]


def test_people_by_first_and_last_name() -> None:
    labels = column(["Ada Lee", "ADA Løve", "Åda", "Bob Lee", '"Ada"'])
    counts = NameCounts(labels, np.array([1, 2, 3, 4, 9], np.int32), fold)  # 9 has no label
    assert counts.total == 4
    assert [counts.first_name(name) for name in ("ada", "bob", "lee")] == [3, 1, 0]
    assert [counts.last_name(name) for name in ("lee", "løve", "ada")] == [2, 1, 1]


def test_the_items_of_all_names(sample: Store) -> None:
    labels, names = sample.labels, sample.knowledge(catalog().kinds).names
    expected = defaultdict[str, list[str]](list)
    for qid in (f"Q{key}" for key in sample.columns().labels.keys.tolist() if key > 0):
        for name in {labels.label(qid), *labels.aliases(qid)}:
            expected[name].append(qid)
    assert len(expected) > 1000
    assert {name: [*names.items(name)] for name in expected} == expected
    assert max(map(len, expected.values())) > 1


def test_items_without_a_name_and_names_that_an_item_has_twice(make_store) -> None:
    names = ("Q2 rdfs:label", "Q2 skos:altLabel", "Q1 skos:altLabel", "P7 rdfs:label")
    lines = "\n".join(f'wd:{name} "Ada"@en' for name in names)
    with open_store(make_store(triples(lines))) as store:
        names = store.knowledge(catalog().kinds).names
        assert [*names.items("Ada")] == ["Q1", "Q2"]
        assert [*names.items("ada")] == [*names.items("")] == []


def test_items_by_a_name_with_one_of_some_endings(make_store) -> None:
    names = {"Q1": "Ada Lee", "Q2": "Ada Lee Jr.", "Q3": "Ada Lee, Jr.", "Q4": "Ada Lee II"}
    lines = "\n".join(f'wd:{qid} rdfs:label "{name}"@en' for qid, name in names.items())
    with open_store(make_store(triples(lines))) as store:
        exact = store.knowledge(catalog().kinds).names
        endings = (" Jr.", " Sr.", ", Jr.")
        assert [*exact.items_with_endings("Ada Lee", endings)] == ["Q2", "Q3"]
        assert [*exact.items_with_endings("Ada", endings)] == []
