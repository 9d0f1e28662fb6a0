"""Start a module of kgbuild in a process of its own."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def uninterrupted() -> Iterator[None]:
    """Start processes in the block that Ctrl-C does not reach: the parent process handles it.

    A terminal sends it to all processes, also to those that are too young to ignore it. They
    inherit that the signal is blocked; if it comes during the block, it is handled at its end.
    """
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def start(
    module: str, *arguments: str, stdout: int | None = None, stderr: int | None = None
) -> "subprocess.Popen[bytes]":
    """Start ``python -m module`` with arguments and a pipe to its standard input.

    ``stdout`` and ``stderr`` are those of ``Popen``. The process imports what this process
    imports, and nothing from the current folder. Ctrl-C does not reach it.
    """
    package = str(Path(__file__).parents[2])
    path = os.pathsep.join([package, *filter(None, sys.path)])
    with uninterrupted():
        return subprocess.Popen(  # noqa: S603
            [sys.executable, "-P", "-m", module, *arguments],
            env=os.environ | {"PYTHONPATH": path},
            stdin=subprocess.PIPE,
            stdout=stdout,
            stderr=stderr,
        )


def end_with_parent() -> None:
    """Let this process end with its standard input, so also if its parent process is killed."""
    threading.Thread(target=_end_with_input, daemon=True).start()


def _end_with_input() -> None:
    os.read(0, 1)  # nothing more is written
    os._exit(1)
