"""Locks: one holder at a time, whatever processes and threads do and leave."""

import contextlib
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from kgbuild.files import locks

HOLDERS = """
import sys
from pathlib import Path
from kgbuild.files import locks

folder, times = Path(sys.argv[1]), int(sys.argv[2])
for _ in range(times):
    with locks.exclusive(folder / "lock", wait=None):
        (folder / "holder").mkdir()  # fails if another process is in its block
        (folder / "holder").rmdir()
"""


def test_many_processes_never_hold_a_lock_together(tmp_path: Path) -> None:
    command = [sys.executable, "-c", HOLDERS, str(tmp_path), "150"]
    processes = [subprocess.Popen(command, stderr=subprocess.PIPE) for _ in range(6)]
    errors = [process.communicate()[1] for process in processes]
    assert errors == [b""] * 6
    assert list(tmp_path.iterdir()) == []  # the file of the lock is removed, too


def test_threads_exclude_each_other_and_waiting_is_told_once(tmp_path: Path) -> None:
    told: list[str] = []
    with locks.exclusive(tmp_path / "lock"):
        with pytest.raises(BlockingIOError), locks.exclusive(tmp_path / "lock", wait=0.1):
            raise AssertionError("two holders")
        waiter = threading.Thread(target=_hold, args=(tmp_path / "lock", told))
        waiter.start()
        while not told:
            pass
        assert told == ["waiting"]
    waiter.join()
    assert told == ["waiting", "held"]


def _hold(path: Path, told: list[str]) -> None:
    with locks.exclusive(path, wait=None, on_wait=lambda: told.append("waiting")):
        told.append("held")


def test_what_a_killed_process_left_is_no_lock(tmp_path: Path) -> None:
    (tmp_path / "lock").touch()
    with locks.exclusive(tmp_path / "lock"):
        pass


def test_a_symbolic_link_is_neither_followed_nor_removed(tmp_path: Path) -> None:
    (tmp_path / "victim").write_text("kept")
    (tmp_path / "lock").symlink_to(tmp_path / "victim")
    with pytest.raises(OSError, match="symbolic"), locks.exclusive(tmp_path / "lock"):
        raise AssertionError("a link was followed")
    assert (tmp_path / "lock").is_symlink()
    assert (tmp_path / "victim").read_text() == "kept"


def test_descriptors_are_closed_whether_the_lock_is_held_or_not(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    with locks.exclusive(path):
        assert _descriptors(path) == 1
        for _ in range(3):
            with contextlib.suppress(BlockingIOError), locks.exclusive(path):
                pass
        assert _descriptors(path) == 1
    assert _descriptors(path) == 0


def _descriptors(path: Path) -> int:
    """Return the number of open descriptors of a file; other threads may close theirs."""
    numbers = [int(entry.name) for entry in Path("/dev/fd").iterdir()]
    count = 0
    for number in numbers:
        with contextlib.suppress(OSError):  # the descriptor by which the folder was read
            count += os.path.samestat(os.fstat(number), path.stat())
    return count


WRITERS = """
import sys, time
from pathlib import Path
from kgbuild.files import atomic_files
from kgbuild.errors import OutputBusyError

out, times = Path(sys.argv[1]), int(sys.argv[2])
while times:
    try:
        with atomic_files.working_folder(out, force=True) as folder:
            (folder / "out").write_text(str(int(out.read_text()) + 1))
            atomic_files.publish(folder / "out", out)
        times -= 1
    except OutputBusyError:
        time.sleep(0.001)
"""


def test_many_processes_that_replace_an_output_lose_no_result(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("0")
    command = [sys.executable, "-c", WRITERS, str(tmp_path / "out"), "25"]
    processes = [subprocess.Popen(command, stderr=subprocess.PIPE) for _ in range(6)]
    assert [process.communicate()[1] for process in processes] == [b""] * 6
    assert (tmp_path / "out").read_text() == "150"  # each added one to what another left
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
