"""Read a part of a dump from Spark, which passes it on in record batches of Arrow.

A batch has a single column, of bytes.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import IO, Any, NamedTuple, TypeAlias, cast

import numpy as np

from kgbuild.dump import reader
from kgbuild.dump.reader import Block, Dump

Batches: TypeAlias = Iterable[Any]
"""Record batches of Arrow."""


class PartOfDump(NamedTuple):
    """A part of the dump ``name``, or all of it, if ``is_whole``.

    ``read`` yields its lines from the batches that Spark passes to a task.
    """

    name: str
    is_whole: bool
    read: Callable[[Batches], Iterator[Block]]


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
