"""Start a module of kgbuild in a process of its own."""

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path


def start(
    module: str, *arguments: str, stdout: int | None = None, stderr: int | None = None
) -> "subprocess.Popen[bytes]":
    """Start ``python -m module`` with arguments and a pipe to its standard input.

    ``stdout`` and ``stderr`` are those of ``Popen``. The process imports what this process
    imports, and nothing from the current folder.
    """
    package = str(Path(__file__).parents[2])
    path = os.pathsep.join([package, *filter(None, sys.path)])
    return subprocess.Popen(  # noqa: S603
        [sys.executable, "-P", "-m", module, *arguments],
        env=os.environ | {"PYTHONPATH": path},
        stdin=subprocess.PIPE,
        stdout=stdout,
        stderr=stderr,
    )


def end_with_parent() -> None:
    """Let this process end with its standard input, so also if its parent process is killed.

    Ctrl-C is left to the parent process.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_input, daemon=True).start()


def _end_with_input() -> None:
    os.read(0, 1)  # nothing more is written
    os._exit(1)
