"""What can be asked of a slice: every key, what is wrong with it, what a list of items may be."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgbuild.dump.kinds import KINDS, USUAL_KINDS
from kgbuild.errors import SpecError, UnreadableDumpError, WrongCallError
from kgbuild.slice.spec import Spec, make_spec, read_items


def read(tmp_path: Path, text: str, **options: object) -> Spec:
    (tmp_path / "slice.toml").write_text(text, encoding="utf-8")
    return make_spec(options, tmp_path / "slice.toml")


def test_defaults():
    assert make_spec({}) == Spec()
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
    assert make_spec(made.keys) == made


def test_all_properties():
    assert make_spec({"property": ["all"]}).filter.properties is None
    assert make_spec({"property": ["P26"]}).filter.properties == ("P26",)


@pytest.mark.parametrize(
    ("text", "key", "part"),
    [
        ("instance_of = 'Q5'", "instance_of", "is it 'instance-of'?"),
        ("lang = 'x y'", "lang", "'x y' is not a language code"),
        ("lang = '.*'", "lang", "'.*' is not a language code"),
        ("property = 'Q5'", "property", "'Q5' is not the id of a property"),
        ("property = ['all', 'P5']", "property", "leaves nothing to add"),
        ("datatype = 'strin'", "datatype", "is it 'string'?"),
        ("instance-of = 'P31'", "instance-of", "'P31' is not the id of an item"),
        ("subclasses = true", "subclasses", "needs 'instance-of'"),
        ("datatype = 'time'\ninstance-of = 'Q5'", "datatype", "needs 'item' too"),
        ("lang = 'en_gb'", "lang", "is it 'en-gb'?"),
        ("hops = 1", "hops", "needs 'instance-of' or 'items'"),
        ("seed = 1", "seed", "needs 'sample'"),
        (r'items = "a\u0000b"', "items", "path of a file"),
        ('property = "P131072"', "property", "below P131072"),
    ],
)
def test_invalid_values(tmp_path, text, key, part):
    with pytest.raises(SpecError) as caught:
        read(tmp_path, text)
    assert caught.value.key == key
    assert part in caught.value.detail


def test_a_file_that_is_no_spec(tmp_path):
    with pytest.raises(SpecError, match=r"slice\.toml"):
        read(tmp_path, "lang = ")
    with pytest.raises(UnreadableDumpError):
        make_spec({}, tmp_path / "missing.toml")


@pytest.mark.parametrize(
    "value", ["[" * 2000 + "]" * 2000, "{a=" * 900 + "1" + "}" * 900, "9" * 5000]
)
def test_values_beyond_the_limits_of_python(tmp_path, value):
    with pytest.raises(SpecError) as caught:
        read(tmp_path, f"limit = {value}")
    assert caught.value.key == str(tmp_path / "slice.toml")


@pytest.mark.parametrize(
    "text",
    [
        "Q1\nQ2\n",
        "q1\r\nQ2",
        "\ufeff# mine\nQ1  # the universe\n\nQ2\tlife\n",
        "Q1,universe\nQ2;x",
        "http://www.wikidata.org/entity/Q1\n<http://www.wikidata.org/entity/Q2>",
        '"Q1","universe"\n"Q2","x"',
        "Q1,Q2",
        "Q1 Q2\n",
        "Q1; Q2 # both",
        "['Q1', 'Q2']",
        "item\nhttp://www.wikidata.org/entity/Q1\nhttp://www.wikidata.org/entity/Q2\n",
        '?item\t?itemLabel\n<http://www.wikidata.org/entity/Q1>\t"x"@en\nQ2\tQ in words',
        "# mine\n\nQID\nQ1\nQ2",
        '"item","itemLabel"\r\n"Q1","universe"\r\n"Q2","x"\r\n',
    ],
)
def test_lists_of_items(tmp_path, text):
    (tmp_path / "items").write_text(text, encoding="utf-8")
    assert read_items(str(tmp_path / "items")) == ["Q1", "Q2"]


@pytest.mark.parametrize(
    ("content", "line", "text"),
    [
        (b"Q1\nP5\n", 2, "P5"),
        (b"Q1\nitem", 2, "item"),
        (b"Douglas\nQ1", 1, "Douglas"),
        (b"item\n", 1, ""),
        (b"Q1\nQ1234567890", 2, "Q1234567890"),
        (b"", 1, ""),
        (b",Q1\n", 1, ",Q1"),
        (b"Q1\n;Q2", 2, ";Q2"),
        (b'Q1\n""\n', 2, '""'),
        (b"Q1\nQ0\n", 2, "Q0"),
        (b"Q1\nQ42,Q5x", 2, "Q5x"),
        (b"Q1 q2 <http://www.wikidata.org/entity/Q0> Q3", 1, "<http://www.wikidata.org/entity/Q0>"),
    ],
)
def test_lists_that_are_none(tmp_path, content, line, text):
    (tmp_path / "items").write_bytes(content)
    with pytest.raises(WrongCallError) as caught:
        read_items(str(tmp_path / "items"))
    told = f", line {line}: '{text}' is not the id of an item" if text else "names no item"
    assert told in str(caught.value)


def test_files_of_items_that_cannot_be_read(tmp_path):
    with pytest.raises(UnreadableDumpError):
        read_items(str(tmp_path / "missing"))
    (tmp_path / "items").write_bytes(b"Q1\n\xff")
    with pytest.raises(WrongCallError, match="no text in UTF-8"):
        read_items(str(tmp_path / "items"))


TEXTS = ("lang", "property", "datatype", "instance-of")
FLAGS = ("descriptions", "aliases", "subclasses")
NUMBERS = {"hops": (0, 10), "limit": (1, 10**9), "seed": (0, 2**63 - 1)}
GOOD = {
    # A value of each key; those that need another one have it.
    "lang": {"lang": ["en"]},
    "descriptions": {"descriptions": False},
    "aliases": {"aliases": False},
    "property": {"property": ["P26"]},
    "datatype": {"datatype": ["item"]},
    "instance-of": {"instance-of": ["Q5"]},
    "subclasses": {"subclasses": True, "instance-of": "Q5"},
    "items": {"items": "x"},
    "hops": {"hops": 1, "items": "x"},
    "limit": {"limit": 1},
    "sample": {"sample": 0.5},
    "seed": {"seed": 1, "sample": 0.5},
}
WRONG = {
    **{key: [1, 1.5, True, {}, [], "", [1], ["en", 1], [[]], None] for key in TEXTS},
    **{key: [0, 1, "true", "", [], {}, None] for key in FLAGS},
    **{
        key: ["1", 1.0, True, False, [1], {}, None, least - 1, most + 1]
        for key, (least, most) in NUMBERS.items()
    },
    "sample": ["0.5", True, [0.5], {}, None, 0, 0.0, -0.1, 1.0001, 2, float("nan"), float("inf")],
    "items": ["", 1, True, ["x"], [], {}, None],
}


def test_every_key_is_tried_here():
    assert {*GOOD} == {*WRONG} == {*Spec(items="x", limit=1, sample=1, instance_of=("Q5",)).keys}


@pytest.mark.parametrize(("key", "value"), [(key, value) for key in WRONG for value in WRONG[key]])
def test_wrong_types_and_ranges(key, value):
    assert make_spec(GOOD[key])
    with pytest.raises(SpecError) as caught:
        make_spec({**GOOD[key], key: value})
    assert caught.value.key == key
    assert caught.value.detail.startswith(("must be", "'"))


@pytest.mark.parametrize("key", NUMBERS)
def test_numbers_at_the_edges(key):
    for number in NUMBERS[key]:
        assert getattr(make_spec({**GOOD[key], key: number}), key) == number


@pytest.mark.parametrize("key", GOOD)
def test_the_nearest_key_is_named(key):
    for typed in (key[:-1], f"{key}s", key.upper()[0] + key[1:], key.replace("-", "")):
        if typed not in GOOD:
            with pytest.raises(SpecError, match=typed) as caught:
                make_spec({typed: 1})
            assert caught.value.detail == f"is unknown; is it '{key}'?"


@pytest.mark.parametrize("typed", ["", "\N{SNOWMAN}", "x" * 1000])
def test_a_key_like_none(typed):
    with pytest.raises(SpecError, match="is unknown; is it '"):
        make_spec({typed: 1})


IDS = st.integers(1, 999_999_999)
OPTIONS = st.fixed_dictionaries(
    {},
    optional={
        "lang": st.lists(st.sampled_from(["en", "DE", "pt-br", "zh-hant", "mul"]), min_size=1),
        "descriptions": st.booleans(),
        "aliases": st.booleans(),
        "property": st.just(["all"])
        | st.lists(st.builds("P{}".format, st.integers(1, 131_071)) | st.just("Usual"), min_size=1),
        "datatype": st.lists(st.sampled_from(KINDS), min_size=1),
        "instance-of": st.lists(st.builds("q{}".format, IDS), min_size=1),
        "subclasses": st.booleans(),
        "items": st.text(st.characters(exclude_characters="\0"), min_size=1),
        "hops": st.integers(0, 10),
        "limit": st.integers(1, 10**9),
        "sample": st.floats(0, 1, exclude_min=True),
        "seed": st.integers(0, 2**63 - 1),
    },
)


@settings(max_examples=100)
@given(OPTIONS)
def test_any_spec_comes_back_from_its_keys(options):
    needs = [
        ("subclasses", options.get("subclasses") and "instance-of" not in options),
        ("hops", options.get("hops") and not {"instance-of", "items"} & {*options}),
        ("seed", options.get("seed") and "sample" not in options),
        (
            "datatype",
            "item" not in options.get("datatype", ["item"])
            and ("instance-of" in options or options.get("hops")),
        ),
    ]
    if lacking := [key for key, lacks in needs if lacks]:
        with pytest.raises(SpecError) as caught:
            make_spec(options)
        assert caught.value.key in lacking
        return
    made = make_spec(options)
    assert make_spec(made.keys) == made
    assert make_spec(made.keys).keys == made.keys
    for key in {*options} - {*TEXTS}:
        assert made.keys[key] == options[key]


@pytest.mark.parametrize("key", GOOD)
def test_any_option_overrides_the_key_of_the_file(tmp_path, key):
    file = {
        "lang": "'fr'",
        "property": "'P1'",
        "datatype": "['string', 'item']",
        "instance-of": "'Q1'",
        "items": "'y'",
        "hops": 9,
        "limit": 9,
        "sample": 0.9,
        "seed": 9,
        **dict.fromkeys(FLAGS, "true"),
    }
    text = "".join(f"{name} = {value}\n" for name, value in file.items())
    plain, made = read(tmp_path, text), read(tmp_path, text, **GOOD[key])
    assert made.keys == {**plain.keys, **make_spec(GOOD[key]).keys, **_rest(plain, GOOD[key])}
    # An option is seen from where the command is called, a key from its file.
    assert made.items == ("x" if "items" in GOOD[key] else str(tmp_path / "y"))


def _rest(plain: Spec, options: dict[str, object]) -> dict[str, object]:
    return {key: value for key, value in plain.keys.items() if key not in options}


def test_where_the_items_of_a_file_are(tmp_path):
    assert read(tmp_path, "items = '/a/b'").items == "/a/b"
    assert read(tmp_path, "items = '../b'").items == str(tmp_path / "../b")


@pytest.mark.parametrize(
    "content",
    [b"lang = ", b"lang", b"lang = 'en'\nlang = 'de'", b"= 1", b"\xff", b"{}", b"lang = en"],
)
def test_files_that_are_no_toml(tmp_path, content):
    (tmp_path / "slice.toml").write_bytes(content)
    with pytest.raises(SpecError, match="is not TOML: ") as caught:
        make_spec({}, tmp_path / "slice.toml")
    assert caught.value.key == str(tmp_path / "slice.toml")


def test_tables_are_no_keys(tmp_path):
    with pytest.raises(SpecError, match="unknown"):
        read(tmp_path, "[slice]\nlang = 'en'")
    with pytest.raises(SpecError, match="a text or a list"):
        read(tmp_path, "[lang]\nen = true")
    assert read(tmp_path, "") == read(tmp_path, "# nothing") == Spec()
    with pytest.raises(UnreadableDumpError):
        make_spec({}, tmp_path)


@pytest.mark.parametrize("between", ["\u2028", "\x85", "\x0c", "\x1c", "\v"])
def test_text_after_an_id_is_ignored(tmp_path, between):
    (tmp_path / "items").write_text(f"Q1\ta name{between}of two parts\nQ2", encoding="utf-8")
    assert read_items(str(tmp_path / "items")) == ["Q1", "Q2"]
