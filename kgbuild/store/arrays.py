"""Files of arrays beside the graph, which are mapped into memory.

A file has a header, which is JSON, and then the arrays, each at a multiple of eight bytes.
"""

import contextlib
import json
import mmap
import weakref
import zlib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeAlias, TypeVar, cast

import numpy as np
import numpy.typing as npt

from kgbuild.dump.atomic_files import create, write_errors
from kgbuild.errors import DamagedStoreError

_HEAD = 4096
"""Number of bytes of the header."""
_CHECKSUM = "crc32"
_HEAD_KEYS = {"layout", "fingerprint", "sizes"}
"""Keys of the header that all versions write."""
_OTHER_KEYS = {_CHECKSUM, "checksum"}
"""Further keys: files of older versions have no checksum, or another one, which is not compared."""
_FORGET_EVERY = 512
"""Number of items that are looked up between two calls of ``forget_pages``."""

Array: TypeAlias = npt.NDArray[Any]
Flags: TypeAlias = npt.NDArray[np.bool_]
Bytes: TypeAlias = npt.NDArray[np.uint8]
Numbers: TypeAlias = npt.NDArray[np.int32]
Positions: TypeAlias = npt.NDArray[np.int64]
T = TypeVar("T")
Number = TypeVar("Number", bound=np.number[Any])


def distinct(array: npt.NDArray[Number]) -> npt.NDArray[Number]:
    """Return the numbers of an array, sorted and without repetitions.

    ``np.unique`` of NumPy 2.3 and later returns the same, but takes ten times as long.

    >>> distinct(np.array([3, 1, 3])).tolist()
    [1, 3]
    """
    array = np.sort(array)
    are_new = np.ones(len(array), bool)
    np.not_equal(array[1:], array[:-1], out=are_new[1:])
    return array[are_new]


def are_among(numbers: npt.NDArray[Number], sorted_numbers: npt.NDArray[Number]) -> Flags:
    """Return whether each number is in a sorted array of the same type.

    ``np.isin`` returns the same, but takes twice as long and more memory.

    >>> are_among(np.array([5, 1, 2]), np.array([1, 4, 5])).tolist()
    [True, True, False]
    """
    if not len(sorted_numbers):
        return np.zeros(len(numbers), bool)
    at = np.minimum(sorted_numbers.searchsorted(numbers), len(sorted_numbers) - 1)
    are_equal: Flags = sorted_numbers[at] == numbers
    return are_equal


class Parts(Protocol):
    """An array that is not in memory, but can be read in parts."""

    dtype: np.dtype[Any]

    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[Array]: ...


def write_arrays(
    path: Path, layout: int, fingerprint: str, arrays: Sequence[Array | Parts]
) -> None:
    """Write arrays about the graph with this fingerprint to a file.

    ``layout`` is the version of the meaning of the arrays.

    Raises:
        WriteError: the file cannot be written.
    """
    checksum = 0
    with write_errors(path), create(path) as file:
        file.write(bytes(_HEAD))
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
            _CHECKSUM: checksum,
        }
        file.seek(0)
        file.write(json.dumps(head).encode().ljust(_HEAD - 1) + b"\n")


def map_arrays(
    path: Path, layout: int, fingerprint: str, types: Sequence[type], *, is_compared: bool = False
) -> list[Array]:
    """Map the arrays in a file, which have these types, into memory.

    The header is compared with the layout, the fingerprint and the size of the file. The content is
    compared with its checksum, which reads all of it, only if it ``is_compared`` here: that of the
    files of a load is compared when a store is opened (see ``checksums``).

    Raises:
        DamagedStoreError: the file is missing, of another layout or store, or damaged.
    """
    with _damage(path):
        head = _head(path)
        if head["layout"] != layout:
            raise ValueError("another version of kgbuild made it")
        if head["fingerprint"] != fingerprint:
            raise ValueError("it belongs to another store")
        content = _mapped(path)
        arrays = _split(content, head["sizes"], types)
        if is_compared:
            _compare(content, head)
        return arrays


def compare(path: Path) -> None:
    """Compare the content of a file with its checksum.

    Raises:
        DamagedStoreError: the file is damaged.
    """
    with _damage(path):
        _compare(_mapped(path), _head(path))


@contextlib.contextmanager
def _damage(path: Path) -> Iterator[None]:
    """Turn errors about the content of a file into a DamagedStoreError."""
    try:
        yield
    except FileNotFoundError as error:
        raise DamagedStoreError(path, "it is missing, as in stores of older versions") from error
    except (OSError, ValueError, TypeError) as error:
        raise DamagedStoreError(path, str(error)) from error


def forget_pages() -> None:
    """Take all mapped arrays out of memory, after they were read as a whole.

    What is read again comes from the cache of the operating system, or else from the disk.
    """
    for mapped in _maps:
        mapped.madvise(mmap.MADV_DONTNEED)


def forgetting(items: Iterable[T]) -> Iterator[T]:
    """Yield items, and take all mapped arrays out of memory now and then.

    Each item that is looked up reads a few pages, and the operating system maps those around them,
    so that thousands of items would fill the memory with whole files.
    """
    for number, item in enumerate(items):
        if number % _FORGET_EVERY == 0:
            forget_pages()
        yield item


_maps: weakref.WeakSet[mmap.mmap] = weakref.WeakSet()
"""The files of arrays that are mapped into memory."""


def _head(path: Path) -> dict[str, Any]:
    """Return the header of a file.

    Raises:
        ValueError: it is damaged.
    """
    with path.open("rb") as file:
        text = file.read(_HEAD)
    with contextlib.suppress(ValueError, RecursionError):
        head = json.loads(text)
        is_whole = len(text) == _HEAD and isinstance(head, dict)
        if is_whole and _HEAD_KEYS <= head.keys() <= _HEAD_KEYS | _OTHER_KEYS:
            return cast(dict[str, Any], head)
    raise ValueError("its header is damaged")


def _mapped(path: Path) -> Bytes:
    """Return the content of a file behind its header."""
    with path.open("rb") as file:
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    _maps.add(mapped)
    return np.frombuffer(mapped, np.uint8, offset=_HEAD)


def _split(content: Bytes, sizes: Sequence[int], types: Sequence[type]) -> list[Array]:
    """Return the arrays of the content of a file."""
    arrays: list[Array] = []
    start = 0
    for size, kind in zip(sizes, types, strict=True):
        end = start + size * np.dtype(kind).itemsize
        arrays.append(content[start:end].view(kind))
        start = end + -end % 8
    if start != len(content):
        raise ValueError("it is cut short")
    return arrays


def _compare(content: Bytes, head: dict[str, Any]) -> None:
    """Raise a ValueError if content is not what its header says; forget its pages.

    Files of older versions have no such checksum.
    """
    if head.get(_CHECKSUM, checksum := zlib.crc32(content.data)) != checksum:
        raise ValueError("its content has changed since it was written")
    forget_pages()
