"""Start a module of kgbuild in a process of its own."""

import os
import subprocess
import sys
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
