"""The door to Oxigraph: terms that go in, values that come out, lines in their canonical form."""

from pathlib import Path

import pyoxigraph as ox
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgbuild.dump.filter import Filter, sift
from kgbuild.dump.reader import Block
from kgbuild.dump.scanning.scanner import Scanned
from kgbuild.errors import DamagedStoreError, WriteError
from kgbuild.store import oxigraph
from kgbuild.store.lines import canonical, name_blank_nodes
from kgbuild.store.oxigraph import StoreWriter, TripleStore
from kgbuild.wikidata import Value
from tests.conftest import triples

XSD = "http://www.w3.org/2001/XMLSchema#"
WKT = "http://www.opengis.net/ont/geosparql#wktLiteral"
UNKNOWN = "<http://www.wikidata.org/.well-known/genid/{}>"


def filled(path: Path, *texts: str) -> tuple[TripleStore, list[bytes], list[tuple[int, str]]]:
    """Fill a graph, one call of add a text.

    Return it, the canonical lines of what was added, and the places of what was refused.
    """
    writer = StoreWriter(path)
    added: list[bytes] = []
    bad: list[tuple[int, str]] = []
    for text in texts:
        scanned = scan(text)
        refused = writer.add(name_blank_nodes(scanned))
        bad += [(place, "by the scan") for place in scanned.bad[:, 0].tolist()]
        bad += [(int(scanned.indexes[n]), reason) for n, reason in refused]
        wrong = {n for n, _ in refused}
        good = [scanned.line(n).decode() for n in range(len(scanned.ends)) if n not in wrong]
        lines_of_graph = canonical(scan("".join(f"{line}\n" for line in good)))
        added += [lines_of_graph.line(n) for n in range(len(lines_of_graph.ends))]
    writer.close()
    return TripleStore(path), added, sorted(bad)


def scan(text: str) -> Scanned:
    """Scan a text, each line of which that is a triple is kept."""
    return sift(Block(1, text.encode(), frozenset()), Filter(everything=True).rules())


def lines(store: TripleStore) -> list[bytes]:
    found: list[bytes] = []
    store.lines(found.extend)
    return sorted(found)


VALUES = {
    "wd:Q5": Value("item", "Q5"),
    "wd:P26": Value("property", "P26"),
    "_:genid7": Value("unknown", ""),
    UNKNOWN.format("7f"): Value("unknown", ""),
    '"Brite"@de': Value("text", "Brite", "de"),
    '"brit"@en-gb': Value("text", "brit", "en-gb"),
    f'"1770-12-17T00:00:00Z"^^<{XSD}dateTime>': Value("time", "1770-12-17T00:00:00Z"),
    f'"-0043-01-01T00:00:00Z"^^<{XSD}dateTime>': Value("time", "-0043-01-01T00:00:00Z"),
    f'"0000-01-01T00:00:00Z"^^<{XSD}dateTime>': Value("time", "0000-01-01T00:00:00Z"),
    f'"-13798000000-01-01T00:00:00Z"^^<{XSD}dateTime>': Value(
        "time", "-13798000000-01-01T00:00:00Z"
    ),
    f'"1770-00-00T00:00:00Z"^^<{XSD}dateTime>': Value("time", "1770-00-00T00:00:00Z"),
    # Oxigraph keeps numbers as numbers: the plus that Wikidata writes is lost.
    f'"+1.75"^^<{XSD}decimal>': Value("quantity", "1.75"),
    f'"-1.75"^^<{XSD}decimal>': Value("quantity", "-1.75"),
    f'"+100000000000000000000000000000"^^<{XSD}decimal>': Value(
        "quantity", "+100000000000000000000000000000"
    ),
    f'"7"^^<{XSD}integer>': Value("quantity", "7"),
    f'"Point(7.1 50.7)"^^<{WKT}>': Value("point", "Point(7.1 50.7)"),
    f'"<http://www.wikidata.org/entity/Q405> Point(1 2)"^^<{WKT}>': Value(
        "point", "<http://www.wikidata.org/entity/Q405> Point(1 2)"
    ),
    '"113230702"': Value("string", "113230702"),
    '"<math/>"^^<http://www.w3.org/1998/Math/MathML>': Value("string", "<math/>"),
    "<https://example.org/a?b=c#d>": Value("link", "https://example.org/a?b=c#d"),
    "<http://www.wikidata.org/entity/L7-F1>": Value("link", "http://www.wikidata.org/entity/L7-F1"),
}


