"""Where a store lives: the swap, the locks, what is swept, what is refused, what is damaged."""

import fcntl
import json
import os
import shutil
import threading
import time
from pathlib import Path

import pytest

from kgbuild.dump.filter import Filter
from kgbuild.errors import DamagedStoreError, KgbuildError, NoStoreError, WrongCallError
from kgbuild.files import atomic_files
from kgbuild.graph.open import open_store
from kgbuild.store import checksums, manifest
from kgbuild.store.load import load
from tests.conftest import SAMPLE, load_text, triples

OLD = triples('wd:Q1 rdfs:label "the old one"@en')
NEW = triples('wd:Q2 rdfs:label "the new one"@en')


@pytest.fixture(scope="module")
def loaded(tmp_path_factory) -> Path:
    return load_text(tmp_path_factory.mktemp("loaded"), OLD)


@pytest.fixture
def store(loaded: Path, tmp_path: Path) -> Path:
    return shutil.copytree(loaded, tmp_path / "kg")


@pytest.fixture
def dump(tmp_path: Path) -> str:
    (tmp_path / "new.nt").write_text(NEW)
    return str(tmp_path / "new.nt")


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


def contents(folder: Path) -> dict[str, bytes]:
    """Return every file under a folder."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


TIDY = {"manifest.json", "rejects.tsv"}


@pytest.mark.parametrize("kind", ["missing", "empty", "file", "under a file"])
def test_no_store(tmp_path, kind):
    (tmp_path / "empty").mkdir()
    (tmp_path / "file").touch()
    path = tmp_path / {"under a file": "file/kg"}.get(kind, kind)
    for read in (manifest.read, lambda store: open_store(store).__enter__()):
        with pytest.raises(NoStoreError) as caught:
            read(path)
        assert str(path) in str(caught.value)
    assert names(tmp_path) == {"empty", "file"}  # to look for a store makes none


DAMAGES = {
    "empty": "",
    "cut short": '{"generation": "generation-1", "lines": 1',
    "no JSON": "generation-1",
    "a list": "[]",
    "a number": "7",
    "null": "null",
    "too few fields": '{"files": [], "languages": ["en"], "generation": "generation-1"}',
    "no bytes of UTF-8": b"\xff\xfe{}",
    "zeros": bytes(4096),  # as after a crash of the machine
}
EDITS = {
    "a field too many": {"colour": "red"},
    "files are no list": {"files": 7},
    "files with other fields": {"files": [{"name": "a"}]},
    "no languages": {"languages": None},
    "another folder": {"generation": "../../etc"},
    "no folder": {"generation": None},
    "the store itself": {"generation": "."},
}


def damage(store: Path, kind: str) -> None:
    path = store / manifest.MANIFEST
    if kind in DAMAGES:
        content = DAMAGES[kind]
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    else:
        path.write_text(json.dumps(json.loads(path.read_text()) | EDITS[kind]))


@pytest.mark.parametrize("kind", [*DAMAGES, *EDITS])
def test_a_damaged_manifest(store, kind):
    damage(store, kind)
    for read in (manifest.read, lambda store: open_store(store).__enter__()):
        with pytest.raises(DamagedStoreError) as caught:
            read(store)
        assert caught.value.path == store / manifest.MANIFEST
        assert caught.value.detail


@pytest.mark.parametrize("kind", ["cut short", "zeros", "too few fields", "another folder"])
def test_a_load_mends_a_damaged_manifest(store, dump, kind):
    damage(store, kind)
    assert load([dump], store, Filter()).triples == 1
    with open_store(store) as held:
        assert held.labels.label("Q2") == "the new one"
    load([dump], store, Filter())
    assert names(store) == TIDY | {"generation-3"}


def test_a_failed_load_keeps_generations_of_a_damaged_manifest(store, tmp_path):
    good = (store / manifest.MANIFEST).read_bytes()
    damage(store, "cut short")
    (tmp_path / "bad.nt").write_text("junk\n")
    with pytest.raises(KgbuildError, match="JSON dump: line "):
        load([str(tmp_path / "bad.nt")], store, Filter())
    assert names(store) == TIDY | {"generation-1"}
    (store / manifest.MANIFEST).write_bytes(good)  # as somebody with a copy of it can
    with open_store(store) as held:
        assert held.labels.label("Q1") == "the old one"


@pytest.mark.parametrize("what", ["", "graph", "names", "load.lock"])
def test_a_missing_part(store, what):
    path = store / "generation-1" / what
    shutil.rmtree(path) if path.is_dir() else path.unlink()
    with pytest.raises(DamagedStoreError) as caught, open_store(store):
        pass
    assert caught.value.path.is_relative_to(store / "generation-1")
    if what == "names":
        assert caught.value.detail == "it is missing"


@pytest.mark.parametrize("what", ["graph/CURRENT", "graph/MANIFEST-*", "graph/*.sst", "names"])
@pytest.mark.parametrize(
    "damage",
    [lambda content: b"", lambda content: b"junk" * 1000, lambda content: content[:-1]],
    ids=["empty", "junk", "cut short"],
)
def test_a_damaged_part(store, what, damage):
    for path in (store / "generation-1").glob(what):
        path.write_bytes(damage(path.read_bytes()))
    with pytest.raises(DamagedStoreError, match="Load the dump again") as caught, open_store(store):
        pass
    assert caught.value.path.is_relative_to(store / "generation-1")
    assert caught.value.detail


def test_damage_that_shows_only_when_it_is_read(tmp_path):
    # Bytes in the middle of large files, of which the checksums know nothing: it opens well.
    load([str(SAMPLE)], tmp_path / "kg", Filter())
    generation = tmp_path / "kg" / "generation-1"
    with open_store(tmp_path / "kg") as held:
        people = [qid for (qid,) in held.graph.select("subjects", object="Q5", property="P31")]
    for path in generation.glob("graph/*.sst"):
        whole = path.read_bytes()
        if len(whole) > 100_000:
            start, end = 9_000, len(whole) * 3 // 4
            path.write_bytes(whole[:start] + bytes(end - start) + whole[end:])
    checksums.write(generation)
    with open_store(tmp_path / "kg") as held:
        for read in (
            # No query that groups or sorts: of damaged rows, Oxigraph then gathers more and more.
            lambda: [held.graph.select("values", subject=qid, property="P31") for qid in people],
            lambda: held.graph.lines(len),
        ):
            with pytest.raises(DamagedStoreError) as caught:
                read()
            assert caught.value.path.is_relative_to(generation)


FOREIGN = {
    "a file": ["thesis.doc"],
    "a folder": ["photos/"],
    "a hidden file": [".git/"],
    "a folder that is called like ours": ["generation-photos/"],
    "a file that is called like ours": ["generation-7"],
    "a number that we do not write": ["generation-007/"],
    "a file in a folder of ours": ["generation-7/thesis.txt"],
    "beside a store's files": ["manifest.json", "rejects.tsv", "load.lock", "notes.txt"],
}


@pytest.mark.parametrize("files", FOREIGN.values(), ids=FOREIGN)
def test_a_folder_with_other_things_is_refused_and_untouched(tmp_path, dump, files):
    folder = tmp_path / "mine"
    for name in files:
        path = folder / name / "inside" if name.endswith("/") else folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("mine")
    before = contents(folder)
    with pytest.raises(WrongCallError, match="is not a store: it contains") as caught:
        load([dump], folder, Filter())
    assert str(folder) in str(caught.value)
    assert f"contains '{files[-1].rstrip('/')}'." in str(caught.value)
    assert contents(folder) == before


def test_an_empty_folder_and_a_folder_to_be_made_will_do(tmp_path, dump):
    (tmp_path / "empty").mkdir()
    for folder in (tmp_path / "empty", tmp_path / "a" / "b" / "c"):
        load([dump], folder, Filter())
        assert names(folder) == TIDY | {"generation-1"}


def test_leftovers_of_loads_that_died_are_swept(store, dump):
    for leftover in ("generation-2/graph", "generation-3", "generation-12/graph"):
        (store / leftover).mkdir(parents=True)
    (store / "generation-2" / "graph" / "file").write_text("x")
    (store / "generation-12" / "load.lock").touch()
    atomic_files.own_folder(store / manifest.UNFINISHED)
    (store / manifest.UNFINISHED / "manifest.json").write_text('{"half of')
    load([dump], store, Filter())
    assert names(store) == TIDY | {"generation-2"}


def test_generations_are_numbered_on_from_those_that_are_still_read(store, dump):
    with open_store(store):
        for n in range(2, 12):
            assert load([dump], store, Filter()).generation == f"generation-{n}"
    # The tenth folder sorts before the second by name, not by number.
    assert load([dump], store, Filter()).generation == "generation-12"
    assert names(store) == TIDY | {"generation-12"}


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="needs /proc")
def test_a_power_cut_after_the_swap_loses_nothing(store, dump, monkeypatch):
    """All files and folders are on the disk before the manifest names them, and then its name."""
    synced: dict[Path, int] = {}  # with the time of the last change
    at_swap: dict[Path, int] = {}
    fsync, rename = os.fsync, Path.replace

    def syncing(opened: int) -> None:
        fsync(opened)
        state = os.fstat(opened)
        synced[Path(f"/proc/self/fd/{opened}").readlink()] = state.st_mtime_ns

    def replacing(path: Path, target: Path) -> Path:
        if target.name == "manifest.json":
            at_swap.update(synced)
            synced.clear()
        return rename(path, target)

    monkeypatch.setattr(os, "fsync", syncing)
    monkeypatch.setattr(Path, "replace", replacing)
    load([dump], store, Filter())
    generation = store / manifest.read(store).generation
    written = [generation, *generation.rglob("*")]
    assert {path.name for path in written} >= {"graph", "names", "postings", "CURRENT"}
    assert {path: at_swap.get(path) for path in written} == {
        path: path.stat().st_mtime_ns for path in written
    }
    new = store / manifest.UNFINISHED / "manifest.json"
    assert {store, store.parent, new} <= at_swap.keys()
    assert store in synced  # the name of the new manifest


def test_an_error_of_the_reader_is_not_taken_for_damage(store):
    # Whoever reads a store may fail to find some other file.
    with pytest.raises(FileNotFoundError), manifest.reading(store):
        Path("/nowhere/else").read_text()


def waiting_for_a_lock() -> bool:
    """Tell whether a thread of this process waits for a lock, as Linux tells it."""
    waiting = (
        line.split() for line in Path("/proc/locks").read_text().splitlines() if "->" in line
    )
    return any(str(os.getpid()) in fields for fields in waiting)


@pytest.mark.skipif(not Path("/proc/locks").exists(), reason="needs /proc/locks")
def test_a_reader_that_comes_while_its_generation_is_removed_gets_the_next(store, dump):
    found: list[str | None] = []

    def read() -> None:
        with open_store(store) as held:
            found.append(held.labels.label("Q2"))

    old = store / "generation-1"
    with (old / "load.lock").open() as sweeping:
        fcntl.flock(sweeping, fcntl.LOCK_EX)  # as a load does that removes the folder
        reader = threading.Thread(target=read)
        reader.start()
        while not waiting_for_a_lock():
            time.sleep(0.001)
        load([dump], store, Filter())
        shutil.rmtree(old)
    reader.join()
    assert found == ["the new one"]
