"""Loads and slices that are killed when they change files: all is old, or all is new."""

import hashlib
import json
import multiprocessing
import os
import shutil
import signal
import sys
from collections.abc import Callable
from functools import partial
from multiprocessing.queues import SimpleQueue
from pathlib import Path

import pytest

from kgbuild.dump.filter import Filter
from kgbuild.files import atomic_files
from kgbuild.graph.open import open_store
from kgbuild.slice.slice import cut
from kgbuild.slice.spec import Spec
from kgbuild.store import manifest
from kgbuild.store.labels import lookup
from kgbuild.store.load import load
from tests.conftest import SAMPLE, triples

FORKING = multiprocessing.get_context("forkserver")
# What this module and conftest.py import takes each process a quarter of a second.
FORKING.set_forkserver_preload(
    ["pytest", "hypothesis", "kgbuild.cli", "kgbuild.native.machine_code"]
)


def a_load(dump: Path, store: Path) -> None:
    load([str(dump)], store, Filter())


def a_slice(dump: Path, out: Path) -> None:
    cut([str(dump)], out, Spec(instance_of=("Q5",), hops=1), force=True)


@pytest.fixture
def dump(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a dump of one item: what changes files does so as often for it as for many."""
    path = tmp_path_factory.mktemp("dump") / "curie.nt"
    lines = SAMPLE.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(line for line in lines if b"entity/Q7186>" in line))
    return path


CHANGES = ("open", "os.rename", "os.remove", "os.mkdir", "os.rmdir")
"""Events of Python's audit before files are opened, renamed, made or removed."""


def run(target: Callable[[Path], None], path: Path, last: int, counts: SimpleQueue[int]) -> None:
    """Do something to a path, and be killed at the change of files that has this number."""
    count = 0

    def kill(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal count
        if event in CHANGES and str(arguments[0]).startswith(str(path.parent)):
            count += 1
            if count == last:
                os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(kill)
    target(path)
    counts.put(count)


def killed(
    target: Callable[[Path], None], path: Path, times: int, check: Callable[[], None]
) -> None:
    """Kill processes at some changes of files from their first to their last one."""
    counts: SimpleQueue[int] = FORKING.SimpleQueue()

    def exit_code(last: int) -> int | None:
        process = FORKING.Process(target=run, args=(target, path, last, counts))
        process.start()
        process.join()
        check()
        return process.exitcode

    assert (exit_code(0), exit_code(0)) == (0, 0)
    _, count = counts.get(), counts.get()  # the first one makes folders
    assert count > 2 * times
    # The last changes publish what was made, so none of them is left out.
    for last in (*range(1, count - times, (count - times) // times), *range(count - times, count)):
        assert exit_code(last + 1) == -signal.SIGKILL


def test_loads_that_are_killed(tmp_path, dump):
    other = tmp_path / "other.nt"
    other.write_text(triples('wd:Q1 rdfs:label "the old one"@en'))
    store = tmp_path / "kg"
    old = load([str(other)], store, Filter()).fingerprint
    new = load([str(dump)], tmp_path / "new", Filter()).fingerprint

    def check() -> None:
        with open_store(store) as held:
            assert held.manifest.fingerprint in (old, new)
            name, qid = (
                ("the old one", "Q1")
                if held.manifest.fingerprint == old
                else ("Marie Curie", "Q7186")
            )
            assert lookup(held.graph, held.names, name)[0].qid == qid
            assert len(held.graph) == held.manifest.triples

    killed(partial(a_load, dump), store, 6, check)
    # What the killed ones left is gone after the next load.
    load([str(other)], store, Filter())
    generation = manifest.read(store).generation
    assert {path.name for path in store.iterdir()} == {"manifest.json", "rejects.tsv", generation}


@pytest.mark.parametrize("there", [False, True])
def test_slices_that_are_killed(tmp_path, dump, there):
    out = tmp_path / "out.nt.gz"
    a_slice(dump, out)
    whole = hashlib.sha256(out.read_bytes()).hexdigest()
    known = {whole}
    shutil.rmtree(tmp_path)
    tmp_path.mkdir()
    if there:
        out.write_bytes(b"what was there before")
        known.add(hashlib.sha256(out.read_bytes()).hexdigest())

    def check() -> None:
        if there or out.exists():
            assert hashlib.sha256(out.read_bytes()).hexdigest() in known
        report = atomic_files.report_beside(out)
        if report.exists():  # never of another slice
            digest = hashlib.sha256(out.read_bytes()).hexdigest()
            assert json.loads(report.read_text())["sha256"] == digest
        visible = {path.name for path in tmp_path.iterdir() if not path.name.startswith(".")}
        assert visible <= {"out.nt.gz", "out.nt.gz.report.json"}
        if not there:
            out.unlink(missing_ok=True)
            report.unlink(missing_ok=True)

    killed(partial(a_slice, dump), out, 4, check)
    a_slice(dump, out)
    assert {path.name for path in Path(tmp_path).iterdir()} == {
        "out.nt.gz",
        "out.nt.gz.report.json",
    }
