"""From a name to items: folding, spellings, ranking, names that look alike; labels to show."""

import itertools
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kgbuild.english.normalize import fold
from kgbuild.errors import KgbuildError, WriteError
from kgbuild.graph.open import Store, open_store
from kgbuild.store.columns import Entries
from kgbuild.store.labels import QueriedLabels, lookup
from kgbuild.store.names import Names
from kgbuild.store.names_writer import NamesWriter
from tests.conftest import full_disk, load_text, triples


def write(path: Path, *batches: list[tuple[str, str]]) -> Names:
    """Write (name, language) pairs, one call of add each, and open them."""
    with closing(NamesWriter(path, path.parent)) as writer:
        for name, language in itertools.chain(*batches):
            content = np.frombuffer(name.encode(), np.uint8)
            one = np.ones(1, np.int64)
            writer.add(Entries("labels", language, one, one * len(content), content))
        writer.write("made up")
    return Names(path, "made up")


@pytest.fixture
def table(tmp_path: Path) -> Callable[..., Names]:
    """Return a function that makes a table of names, all English."""
    return lambda *names: write(tmp_path / "names", [(name, "en") for name in names])


def found(held: Store, name: str, language: str = "en") -> list[str]:
    return [match.qid for match in lookup(held.graph, held.names, name, language)]


@pytest.mark.parametrize(
    ("name", "folded"),
    [
        ("", ""),
        ("Beethoven", "beethoven"),
        ("  Édith \t  PIAF\n", "edith piaf"),
        ("Antonín Dvořák", "antonin dvorak"),
        ("E\u0301dith", "edith"),  # e and an accent, each a letter of its own
        ("STRASSE", "strasse"),
        ("Straße", "strasse"),
        ("Łódź", "łodz"),  # the stroke of ł is no accent
        ("ΠΛΆΤΩΝ", "πλατων"),
        ("Πλάτωνας", "πλατωνασ"),  # the last sigma is a sigma
        ("İstanbul", "istanbul"),
        ("ISTANBUL", "istanbul"),
        ("ﬁsh", "fish"),
        ("foo™", "footm"),
        ("ℋilbert", "hilbert"),
        ("Ⅷ", "viii"),
        ("Ｆｕｌｌ", "full"),
        ("東京", "東京"),
        ("a\u00a0b\u2003c", "a b c"),
        ("\u00b4", ""),  # an accent alone
        ("\u0301", ""),
        ("ᾼ ᾳ", "αι αι"),  # an iota below is one beside in capitals
        ("a\x00b", "a\x00b"),
        ("\udcff", "?"),  # half a character, as a terminal may give
    ],
)
def test_fold(name, folded):
    assert fold(name) == folded


@settings(max_examples=100)
@given(st.text() | st.text("aÀİßſẞıϓʼnΐᾳ™ℌ①ﬃ\u0345\u0301 \u0131", max_size=6))
@example("ﬁ™")
@example("\u1fb3\u0345")
def test_fold_folds_no_further(name):
    assert fold(fold(name)) == fold(name)
    assert fold(name.upper()) == fold(fold(name).upper())
    assert fold(unicodedata.normalize("NFD", name)) == fold(name)
    assert fold(f" {name}\n") == fold(name)


def test_fold_folds_every_letter_no_further():
    for code in range(0x33000):  # all planes that hold letters
        folded = fold(chr(code))
        assert fold(folded) == folded, hex(code)


# Spellings


def test_spellings_are_those_that_fold_alike(table):
    names = table("Édith Piaf", "EDITH PIAF", "edith  piaf", "Edith Piaff", "Piaf")
    assert names.spellings("edith piaf") == [
        ("EDITH PIAF", "en"),
        ("edith  piaf", "en"),
        ("Édith Piaf", "en"),
    ]
    assert names.spellings("Piaf") == [("Piaf", "en")]
    assert names.spellings("edith") == []


