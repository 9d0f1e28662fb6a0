"""Arrays and texts in temporary files, for a load whose memory does not grow with the data.

The files have no names, so they disappear even if the process is killed. What is to be sorted is
read again for each range of its keys. Texts are copied in machine code.
"""

import contextlib
import json
import zlib
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, ClassVar, TypeAlias, cast

import numpy as np
import numpy.typing as npt
from numpy.lib.stride_tricks import sliding_window_view

from kgbuild.files.atomic_files import create, write_errors
from kgbuild.native.arrays import Array, Bytes, Flags, Numbers, Positions
from kgbuild.native.kernel import kernel
from kgbuild.store.array_files import CHECKSUM, HEAD
from kgbuild.store.arrays import are_new, distinct, ends_of

_PART = 1 << 27
"""Number of bytes that are sorted at a time, unless a single key has more."""
_SAMPLED = 64
"""One of so many keys is read to divide them into ranges of about the same size."""
_WORD = 8
"""Number of bytes that are compared at a time; the last one tells how many letters are left."""

TextPart: TypeAlias = tuple[Bytes, Positions, Positions]
"""Texts in memory: their content, and where each of them begins and ends in it."""


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
        if len(part):
            with write_errors(self._folder):
                # ``tofile`` does not tell of a full disk if an array is small.
                self._file.write(np.ascontiguousarray(part, self.dtype).data)
        self._sizes.append(len(part))

    def _read(self, at: int, size: int) -> Array:
        if not size:
            return np.empty(0, self.dtype)
        with write_errors(self._folder):
            self._file.flush()
        self._file.seek(at)
        return np.fromfile(self._file, self.dtype, size)

    def __len__(self) -> int:
        return sum(self._sizes)

    def __iter__(self) -> Iterator[Array]:
        at = 0
        for size in self._sizes:
            yield self._read(at, size)
            at += size * self.dtype.itemsize
        if at:
            self._file.seek(at)

    @property
    def nbytes(self) -> int:
        """The number of bytes."""
        return len(self) * self.dtype.itemsize

    def taken(self) -> Array:
        """Return the whole array in memory, and remove the file."""
        array = self._read(0, len(self))
        self.close()
        return array

    def chosen(self, chosen: Sequence[Numbers]) -> Array:
        """Return those elements of each part that are ``chosen`` by their positions."""
        array = np.empty(sum(map(len, chosen)), self.dtype)
        at = 0
        for part, where in zip(self, chosen, strict=True):
            array[at : at + len(where)] = part[where]
            at += len(where)
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


def write_arrays(
    path: Path, layout: int, fingerprint: str, arrays: Sequence[Array | Spill]
) -> None:
    """Write arrays about the graph with this fingerprint to a file.

    ``layout`` is the version of the meaning of the arrays.

    Raises:
        WriteError: the file cannot be written.
    """
    checksum = 0
    with write_errors(path), create(path) as file:
        file.write(bytes(HEAD))
        for array in arrays:
            for part in [array] if isinstance(array, np.ndarray) else array:
                file.write(part.data)  # unlike ``tofile``, this tells of a full disk
                checksum = zlib.crc32(part.data, checksum)
            padding = bytes(-len(array) * array.dtype.itemsize % 8)
            file.write(padding)
            checksum = zlib.crc32(padding, checksum)
        head = {
            "layout": layout,
            "fingerprint": fingerprint,
            "sizes": [len(array) for array in arrays],
            CHECKSUM: checksum,
        }
        file.seek(0)
        file.write(json.dumps(head).encode().ljust(HEAD - 1) + b"\n")