@pytest.mark.parametrize(("term", "value"), VALUES.items(), ids=list(VALUES))
def test_values_of_terms(tmp_path, term, value):
    store, _, bad = filled(tmp_path / "graph", triples(f"wd:Q1 wdt:P1 {term}"))
    assert bad == []
    assert store.select("values", subject="Q1", property="P1") == [(value,)]


def test_unbound_columns_are_none(tmp_path):
    store, _, _ = filled(tmp_path / "graph", triples("wd:Q1 wdt:P1 wd:Q2"))
    assert store.select("texts_of", entity=["Q1"], language="en") == [
        (Value("item", "Q1"), None, None)
    ]
    assert store.select("one_hop", item="Q1", language="en") == [
        ("out", "P1", Value("item", "Q2"), None)
    ]


TEXTS = [
    'quote " quote',
    "back\\slash",
    "{braces} ?variables $too",
    "two\nlines",
    "carriage\rreturn",
    '"@en } UNION { ?item ?p ?o } #',
    "'''\"\"\"",
    "<http://example.org/>",
    "\\u0041",
    "\x00\x01\x7f",
    "🦊",
    "",
]


@pytest.mark.parametrize("text", TEXTS)
def test_a_parameter_is_a_value_and_never_a_part_of_the_query(tmp_path, text):
    writer = StoreWriter(tmp_path / "graph")
    label = ox.Literal(text, language="en")
    writer.add(triples(f"wd:Q1 rdfs:label {label}").encode())
    writer.add(triples('wd:Q2 rdfs:label "other"@en').encode())
    writer.close()
    store = TripleStore(tmp_path / "graph")
    rows = store.select("entity_lookup", name=(text, "en"), language="en")
    assert [(qid, found) for qid, _, found, _, _ in rows] == [("Q1", text)]
    # Nothing has that language, so nothing but the label's own language would be a fault.
    assert store.select("texts_of", entity=["Q2"], language=text) == [
        (Value("item", "Q2"), None, None)
    ]


def test_a_name_without_a_language(tmp_path):
    # Possible with --all: a label that is a plain text.
    store, _, _ = filled(tmp_path / "graph", triples('wd:Q1 rdfs:label "plain"'))
    (row,) = store.select("entity_lookup", name=("plain", ""), language="en")
    assert row[:2] == ("Q1", "label")


def test_an_unknown_value_has_its_own_name_and_is_loaded_once(tmp_path):
    text = triples("wd:Q1 wdt:P1 _:a\nwd:Q1 wdt:P1 _:b") + triples("wd:Q1 wdt:P1 _:a.b-c")
    store, added, _ = filled(tmp_path / "graph", text, text)
    assert lines(store) == sorted(
        triples(f"wd:Q1 wdt:P1 {UNKNOWN.format(name)}").encode().rstrip()
        for name in ("a", "b", "a.b-c")
    )
    assert sorted(added) == sorted(lines(store) * 2)


def test_only_terms_that_are_blank_nodes_are_named(tmp_path):
    # A text may end in what looks like one.
    text = triples('wd:Q1 rdfs:label "a _:b . _:c"@en\n_:s wdt:P1 _:o\n_:s rdfs:label "_:x"@en')
    store, _, _ = filled(tmp_path / "graph", text.replace("_:o .", "_:o\t."))
    s, o = (UNKNOWN.format(name) for name in "so")
    assert lines(store) == sorted(
        triples(f'wd:Q1 rdfs:label "a _:b . _:c"@en\n{s} wdt:P1 {o}\n{s} rdfs:label "_:x"@en')
        .encode()
        .splitlines()
    )


