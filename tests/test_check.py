"""Damage in a store or a database is found: when a store is opened, and by ``kgbuild check``."""

import json
import random
import shutil
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kgbuild import datasets
from kgbuild.dump.filter import Filter
from kgbuild.errors import DamagedDatabaseError, DamagedStoreError
from kgbuild.graph.check import check
from kgbuild.graph.open import open_store
from kgbuild.rows import no_progress
from kgbuild.store import checksums, manifest
from kgbuild.store.load import load
from tests import test_columns
from tests.conftest import SAMPLE, invoke, load_text, triples

PLACES = 4
"""Number of bytes of each file that are changed, one at a time."""


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Path:
    """Return a folder with a store, which has counts, and a database."""
    folder = tmp_path_factory.mktemp("made")
    load([str(SAMPLE)], folder / "kg", Filter())
    options = ("--limit", "4", "--store", "kg", "--db", "db.duckdb")
    assert not invoke(folder, "granola", "--relations", "P19,P106", *options).returncode
    assert not invoke(folder, "syn-qa", "--relations", "P26", *options).returncode
    return folder


@pytest.fixture
def copy(made, tmp_path) -> Path:
    """Return a copy of the folder, in which a test may do damage."""
    shutil.copytree(made, tmp_path / "copy")
    return tmp_path / "copy"


def faults_of(store: Path) -> list[str]:
    """Return the faults that a check finds."""
    try:
        return [fault for part in check(store, 20, no_progress) for fault in part.faults]
    except DamagedStoreError as error:
        return [f"{error.path}: {error.detail}"]


def contents_in(generation: Path) -> dict[str, list[int]]:
    """Return the size and the checksum of each file, as the load has written them."""
    written = json.loads((generation / checksums.NAME).read_text())
    return {name: state[:2] for name, state in written.items()}


def flipped(path: Path) -> Iterator[int]:
    """Change a bit at some places of a file, one at a time; yield each place."""
    content = path.read_bytes()
    for at in random.Random(path.name).sample(range(len(content)), min(PLACES, len(content))):
        path.write_bytes(content[:at] + bytes([content[at] ^ 1 << at % 8]) + content[at + 1 :])
        yield at
    path.write_bytes(content)


def test_a_good_store_and_a_good_database_pass(copy):
    done = invoke(copy, "check", "--store", "kg", "--db", "db.duckdb", "--json")
    assert done.returncode == 0, done.stderr
    parts = {part["part"]: part for part in json.loads(done.stdout)}
    assert all(part["faults"] == 0 for part in parts.values())
    assert parts["files"]["checked"] == len(
        json.loads(next(copy.glob("kg/*/checksums")).read_text())
    )
    assert parts["counts"]["checked"] > 0
    assert parts["triples"]["checked"] > 10_000
    assert parts["texts"]["checked"] == parts["statements"]["checked"] == 100
    assert parts["granola_questions"]["checked"] == 8
    # One of them alone
    assert "syn_qa_pairs" not in invoke(copy, "check", "--store", "kg").stdout
    assert "triples" not in invoke(copy, "check", "--db", "db.duckdb").stdout


def test_each_changed_byte_of_a_store_is_found(copy):
    store = copy / "kg"
    with open_store(store) as opened:
        generation = opened.folder
    paths = [store / "manifest.json", *(path for path in generation.rglob("*") if path.is_file())]
    contents, kinds = contents_in(generation), set()
    for path in filter(lambda path: path.stat().st_size, paths):
        kinds.add(path.parent.name if path.suffix == ".sst" else path.name.partition("-")[0])
        for at in flipped(path):
            # Another time of a file only makes a command compare the file.
            found = faults_of(store)
            if path.name == checksums.NAME and not found:
                found = contents_in(generation) == contents
            assert found, (path, at)
            if path.parent.name != "counts" and path.name != checksums.NAME:
                with pytest.raises(DamagedStoreError) as caught, open_store(store):
                    pass
                assert caught.value.path == path
    assert kinds >= {"graph", "names", "postings", "columns", "manifest.json", "exact_names"}
    assert faults_of(store) == []


def test_each_file_that_commands_use_is_compared(copy):
    store = copy / "kg"
    (generation,) = store.glob("generation-*")
    files = {path for path in store.rglob("*") if path.is_file()}
    compared = {generation / name for name in contents_in(generation)}
    beside = {generation / checksums.NAME, store / manifest.MANIFEST}  # see above
    counts = {path for path in files - compared if path.parent.name == manifest.COUNTS}
    assert files - compared - beside - counts == {store / manifest.REJECTS}
    (store / manifest.REJECTS).unlink()
    assert faults_of(store) == []


