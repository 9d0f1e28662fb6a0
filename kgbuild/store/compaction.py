"""Compact a database in a process of its own: ``python -m kgbuild.store.compaction PATH``.

A compaction takes minutes and cannot be interrupted, but a process can be killed. This one ends
with its standard input, so also if the process that started it is killed.
"""

import contextlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO, cast

from kgbuild.dump import child_processes
from kgbuild.dump.atomic_files import write_errors
from kgbuild.errors import WriteError
from kgbuild.store import oxigraph

_KILLED = "the process that compacts it was killed, perhaps because memory was full"


@contextlib.contextmanager
def compacting(path: Path) -> Iterator[None]:
    """Compact the database in a folder while the block runs, and then wait for the end.

    Raises:
        WriteError: the disk is full or may not be written.
    """
    with write_errors(path):
        process = child_processes.start(
            "kgbuild.store.compaction", str(path), stderr=subprocess.PIPE
        )
    messages = cast(IO[bytes], process.stderr)
    try:
        yield
        message = messages.read()  # until the process ends
    finally:
        process.kill()
        process.communicate()
    if process.returncode:
        raise WriteError(path, message.decode(errors="replace").strip() or _KILLED)


def _compact(path: Path) -> None:
    """Compact the database; exit with a message if this fails."""
    child_processes.end_with_parent()
    try:
        oxigraph.compact(path)
    except OSError as error:
        sys.exit(error.strerror or str(error))
    except (RuntimeError, ValueError) as error:  # the database is damaged
        sys.exit(str(error))


if __name__ == "__main__":
    _compact(Path(sys.argv[1]))
