"""The ways in which a task reads its part of a dump: by itself, or from Spark.

A task reads a local file by itself, in blocks, since Spark would pass its lines on one by one, from
Java to Python. Other files come in record batches of Arrow with a single column, of bytes.
"""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import IO, Any, BinaryIO, NamedTuple, TypeAlias, cast

import numpy as np

from kgbuild.dump import reader
from kgbuild.dump.reader import Block, Dump
from kgbuild.errors import UnreadableDumpError

Batches: TypeAlias = Iterable[Any]
"""Record batches of Arrow."""


class PartOfDump(NamedTuple):
    """A part of the dump ``name``, or all of it, if ``is_whole``.

    ``read`` yields its lines from the batches that Spark passes to a task.
    """

    name: str
    is_whole: bool
    read: Callable[[Batches], Iterator[Block]]


def ranges(path: Path, split: int, size: int, batches: Batches) -> Iterator[Block]:
    """Read ranges of ``split`` bytes of a local file of ``size`` bytes; batches have numbers."""
    for batch in batches:
        for number in batch.column(0).to_pylist():
            yield from range_of(path, number * split, min(size, (number + 1) * split))


def range_of(path: Path, start: int, end: int) -> Iterator[Block]:
    """Yield the lines of a file whose first byte is in a range, so that ranges share no line.

    Raises:
        UnreadableDumpError: the file cannot be read.
    """
    try:
        with path.open("rb") as file:
            yield from reader.numbered(
                reader.whole_lines(_Range(file, start, end).read, [], is_part=True)
            )
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


def local_archive(name: str, path: Path, batches: Batches) -> Iterator[Block]:
    """Read a compressed file on a local disk; ``name`` is for errors."""
    for _ in batches:
        try:
            file = path.open("rb")
        except OSError as error:
            raise UnreadableDumpError(name, error.strerror or str(error)) from error
        with Dump(name, file) as dump:
            yield from dump.blocks()


def lines(batches: Batches) -> Iterator[Block]:
    """Read lines with line ends, which Spark has read."""
    return reader.numbered(map(_joined, batches))


def archive(name: str, size: int, batches: Batches) -> Iterator[Block]:
    """Read a compressed file of ``size`` bytes, which Spark has read as if it had lines."""
    return Dump(name, cast(IO[bytes], _ArchiveFile(batches, size))).blocks()


class _ArchiveFile:
    """An archive of ``size`` bytes from batches of its lines.

    Spark adds a line end if the archive does not end with that byte.
    """

    def __init__(self, batches: Batches, size: int):
        self._parts = (_joined(batch) for batch in batches)
        self._part = memoryview(b"")
        self._remaining = size

    def read(self, size: int) -> bytes:
        while not self._part and (part := next(self._parts, b"")):
            self._part = memoryview(part)[: self._remaining]
            self._remaining -= len(self._part)
            if len(part) - len(self._part) > 1:
                raise OSError("more bytes come than it has")  # Spark has decompressed it
        data, self._part = self._part[:size], self._part[size:]
        return bytes(data)

    def close(self) -> None:
        """Do nothing: Spark closes its batches."""


def _joined(batch: Any) -> bytes:
    """Return the concatenated values of a batch, which are adjacent in memory."""
    column = batch.column(0)
    _, ends, data = column.buffers()
    offsets = np.frombuffer(ends, np.int32)[column.offset :][: len(column) + 1]
    return bytes(data[int(offsets[0]) : int(offsets[-1])].to_pybytes())


def reads_in_java(path: str) -> bool:
    """Return whether Spark reads the lines of a dump with this path, and passes them on to Python.

    Before Spark starts, only the path tells: it has a scheme other than ``file:``, or is a bz2.
    """
    scheme, colon, _ = path.partition(":")
    is_local = not colon or "/" in scheme or scheme == "file"
    return not is_local or path.endswith(".bz2")
