"""Map files of arrays into memory, without NumPy, whose import takes longer than most commands.

A file has a header, which is JSON, and then the arrays, each at a multiple of eight bytes.
"""

import contextlib
import json
import mmap
import weakref
import zlib
from collections.abc import Iterator, Sequence
from pathlib import Path
from struct import calcsize
from typing import Any, cast

from kgbuild.errors import DamagedStoreError

HEAD = 4096
"""Number of bytes of the header."""
CHECKSUM = "crc32"
"""The key of the checksum of all bytes behind the header."""
_HEAD_KEYS = {"layout", "fingerprint", "sizes", CHECKSUM}
maps: weakref.WeakSet[mmap.mmap] = weakref.WeakSet()
"""The files that are mapped into memory."""


def map_file(
    path: Path, layout: int, fingerprint: str, formats: Sequence[str], *, is_compared: bool = False
) -> list[memoryview]:
    """Map the arrays in a file, which have these formats of ``struct``, into memory.

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
        arrays = _split(content, head["sizes"], formats)
        if is_compared:
            _compare(content, head)
        return arrays


def compare(path: Path) -> None:
    """Compare the content of a file with its checksum; raise a DamagedStoreError if it differs."""
    with _damage(path):
        _compare(_mapped(path), _head(path))


def forget_pages() -> None:
    """Take all mapped arrays out of memory, after they were read as a whole.

    What is read again comes from the cache of the operating system, or else from the disk.
    """
    for mapped in maps:
        mapped.madvise(mmap.MADV_DONTNEED)


@contextlib.contextmanager
def _damage(path: Path) -> Iterator[None]:
    """Turn errors about the content of a file into a DamagedStoreError."""
    try:
        yield
    except OSError as error:
        raise DamagedStoreError(path, error.strerror or str(error)) from error
    except (ValueError, TypeError) as error:
        raise DamagedStoreError(path, str(error)) from error


def _head(path: Path) -> dict[str, Any]:
    """Return the header of a file; raise a ValueError if it is damaged."""
    with path.open("rb") as file:
        text = file.read(HEAD)
    with contextlib.suppress(ValueError, RecursionError):
        head = json.loads(text)
        if len(text) == HEAD and isinstance(head, dict) and head.keys() == _HEAD_KEYS:
            return cast(dict[str, Any], head)
    raise ValueError("its header is damaged")


def _mapped(path: Path) -> memoryview:
    """Return the content of a file behind its header."""
    with path.open("rb") as file:
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    maps.add(mapped)
    return memoryview(mapped)[HEAD:]


def _split(content: memoryview, sizes: Sequence[int], formats: Sequence[str]) -> list[memoryview]:
    arrays: list[memoryview] = []
    start = 0
    for size, form in zip(sizes, formats, strict=True):
        end = start + size * calcsize(form)
        arrays.append(content[start:end].cast(cast(Any, form)))
        start = end + -end % 8
    if start != len(content):
        raise ValueError("it is cut short")
    return arrays


def _compare(content: memoryview, head: dict[str, Any]) -> None:
    """Raise a ValueError if content is not what its header says; forget its pages."""
    if head[CHECKSUM] != zlib.crc32(content):
        raise ValueError("its content has changed since it was written")
    forget_pages()
