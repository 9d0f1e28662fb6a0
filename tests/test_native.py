"""Machine code: compiled once, kept, and loaded by later runs."""

import resource
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from kgbuild.dump import bitmaps
from kgbuild.native import machine_code
from kgbuild.native.kernel import KERNELS, bit_count, load_word, lowest_bit, matching_bytes
from tests.conftest import ROOT

COUNT = (
    "import kgbuild.native\n"
    "kgbuild.native.announce = print\n"
    "from kgbuild.dump.scanning.scanner import count_lines\n"
    "from kgbuild.native import machine_code\n"
    "print(count_lines(b'a\\nb\\n'), machine_code.is_kept())\n"
)
ALONE = (
    "from kgbuild.dump.scanning import scanner\n"
    "from kgbuild.native import kernel, machine_code\n"
    "kernel.KERNELS[:] = [scanner._count]\n"
)
"""Code by which the counter of lines is compiled alone."""
ANNOUNCED = f"{ALONE}machine_code._ANNOUNCED_SECONDS = 0\n"
"""The same, and it is announced as if it took long."""


def run(home: Path, first: str = "", prepare: Callable[[], None] | None = None) -> list[str]:
    """Count lines in a process that begins with ``prepare``, and whose cache is in a folder."""
    environment = {"XDG_CACHE_HOME": str(home), "PYTHONPATH": str(ROOT), "PATH": ""}
    done = subprocess.run(
        [sys.executable, "-c", first + COUNT],
        env=environment,
        capture_output=True,
        text=True,
        check=True,
        preexec_fn=prepare,
    )
    return done.stdout.splitlines()


def test_code_is_compiled_once(tmp_path: Path) -> None:
    said, counted = run(tmp_path, ANNOUNCED)
    assert said.startswith("Compiling once for this machine (about ")
    assert said.endswith(" s); later runs use the cache.")
    assert counted == "2 True"
    assert run(tmp_path, ANNOUNCED) == ["2 True"]
    # A damaged file is compiled again: one kernel takes so little time that nothing is said.
    (damaged,) = (tmp_path / "kgbuild").glob("kgbuild.dump.scanning.scanner._count-*.o")
    damaged.write_bytes(damaged.read_bytes()[:-1])
    assert run(tmp_path, ALONE) == ["2 True"]


def test_a_cache_that_cannot_be_written_is_done_without(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    said, counted = run(tmp_path / "file", ANNOUNCED)
    assert "set XDG_CACHE_HOME to a folder that can" in said
    assert counted == "2 False"


def test_a_full_disk_is_no_reason_to_fail(tmp_path: Path) -> None:
    # A limit of the size of files stands for the disk: nothing can be written.
    said = run(tmp_path, ANNOUNCED, lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0)))
    assert said[-1].startswith("2 ")
    assert not [*(tmp_path / "kgbuild").iterdir()]


def test_arrays_of_other_types_are_refused() -> None:
    bits = bitmaps.bitmap()
    with pytest.raises(TypeError, match=r"expected .*int64.*, got int32 of 1 dimensions"):
        bitmaps.add(bits, np.zeros(1, np.int32))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="not contiguous"):
        bitmaps.add(bits, np.zeros(4, np.int64)[::2])


def test_dependencies_of_code() -> None:
    (scan,) = (kernel for kernel in KERNELS if kernel.name == "kgbuild.dump.scanning.scanner._scan")
    names = machine_code.dependencies(scan.function)
    assert {
        "kgbuild.dump.scanning.syntax.read_iri",
        "kgbuild.dump.scanning.verdict.judge_line",
    } <= set(names)
    constants = dict(names["kgbuild.dump.scanning.parts.read_predicate"][-1])
    assert constants["_DIRECT"] == b"<http://www.wikidata.org/prop/direct/P"


def test_a_word_is_eight_bytes() -> None:
    assert load_word(np.arange(16, dtype=np.uint8), 3) == 0x0A09080706050403


def test_bytes_that_match_are_bits() -> None:
    text = np.frombuffer(b"." + b"a" + b"b" * 62 + b"a" + b"a" * 9, np.uint8)
    assert matching_bytes(text, 1, ord("a")) == 1 << 63 | 1
    assert matching_bytes(text, 1, ord("c")) == 0


def test_bits_of_numbers() -> None:
    assert [lowest_bit(1 << n | 1 << 63) for n in (0, 5, 63)] == [0, 5, 63]
    assert [bit_count(number) for number in (0, 5, (1 << 64) - 1)] == [0, 2, 64]
