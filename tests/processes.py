"""Look at the processes of this machine, as Linux lists them in /proc."""

import time
from pathlib import Path


def children(process: int) -> list[int]:
    """Return the processes that a process has started, as soon as there is one."""
    listed = Path(f"/proc/{process}/task/{process}/children")
    for _ in range(3000):  # a minute, for a busy machine
        if found := [int(child) for child in listed.read_text().split()]:
            return found
        time.sleep(0.02)
    raise AssertionError("it has no child")


def has_ended(process: int) -> bool:
    """Return whether a process ends soon; one that nobody has waited for counts."""
    for _ in range(3000):
        try:
            status = Path(f"/proc/{process}/stat").read_text()
        except (FileNotFoundError, ProcessLookupError):
            return True
        if status.rpartition(")")[2].split()[0] == "Z":
            return True
        time.sleep(0.02)
    return False
