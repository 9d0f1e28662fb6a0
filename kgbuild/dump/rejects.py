"""Write the file of rejects: the number of each bad line, the reason, and how the line begins."""

import contextlib
import io
from collections.abc import Iterator
from pathlib import Path
from typing import IO, NamedTuple

from kgbuild.errors import WriteError
from kgbuild.files import atomic_files

SHOWN = 200
"""Maximum number of bytes of a bad line that the rejects file shows."""
_HEADER = "file\tline\treason\ttext\n"


class Fault(NamedTuple):
    """A bad line: its number in the dump (from 1), the reason why it is bad, and its text."""

    number: int
    reason: str
    text: bytes


class Rejects:
    """The file of rejected lines: a table with the columns file, line, reason and text.

    ``file`` is open for writing; if it is kept, it becomes ``path``.
    """

    def __init__(self, file: IO[str], path: Path):
        file.write(_HEADER)
        self._file = file
        self.path = path

    def add(self, name: str, number: int, reason: str, text: bytes) -> None:
        """Add a bad line. The reason may quote the line, so both are shortened and escaped."""
        self._file.write(f"{name}\t{number}\t{shown(reason.encode())}\t{shown(text)}\n")

    def keep(self) -> None:
        """Save the file; it replaces an older file."""
        self._file.flush()
        partial = Path(self._file.name)
        atomic_files.sync(partial)
        atomic_files.publish(partial, self.path)


@contextlib.contextmanager
def rejecting(path: Path, folder: Path) -> Iterator[Rejects]:
    """Open a new file of rejected lines in a temporary folder; ``keep`` makes it ``path``.

    Raises:
        WriteError: the file cannot be written, or ``path`` is another file than one of rejects.
    """
    with atomic_files.write_errors(path):
        if path.exists():
            with path.open("rb") as older:
                if older.read(len(_HEADER)) != _HEADER.encode():
                    raise WriteError(path, "it is no file of rejected lines. Rename it")
        file = io.TextIOWrapper(atomic_files.create(folder / path.name), encoding="utf-8")
    with file:
        yield Rejects(file, path)


def shown(text: bytes) -> str:
    """Return the beginning of a line in printable ASCII, with escapes for other characters."""
    return ascii(text[:SHOWN].decode("utf-8", "backslashreplace"))[1:-1]
