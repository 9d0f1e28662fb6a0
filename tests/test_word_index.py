"""Rank names by the words that they share with a text."""

import pytest

from kgbuild.store.word_index import WordIndex

NAMES = (("a", "directed by"), ("a", "film director"), ("b", "film editor"), ("c", "by the river"))


@pytest.fixture(scope="module")
def index():
    return WordIndex(NAMES)


def test_the_best_name_of_a_key_counts(index):
    scores = index.scores(["film", "director"])
    assert sorted(scores, key=lambda key: -scores[key]) == ["a", "b"]
    assert index.scores(["director", "film", "film"]) == scores
    assert index.scores(["unheard"]) == index.scores([]) == {}


@pytest.mark.parametrize(
    ("word", "keys"),
    [("director", "a"), ("directors", "a"), ("directing", "a"), ("film", "ab"), ("by", "ac")],
)
def test_keys_with_a_word_in_any_form(index, word, keys):
    assert index.keys_with(word) == {*keys}


@pytest.mark.parametrize("word", ["OR", "NEAR", "é", "\udcff".encode("utf-8", "replace").decode()])
def test_words_are_no_queries(index, word):
    assert index.keys_with(word) == frozenset()
