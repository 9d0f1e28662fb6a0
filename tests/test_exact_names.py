"""Items by their exact names, and first and last names by their hashes."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgbuild.catalog import catalog
from kgbuild.datasets.granola.name_counts import NameCounts
from kgbuild.english.normalize import fold
from kgbuild.graph.exact_names import ExactNames
from kgbuild.graph.open import Store, open_store
from kgbuild.store.columns import Column
from kgbuild.store.text_hashes import hash_outer_words, hash_text, hash_texts
from kgbuild.wikidata import number
from tests.conftest import triples

TEXTS = st.text() | st.sampled_from(["", "Ada Lee", "ada  LEE", 'Ada "Al" Lee', "Zoë", " ", "Æ"])


def column(texts: list[str]) -> Column:
    content = "".join(texts).encode()
    ends = np.cumsum([0, *(len(text.encode()) for text in texts)])
    keys = np.arange(1, len(texts) + 1)
    return Column(keys, ends, np.frombuffer(content, np.uint8))


def encodable(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


@given(st.lists(TEXTS.map(encodable), max_size=20))
def test_hashes_of_texts_and_of_their_outer_words(texts: list[str]) -> None:
    rows = np.arange(len(texts))
    assert [*hash_texts(column(texts), rows)] == [*map(hash_text, texts)]
    words = [fold(text).split() for text in texts]
    first, last = hash_outer_words(column(texts), rows, fold)
    assert [*first] == [hash_text(parts[0]) if parts else 0 for parts in words]
    assert [*last] == [hash_text(parts[-1]) if parts else 0 for parts in words]


def test_people_by_first_and_last_name() -> None:
    labels = column(["Ada Lee", "ADA Løve", "Åda", "Bob Lee", '"Ada"'])
    counts = NameCounts(labels, np.array([1, 2, 3, 4, 9], np.int32), fold)  # 9 has no label
    assert counts.total == 4
    assert [counts.first_name(name) for name in ("ada", "bob", "lee")] == [3, 1, 0]
    assert [counts.last_name(name) for name in ("lee", "løve", "ada")] == [2, 1, 1]


@contextmanager
def opened(folder: Path) -> Iterator[Store]:
    with open_store(folder) as store:
        yield store


def test_the_items_of_a_name_are_those_of_the_query(sample: Store) -> None:
    labels, columns = sample.labels, sample.columns()
    names = ExactNames(columns)
    items = [f"Q{key}" for key in columns.labels.keys.tolist() if key > 0]
    texts = {name for qid in items for name in (labels.label(qid), *labels.aliases(qid)) if name}
    assert len(texts) > 1000
    expected: dict[str, set[str]] = {text: set() for text in texts}
    tagged = [(text, labels.language) for text in sorted(texts)]
    for name, qid in sample.graph.select("namesakes", name=tagged):
        expected[name.text].add(qid)
    for text, qids in expected.items():
        assert [*names.items(text)] == sorted(qids, key=number)
    assert max(map(len, expected.values())) > 1


@pytest.mark.parametrize("name", ["", "Nobody", "ada"])
def test_no_item_has_another_name(make_store, name: str) -> None:
    folder = make_store(triples('wd:Q2 rdfs:label "Ada"@en . wd:P7 rdfs:label "Nobody"@en'))
    with opened(folder) as store:
        names = store.knowledge(catalog().kinds).names
        assert [*names.items(name)] == []
        assert [*names.items("Ada")] == ["Q2"]


def test_a_name_that_is_label_and_alias_counts_once(make_store) -> None:
    names = (
        'wd:Q2 rdfs:label "Ada"@en',
        'wd:Q2 skos:altLabel "Ada"@en',
        'wd:Q1 skos:altLabel "Ada"@en',
    )
    with opened(make_store(triples(*names))) as store:
        assert [*ExactNames(store.columns()).items("Ada")] == ["Q1", "Q2"]
