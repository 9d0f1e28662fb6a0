"""Recognise relations by their names and by the words of questions."""

import pytest

from kgbuild.catalog import catalog
from kgbuild.data_files import read_toml
from kgbuild.datasets.granola.files.relation_words import RelationWords
from kgbuild.datasets.granola.relation_facts import DATE
from kgbuild.graph.open import open_store
from tests.conftest import triples

STORED = (
    'wd:P19 rdfs:label "place of birth"@en\n'
    'wd:P19 skos:altLabel "cradle"@en\n'
    'wd:P40 rdfs:label "child"@en\n'
    'wd:P40 skos:altLabel "cradle"@en\n'
    'wd:P9999 rdfs:label "shoe size"@en\n'
)


@pytest.fixture(scope="module")
def words(tmp_path_factory, load_once):
    """The words of a store that has labels and aliases of properties."""
    dump = tmp_path_factory.mktemp("words") / "words.nt"
    dump.write_text(triples(STORED))
    with open_store(load_once(dump, "relation-words")) as store:
        yield RelationWords(store.knowledge(catalog().kinds).labels)


@pytest.mark.parametrize(
    ("text", "pids"),
    [
        ("P19", ["P19"]),
        ("p19", ["P19"]),
        ("http://www.wikidata.org/entity/P19", ["P19"]),
        ("Place of  birth", ["P19"]),
        ("birthplace", ["P19"]),  # relation_words.toml
        ("cradle", ["P19", "P40"]),  # an alias of two in the store
        ("country", ["P17"]),  # a label, before the alias of P495
        ("capital of", ["P1376"]),
        ("P9999", ["P9999"]),  # no words, but an id
        ("whyness", []),
        ("", []),
    ],
)
def test_relations_with_a_name(words, text, pids):
    assert [relation.pid for relation in words.named(text)] == pids


def test_a_relation_that_relations_toml_lacks(words):
    (relation,) = words.named("P9999")
    assert (relation.label, relation.subject_kinds, relation.object_kinds) == (
        "shoe size",
        ("thing",),
        ("thing",),
    )
    assert words.relations["P576"].object_kinds == DATE
    assert words.relations["P19"] is catalog().relations["P19"]


@pytest.mark.parametrize(
    ("text", "pid"),
    [
        ("Which place is the birthplace of", "P19"),
        ("Who directed", "P57"),  # "director", by its stem
        ("In what year did   come into being", "P571"),
        ("When did   first come out", "P577"),  # a template
        ("Who holds the copyright, by cradle", "P19"),
    ],
)
def test_words_of_a_question(words, text, pid):
    scores = words.scores(words.words(text))
    assert scores[pid] == max(scores.values())


@pytest.mark.parametrize("text", ["", "Who is the?", "\x00\x1b", '"', "zzzz", "NEAR(a b) OR *"])
def test_texts_without_words_of_relations(words, text):
    assert "P19" not in words.scores(words.words(text))


@pytest.mark.parametrize("word", ["director", "directors", "directing", "directed"])
def test_any_form_of_a_word(words, word):
    assert words.has("P57", word)
    assert not words.has("P19", word)


@pytest.mark.parametrize("word", ["NEAR", "é", "\udcff".encode("utf-8", "replace").decode()])
def test_words_are_no_queries(words, word):
    assert not words.has("P57", word)


def test_kinds_of_answers(words):
    assert words.answer_kinds("When was   born") == {"date"}
    assert "person" in words.answer_kinds("Who directed")
    assert words.answer_kinds("What is the religion of") == frozenset()


def test_the_data_file_names_kinds_and_properties():
    data = read_toml("datasets/granola/files/relation_words.toml")
    assert data["answers"].keys() <= {*catalog().kinds, "date"}
    assert all(pid[0] == "P" and pid[1:].isdigit() for pid in (*data["words"], *data["dates"]))