def test_a_name_of_several_languages_is_several_spellings(tmp_path):
    names = write(tmp_path / "names", [("Berlin", code) for code in ("mul", "de", "en", "en")])
    assert names.spellings("BERLIN") == [("Berlin", "de"), ("Berlin", "en"), ("Berlin", "mul")]


def test_the_order_in_which_names_come_makes_no_difference(tmp_path):
    names = [(f"Name {n % 700}", code) for n in range(999) for code in ("en", "mul")]
    write(tmp_path / "a", names)
    write(tmp_path / "b", names[500:], names[600:0:-1], [], names[:1])
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    assert {path.name for path in tmp_path.iterdir()} == {"a", "b"}  # nothing else is left


def test_a_table_without_names(table):
    names = table()
    assert names.spellings("a") == []
    assert names.similar_names("beethoven") == []


@settings(max_examples=30)
@given(
    st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=8), max_size=8),
    st.text() | st.text('abc "*:()^-+{}\x00', max_size=12),
)
def test_every_name_matches_itself_and_its_capitals(tmp_path_factory, names, other):
    table = write(tmp_path_factory.mktemp("names") / "names", [(name, "en") for name in names])
    for name in names:
        assert (name, "en") in table.spellings(name)
        assert (name, "en") in table.spellings(unicodedata.normalize("NFD", name))
    for name in (*names, other):
        assert {*table.similar_names(name)} <= {*names}


def test_a_full_disk_is_reported(tmp_path):
    names = [(f"name {n}", "en") for n in range(9999)]
    with full_disk(50_000), pytest.raises(WriteError) as caught:
        write(tmp_path / "names", names)
    assert caught.value.path == tmp_path  # the folder of the temporary files is full


# Names that look alike

TOWN = ("Beethoven", "Bethlehem", "Beetlejuice", "Amsterdam", "Rotterdam", "Edam", "Bee")


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("Bethoven", ["Beethoven"]),
        ("BEETHOWEN", ["Beethoven"]),
        ("Beethovenn", ["Beethoven"]),
        ("ethoven", ["Beethoven"]),
        ("Amsterdamm", ["Amsterdam", "Rotterdam"]),  # the most alike first
        ("Xyzzy", []),
        ("Moscow", []),
        ("be", []),  # too short for a trigram
        ("b", []),
        ("", []),
    ],
)
def test_names_that_look_alike(table, name, near):
    assert table(*TOWN).similar_names(name) == near


def test_number_of_near_names(table):
    names = table(*(f"Beethoven {n}" for n in range(9)))
    assert len(names.similar_names("Beethoven")) == 5
    assert len(names.similar_names("Beethoven", limit=2)) == 2


def test_near_names_keep_their_spelling(table):
    # The trigrams are of folded names; ™ folds to two letters.
    names = table("Playstation™", "ﬁne ﬁsh")
    assert names.similar_names("Playstatiom") == ["Playstation™"]
    assert names.similar_names("fine fich") == ["ﬁne ﬁsh"]


def test_among_many_names_those_with_most_trigrams_are_compared(table):
    # More names than are compared share "the", one shares "zebra".
    names = table(*(f"the {n:05}" for n in range(3000)), "the zebra")
    assert names.similar_names("the zebro") == ["the zebra"]


def test_a_very_long_name_has_near_names_too(table):
    # Only its beginning is compared, with names of the maximum length.
    long = "".join(f"{chr(0x4E00 + n // 99)}{chr(0x5E00 + n % 99)}" for n in range(60_000))
    assert table(long[:250]).similar_names(long) == [long[:250]]


# Lookup


