"""What can be asked of a slice: every key, what is wrong with it, what a list of items may be."""

from pathlib import Path

import pytest

from kgbuild.errors import ItemsFileError, SpecError, UnreadableDumpError
from kgbuild.kg.filter import USUAL_KINDS
from kgbuild.kg.spec import Spec, read_items, spec


def read(tmp_path: Path, text: str, **options: object) -> Spec:
    (tmp_path / "slice.toml").write_text(text, encoding="utf-8")
    return spec(options, tmp_path / "slice.toml")


def test_what_is_kept_if_nothing_is_asked_for():
    assert spec({}) == Spec()
    assert not Spec().selects
    assert Spec().filter.kinds == USUAL_KINDS
    usual = Spec().filter.properties
    assert usual is not None
    assert {"P26", "P40", "P106", "P31", "P279", "P131", "P17", "P569"} <= set(usual)
    assert "P214" not in usual


def test_every_key_and_back_again(tmp_path):
    made = read(
        tmp_path,
        """
        lang = ["de", "EN", "de"]
        descriptions = false
        aliases = false
        property = ["p26", "usual"]
        datatype = "item"
        instance-of = ["Q5", "http://www.wikidata.org/entity/Q6256"]
        subclasses = true
        items = "some.txt"
        hops = 2
        limit = 7
        sample = 0.5
        seed = 3
        """,
    )
    assert made == Spec(
        lang=("de", "en"),
        descriptions=False,
        aliases=False,
        properties=("P26", "usual"),
        datatype=("item",),
        instance_of=("Q5", "Q6256"),
        subclasses=True,
        items=str(tmp_path / "some.txt"),  # beside the file that names it
        hops=2,
        limit=7,
        sample=0.5,
        seed=3,
    )
    assert spec(made.keys) == made


def test_options_stand_above_the_file(tmp_path):
    made = read(tmp_path, 'lang = "de"\nhops = 1\ninstance-of = "Q5"', lang=["fr"])
    assert (made.lang, made.hops) == (("fr",), 1)


def test_all_properties():
    assert spec({"property": ["all"]}).filter.properties is None
    assert spec({"property": ["P26"]}).filter.properties == ("P26",)


@pytest.mark.parametrize(
    ("text", "key", "part"),
    [
        ("language = 'en'", "language", "is it 'lang'?"),
        ("instance_of = 'Q5'", "instance_of", "is it 'instance-of'?"),
        ("hop = 1", "hop", "is it 'hops'?"),
        ("lang = 1", "lang", "a text or a list"),
        ("lang = []", "lang", "a text or a list"),
        ("lang = ['en', 1]", "lang", "a text or a list"),
        ("lang = 'x y'", "lang", "'x y' is no code"),
        ("lang = '.*'", "lang", "'.*' is no code"),
        ("property = 'Q5'", "property", "'Q5' is no id of a property"),
        ("property = ['all', 'P5']", "property", "leaves nothing to add"),
        ("datatype = 'strin'", "datatype", "is it 'string'?"),
        ("instance-of = 'P31'", "instance-of", "'P31' is no id of an item"),
        ("instance-of = 'human'", "instance-of", "'human' is no id of an item"),
        ("subclasses = 1\ninstance-of = 'Q5'", "subclasses", "true or false"),
        ("subclasses = true", "subclasses", "needs 'instance-of'"),
        ("hops = 1", "hops", "needs 'instance-of' or 'items'"),
        ("hops = -1\nitems = 'x'", "hops", "from 0 to 10"),
        ("hops = true\nitems = 'x'", "hops", "from 0 to 10"),
        ("hops = 1.5\nitems = 'x'", "hops", "from 0 to 10"),
        ("limit = 0", "limit", "from 1 to"),
        ("limit = 'ten'", "limit", "from 1 to"),
        ("sample = 0", "sample", "above 0, at most 1"),
        ("sample = 1.5", "sample", "above 0, at most 1"),
        ("sample = nan", "sample", "above 0, at most 1"),
        ("seed = 1", "seed", "needs 'sample'"),
        ("items = 5", "items", "path of a file"),
    ],
)
def test_what_is_wrong(tmp_path, text, key, part):
    with pytest.raises(SpecError) as caught:
        read(tmp_path, text)
    assert caught.value.key == key
    assert part in caught.value.detail


def test_a_file_that_is_no_spec(tmp_path):
    with pytest.raises(SpecError, match=r"slice\.toml"):
        read(tmp_path, "lang = ")
    with pytest.raises(UnreadableDumpError):
        spec({}, tmp_path / "missing.toml")


@pytest.mark.parametrize(
    "text",
    [
        "Q1\nQ2\n",
        "q1\r\nQ2",
        "\ufeff# mine\nQ1  # the universe\n\nQ2\tlife\n",
        "Q1,universe\nQ2;x",
        "http://www.wikidata.org/entity/Q1\n<http://www.wikidata.org/entity/Q2>",
        '"Q1","universe"\n"Q2","x"',
    ],
)
def test_lists_of_items(tmp_path, text):
    (tmp_path / "items").write_text(text, encoding="utf-8")
    assert read_items(str(tmp_path / "items")) == ["Q1", "Q2"]


@pytest.mark.parametrize(
    ("content", "line", "text"),
    [
        (b"Q1\nP5\n", 2, "P5"),
        (b"item\nQ1", 1, "item"),
        (b"Q1\nQ1234567890", 2, "Q1234567890"),
        (b"# nothing\n\n", 1, ""),
        (b"", 1, ""),
        (b"Q1\n\xff", 1, "no text in UTF-8"),
    ],
)
def test_lists_that_are_none(tmp_path, content, line, text):
    (tmp_path / "items").write_bytes(content)
    with pytest.raises(ItemsFileError) as caught:
        read_items(str(tmp_path / "items"))
    assert (caught.value.line, caught.value.text) == (line, text)
    with pytest.raises(UnreadableDumpError):
        read_items(str(tmp_path / "missing"))