def test_damage_is_told_with_what_to_do(copy):
    path = next(copy.glob("kg/*/columns"))
    next(flipped(path))
    done = invoke(copy, "check", "--store", "kg")
    assert done.returncode == 1
    assert "columns: its content has changed" in done.stderr and "restore" in done.stderr
    assert "files" in done.stdout and "triples" not in done.stdout  # which are not read


def test_content_that_changed_by_itself(copy):
    # As on a failing disk: the file system knows of no change, so that only a check finds it.
    path = next(copy.glob("kg/*/columns"))
    next(flipped(path))
    written = json.loads((path.parent / checksums.NAME).read_text())
    written["columns"][2] = path.stat().st_ctime_ns
    (path.parent / checksums.NAME).write_text(json.dumps(written))
    with open_store(copy / "kg"):
        pass
    assert faults_of(copy / "kg") == [f"{path}: its content has changed since it was written"]


def test_a_copy_is_read_once(copy):
    path = next(copy.glob("kg/*/checksums"))
    loaded = path.read_bytes()
    with open_store(copy / "kg"):
        read = path.read_bytes()
    assert read != loaded  # the files of the copy have other times
    times = path.stat().st_mtime_ns
    with open_store(copy / "kg"):
        assert path.stat().st_mtime_ns == times


def test_a_store_without_checksums(copy):
    next(copy.glob("kg/*/checksums")).unlink()
    for command in (("check", "--store"), ("stats", "--store")):
        done = invoke(copy, *command, "kg")
        assert done.returncode == 1 and "stores of older versions. Load" in done.stderr


@settings(max_examples=8)
@given(st.lists(test_columns.names | test_columns.values, min_size=1, max_size=30))
@example(['wd:Q1 rdfs:label ""@en', 'wd:Q1 skos:altLabel "."@en', 'wd:Q1 rdfs:label " "@mul'])
def test_stores_of_any_texts_and_times_pass(tmp_path_factory, lines):
    folder = tmp_path_factory.mktemp("random")
    load_text(folder, triples("\n".join(lines)), everything=True)
    assert faults_of(folder / "kg") == []


def test_files_that_contradict_the_graph(make_store):
    graph = make_store(triples('wd:Q1 rdfs:label "one"@en\nwd:Q1 wdt:P31 wd:Q5')) / "generation-1"
    other = make_store(triples('wd:Q1 rdfs:label "two"@en\nwd:Q1 wdt:P31 wd:Q6'), "other")
    with open_store(graph.parent) as one, open_store(other) as two:
        prints = one.manifest.fingerprint.encode(), two.manifest.fingerprint.encode()
    for name in ("columns", "postings", "names"):
        content = (other / "generation-1" / name).read_bytes()
        (graph / name).write_bytes(content.replace(prints[1], prints[0]))
    checksums.write(graph)
    parts = {part.part: part.faults for part in check(graph.parent, 9, no_progress)}
    fault = ["Q1 is not as in the graph"]
    assert parts["texts"] == parts["statements"] == fault
    assert parts["names"] == []  # the names have the label of the columns
    assert parts["triples"] == []
    fields = json.loads((graph.parent / "manifest.json").read_text()) | {"triples": 3}
    del fields["checksum"]
    fields["checksum"] = manifest._checksum(fields)
    (graph.parent / "manifest.json").write_text(json.dumps(fields))
    assert "the graph has 2 triples, and the manifest 3" in faults_of(graph.parent)


def test_a_changed_byte_of_a_database_is_found(copy):
    path = copy / "db.duckdb"
    database, found = datasets.database(path), 0
    rows = database.rows("granola_questions")
    for _ in flipped(path):
        try:
            [*database.check(no_progress)]
            assert database.rows("granola_questions") == rows  # a block without content
        except DamagedDatabaseError:
            found += 1
    assert found >= 1
    assert invoke(copy, "check", "--db", str(path)).returncode == 0


@pytest.mark.parametrize(
    ("change", "table", "fault"),
    [
        ("DELETE FROM builds WHERE relation = 'P19'", "granola_questions", "its build is missing"),
        ("DELETE FROM granola_questions WHERE source = 'P19'", "granola_answers", "its question"),
        ("UPDATE granola_answers SET evidence = []", "granola_answers", "it has no evidence"),
        ("UPDATE syn_qa_pairs SET evidence = []", "syn_qa_pairs", "it has no evidence"),
        ("INSERT INTO syn_qa_pairs FROM syn_qa_pairs", "syn_qa_pairs", "two rows have one id"),
    ],
)
def test_rows_that_contradict_others(copy, change, table, fault):
    with duckdb.connect(str(copy / "db.duckdb")) as connection:
        connection.execute(change)
    parts = {
        part.part: part.faults for part in datasets.database(copy / "db.duckdb").check(no_progress)
    }
    assert parts.pop(table)[0].startswith(fault)
    assert not any(parts.values())
    done = invoke(copy, "check", "--db", "db.duckdb")
    assert done.returncode == 1 and fault in done.stderr
