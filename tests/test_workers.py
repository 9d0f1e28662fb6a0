"""Workers make the pairs that one process makes, and leave with whoever started them."""

import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from kgbuild.catalog import catalog
from kgbuild.datasets.building import MIN_PARTS, build
from kgbuild.datasets.syn_qa.build import path_builder
from kgbuild.datasets.syn_qa.dataset import DATASET
from kgbuild.datasets.syn_qa.rows import PairOptions
from kgbuild.datasets.workers import pool
from kgbuild.dump import child_processes
from kgbuild.errors import DamagedStoreError, KgbuildError
from kgbuild.graph.open import open_store

NAMES = list(catalog().relations)[: 2 * MIN_PARTS]
OPTIONS = PairOptions(limit=20)


BUILDER = partial(path_builder, OPTIONS)


def test_the_same_pairs_in_the_same_order(sample_store: Path) -> None:
    paths = {name: catalog().path(name) for name in NAMES}
    steps: list[tuple[str, int, int]] = []
    with open_store(sample_store) as store:
        alone = build(DATASET, store, paths, BUILDER, {"seed": 3, "limit": 20})
        together = build(
            DATASET,
            store,
            paths,
            BUILDER,
            {"seed": 3, "limit": 20},
            parallel=True,
            progress=lambda *step: steps.append(step),
        )
    assert [part.relation for part in together.parts] == NAMES
    for one, other in zip(alone.parts, together.parts, strict=True):
        assert one.tables == other.tables and one.rejections == other.rejections
    assert together.provenance == alone.provenance
    assert (together.provenance.seed, together.provenance.options) == (3, {"limit": 20})
    # Each is counted once, when it is built.
    assert sorted(name for name, _, _ in steps[1:]) == sorted(f"{name} is built" for name in NAMES)
    assert [step[1:] for step in steps] == [(n, len(NAMES)) for n in range(len(NAMES) + 1)]


def test_progress_counts_over_all_parts(sample_store: Path) -> None:
    paths = {name: catalog().path(name) for name in ("P26", "P40")}
    steps: list[tuple[str, int, int]] = []
    with open_store(sample_store) as store:
        build(DATASET, store, paths, BUILDER, {}, progress=lambda *step: steps.append(step))
    assert steps[:2] == [("P26", 0, 200), ("P26: 0 of 20", 0, 200)]  # in percent of a part
    done = [step[1] for step in steps]
    assert done == sorted(done) and 100 in done and done[-1] < 200
    assert {step[0].partition(":")[0] for step in steps} == {"P26", "P40"}


UNGUARDED = """
import os, sys, kgbuild
os.mkdir(sys.argv[2])  # which fails in a worker, whose main module is this script
try:
    kgbuild.syn_qa.build(kgbuild.open(sys.argv[1]))
except kgbuild.KgbuildError as error:
    print(error)
"""


def test_a_script_without_a_guard_is_told_of_it(sample_store: Path, tmp_path: Path) -> None:
    script, folder = tmp_path / "script.py", tmp_path / "made"
    script.write_text(UNGUARDED)
    done = subprocess.run(
        [sys.executable, str(script), str(sample_store), str(folder)],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert "could not begin" in done.stdout and 'if __name__ == "__main__":' in done.stdout


def test_a_store_that_was_replaced_meanwhile(sample_store: Path) -> None:
    paths = {name: catalog().path(name) for name in NAMES}
    with open_store(sample_store) as store, pytest.raises(DamagedStoreError) as caught:
        manifest = replace(store.manifest, generation="generation-99")
        build(DATASET, replace(store, manifest=manifest), paths, BUILDER, {}, parallel=True)
    assert "replaced" in caught.value.detail


def workers(of: int) -> list[int]:
    found = subprocess.run(["pgrep", "-P", str(of)], capture_output=True, text=True, check=False)
    return [int(line) for line in found.stdout.split()]


def is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"


def test_ctrl_c_does_not_reach_workers_that_are_starting() -> None:
    with pool(1) as submit:
        process = submit(os.getpid)
        for child in workers(os.getpid()):
            os.kill(child, signal.SIGINT)
        assert process.result(timeout=60) in workers(os.getpid())


_BLOCKED = """
import os, pathlib, signal
from kgbuild.datasets.workers import pool
with pool(1) as submit:
    status = pathlib.Path(f"/proc/{submit(os.getpid).result()}/status").read_text()
print(int(status.partition("SigBlk:")[2].split()[0], 16) >> signal.SIGINT - 1 & 1)
"""


def test_ctrl_c_does_not_reach_the_first_worker_of_a_process() -> None:
    done = subprocess.run([sys.executable, "-c", _BLOCKED], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("1\n", "")


def much(_: int) -> bytes:
    return bytes(10_000_000)


def cut(how: signal.Signals) -> bytes:
    """Let this worker be killed while it sends a result that no pipe holds."""
    threading.Timer(0.5, os.kill, (os.getpid(), how)).start()
    return bytes(1_000_000_000)


def test_a_pool_ends_while_workers_send_results() -> None:
    with pytest.raises(KeyboardInterrupt), pool(2) as submit:
        results = [submit(much, number) for number in range(8)]
        results[0].result()
        raise KeyboardInterrupt
    assert all(result.done() for result in results)


def test_a_worker_that_is_killed_while_it_sends() -> None:
    with (
        pool(1) as submit,
        pytest.raises(KgbuildError, match="A process of the build ended, perhaps"),
    ):
        submit(cut, signal.SIGKILL).result()


def test_ctrl_c_does_not_reach_converters_that_are_starting() -> None:
    process = child_processes.start("kgbuild.dump.json.entities", stderr=subprocess.PIPE)
    process.send_signal(signal.SIGINT)
    said = process.communicate(timeout=60)[1]
    assert (process.returncode, said) == (0, b"")


@pytest.mark.parametrize(
    ("how", "times"), [(signal.SIGKILL, 1), (signal.SIGINT, 2), (signal.SIGTERM, 1)]
)
def test_workers_end_with_who_started_them(
    real_store: Path, tmp_path: Path, how: signal.Signals, times: int
) -> None:
    # The real slice, since the sample is built before one can end it.
    home = {"KGBUILD_STORE": str(real_store), "KGBUILD_DB": str(tmp_path / "d.duckdb")}
    with subprocess.Popen(
        [sys.executable, "-m", "kgbuild", "syn-qa"],
        env={**os.environ, **home},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as started:
        deadline = time.monotonic() + 60
        while len(workers(started.pid)) < 2 and time.monotonic() < deadline:
            time.sleep(0.1)
        time.sleep(0.5)
        children = workers(started.pid)
        for _ in range(times):  # the second one may come while workers end
            started.send_signal(how)
            time.sleep(0.05)
        said = started.communicate(timeout=20)[1]  # no worker is waited for
    assert len(children) >= 2
    while any(map(is_alive, children)) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not any(map(is_alive, children))
    assert "Traceback" not in said
