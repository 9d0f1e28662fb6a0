"""The checksums of the files of a generation, by which a damaged file is found before it is read.

Oxigraph does not report each damaged block: a filter takes the error for "no", and a group collects
the error again and again until the memory is full. So a load writes the size and the checksum of
each file, and the time of its last change. Any write and any copy changes this time, so a command
compares only the content of files that have another time, and then keeps their time. ``kgbuild
check`` compares all, which finds also what a disk has lost by itself.
"""

import contextlib
import json
import os
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from kgbuild.errors import DamagedStoreError, OutputBusyError, WriteError
from kgbuild.files.atomic_files import write_bytes
from kgbuild.rows import Progress, no_progress

NAME = "checksums"
_BUFFER = 1 << 20
"""Number of bytes that are read at a time."""


class _Written(NamedTuple):
    """The state of a file: ``changed`` is the time of its last change, in nanoseconds."""

    size: int
    checksum: int
    changed: int


def write(folder: Path) -> None:
    """Write the checksums of all files in the folder of a generation.

    Raises:
        OSError, WriteError: a file cannot be read or written.
    """
    # A killed load may have left what it wrote of the checksums, which goes when they are written.
    parts = [part for part in folder.iterdir() if not part.name.startswith((NAME, f".{NAME}."))]
    paths = [path for part in parts for path in (part, *part.rglob("*")) if path.is_file()]
    _write(folder, {path.relative_to(folder).as_posix(): _state(path) for path in sorted(paths)})


def faults(
    folder: Path, *, of_all: bool = False, progress: Progress = no_progress
) -> Iterator[DamagedStoreError]:
    """Yield an error for each file that is not as the load has written it.

    Compared is the content of files that have changed since they were compared, or ``of_all``.
    """
    written = read(folder)
    compared = dict(written)
    total, done = sum(file.size for file in written.values()), 0
    for name, file in written.items():
        path = folder / name
        progress("reading the files", done, total)
        done += file.size
        try:
            if of_all or path.stat().st_ctime_ns != file.changed:
                state = _state(path)
                if state[:2] == file[:2]:
                    compared[name] = state
                else:
                    yield DamagedStoreError(path, "its content has changed since it was written")
        except FileNotFoundError:
            yield DamagedStoreError(path, "it is missing")
        except OSError as error:
            yield DamagedStoreError(path, error.strerror or str(error))
    if compared != written:
        # Another process may write them, or the folder may be read-only: then the next command
        # compares the files again.
        with contextlib.suppress(OutputBusyError, WriteError):
            _write(folder, compared)


def read(folder: Path) -> dict[str, _Written]:
    """Return the state of each file; raise a DamagedStoreError if the checksums are damaged."""
    path = folder / NAME
    try:
        text = path.read_text(encoding="utf-8")
        return {name: _Written(*map(int, state)) for name, state in json.loads(text).items()}
    except FileNotFoundError as error:
        raise DamagedStoreError(path, "it is missing, as in stores of older versions") from error
    except (OSError, ValueError, TypeError, AttributeError, RecursionError) as error:
        raise DamagedStoreError(path, str(error)) from error


def _write(folder: Path, states: dict[str, _Written]) -> None:
    write_bytes(folder / NAME, json.dumps(states).encode())


def _state(path: Path) -> _Written:
    """Return the state of a file, whose time is read before its content."""
    size = checksum = 0
    with path.open("rb") as file:
        changed = os.fstat(file.fileno()).st_ctime_ns
        while part := file.read(_BUFFER):
            size, checksum = size + len(part), zlib.crc32(part, checksum)
    return _Written(size, checksum, changed)
