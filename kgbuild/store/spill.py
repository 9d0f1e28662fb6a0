"""Arrays in temporary files, for a load whose memory does not grow with the data.

The files have no names, so they disappear even if the process is killed.
"""

import contextlib
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any

import numpy as np
import numpy.typing as npt

from kgbuild.store.arrays import Array


class Spill:
    """A long array in a temporary file; iterating yields its parts, as they were appended."""

    def __init__(self, file: IO[bytes], kind: npt.DTypeLike):
        self.dtype: np.dtype[Any] = np.dtype(kind)
        self._file = file
        self._sizes: list[int] = []

    def append(self, part: Array) -> None:
        """Append an array, converted to the type of this one."""
        part.astype(self.dtype, copy=False).tofile(self._file)
        self._sizes.append(len(part))

    def __len__(self) -> int:
        return sum(self._sizes)

    def __iter__(self) -> Iterator[Array]:
        at = 0
        for size in self._sizes:
            self._file.flush()
            self._file.seek(at)
            yield np.fromfile(self._file, self.dtype, size)
            at += size * self.dtype.itemsize
        self._file.seek(at)

    def mapped(self) -> Array:
        """Return the whole array, mapped into memory."""
        self._file.flush()
        return np.memmap(self._file, self.dtype, "r") if len(self) else np.empty(0, self.dtype)

    def taken(self) -> Array:
        """Return the whole array in memory, and remove the file."""
        array = np.concatenate([np.empty(0, self.dtype), *self])
        self.close()
        return array

    def close(self) -> None:
        """Remove the file."""
        self._file.close()


class Spills(contextlib.ExitStack):
    """Makes temporary files in a folder, and removes them when it is closed."""

    def __init__(self, folder: Path):
        super().__init__()
        self._folder = folder

    def new(self, kind: npt.DTypeLike, content: Array | None = None) -> Spill:
        """Return a new array of this type; it has a content or is empty."""
        spill = Spill(TemporaryFile(dir=self._folder), kind)  # noqa: SIM115
        self.callback(spill.close)
        if content is not None:
            spill.append(content)
        return spill
