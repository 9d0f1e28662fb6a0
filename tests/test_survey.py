"""The fingerprint and the counts of a store: whichever way its triples came, and exact."""

import gzip
import hashlib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgbuild.dump.filter import Filter, sift
from kgbuild.dump.reader import Block
from kgbuild.dump.scanning.rules import Rules
from kgbuild.graph.open import open_store
from kgbuild.store import manifest
from kgbuild.store.fingerprint import Survey
from kgbuild.store.load import load
from kgbuild.store.manifest import Manifest
from tests.conftest import PREFIXES, data, triples

XSD = "http://www.w3.org/2001/XMLSchema#"
DUMP = triples(
    f"""
    wd:Q1 wdt:P31 wd:Q5
    wd:Q1 rdfs:label "Édith \\"Piaf\\" 🦊"@en
    wd:Q1 schema:description "a\\tb\\\\c\\nd"@en-gb
    wd:Q1 wdt:P569 "1915-12-19T00:00:00Z"^^<{XSD}dateTime>
    wd:Q1 wdt:P2048 "+1.47"^^<{XSD}decimal>
    wd:Q1 wdt:P570 _:genid1
    wd:Q1 rdf:type wdno:P26
    wd:Q2 wdt:P31 wd:Q5
    wd:Q2 wdt:P40 wd:Q1
    """
)


def made(folder: Path, *texts: str | bytes, **options: object) -> Manifest:
    """Load texts, each a file, into a store in a new folder, and return its manifest."""
    folder.mkdir()
    for n, text in enumerate(texts):
        raw = text if isinstance(text, bytes) else text.encode()
        (folder / f"{n}.nt").write_bytes(raw)
    paths = [str(folder / f"{n}.nt") for n in range(len(texts))]
    return load(paths, folder / "kg", Filter(**options))


def slow(store: Path) -> Survey:
    """Return the survey of what a finished store holds."""
    survey = Survey()
    rules = Filter(everything=True).rules()
    with open_store(store) as held:
        held.graph.lines(lambda lines: add(survey, lines, rules))
    return survey


def add(survey: Survey, lines: list[bytes], rules: Rules) -> None:
    """Add canonical lines to a survey, hashed one by one with ``hashlib``."""
    scanned = sift(Block(1, b"".join(line + b"\n" for line in lines), frozenset()), rules)
    survey.add(scanned._replace(canonical=np.zeros_like(scanned.canonical)))


def facts(survey: Survey | Manifest) -> tuple:
    return (
        survey.fingerprint,
        survey.triples,
        survey.items,
        list(survey.properties.items()),
        list(survey.classes.items()),
    )


def escaped(text: str) -> str:
    """Return a text with all that is no ASCII written as \\u and \\U."""
    return "".join(
        c if c < "\x80" else f"\\u{ord(c):04X}" if c < "\U00010000" else f"\\U{ord(c):08X}"
        for c in text
    )


LINES = DUMP.splitlines(keepends=True)
ROUTES = {
    "backwards": ["".join(reversed(LINES))],
    "two files": ["".join(LINES[:4]), "".join(LINES[4:])],
    "a line twice": [DUMP + LINES[0]],
    "another line twice": [DUMP + LINES[1]],
    "every line twice": [DUMP * 2],
    "a file twice": [DUMP, DUMP],
    "escapes": [escaped(DUMP)],
    "escapes and not": [DUMP + escaped(DUMP)],
    "small letters in escapes": [escaped(DUMP).replace("\\u00C9", "\\u00c9")],
    "needless escapes": [DUMP.replace("Piaf", "\\u0050i\\U00000061f")],
    "other spellings of a number": [DUMP.replace("+1.47", "1.470")],
    "compressed": [gzip.compress(DUMP.encode())],
    "line ends of Windows": [DUMP.replace("\n", "\r\n")],
    "spaces": [DUMP.replace("> <", ">  \t<").replace(" .\n", ".\n").replace("1.\n", "1 .\n")],
    "noise": [DUMP + triples('wd:Q1 wdt:P214 "1"\nwd:Q1 rdfs:label "x"@de') + "\n# comment\n"],
    "bad lines": ["junk\n" + "\n" * 200 + DUMP],
    "other names of unknown values": [DUMP.replace("_:genid1", "_:x-9.z")],
    "the other form of unknown values": [
        DUMP.replace("_:genid1", "<http://www.wikidata.org/.well-known/genid/ffee>")
    ],
}
OTHERS = {
    "a triple less": "".join(LINES[1:]),
    "a triple more": DUMP + triples("wd:Q2 wdt:P40 wd:Q3"),
    "another object": DUMP.replace("entity/Q5>", "entity/Q6>", 1),
    "another property": DUMP.replace("P40", "P22"),
    "another letter": DUMP.replace("Piaf", "piaf"),
    "another language": DUMP.replace("@en .", "@en-gb ."),
    "another datatype": DUMP.replace("decimal", "dateTime"),
    "another number": DUMP.replace("+1.47", "+1.48"),
    "a known value": DUMP.replace("_:genid1", f"<{PREFIXES['wd:']}Q1>"),
    "two unknown values": DUMP + triples("wd:Q1 wdt:P570 _:genid2"),
    "an unknown value elsewhere": DUMP.replace("P570", "P20"),
}


