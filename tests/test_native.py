"""Machine code: compiled once, kept, and loaded by later runs."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from kgbuild.dump import bitmaps
from kgbuild.native import cache
from kgbuild.native.kernel import KERNELS, load_word
from tests.conftest import ROOT

COUNT = (
    "import kgbuild.native\n"
    "kgbuild.native.announce = print\n"
    "from kgbuild.dump.scanner import count_lines\n"
    "from kgbuild.native import cache\n"
    "print(count_lines(b'a\\nb\\n'), cache.is_kept())\n"
)


def run(home: Path) -> list[str]:
    """Count lines in a process of its own, whose cache is in a folder."""
    environment = {"XDG_CACHE_HOME": str(home), "PYTHONPATH": str(ROOT), "PATH": ""}
    done = subprocess.run(
        [sys.executable, "-c", COUNT], env=environment, capture_output=True, text=True, check=True
    )
    return done.stdout.splitlines()


def test_code_is_compiled_once(tmp_path: Path) -> None:
    said, counted = run(tmp_path)
    assert said.startswith("Compiling once for this machine (about ")
    assert said.endswith(" s); later runs use the cache.")
    assert counted == "2 True"
    assert run(tmp_path) == ["2 True"]
    # A damaged file is compiled again: one kernel takes so little time that nothing is said.
    (damaged,) = (tmp_path / "kgbuild").glob("kgbuild.dump.scanner._count-*.o")
    damaged.write_bytes(damaged.read_bytes()[:-1])
    assert run(tmp_path) == ["2 True"]


def test_a_cache_that_cannot_be_written_is_done_without(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    said, counted = run(tmp_path / "file")
    assert "set XDG_CACHE_HOME to a folder that can" in said
    assert counted == "2 False"


def test_arrays_of_other_types_are_refused() -> None:
    bits = bitmaps.bitmap()
    with pytest.raises(TypeError, match=r"expected .*int64.*, got int32 of 1 dimensions"):
        bitmaps.add(bits, np.zeros(1, np.int32))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="not contiguous"):
        bitmaps.add(bits, np.zeros(4, np.int64)[::2])


def test_dependencies_of_code() -> None:
    (scan,) = (kernel for kernel in KERNELS if kernel.name == "kgbuild.dump.scanner._scan")
    names = cache.dependencies(scan.function)
    assert {"kgbuild.dump.syntax.read_iri", "kgbuild.dump.verdict.judge_line"} <= set(names)
    constants = dict(names["kgbuild.dump.parts.read_predicate"][-1])
    assert constants["_DIRECT"] == b"<http://www.wikidata.org/prop/direct/P"


def test_a_word_is_eight_bytes() -> None:
    assert load_word(np.arange(16, dtype=np.uint8), 3) == 0x0A09080706050403
