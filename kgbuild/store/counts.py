"""Arrays that are counted over a whole store: once, and then kept beside the store.

What a builder needs to know of a population, such as how many people have a name, takes seconds to
count in a large store. So the first build that needs it writes it to a file of ``arrays`` in the
folder of the store's generation, and later builds and other processes map this file::

    def count() -> tuple[Positions, Numbers]:
        return np.unique(np.concatenate(names_of_people), return_counts=True)

    names, sizes = knowledge.counts.arrays(("namesakes", "Q5"), (np.int64, np.int32), count)

The arrays depend on the store, the program and the name only: the name has all options that they
depend on. If the program changes, they are counted again. They may be counted from other kept
arrays.
"""

import contextlib
import functools
import hashlib
from collections.abc import Callable, Sequence
from importlib import metadata
from pathlib import Path

from kgbuild.errors import DamagedStoreError, WriteError
from kgbuild.files import atomic_files
from kgbuild.native.arrays import Array
from kgbuild.rows import stable_id
from kgbuild.store.array_files import forget_pages
from kgbuild.store.arrays import map_arrays
from kgbuild.store.sparql import queries
from kgbuild.store.spill import write_arrays

_LAYOUT = 1
_SUFFIXES = {".py", ".toml", ".rq"}
_LIBRARIES = ("networkx", "numpy")


@functools.cache
def program_digest() -> str:
    """Return a hash of the code, the queries and the tables of words of this program."""
    package = Path(__file__).parents[1]
    result = hashlib.blake2b(digest_size=8)
    for name in _LIBRARIES:
        result.update(f"{name} {metadata.version(name)}\n".encode())
    for folder in (package, queries.folder()):
        for path in sorted(folder.rglob("*")):
            if path.suffix in _SUFFIXES:
                result.update(f"{path.relative_to(folder).as_posix()}\n".encode())
                result.update(path.read_bytes())
    return result.hexdigest()


class Counts:
    """The counts of the store with this fingerprint; ``folder`` has their files.

    If the folder cannot be written, each process counts for itself.
    """

    def __init__(self, folder: Path, fingerprint: str):
        self._folder = folder
        self._fingerprint = stable_id(fingerprint, program_digest())
        self._opened: dict[tuple[str, ...], Sequence[Array]] = {}

    def arrays(
        self, name: tuple[str, ...], types: Sequence[type], count: Callable[[], Sequence[Array]]
    ) -> Sequence[Array]:
        """Return the arrays with this name, which have these types; ``count`` computes them.

        While a process counts, others that need the same arrays wait for it.
        """
        if name not in self._opened:
            self._opened[name] = self._read(name, types, count)
        return self._opened[name]

    def _read(
        self, name: tuple[str, ...], types: Sequence[type], count: Callable[[], Sequence[Array]]
    ) -> Sequence[Array]:
        """Return the arrays of a file, which is written if it is missing or does not fit."""
        path = self._folder / f"{name[0]}-{stable_id(*name)}"
        if not atomic_files.lock_beside(path).exists():
            with contextlib.suppress(DamagedStoreError):
                return self._map(path, types)
        with contextlib.ExitStack() as stack:
            partial = None
            with contextlib.suppress(WriteError):
                atomic_files.refuse_link(self._folder)
                folder = stack.enter_context(atomic_files.partial_folder(path, wait=None))
                partial = folder / path.name
            with contextlib.suppress(DamagedStoreError):  # another process has written it meanwhile
                return self._map(path, types)
            arrays: list[Array] = [
                array.astype(kind, copy=False) for array, kind in zip(count(), types, strict=True)
            ]
            forget_pages()  # counting has read whole columns
            if partial:
                with contextlib.suppress(WriteError, DamagedStoreError):
                    write_arrays(partial, _LAYOUT, self._mark(path), arrays)
                    with atomic_files.write_errors(path):
                        atomic_files.sync(partial)
                        atomic_files.publish(partial, path)
                    return self._map(path, types)
            return arrays

    def _map(self, path: Path, types: Sequence[type]) -> Sequence[Array]:
        """Return the arrays of a file; raise a DamagedStoreError if it does not fit."""
        return map_arrays(path, _LAYOUT, self._mark(path), types, is_compared=True)

    def _mark(self, path: Path) -> str:
        """Return what the header of a file has: a file under the name of another is not read."""
        return stable_id(self._fingerprint, path.name)