def test_bad_lines_have_their_places(tmp_path):
    good = triples('wd:Q1 rdfs:label "one"@en\nwd:Q1 wdt:P1 _:x').splitlines(keepends=True)
    bad = ['<a b> <c> "d"@en .\n', triples("wd:Q1 wdt:P1 _:a{b"), '<http://a> "b" <http://c> .\n']
    text = "".join([bad[0], good[0], bad[1], good[1], bad[2]])
    store, added, faults = filled(tmp_path / "graph", text)
    assert [place for place, _ in faults] == [0, 2, 4]
    assert all(reason for _, reason in faults)
    assert sorted(added) == lines(store)
    assert len(store) == 2


def test_adding_an_empty_text(tmp_path):
    store, added, bad = filled(tmp_path / "graph", "", "junk\n")
    assert (len(store), added, [place for place, _ in bad]) == (0, [], [0])
    assert lines(store) == []


LITERALS = st.builds(
    ox.Literal,
    st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
    | st.text('_:. a"<>@^\\\n\r\t', max_size=12),  # what N-Triples are made of
    language=st.sampled_from(["en", "mul", "en-gb", "EN", "zh-Hans"]),
) | st.builds(
    ox.Literal,
    st.sampled_from(["1", "+1", "1.50", "x", "2000-01-01T00:00:00Z", "-0", "1e3", " 1 "]),
    datatype=st.sampled_from([f"{XSD}decimal", f"{XSD}dateTime", f"{XSD}integer", WKT]).map(
        ox.NamedNode
    ),
)


@settings(max_examples=30)
@given(st.lists(LITERALS, min_size=1, max_size=16))
def test_the_store_returns_the_added_triples(tmp_path_factory, literals):
    text = "".join(f"<http://a> <http://b> {literal} .\n" for literal in literals)
    path = tmp_path_factory.mktemp("store") / "graph"
    store, added, bad = filled(path, text)
    assert bad == []
    assert sorted(set(added)) == lines(store)


def test_every_letter_is_written_as_the_store_writes_it(tmp_path):
    # Which letters a canonical line escapes is a matter of the control characters.
    codes = [
        *(*range(0x100), 0x2028, 0x2029, 0xD7FF, 0xE000),
        *(0xFEFF, 0xFFFD, 0xFFFE, 0xFFFF, 0x10FFFF),
    ]
    literals = [ox.Literal(f"a{chr(code)}b", language="en") for code in codes]
    raw = [f'"a{chr(code)}b"@en' for code in codes if chr(code) not in '"\\\n\r']
    text = "".join(f"<http://a> <http://b> {x} .\n" for x in [*literals, *raw])
    store, added, bad = filled(tmp_path / "graph", text)
    assert bad == []
    found = lines(store)
    assert sorted(set(added)) == found
    assert len(found) == len(codes)


def test_the_lines_of_a_store_are_whole(sample):
    pieces: list[list[bytes]] = []
    sample.graph.lines(pieces.append)
    assert len(pieces) > 1  # the store gives them in pieces of any size; none may be cut
    found = [line for piece in pieces for line in piece]
    assert all(line.startswith(b"<") and line.endswith(b" .") for line in found)
    assert len(found) == len(set(found)) == len(sample.graph) == sample.manifest.triples


def test_a_store_that_is_none(tmp_path):
    for path in (tmp_path / "missing", tmp_path):
        with pytest.raises(DamagedStoreError) as caught:
            TripleStore(path)
        assert caught.value.path == path
    assert list(tmp_path.iterdir()) == []


def test_a_graph_that_is_being_filled_has_one_writer(tmp_path, monkeypatch):
    monkeypatch.setattr(oxigraph, "_WAITS", (0.01,))  # so that the test needn't wait
    writer = StoreWriter(tmp_path / "graph")
    with pytest.raises(WriteError):
        StoreWriter(tmp_path / "graph")
    writer.close()
    StoreWriter(tmp_path / "graph").close()
