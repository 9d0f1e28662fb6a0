"""Interrupt a process; look at those of this machine, as Linux lists them in /proc."""

import subprocess
import sys
import time
from pathlib import Path

_INTERRUPTED = """
import signal, sys
name, renamed = sys.argv.pop(1), False
def watch(event, arguments):
    global renamed
    if event == "open" and renamed:  # of the folder, to sync it
        renamed = False
        signal.raise_signal(signal.SIGINT)
    renamed = renamed or event == "os.rename" and str(arguments[1]).endswith("/" + name)
sys.addaudithook(watch)
from kgbuild.cli import main
main()
"""


def interrupted_after_rename(name: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run a command, with Ctrl-C as soon as a file has been renamed to a name."""
    command = [sys.executable, "-c", _INTERRUPTED, name, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


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
