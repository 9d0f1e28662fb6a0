"""Arrays and texts in temporary files, for a load whose memory does not grow with the data.

The files have no names, so they disappear even if the process is killed. Texts are copied and
sorted in machine code.
"""

import contextlib
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from kgbuild.dump.atomic_files import write_errors
from kgbuild.native.kernel import kernel
from kgbuild.store.arrays import Array, Bytes, Flags, Parts, Positions, ends_of, write_arrays

_BATCH = 1 << 18
"""Number of texts that are copied at a time."""


class Spill:
    """A long array in a temporary file; iterating yields its parts, as they were appended.

    Raises:
        WriteError: the disk is full or may not be written.
    """

    def __init__(self, folder: Path, kind: npt.DTypeLike):
        self.dtype: np.dtype[Any] = np.dtype(kind)
        self._folder = folder
        self._sizes: list[int] = []
        with write_errors(folder):
            self._file = TemporaryFile(dir=folder)  # noqa: SIM115

    def append(self, part: Array) -> None:
        """Append an array, converted to the type of this one."""
        with write_errors(self._folder):
            # ``tofile`` does not tell of a full disk if an array is small.
            self._file.write(np.ascontiguousarray(part, self.dtype).data)
        self._sizes.append(len(part))

    def _flush(self) -> None:
        with write_errors(self._folder):
            self._file.flush()

    def __len__(self) -> int:
        return sum(self._sizes)

    def __iter__(self) -> Iterator[Array]:
        at = 0
        for size in self._sizes:
            self._flush()
            self._file.seek(at)
            yield np.fromfile(self._file, self.dtype, size)
            at += size * self.dtype.itemsize
        self._file.seek(at)

    def mapped(self) -> Array:
        """Return the whole array, mapped into memory."""
        self._flush()
        return np.memmap(self._file, self.dtype, "r") if len(self) else np.empty(0, self.dtype)

    def taken(self) -> Array:
        """Return the whole array in memory, and remove the file."""
        array = np.concatenate([np.empty(0, self.dtype), *self])
        self.close()
        return array

    def close(self) -> None:
        """Remove the file."""
        with contextlib.suppress(OSError):  # of a full disk, which is told already
            self._file.close()


class Spills(contextlib.ExitStack):
    """Makes temporary files in a folder, and removes them when it is closed."""

    def __init__(self, folder: Path):
        super().__init__()
        self._folder = folder

    def new(self, kind: npt.DTypeLike, content: Array | None = None) -> Spill:
        """Return a new array of this type; it has a content or is empty."""
        spill = Spill(self._folder, kind)
        self.callback(spill.close)
        if content is not None:
            spill.append(content)
        return spill


class ArraysWriter(Spills, ABC):
    """Collects what belongs into the file ``path``, and writes it; it waits in temporary files.

    What is written does not depend on the order in which it was added.

    Raises:
        WriteError: the disk is full or may not be written.
    """

    layout: ClassVar[int]

    def __init__(self, path: Path, folder: Path):
        super().__init__(folder)
        self._path = path

    def write(self, fingerprint: str) -> None:
        """Write the arrays of the graph with this fingerprint; remove the temporary files."""
        with self:
            write_arrays(self._path, self.layout, fingerprint, self.arrays())

    @abstractmethod
    def arrays(self) -> Sequence[Array | Parts]:
        """Return the arrays of the file."""


class Texts:
    """Texts in temporary files."""

    def __init__(self, spills: Spills):
        self._spills = spills
        self._lengths = spills.new(np.int32)
        self._content = spills.new(np.uint8)

    def append(self, lengths: Positions, content: Bytes) -> None:
        """Append texts of some lengths, one after the other."""
        self._lengths.append(lengths)
        self._content.append(content)

    def parts(self) -> tuple[Bytes, Positions, Positions]:
        """Return the content, and where each text begins and ends in it."""
        lengths = np.concatenate([np.empty(0, np.int64), *self._lengths])
        stops = np.cumsum(lengths)
        return self._content.mapped(), stops - lengths, stops

    def copied(self, order: Positions) -> tuple[Positions, Spill]:
        """Return texts in an order, as the ends and the content of a ``Column``."""
        content, starts, stops = self.parts()
        starts, stops = starts[order], stops[order]
        copy = self._spills.new(np.uint8)
        for n in range(0, len(order), _BATCH):
            copy.append(gathered(content, starts[n : n + _BATCH], stops[n : n + _BATCH]))
        return ends_of(stops - starts), copy

    def close(self) -> None:
        """Remove the files."""
        self._lengths.close()
        self._content.close()


def gathered(content: Bytes, starts: Positions, stops: Positions) -> Bytes:
    """Return the texts from ``starts`` to ``stops`` of a content, one after the other."""
    copy = np.empty(int((stops - starts).sum()), np.uint8)
    _gather(content, starts, stops, copy)
    return copy


@kernel
def _gather(content: Bytes, starts: Positions, stops: Positions, copy: Bytes) -> None:
    written = 0
    for n in range(starts.size):
        first, size = starts[n], stops[n] - starts[n]
        for k in range(size):
            copy[written + k] = content[first + k]
        written += size


def sorted_order(
    keys: Positions, content: Bytes, starts: Positions, stops: Positions
) -> tuple[Positions, Flags]:
    """Return the order of texts by their keys and bytes, and whether each repeats the one before.

    The flags are in this order.
    """
    order = np.argsort(keys, kind="stable")
    are_repeated = np.zeros(len(order), np.bool_)
    _sort_runs(keys[order], content, starts, stops, order, are_repeated)
    return order, are_repeated


@kernel
def _sort_runs(
    keys: Positions,
    content: Bytes,
    starts: Positions,
    stops: Positions,
    order: Positions,
    are_repeated: Flags,
) -> None:
    """Sort the texts of each run of equal keys by Shell's method, with gaps of Knuth."""
    first = 0
    while first < keys.size:
        last = first + 1
        while last < keys.size and keys[last] == keys[first]:
            last += 1
        gap = 1
        while gap < last - first:
            gap = 3 * gap + 1
        while gap > 1:
            gap //= 3
            for n in range(first + gap, last):
                text, at = order[n], n
                while at - gap >= first and (
                    _compared(content, starts, stops, text, order[at - gap]) < 0
                ):
                    order[at] = order[at - gap]
                    at -= gap
                order[at] = text
        for n in range(first + 1, last):
            are_repeated[n] = _compared(content, starts, stops, order[n - 1], order[n]) == 0
        first = last


def _compared(content: Bytes, starts: Positions, stops: Positions, a: int, b: int) -> int:
    """Return a number below, equal to or above 0, as the first text is, compared to the second."""
    size_a, size_b = stops[a] - starts[a], stops[b] - starts[b]
    for k in range(min(size_a, size_b)):
        difference = np.int64(content[starts[a] + k]) - np.int64(content[starts[b] + k])
        if difference:
            return int(difference)
    return int(size_a - size_b)
