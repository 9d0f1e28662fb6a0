"""Arrays in temporary files, for a load whose memory does not grow with the data."""

import contextlib
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

import numpy as np
import numpy.typing as npt

from kgbuild.store.arrays import Array


class Spill:
    """A long array in a temporary file; iterating yields its parts, as they were appended.

    The file has no name, so it disappears even if the process is killed.
    """

    def __init__(self, folder: Path, kind: npt.DTypeLike):
        self.dtype: np.dtype[Any] = np.dtype(kind)
        self._file = TemporaryFile(dir=folder)  # noqa: SIM115 (close() closes it)
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

    def close(self) -> None:
        """Remove the file."""
        self._file.close()


class Spills:
    """The temporary files in a folder."""

    def __init__(self, folder: Path):
        self._folder = folder
        self._files = contextlib.ExitStack()

    def new(self, kind: npt.DTypeLike, content: Array | None = None) -> Spill:
        """Return a new array of this type; it has a content or is empty."""
        spill = Spill(self._folder, kind)
        self._files.callback(spill.close)
        if content is not None:
            spill.append(content)
        return spill

    def close(self) -> None:
        """Remove all files."""
        self._files.close()
