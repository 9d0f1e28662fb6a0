"""Compaction: databases that are merged during and after a load, and processes that end."""

import pickle
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from kgbuild.dump import child_processes
from kgbuild.dump.filter import Filter
from kgbuild.errors import WriteError
from kgbuild.graph.open import open_store
from kgbuild.store import graph_loader, manifest
from kgbuild.store.graph_loader import compacting
from kgbuild.store.load import load
from tests.conftest import SAMPLE


def tables(store: Path) -> list[Path]:
    """Return the files with the triples of a store, without those that are nearly empty."""
    graph = store / manifest.read(store).generation / manifest.GRAPH
    return [path for path in graph.glob("*.sst") if path.stat().st_size > 10_000]


@pytest.fixture
def in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a load of the sample have many parts, and compact its database twice."""
    monkeypatch.setattr(graph_loader, "_PART_BYTES", 1 << 16)
    monkeypatch.setattr(graph_loader, "_FIRST_COMPACTION", 2000)
    monkeypatch.setattr(graph_loader, "_MIN_COMPACTED", 1)


@pytest.fixture
def many(tmp_path: Path) -> Path:
    """Return a dump that is read in several batches: the sample, and copies with other items."""
    text = SAMPLE.read_text()
    copies = [text.replace("/entity/Q", f"/entity/Q{n}0000") for n in range(1, 20)]
    (tmp_path / "many.nt").write_text("".join(copies))
    return tmp_path / "many.nt"


def test_a_compacted_store_has_the_same_triples_in_few_files(
    tmp_path: Path, many: Path, in_parts: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    started: list[Path] = []
    monkeypatch.setattr(
        graph_loader, "compacting", lambda path: started.append(path) or compacting(path)
    )
    compacted = load([str(many)], tmp_path / "compacted", Filter())
    assert len(started) >= 2  # in the middle of the load and at its end
    monkeypatch.undo()
    plain = load([str(many)], tmp_path / "plain", Filter())
    assert compacted.fingerprint == plain.fingerprint
    assert compacted.properties == plain.properties
    assert len(tables(tmp_path / "compacted")) == 4  # three orders of triples, and their texts
    with open_store(tmp_path / "compacted") as store, open_store(tmp_path / "plain") as other:
        for pid in ("P31", "P19"):
            pairs = store.graph.select("relation_pairs", property=pid)
            assert sorted(pairs) == sorted(other.graph.select("relation_pairs", property=pid))
            assert pairs
    leftovers = {path.name for path in (tmp_path / "compacted" / compacted.generation).iterdir()}
    assert leftovers == {"graph", "names", "postings", "columns", "checksums", "load.lock"}


def test_a_database_that_cannot_be_compacted(tmp_path: Path) -> None:
    (tmp_path / "graph").write_text("no folder")
    with pytest.raises(WriteError) as caught, compacting(tmp_path / "graph"):
        pass
    assert caught.value.path == tmp_path / "graph"
    assert caught.value.detail
    assert "Traceback" not in caught.value.detail


def test_an_interruption_ends_the_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    processes: list[subprocess.Popen[bytes]] = []
    start = subprocess.Popen

    def started(*arguments: object, **options: object) -> subprocess.Popen[bytes]:
        processes.append(start(*arguments, **options))
        return processes[-1]

    monkeypatch.setattr(subprocess, "Popen", started)
    with pytest.raises(KeyboardInterrupt), compacting(tmp_path / "graph"):
        raise KeyboardInterrupt
    assert processes[0].returncode is not None


def test_the_process_ends_with_the_one_that_started_it() -> None:
    # It waits for its input in a thread, while the main thread runs what it is told to.
    code = "print('ready', flush=True); import threading; threading.Event().wait()"
    command = [sys.executable, "-m", "kgbuild.store.killable"]
    with child_processes.uninterrupted():  # as ``start`` does it
        started = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    with started as process:
        assert process.stdin
        assert process.stdout
        pickle.dump((exec, (code,)), process.stdin)
        process.stdin.flush()
        process.stdout.readline()
        process.send_signal(signal.SIGINT)  # the process that started it handles Ctrl-C
        process.stdin.close()  # as the system does when that process is killed
        assert process.wait(60) == 1
