"""Workers make the pairs that one process makes, and leave with whoever started them."""

import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest

from kgbuild.catalog import catalog
from kgbuild.datasets.parallel import WORTH, build_on_all_cores
from kgbuild.datasets.syn_qa.build import Options, build, build_one
from kgbuild.errors import DamagedStoreError
from kgbuild.graph.open import open_store

NAMES = list(catalog().relations)[: 2 * WORTH]
OPTIONS = Options(limit=20)


def test_the_same_pairs_in_the_same_order(sample_store: Path) -> None:
    known = catalog()
    paths = [known.path(name) for name in NAMES]
    told: list[tuple[str, int, int]] = []
    with open_store(sample_store) as held:
        generation = held.manifest.generation
        alone = list(build(held.knowledge(known.kinds), known, paths, OPTIONS))
        together = list(
            build_on_all_cores(
                sample_store,
                generation,
                {path.name: path for path in paths},
                partial(build_one, OPTIONS),
                lambda *done: told.append(done),
            )
        )
    assert [built.relation for built in together] == NAMES
    for one, other in zip(alone, together, strict=True):
        assert one.tables == other.tables and one.rejections == other.rejections
    assert told == [(name, done, len(NAMES)) for done, name in enumerate(NAMES)]


def test_a_store_that_was_replaced_meanwhile(sample_store: Path) -> None:
    paths = {name: catalog().path(name) for name in NAMES}
    one = partial(build_one, OPTIONS)
    with pytest.raises(DamagedStoreError) as caught:
        list(build_on_all_cores(sample_store, "generation-99", paths, one))
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


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT, signal.SIGTERM])
def test_workers_end_with_who_started_them(
    real_store: Path, tmp_path: Path, how: signal.Signals
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
        time.sleep(2)
        children = workers(started.pid)
        started.send_signal(how)
        said = started.communicate(timeout=60)[1]
    assert len(children) >= 2
    while any(map(is_alive, children)) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not any(map(is_alive, children))
    assert "Traceback" not in said