def test_order_of_matches(store_of):
    held = store_of(
        """
        wd:Q8 rdfs:label "Paris"@en
        wd:Q7 rdfs:label "Paris"@en
        wd:Q6 rdfs:label "Paris"@en
        wd:Q5 rdfs:label "x"@en
        wd:Q5 skos:altLabel "Paris"@en
        wd:Q4 rdfs:label "PARIS"@en
        wd:Q3 rdfs:label "y"@en
        wd:Q3 skos:altLabel "pâris"@en
        wd:Q10 rdfs:label "Parise"@en
        wd:Q20 wdt:P19 wd:Q8
        wd:Q20 wdt:P20 wd:Q3
        wd:Q21 wdt:P20 wd:Q3
        wd:Q20 wdt:P20 wd:Q5
        """
    )
    # As it is spelled: the one that is pointed to, then by number, then the alias, however
    # well connected; then other cases and accents.
    assert found(held, "Paris") == ["Q8", "Q6", "Q7", "Q5", "Q4", "Q3"]
    assert found(held, " Paris\n") == ["Q8", "Q6", "Q7", "Q5", "Q4", "Q3"]
    assert found(held, "PARIS") == ["Q4", "Q8", "Q6", "Q7", "Q3", "Q5"]
    assert found(held, "pâris") == ["Q3", "Q8", "Q4", "Q6", "Q7", "Q5"]
    # In none of the three spellings: labels, by links and number, then aliases by links.
    assert found(held, "pArIs") == ["Q8", "Q4", "Q6", "Q7", "Q3", "Q5"]


def test_fields_of_a_match(store_of):
    held = store_of(
        """
        wd:Q1 rdfs:label "Douglas Adams"@en
        wd:Q1 schema:description "English author"@en
        wd:Q1 skos:altLabel "DNA"@en
        wd:Q2 skos:altLabel "DNA"@en
        wd:Q3 wdt:P50 wd:Q1
        wd:Q3 wdt:P98 wd:Q1
        wd:Q4 wdt:P50 wd:Q1
        """
    )
    one, two = lookup(held.graph, held.names, "dna")
    # 2 links: they are counted by where they come from.
    assert one == ("Q1", "Douglas Adams", "English author", "alias", "DNA", 2)
    assert two == ("Q2", "Q2", "", "alias", "DNA", 0)  # no label: its id


def test_an_item_matches_once_by_its_best_name(store_of):
    held = store_of(
        """
        wd:Q1 rdfs:label "ABBA"@en
        wd:Q1 skos:altLabel "Abba"@en
        wd:Q1 skos:altLabel "ABBA"@en
        """
    )
    (match,) = lookup(held.graph, held.names, "Abba")
    assert (match.matched, match.name) == ("alias", "Abba")  # as it is spelled
    (match,) = lookup(held.graph, held.names, "ABBA")
    assert (match.matched, match.name) == ("label", "ABBA")  # both, but the label counts
    (match,) = lookup(held.graph, held.names, "abba")
    assert (match.matched, match.name) == ("label", "ABBA")


def test_properties_never_match(store_of):
    held = store_of('wd:P26 rdfs:label "spouse"@en\nwd:Q1 rdfs:label "one"@en')
    with pytest.raises(KgbuildError, match="No item is called") as caught:
        found(held, "spouse")
    assert "no name is similar" in str(caught.value)


def test_a_name_of_no_item(store_of):
    held = store_of('wd:Q1 rdfs:label "Beethoven"@en')
    with pytest.raises(KgbuildError, match="No item is called") as caught:
        found(held, "Bethoven")
    assert "called 'Bethoven'. Similar names: Beethoven." in str(caught.value)


def test_a_store_of_two_languages(store_of):
    held = store_of(
        """
        wd:Q1 rdfs:label "Vienna"@en
        wd:Q1 rdfs:label "Wien"@de
        wd:Q1 schema:description "capital of Austria"@en
        wd:Q1 schema:description "Hauptstadt Österreichs"@de
        wd:Q2 rdfs:label "Wien"@mul
        wd:Q3 rdfs:label "Wien"@fr
        """,
        languages=("de", "en"),
    )
    assert held.language == "de"
    assert found(held, "Vienna") == found(held, "vienna", "de") == ["Q1"]
    assert found(held, "Wien") == ["Q1", "Q2"]  # the French one was not kept
    german, _ = lookup(held.graph, held.names, "Wien", "de")
    assert german[:3] == ("Q1", "Wien", "Hauptstadt Österreichs")
    english, _ = lookup(held.graph, held.names, "Wien", "en")
    assert english[:3] == ("Q1", "Vienna", "capital of Austria")
    assert held.labels.label("Q1") == "Wien"
    assert QueriedLabels(held.graph, "en").label("Q1") == "Vienna"


