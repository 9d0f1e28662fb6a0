"""Arrays in temporary files, for a load whose memory does not grow with the data.

A file without a name disappears even if the process is killed. A file with a name stays then, so
that another process can continue to write it.
"""

import contextlib
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from kgbuild.dump.atomic_files import create
from kgbuild.store.arrays import Array


class Spill:
    """A long array in a temporary file; iterating yields its parts, as they were appended."""

    def __init__(self, file: IO[bytes], kind: npt.DTypeLike, sizes: list[int]):
        self.dtype: np.dtype[Any] = np.dtype(kind)
        self._file = file
        self._sizes = sizes

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

    def flush(self) -> list[int]:
        """Write all parts to the file, and return their sizes."""
        self._file.flush()
        return [*self._sizes]


Sizes: TypeAlias = Mapping[str, Sequence[int]]
"""The sizes of the parts of arrays, by the names of their files."""


class Spills:
    """The temporary files in a folder.

    With ``sizes``, arrays can have files with names. An array that is in ``sizes`` has the parts of
    these sizes, which another process has written.
    """

    def __init__(self, folder: Path, sizes: Sizes | None = None):
        self._folder = folder
        self._sizes = sizes
        self._named: dict[str, Spill] = {}
        self._files = contextlib.ExitStack()

    def new(self, kind: npt.DTypeLike, content: Array | None = None, name: str = "") -> Spill:
        """Return a new array of this type; it has a content or is empty.

        With a ``name``, its file has this name, if files can have names.
        """
        if name and self._sizes is not None:
            self._named[name] = spill = self._open(name, kind, self._sizes.get(name, []))
        else:
            file = TemporaryFile(dir=self._folder)  # noqa: SIM115 (close() closes it)
            spill = Spill(file, kind, [])
        self._files.callback(spill.close)
        if content is not None:
            spill.append(content)
        return spill

    def _open(self, name: str, kind: npt.DTypeLike, sizes: Sequence[int]) -> Spill:
        """Open a file, and remove what it has beyond the parts of these sizes."""
        path = self._folder / name
        if not path.exists():  # it is new, or what it was needed for is written
            create(path).close()
            sizes = []
        file = os.fdopen(os.open(path, os.O_RDWR | os.O_NOFOLLOW), "r+b")
        file.truncate(sum(sizes) * np.dtype(kind).itemsize)
        file.seek(0, os.SEEK_END)
        return Spill(file, kind, [*sizes])

    def flush(self) -> dict[str, list[int]]:
        """Write all arrays to their files; return the sizes of their parts by name."""
        return {name: spill.flush() for name, spill in self._named.items()}

    def close(self) -> None:
        """Close all files, and remove those without names."""
        self._files.close()

    def remove(self) -> None:
        """Close and remove all files."""
        self.close()
        for name in self._named:
            (self._folder / name).unlink(missing_ok=True)
