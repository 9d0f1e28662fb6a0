"""The reader of names: forms of a name, items by their names, names in a text."""

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgbuild.catalog import catalog
from kgbuild.graph.open import open_store
from kgbuild.text.index import NameIndex
from kgbuild.text.linking import NameLinker
from kgbuild.text.names import edits, forms, is_near, likeness, parts
from kgbuild.text.words import split
from tests.conftest import load_text, triples

# California is an alias of a town in it, as lists of aliases were split at their commas; "Jr." and
# "Bruce" are such pieces of the aliases of people.
STORE = """
    wd:Q1 rdfs:label "California"@en
    wd:Q1 wdt:P31 wd:Q6256
    wd:Q2 rdfs:label "Mountain View"@en
    wd:Q2 skos:altLabel "California"@en
    wd:Q2 wdt:P131 wd:Q3
    wd:Q3 wdt:P131 wd:Q1
    wd:Q4 rdfs:label "James Madison"@en
    wd:Q4 wdt:P31 wd:Q5
    wd:Q4 skos:altLabel "Jr."@en
    wd:Q4 skos:altLabel "Bruce"@en
    wd:Q4 skos:altLabel "Bruce Madison"@en
    wd:Q4 skos:altLabel "Madison"@en
    wd:Q5001 rdfs:label "Ulm"@en
    wd:Q5002 rdfs:label "Olympique Ulm"@en
    wd:Q5002 skos:altLabel "Ulm"@en
    wd:Q6 rdfs:label "Casino"@en
    wd:Q6 wdt:P31 wd:Q11424
    wd:Q7 rdfs:label "2012"@en
    wd:Q7 wdt:P31 wd:Q11424
    wd:Q8 rdfs:label "country"@en
"""


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> Iterator[NameIndex]:
    with open_store(load_text(tmp_path_factory.mktemp("index"), triples(STORE))) as held:
        yield NameIndex(held.knowledge(catalog().kinds), held.names)


@pytest.mark.parametrize(
    ("name", "items"),
    [
        ("California", ["Q1"]),  # the town lies in it
        ("Ulm", ["Q5001", "Q5002"]),  # a label comes before an alias
        ("Madison", ["Q4"]),
        ("Jr.", []),
        ("Bruce Madison", ["Q4"]),
    ],
)
def test_aliases_that_are_no_names(index: NameIndex, name: str, items: list[str]) -> None:
    assert [*index.items(name)] == items


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("who directed casino", []),  # a common word in small letters
        ("Who directed Casino?", ["Casino"]),
        ("where is riviera casino", []),
        ("Where is Riviera Casino?", []),  # the store does not know this one
        ("What country hosted the 2012 Olympics?", []),
        ("what country is madison from", ["madison"]),
        ("What is Madison-Ulm?", []),
    ],
)
def test_names_are_whole(index: NameIndex, text: str, names: list[str]) -> None:
    read, linker = split(text), NameLinker(index)
    assert [name.text for name in linker.whole(read, linker.names(read))] == names


@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("J.R.R. Tolkien", "JRR Tolkien"),
        ("jrr tolkien", "J. R. R. tolkien"),
        ("AR Rahman", "A. R. Rahman"),
        ("Robert Downey Jr", "Robert Downey, Jr."),
        ("Yo Yo Ma", "Yo-Yo Ma"),
        ("Elizabeth the Second", "Elizabeth II"),
        ("Robert Deniro", "Robert De niro"),
        ("Simon & Garfunkel", "Simon and Garfunkel"),
        ("Kurt Goedel", "Kurt Godel"),
        ("Sinéad O’Connor", "Sinéad O'Connor"),
    ],
)
def test_forms(name: str, form: str) -> None:
    text = split(name)
    assert form in forms(name, text.words, text.is_cased)


@pytest.mark.parametrize(
    ("words", "name", "unlike"),
    [
        ("samuel jackson", "Samuel L. Jackson", 0),
        ("w r hearst", "William Randolph Hearst", 0),
        ("leo taylor", "Leonard Taylor", 1),
        ("john lenon", "John Lennon", 2),  # which sounds alike
        ("ronald regan", "Ronald Reagan", 3),
        ("fred herbert", "Frank Herbert", None),
        ("john williams", "John Williamson", None),
        ("taylor", "Elizabeth Taylor", 0),
        ("elizabeth", "Elizabeth Taylor", None),
    ],
)
def test_likeness(words: str, name: str, unlike: int | None) -> None:
    assert likeness(words.split(), parts(name)) == unlike


WORDS = st.text("abcdefkopqyz", max_size=8)


@given(WORDS, WORDS, WORDS)
def test_edits_are_a_distance(one: str, two: str, three: str) -> None:
    assert edits(one, two) == edits(two, one)
    assert (edits(one, two) == 0) == (one == two)
    # A swap of two letters counts once, so the triangle holds only up to a factor.
    assert edits(one, three) <= 2 * (edits(one, two) + edits(two, three))


@given(WORDS.filter(bool), WORDS.filter(bool))
def test_nearness_is_mutual(one: str, two: str) -> None:
    assert is_near(one, two) == is_near(two, one)
