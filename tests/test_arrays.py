"""Arrays in files that are mapped into memory."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgbuild.store.array_files import forget_pages
from kgbuild.store.arrays import are_among, distinct, forgetting, map_arrays
from kgbuild.store.spill import write_arrays

SMAPS = Path("/proc/self/smaps")
NUMBERS = np.arange(1 << 20)


def resident(path: Path) -> int:
    """Return how many kilobytes of a mapped file are in the memory of this process."""
    blocks = SMAPS.read_text().split("\nVmFlags")
    lines = [line for block in blocks if str(path) in block for line in block.splitlines()]
    return sum(int(line.split()[1]) for line in lines if line.startswith("Rss:"))


@pytest.mark.skipif(not SMAPS.exists(), reason="needs the memory maps of Linux")
def test_pages_that_were_read_leave_memory(tmp_path: Path) -> None:
    path = tmp_path / "numbers"
    write_arrays(path, 1, "a", [NUMBERS])
    (mapped,) = map_arrays(path, 1, "a", [np.int64])
    total = mapped.sum()
    assert resident(path) > 8000  # of 8192 with numbers
    forget_pages()
    assert resident(path) == 0
    assert mapped.sum() == total == NUMBERS.sum()
    assert [*forgetting(range(600))] == [*range(600)]
    assert resident(path) == 0
    # Comparing reads the file as a whole, too.
    (checked,) = map_arrays(path, 1, "a", [np.int64], is_compared=True)
    assert resident(path) == 0 and checked[-1] == NUMBERS[-1]


LISTS = st.lists(st.integers(-(2**31), 2**31 - 1) | st.integers(0, 9), max_size=30)
"""Numbers of 32 bits; those below ten are often in two lists."""


@given(LISTS, LISTS)
def test_sets_of_numbers(numbers: list[int], others: list[int]) -> None:
    array = np.array(numbers, np.int32)
    without_repetitions = distinct(np.array(others, np.int32))
    assert without_repetitions.dtype == np.int32
    assert without_repetitions.tolist() == sorted({*others})
    are_in = are_among(array, without_repetitions)
    assert are_in.dtype == np.bool_
    assert are_in.tolist() == [number in others for number in numbers]
    assert array.tolist() == numbers  # the arguments stay as they are
