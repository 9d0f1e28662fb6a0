"""Loads and slices killed at any moment: fifty times, and fifty times all is well."""

import hashlib
import json
import multiprocessing
import random
import shutil
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from kgbuild.dump import atomic_files
from kgbuild.dump.filter import Filter
from kgbuild.graph.open import open_store
from kgbuild.slice.slice import cut
from kgbuild.slice.spec import Spec
from kgbuild.store import manifest
from kgbuild.store.labels import lookup
from kgbuild.store.load import load
from tests.conftest import SAMPLE, triples

FORKING = multiprocessing.get_context("forkserver")
FORKING.set_forkserver_preload(
    ["kgbuild.store.load", "kgbuild.slice.slice"]
)  # they take half a second


def a_load(store: Path) -> None:
    load([str(SAMPLE)], store, Filter())


def a_slice(out: Path) -> None:
    cut([str(SAMPLE)], out, Spec(instance_of=("Q5",), hops=1), force=True)


def _undisturbed(target: Callable[[Path], None], path: Path) -> float:
    """Return how many seconds a process takes that nobody kills."""
    started = time.monotonic()
    process = FORKING.Process(target=target, args=(path,))
    process.start()
    process.join()
    return time.monotonic() - started


def killed(
    target: Callable[[Path], None], path: Path, times: int, check: Callable[[], None]
) -> int:
    """Kill a process at moments from its start to its end; return how often it was done."""
    lasts = min(_undisturbed(target, path) for _ in range(2))  # other work may slow one of them
    check()
    moments = random.Random(1)
    done = 0
    for _ in range(times):
        process = FORKING.Process(target=target, args=(path,))
        process.start()
        process.join(timeout=moments.uniform(0, 1.05) * lasts)
        process.kill()
        process.join()
        assert process.exitcode in (0, -signal.SIGKILL)
        done += process.exitcode == 0
        check()
    return done


def test_loads_that_are_killed(tmp_path):
    other = tmp_path / "other.nt"
    other.write_text(triples('wd:Q1 rdfs:label "the old one"@en'))
    store = tmp_path / "kg"
    old = load([str(other)], store, Filter()).fingerprint
    new = load([str(SAMPLE)], tmp_path / "new", Filter()).fingerprint

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

    assert killed(a_load, store, 25, check) < 20  # else the test kills nothing
    # What the killed ones left is gone after the next load.
    load([str(other)], store, Filter())
    generation = manifest.read(store).generation
    assert {path.name for path in store.iterdir()} == {"manifest.json", "rejects.tsv", generation}


@pytest.mark.parametrize("there", [False, True])
def test_slices_that_are_killed(tmp_path, there):
    out = tmp_path / "out.nt.gz"
    a_slice(out)
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

    assert killed(a_slice, out, 12, check) < 10
    a_slice(out)
    assert {path.name for path in Path(tmp_path).iterdir()} == {
        "out.nt.gz",
        "out.nt.gz.report.json",
    }