class ArraysWriter(Spills, ABC):
    """Collects what belongs into the file ``path``, and writes it; it waits in temporary files.

    What is written does not depend on the order in which it was added; errors as of ``Spill``.
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
    def arrays(self) -> Sequence[Array | Spill]:
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

    def copy(self, texts: TextPart, order: Positions) -> None:
        """Append some of the texts of a part, in an order."""
        content, starts, stops = texts[0], texts[1][order], texts[2][order]
        self.append(stops - starts, gathered(content, starts, stops))

    @property
    def nbytes(self) -> int:
        """The number of bytes."""
        return self._lengths.nbytes + self._content.nbytes

    def chosen(self, chosen: Sequence[Numbers]) -> TextPart:
        """Return those texts of each part that are ``chosen`` by their positions."""
        parts: list[Bytes] = []
        for lengths, content, where in zip(self._lengths, self._content, chosen, strict=True):
            stops = np.cumsum(lengths, dtype=np.int64)
            parts.append(gathered(content, (stops - lengths)[where], stops[where]))
        ends = ends_of(self._lengths.chosen(chosen))
        return np.concatenate(parts), ends[:-1], ends[1:]

    def arrays(self) -> tuple[Spill, Spill]:
        """Return where the texts end, after a zero, and their content."""
        return self._spills.new(np.int64, ends_of(self._lengths.taken())), self._content

    def close(self) -> None:
        """Remove the files."""
        self._lengths.close()
        self._content.close()


def in_ranges(keys: Spill, *others: Spill | Texts, low_bits: int = 0) -> Iterator[list[Any]]:
    """Yield all keys, and what belongs to them, in parts by rising ranges of keys; remove them.

    A part is not sorted. Keys that differ in their ``low_bits`` only are in the same part.
    """
    columns = (keys, *others)
    if not len(keys):
        return
    count = sum(column.nbytes for column in columns) // _PART + 1
    sample = np.sort(np.concatenate([part[::_SAMPLED].copy() for part in keys]))
    bounds = distinct(sample[[len(sample) * n // count for n in range(1, count)]] >> low_bits)
    bounds = bounds[bounds > sample[0] >> low_bits] << low_bits
    limits = np.iinfo(keys.dtype)
    for first, last in zip((limits.min, *bounds), (*(bounds - 1), limits.max), strict=True):
        yield _between(first, last, columns)
    for column in columns:
        column.close()


def _between(first: int, last: int, columns: Sequence[Spill | Texts]) -> list[Any]:
    """Return the keys, which are the first column, from ``first`` to ``last``, and the others."""
    are_between = ((part >= first) & (part <= last) for part in cast(Spill, columns[0]))
    chosen = [np.flatnonzero(flags).astype(np.int32) for flags in are_between]
    return [column.chosen(chosen) for column in columns]


def gathered(content: Bytes, starts: Positions, stops: Positions) -> Bytes:
    """Return the texts from ``starts`` to ``stops`` of a content, one after the other."""
    copy = np.empty(int((stops - starts).sum()), np.uint8)
    _gather(content, starts, stops, copy)
    return copy


@kernel
def _gather(content: Bytes, starts: Positions, stops: Positions, copy: Bytes) -> None:
    """Copy texts; those that follow one another are copied at once."""
    written = n = 0
    while n < starts.size:
        first = starts[n]
        while n + 1 < starts.size and starts[n + 1] == stops[n]:
            n += 1
        size = stops[n] - first
        source, target = content[first : first + size], copy[written : written + size]
        for k in range(size):
            target[k] = source[k]
        written += size
        n += 1


def sorted_order(keys: Positions, texts: TextPart) -> tuple[Positions, Flags]:
    """Return the order of texts by their keys and bytes, and whether each repeats the one before.

    The flags are in this order. Texts with equal keys and beginnings are ordered by further bytes.
    """
    content, starts, stops = texts
    windows = sliding_window_view(np.append(content, np.zeros(_WORD, np.uint8)), _WORD)
    order = np.argsort(keys, kind="stable")
    begin = are_new(keys[order])
    at, tied = 0, np.arange(len(order))
    while len(tied := tied[~(begin[tied] & np.append(begin, True)[tied + 1])]):
        runs, rows = np.cumsum(begin)[tied], order[tied]
        rest = np.maximum(stops[rows] - starts[rows] - at, 0)
        letters = windows[np.minimum(starts[rows] + at, stops[rows])]
        letters[rest[:, None] <= np.arange(_WORD)] = 0
        letters[:, -1] = np.minimum(rest, _WORD)  # the end of a text comes before a zero
        words = letters.view(">u8").ravel().astype(np.uint64)
        by_word = np.lexsort((words, runs))
        order[tied], words = rows[by_word], words[by_word]
        begin[tied[1:]] |= words[1:] != words[:-1]
        at, tied = at + _WORD - 1, tied[rest[by_word] >= _WORD]
    return order, ~begin