@pytest.fixture(scope="module")
def plain(tmp_path_factory) -> Manifest:
    """Return the manifest of the dump as it stands."""
    return made(tmp_path_factory.mktemp("plain") / "a", DUMP)


@pytest.mark.parametrize("route", ROUTES.values(), ids=ROUTES)
def test_the_same_content_has_the_same_fingerprint(tmp_path, plain, route):
    assert facts(made(tmp_path / "a", *route)) == facts(plain)
    assert facts(slow(tmp_path / "a" / "kg")) == facts(plain)


@pytest.mark.parametrize("text", OTHERS.values(), ids=OTHERS)
def test_other_content_has_another_fingerprint(tmp_path, plain, text):
    assert made(tmp_path / "a", text).fingerprint != plain.fingerprint


def test_the_fingerprint_never_changes(plain):
    # Datasets name the store that they were made of by its fingerprint.
    canonical = [line.rstrip() for line in LINES]
    canonical[4] = canonical[4].replace("+1.47", "1.47")
    canonical[5] = canonical[5].replace("_:genid1", "_:")
    digests = [hashlib.blake2b(line.encode(), digest_size=16).digest() for line in canonical]
    expected = sum(int.from_bytes(digest, "big") for digest in digests) % 2**128
    assert plain.fingerprint == f"{expected:032x}"


def test_properties_of_everything_have_no_names_either(tmp_path):
    # The stubs of properties are blank nodes too, as subjects.
    text = triples("wdno:P26 <http://www.w3.org/2002/07/owl#complementOf> _:x\n_:x rdf:type wd:Q5")
    one = made(tmp_path / "a", text, everything=True)
    other = made(tmp_path / "b", text.replace("_:x", "_:y"), everything=True)
    assert one.fingerprint == other.fingerprint
    assert one.triples == 2


def test_a_text_that_names_an_unknown_value_is_a_text(tmp_path):
    # Were a name looked for anywhere in a line, these two would be one.
    genid = "<http://www.wikidata.org/.well-known/genid/{}> ."
    one, other = (
        made(tmp_path / name, triples(f'wd:Q1 rdfs:label "see {genid.format(name)} "@en'))
        for name in ("a", "b")
    )
    assert one.fingerprint != other.fingerprint


def test_counts(tmp_path):
    made_of = made(
        tmp_path / "a",
        triples(
            """
            wd:Q1 wdt:P31 wd:Q5
            wd:Q2 wdt:P31 wd:Q5
            wd:Q2 wdt:P31 wd:Q10
            wd:Q3 wdt:P31 wd:Q9
            wd:Q3 wdt:P31 _:unknown
            wd:Q3 wdt:P40 wd:Q4
            wd:Q3 wdt:P9 wd:Q4
            wd:P26 wdt:P31 wd:Q5
            wd:Q2 rdfs:label "two"@en
            wd:Q123456789 rdfs:label "a late one"@en
            """
        ),
    )
    assert made_of.triples == 10
    assert made_of.items == 4  # Q1, Q2, Q3, Q123456789; Q4 is no subject, P26 no item
    # The most frequent first, ties by number: P9 before P40, and Q9 before Q10.
    assert list(made_of.properties.items()) == [("P31", 6), ("P9", 1), ("P40", 1)]
    # Q5 is the class of Q1, Q2 and P26; the unknown class is none.
    assert list(made_of.classes.items()) == [("Q5", 3), ("Q9", 1), ("Q10", 1)]


