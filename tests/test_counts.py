"""What is counted over a store is counted once, kept beside it, and never in the way."""

import multiprocessing
import os
import signal
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from kgbuild.graph.open import open_store
from kgbuild.native.arrays import Array
from kgbuild.store import counts as module
from kgbuild.store.counts import Counts
from tests.conftest import triples

NAME = ("namesakes", "P31", "Q5")
TYPES = (np.int64, np.int32)
EXPECTED = ([3, 5], [1, 2])


def counted() -> list[Array]:
    return [np.array(values) for values in EXPECTED]


def refuse() -> list[Array]:
    raise AssertionError("counted again")


def lists(arrays: Sequence[Array]) -> tuple[list[int], ...]:
    return tuple(array.tolist() for array in arrays)


def test_arrays_are_counted_once(tmp_path: Path) -> None:
    first = Counts(tmp_path / "counts", "a").arrays(NAME, TYPES, counted)
    again = Counts(tmp_path / "counts", "a").arrays(NAME, TYPES, refuse)
    assert lists(first) == lists(again) == EXPECTED
    assert [array.dtype for array in first] == [array.dtype for array in again] == [*TYPES]


@pytest.mark.parametrize(
    ("name", "program_digest", "fingerprint"),
    [(("namesakes", "P31", "Q43229"), "x", "a"), (NAME, "y", "a"), (NAME, "x", "b")],
    ids=["other name", "other program", "other store"],
)
def test_other_arrays_are_counted_anew(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    name: tuple[str, ...],
    program_digest: str,
    fingerprint: str,
) -> None:
    monkeypatch.setattr(module, "program_digest", lambda: "x")
    Counts(tmp_path, "a").arrays(NAME, TYPES, counted)
    monkeypatch.setattr(module, "program_digest", lambda: program_digest)
    others = Counts(tmp_path, fingerprint).arrays(name, TYPES, lambda: [np.zeros(4), np.zeros(1)])
    assert lists(others) == ([0, 0, 0, 0], [0])
    files = [*tmp_path.iterdir()]
    assert len(files) == (1 if name == NAME else 2)  # what another program counted is replaced


def test_empty_arrays_are_arrays(tmp_path: Path) -> None:
    empty = Counts(tmp_path, "a").arrays(NAME, TYPES, lambda: [np.empty(0), np.empty(0)])
    assert lists(empty) == ([], [])


def test_counts_may_use_counts(tmp_path: Path) -> None:
    counts = Counts(tmp_path, "a")

    def twice() -> list[Array]:
        return [2 * array for array in counts.arrays(NAME, TYPES, counted)]

    assert lists(counts.arrays(("twice",), TYPES, twice)) == ([6, 10], [2, 4])


@pytest.mark.parametrize(
    "damaged",
    [
        lambda content: b"",
        lambda content: b"x" * 5000,
        lambda content: content[:-8],
        lambda content: content[:4096],
        lambda content: content + bytes(8),
        lambda content: content[:-9] + bytes([content[-9] ^ 1]) + content[-8:],
    ],
    ids=["empty", "damaged", "cut short", "only the header", "too long", "one bit"],
)
def test_a_damaged_file_is_replaced(tmp_path: Path, damaged: Callable[[bytes], bytes]) -> None:
    Counts(tmp_path, "a").arrays(NAME, TYPES, counted)
    (file,) = tmp_path.iterdir()
    file.write_bytes(damaged(file.read_bytes()))
    assert lists(Counts(tmp_path, "a").arrays(NAME, TYPES, counted)) == EXPECTED
    assert lists(Counts(tmp_path, "a").arrays(NAME, TYPES, refuse)) == EXPECTED


def test_a_folder_that_cannot_be_written_is_not_needed(tmp_path: Path) -> None:
    (tmp_path / "counts").write_text("a file in the place of the folder")
    assert lists(Counts(tmp_path / "counts", "a").arrays(NAME, TYPES, counted)) == EXPECTED
    assert [path.name for path in tmp_path.iterdir()] == ["counts"]


def count_slowly(folder: Path, pids: "multiprocessing.Queue[int]") -> None:
    """Count for half a second, and tell the id of the process that counts."""

    def count() -> list[Array]:
        pids.put(os.getpid())
        time.sleep(0.5)
        return counted()

    assert lists(Counts(folder, "a").arrays(NAME, TYPES, count)) == EXPECTED


def start(folder: Path, pids: "multiprocessing.Queue[int]") -> multiprocessing.Process:
    process = multiprocessing.Process(target=count_slowly, args=(folder, pids))
    process.start()
    return process


def test_processes_wait_for_the_one_that_counts(tmp_path: Path) -> None:
    pids: multiprocessing.Queue[int] = multiprocessing.Queue()
    processes = [start(tmp_path, pids) for _ in range(3)]
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0, 0, 0]
    assert pids.get() in {process.pid for process in processes}
    assert pids.empty(), "more than one process counted"


def test_a_killed_process_leaves_the_work_to_the_next_one(tmp_path: Path) -> None:
    pids: multiprocessing.Queue[int] = multiprocessing.Queue()
    process = start(tmp_path, pids)
    os.kill(pids.get(), signal.SIGKILL)
    process.join()
    assert process.exitcode == -signal.SIGKILL
    assert lists(Counts(tmp_path, "a").arrays(NAME, TYPES, counted)) == EXPECTED


def test_a_store_keeps_its_counts_until_the_next_load(make_store: Callable[..., Path]) -> None:
    folder = make_store(triples("wd:Q1 wdt:P31 wd:Q5"))
    with open_store(folder) as store:
        store.knowledge({}).counts.arrays(NAME, TYPES, counted)
    with open_store(folder) as store:
        assert lists(store.knowledge({}).counts.arrays(NAME, TYPES, refuse)) == EXPECTED
        kept = store.folder
    make_store(triples("wd:Q1 wdt:P31 wd:Q5"))  # a new generation, with counts of its own
    assert not kept.exists()
    with open_store(folder) as store:
        assert not (store.folder / "counts").exists()


def test_files_whose_names_were_exchanged_are_counted_again(tmp_path):
    def arrays(number):
        counts = Counts(tmp_path, "store")
        return counts.arrays(("usage", str(number)), (np.int64,), lambda: [np.array([number])])

    assert [arrays(n)[0].tolist() for n in (1, 2)] == [[1], [2]]
    one, two = sorted(path for path in tmp_path.iterdir() if path.suffix == "")
    one.rename(tmp_path / "x")
    two.rename(one)
    (tmp_path / "x").rename(two)
    assert [arrays(n)[0].tolist() for n in (1, 2)] == [[1], [2]]