ODD = [
    *('"', '""', "'", "*", "a*", "^abc", "abc:def", "folded:abc", "AND", "abc AND", "NOT abc"),
    *("NEAR(abc def, 2)", "(abc", "abc)", "{abc} +def", "abc -def", 'say "abc" "def'),
    *("a", "ab", "abc", "\x00", "abc\x00def", "🦊🦊🦊", "🦊", "東京都", "%_%"),
    *("'; DROP TABLE names; --", "\udcff\udcfe abc", "\ud83e", " \t\n ", "", "abc " * 50_000),
]


@pytest.fixture(scope="module")
def odd_store(tmp_path_factory) -> Iterator[Store]:
    text = 'wd:Q1 rdfs:label "abc def"@en\nwd:Q2 rdfs:label "tokyo \\"quoted\\" \\u0000"@en'
    with open_store(load_text(tmp_path_factory.mktemp("odd"), triples(text))) as held:
        yield held


def test_a_beginning_or_an_end_of_a_name_finds_its_item(odd_store):
    assert [found(odd_store, name) for name in ("abc", "\x00")] == [["Q1"], ["Q2"]]


@pytest.mark.parametrize(
    "name",
    [name for name in ODD if name.strip() and name not in ("abc", "\x00")],
    ids=lambda name: ascii(name[:20]),
)
def test_no_name_breaks_the_search(odd_store, name):
    with pytest.raises(KgbuildError, match="No item is called") as caught:
        found(odd_store, name)
    near = str(caught.value).rpartition(" Similar names: ")[2].removesuffix(".").split(", ")
    assert "no name is similar" in near[-1] or {*near} <= {"abc def", 'tokyo "quoted" \ufffd'}


@pytest.mark.parametrize("name", [name for name in ODD if name.isascii() and 2 < len(name) < 99])
def test_names_with_operators_of_the_search_match(table, name):
    names = table(name, "something else")
    assert (name, "en") in names.spellings(name)
    assert names.similar_names(f"{name}x") in ([name], [])
    assert names.similar_names(f"{name * 3}") in ([name], [])


# Labels to show


def test_labels_and_descriptions(store_of):
    held = store_of(
        """
        wd:Q1 rdfs:label "one"@en
        wd:Q1 schema:description "a number"@en
        wd:Q2 rdfs:label "colour"@en-gb
        wd:Q3 rdfs:label "Three"@mul
        wd:Q3 rdfs:label "colour"@en-gb
        wd:Q3 schema:description "britannic"@en-gb
        wd:Q4 skos:altLabel "four"@en
        wd:P26 rdfs:label "wedlock"@en
        """
    )
    known = held.labels
    assert [known.label(f"Q{n}") for n in range(1, 6)] == ["one", "colour", "Three", None, None]
    assert [known.description(f"Q{n}") for n in range(1, 6)] == ["a number", *[None] * 4]
    # The store's own label of a property counts; the usual ones are known without it.
    assert known.label("P26") == "wedlock"
    assert known.label("P40") == "child"
    assert known.label("P999999999") is None


def test_each_label_is_read_once(store_of):
    held = store_of('wd:Q1 rdfs:label "one"@en')
    asked: list[str] = []

    class Counted:
        def select(self, query: str, **params: object) -> list:
            asked.append(query)
            return held.graph.select(query, **params)  # type: ignore[arg-type]

    known = QueriedLabels(Counted())
    assert [known.label("Q1"), known.description("Q1"), known.label("Q1")] == ["one", None, "one"]
    assert [known.label("Q2"), known.label("Q2")] == [None, None]
    assert len(asked) == 2  # one for each item, though one of them is not there