@settings(max_examples=30)
@given(st.lists(st.integers(1, 3_000_000) | st.integers(999_999_000, 999_999_999)))
def test_items_are_counted_exactly(numbers):
    survey = Survey()
    lines = [triples(f"wd:Q{n} wdt:P31 wd:Q5").encode().rstrip() for n in numbers]
    add(survey, lines, Filter().rules())
    assert survey.items == len(set(numbers))


def test_malformed_ids_are_not_counted(tmp_path):
    # All of this is possible only with --all.
    odd = """
        wd:Q0 wdt:P31 wd:Q5
        wd:Q007 wdt:P31 wd:Q5
        wd:Q7x wdt:P31 wd:Q5
        wd:Q wdt:P31 wd:L7-F1
        wd:Q9999999999999 wdt:P31 wd:Q5
        wd:Q1 wdt:P31x wd:Q5
        """
    made_of = made(tmp_path / "a", triples(odd), everything=True)
    assert (made_of.triples, made_of.items) == (6, 1)
    assert (made_of.properties, made_of.classes) == ({"P31": 5}, {})


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
CODES = st.sampled_from(["en", "mul", "en-gb", "en-US", "en-x-Q42"])


def literal(text: str, code: str) -> str:
    """Return a text as N-Triples want it: only four characters must be escaped."""
    escapes = {"\\": r"\\", '"': r"\"", "\n": r"\n", "\r": r"\r"}
    return '"' + "".join(escapes.get(c, c) for c in text) + f'"@{code}'


TRIPLES = st.lists(
    st.builds(
        "wd:Q{} {}".format,
        st.integers(1, 3),
        st.builds("rdfs:label {}".format, st.builds(literal, TEXTS, CODES))
        | st.builds("wdt:P{} wd:Q{}".format, st.integers(1, 3), st.integers(1, 3))
        | st.builds("wdt:P{} _:{}".format, st.integers(1, 3), st.sampled_from("ab"))
        | st.builds(
            'wdt:P{} "{}"^^<{}decimal>'.format,
            st.integers(1, 3),
            st.sampled_from(["+1", "1", "1.0", "-0", "x"]),
            st.just(XSD),
        ),
    ),
    min_size=1,
    max_size=6,
)


@settings(max_examples=12)
@given(TRIPLES, st.randoms(use_true_random=False))
def test_the_fast_way_on_the_way_in_agrees_with_the_finished_store(
    tmp_path_factory, shorthand, random
):
    lines = [escaped(line) if random.random() < 0.5 else line for line in map(line_of, shorthand)]
    folder = tmp_path_factory.mktemp("survey")
    fast = made(folder / "a", "".join(lines), everything=True)
    assert facts(fast) == facts(slow(folder / "a" / "kg"))
    random.shuffle(lines)
    again = made(folder / "b", "".join(lines[:2]), "#\n" + "".join(lines[1:]), everything=True)
    assert facts(again) == facts(fast)


def line_of(shorthand: str) -> str:
    subject, predicate, value = shorthand.split(" ", 2)
    return (
        triples(f"{subject} {predicate} wd:Q0").replace(f"<{PREFIXES['wd:']}Q0>", value, 1)
        if (value.startswith('"'))
        else triples(shorthand)
    )


@pytest.mark.parametrize(("everything", "triples"), [(False, 8_333), (True, 71_090)])
def test_the_real_99_items(tmp_path, everything, triples):
    # Of the 8,412 lines that are kept, and of all 71,174, some stand there twice.
    found = load(
        [str(data("kg/wikidata-99.truthy.nt.gz"))], tmp_path / "kg", Filter(everything=everything)
    )
    assert (found.triples, found.items) == (triples, 99)
    assert facts(found) == facts(slow(tmp_path / "kg"))


def test_the_real_slice(real_store):
    found = manifest.read(real_store)
    assert (found.triples, found.items) == (862_589, 118_120)
    assert found.fingerprint == "0c7892aaeaa7ff14f3e64a772e648b47"
