"""Read a range of the bytes of a plain file, as tasks on several machines do."""

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from kgbuild.dump import reader
from kgbuild.dump.reader import Block
from kgbuild.errors import UnreadableDumpError


def blocks(path: Path, start: int, end: int) -> Iterator[Block]:
    """Yield the lines of a file whose first byte is in a range, so that ranges share no line.

    Raises:
        UnreadableDumpError: the file cannot be read.
    """
    try:
        with path.open("rb") as file:
            yield from reader.numbered(reader.whole_lines(_Range(file, start, end).read, is_part=True))
    except OSError as error:
        raise UnreadableDumpError(str(path), error.strerror or str(error)) from error


class _Range:
    """The lines of a file whose first byte is in a range."""

    def __init__(self, file: BinaryIO, start: int, end: int):
        self._file = file
        self._is_complete = True
        if start:  # skip the line that the range before ends with
            file.seek(start - 1)
            while (piece := file.readline(reader.BLOCK)) and not piece.endswith(b"\n"):
                continue
        elif file.read(len(reader.BOM)) != reader.BOM:
            file.seek(0)
        self._left = end - file.tell()

    def read(self, memory: memoryview) -> int:
        """Read the next bytes into memory; return their number."""
        if self._left <= 0 and self._is_complete:
            return 0
        is_inside = self._left > 0
        read = self._file.read if is_inside else self._file.readline
        data = read(min(len(memory), self._left) if is_inside else len(memory))
        memory[: len(data)] = data
        self._left -= len(data)
        self._is_complete = data.endswith(b"\n")
        return len(data)
