"""The columns of a store have the same texts and times as the queries that define them."""

from itertools import product
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kgbuild.errors import DamagedStoreError
from kgbuild.graph.knowledge import MissingValues
from kgbuild.graph.open import Store, open_store
from kgbuild.graph.times import Times
from kgbuild.store.labels import QueriedLabels
from kgbuild.wikidata import XSD, Value
from tests.conftest import load_text, triples

ENTITIES = ("Q1", "Q2", "Q9", "Q10", "Q999999999", "P7", "P19")
NAMES = ("rdfs:label", "skos:altLabel", "schema:description")
TAGS = ("en", "mul", "en-gb", "en-ca", "EN", "de", "english")
HOSTILE = ("", 'a "b"', "a\\b", "a\nb", '"@en .', "Zürich", "Z")
TEXTS = st.text(max_size=6) | st.sampled_from(HOSTILE)
TIMES = ("1800-01-01", "1999-12-31", "-0043-03-15")


def quoted(text: str) -> str:
    """Return a text as the literal of a line."""
    escaped = (
        letter if letter.isprintable() and letter not in '"\\' else f"\\U{ord(letter):08X}"
        for letter in text
    )
    return f'"{"".join(escaped)}"'


names = st.builds(
    lambda entity, name, text, tag: f"wd:{entity} {name} {quoted(text)}@{tag}",
    *(st.sampled_from(ENTITIES), st.sampled_from(NAMES), TEXTS, st.sampled_from(TAGS)),
)
values = st.builds(
    lambda entity, pid, value: f"wd:{entity} {value.format(pid=pid)}",
    *(st.sampled_from(ENTITIES), st.sampled_from(["P569", "P570"])),
    st.sampled_from(
        [
            *(f'wdt:{{pid}} "{day}T00:00:00Z"^^<{XSD}dateTime>' for day in TIMES),
            *(
                f'<urn:kgbuild:precision:{{pid}}> "{day}T00:00:00Z/{code}"'
                for day, code in product(TIMES, (7, 9, 11))
            ),
            *("wdt:{pid} _:unknown", "rdf:type wdno:{pid}", "wdt:{pid} wd:Q5"),
            *('wdt:{pid} "1999"', f'wdt:{{pid}} "1"^^<{XSD}decimal>'),
        ]
    ),
)


def check_names(store: Store, entities: list[str]) -> None:
    """Check that labels, descriptions and aliases are those of the queries."""
    queried, stored = QueriedLabels(store.graph, store.language), store.labels
    queried.read(entities)
    for entity in entities:
        assert stored.label(entity) == queried.label(entity), entity
        assert stored.description(entity) == queried.description(entity), entity


def check_times(store: Store, pid: str) -> int:
    """Check that the times of a property are those of the queries; return their number."""
    times, select = Times(store.columns()), store.graph.select
    rows = {
        (qid, value._replace(precision=int(precision) if precision else None))
        for qid, value, precision in select("times", property=pid, precision=pid)
        if value.kind == "time"
    }
    assert {(qid, value) for qid, of in times.by_item(pid).items() for value in of} == rows
    for qid, of in times.by_item(pid).items():
        assert times.of(qid, pid) == of
    missing = MissingValues(store.columns())
    assert missing.unknown(pid) == {qid for (qid,) in select("unknown_values", property=pid)}
    assert missing.none(pid) == {qid for (qid,) in select("no_values", property=pid)}
    others = store.knowledge({}).others.items(pid).tolist()
    assert {f"Q{item}" for item in others} == {
        qid for (qid,) in select("other_values", property=pid)
    }
    return len(rows)


@settings(max_examples=10)
@given(st.lists(names | values, min_size=1, max_size=30), st.booleans())
@example(['wd:Q1 rdfs:label ""@en', 'wd:Q1 rdfs:label "one"@mul'], False)
@example(['wd:Q1 rdfs:label "b"@en-gb', 'wd:Q1 rdfs:label "c"@mul'], True)
def test_random_stores(tmp_path_factory, lines, is_repeated):
    with open_store(
        load_text(
            tmp_path_factory.mktemp("random"),
            triples("\n".join(lines * (1 + is_repeated))),
            everything=True,
        )
    ) as store:
        check_names(store, [*ENTITIES, "Q5"])
        queried = QueriedLabels(store.graph, "en")
        for entity in ENTITIES:
            assert store.labels.aliases(entity) == queried.aliases(entity)
        for pid in ("P569", "P570", "P571"):
            check_times(store, pid)


def test_the_real_slice(real_store: Path) -> None:
    with open_store(real_store) as store:
        keys = store.columns().labels.keys.tolist()
        entities = [f"Q{key}" if key > 0 else f"P{-key}" for key in keys]
        assert len(entities) > 50_000
        check_names(store, entities[::200])
        assert sum(check_times(store, pid) for pid in ("P570", "P577")) > 7_000
        read = QueriedLabels(store.graph, store.language).aliases
        for entity in entities[::500]:
            assert store.labels.aliases(entity) == read(entity)


def test_the_order_of_times_is_that_of_their_texts_and_precisions(store_of) -> None:
    time = '"1800-01-01T00:00:00Z"'
    lines = (
        f"wd:Q1 wdt:P569 {time}^^<http://www.w3.org/2001/XMLSchema#dateTime>",
        *(f'wd:Q1 <urn:kgbuild:precision:P569> {time[:-1]}/{code}"' for code in (9, 11)),
    )
    found = Times(store_of(*lines).columns()).of("Q1", "P569")
    assert found == tuple(Value("time", time.strip('"'), precision=code) for code in (9, 11))


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (lambda path: path.unlink(), "No such file or directory"),
        (lambda path: path.write_bytes(b""), "its header is damaged"),
        (lambda path: path.write_bytes(b"junk" * 2000), "its header is damaged"),
        (lambda path: path.write_bytes(b"{}".ljust(5000)), "its header is damaged"),
        (lambda path: path.write_bytes(path.read_bytes()[:-8]), "cut short"),
        (lambda path: path.write_bytes(path.read_bytes()[:4096]), "."),
        (lambda path: path.write_bytes(path.read_bytes()[:100]), "its header is damaged"),
        (lambda path: path.write_bytes(path.read_bytes() + bytes(8)), "cut short"),
        (
            lambda path: path.write_bytes(path.read_bytes().replace(b'"layout": ', b'"layout": 9')),
            "another version of kgbuild made it",
        ),
        (
            lambda path: path.write_bytes(path.read_bytes().replace(b'print": "', b'print": "x')),
            "it belongs to another store",
        ),
    ],
    ids=[
        *("missing", "empty", "junk", "without keys", "cut short", "only the header"),
        *("half of the header", "too long", "another layout", "another store"),
    ],
)
def test_a_store_without_columns_must_be_loaded_again(store_of, damage, reason) -> None:
    store = store_of('wd:Q1 rdfs:label "one"@en')
    damage(store.folder / "columns")
    with pytest.raises(DamagedStoreError, match=f"{reason}.*Load the dump again"):
        store.labels.label("Q1")
