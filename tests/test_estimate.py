"""Estimates of slices and loads (``--dry-run``) that read only the start of a dump."""

import gzip
import json
import re
import shutil
from pathlib import Path

import pytest

from kgbuild.dump import reader
from kgbuild.dump.filter import Filter
from kgbuild.dump.pipeline import DumpSample
from kgbuild.errors import KgbuildError, NothingKeptError
from kgbuild.files.atomic_files import report_beside
from kgbuild.slice import estimate
from kgbuild.slice.slice import cut
from kgbuild.slice.spec import Spec
from kgbuild.store import space
from kgbuild.store.load import load
from tests.conftest import SAMPLE, triples

LAST = triples('wd:Q900001 wdt:P31 wd:Q900002\nwd:Q900001 rdfs:label "the last one"@en')


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let an estimate read about a tenth of the sample."""
    monkeypatch.setattr(reader, "BLOCK", 1 << 14)
    monkeypatch.setattr(estimate, "DumpSample", lambda: DumpSample(max_bytes=100_000))


@pytest.fixture
def dump(tmp_path: Path) -> str:
    """Return the sample, followed by the lines of one more item."""
    path = tmp_path / "dump.nt"
    path.write_bytes(SAMPLE.read_bytes() + LAST.encode())
    return str(path)


@pytest.mark.usefixtures("small_parts")
def test_items_that_are_not_in_the_part_that_is_read(dump: str, tmp_path: Path) -> None:
    spec = Spec(instance_of=("Q900002",))
    with pytest.raises(KgbuildError, match="Nothing that is selected is in the first") as caught:
        estimate.estimate_slice([dump], spec)
    share = re.search(rf"in the first (\d+\.\d\d)% of {re.escape(dump)}\.", str(caught.value))
    assert share and 0 < float(share[1]) < 20
    assert cut([dump], tmp_path / "last.nt", spec).chosen == 1
    with pytest.raises(KgbuildError, match="Nothing that is selected is in the first"):
        estimate.estimate_load([dump], Filter(("xx",), kinds=()))


def test_items_that_are_not_in_a_dump_that_is_read_whole(dump: str) -> None:
    with pytest.raises(NothingKeptError, match="None of the selected items is in"):
        estimate.estimate_slice([dump], Spec(instance_of=("Q900003",)))


@pytest.fixture
def people(tmp_path: Path) -> Path:
    """Return a slice, with its report."""
    path = tmp_path / "people.nt"
    cut([str(SAMPLE)], path, Spec(instance_of=("Q5",)))
    return path


@pytest.mark.usefixtures("small_parts")
def test_the_number_of_triples_of_a_slice_is_that_of_its_report(people: Path) -> None:
    kept = json.loads(report_beside(people).read_text())["kept"]
    steps: list[str] = []
    needs = estimate.estimate_load([str(people)], Filter(), lambda step, *_: steps.append(step))
    assert needs.fraction < 0.2 and steps[-1] == "indexing"
    assert (needs.lines, needs.triples) == (kept, kept)
    assert needs.disk == kept * 160
    assert needs.disk + needs.temporary == kept * 170 + 120_000_000
    report_beside(people).unlink()
    assert estimate.estimate_load([str(people)], Filter()).lines != kept


def test_a_load_requires_the_disk_that_its_estimate_has(
    people: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    needs = estimate.estimate_load([str(people)], Filter())
    free = needs.disk + needs.temporary
    warnings: list[tuple[int, int]] = []
    for missing in (1, 0):
        usage = shutil.disk_usage(tmp_path)._replace(free=free - missing)
        monkeypatch.setattr(shutil, "disk_usage", lambda _, usage=usage: usage)
        if missing:
            with pytest.raises(KgbuildError, match="The load needs about") as caught:
                load([str(people)], tmp_path / "kg", Filter())
            assert f"needs about {free / 1e9:,.1f} GB" in str(caught.value)
        else:
            load(
                [str(people)], tmp_path / "kg", Filter(), warn=lambda *sizes: warnings.append(sizes)
            )
    assert warnings == []  # the size is known: no estimate of the first lines replaces it
    store = tmp_path / "kg"
    assert needs.disk == pytest.approx(space.used(store), rel=0.01)


def test_a_compressed_slice_is_estimated_by_its_report(people: Path, tmp_path: Path) -> None:
    packed = tmp_path / "packed.nt.gz"
    packed.write_bytes(gzip.compress(people.read_bytes()))
    report = json.loads(report_beside(people).read_text())
    report |= {"kept": 1_000_000, "bytes": packed.stat().st_size}
    report_beside(packed).write_text(json.dumps(report))
    needs = estimate.estimate_load([str(packed)], Filter())
    assert (needs.lines, needs.disk) == (1_000_000, 160_000_000)
    assert needs.temporary == 130_000_000


@pytest.mark.parametrize(
    ("triples", "peak", "store", "memory"),
    [
        # Measured loads: number of triples, and gigabytes.
        (5_980_000, 1.12, 0.943, 0.81),
        (59_700_000, 10.1, 6.2, 1.41),
        (238_600_000, 31.8, 23.8, 2.0),
    ],
)
def test_estimates_of_loads_that_were_measured(
    triples: int, peak: float, store: float, memory: float
) -> None:
    assert peak <= space.peak(triples) / 1e9 < 1.3 * peak
    assert store <= space.size(triples) / 1e9 < 1.15 * store
    assert memory <= space.memory(triples) / 1e9 < 1.2 * memory
