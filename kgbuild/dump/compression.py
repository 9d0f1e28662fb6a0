"""The compressed formats of dumps: gz, bz2 and zst, recognised by their first bytes."""

import io
import sys
import zlib
from collections.abc import Callable
from typing import IO, Any, cast

from isal import igzip, isal_zlib

from kgbuild.dump import bunzip

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

CHUNK = 1 << 18
"""Number of bytes that are decompressed at a time."""
DAMAGE: tuple[type[Exception], ...] = (
    EOFError,
    zlib.error,
    igzip.BadGzipFile,
    cast(type[Exception], isal_zlib.error),
    zstd.ZstdError,
)
"""The errors for damaged archives; a damaged bz2 file may also raise an OSError without errno."""


class _Bunzipped:
    def __init__(self, file: IO[bytes]):
        self._parts = filter(None, bunzip.decompressed(file.read))
        self._part = memoryview(b"")

    def readinto1(self, buffer: memoryview) -> int:
        if not self._part:
            self._part = memoryview(next(self._parts, b""))
        size = min(len(buffer), len(self._part))
        buffer[:size] = self._part[:size]
        self._part = self._part[size:]
        return size


_OPENERS: dict[bytes, Callable[[Any], Any]] = {
    b"\x1f\x8b": igzip.open,
    b"BZh": _Bunzipped,
    b"\x28\xb5\x2f\xfd": zstd.open,
    # A zst file may begin with a frame that readers must skip: pzstd writes such files.
    **{bytes([n]) + b"\x2a\x4d\x18": zstd.open for n in range(0x50, 0x60)},
}


def is_archive(start: bytes) -> bool:
    """Return whether a file that starts with these bytes is compressed."""
    return start.startswith(tuple(_OPENERS))


def decompressed(raw: io.RawIOBase) -> Any:
    """Return an object with ``readinto1`` that reads the decompressed text of a file."""
    buffered = io.BufferedReader(raw, CHUNK)
    start = buffered.peek(4)[:4]
    openers = [opener for magic, opener in _OPENERS.items() if start.startswith(magic)]
    return openers[0](buffered) if openers else buffered


def compressing(file: IO[bytes], name: str) -> IO[bytes]:
    """Return a writer that compresses into a file if its name ends with .gz or .zst.

    The same text gives the same bytes, with the same versions of the libraries.
    """
    if name.endswith(".gz"):
        gzipped: Any = igzip.IGzipFile
        return cast(IO[bytes], gzipped("", "wb", compresslevel=1, fileobj=file, mtime=0))
    return cast(IO[bytes], zstd.ZstdFile(file, "w", level=3)) if name.endswith(".zst") else file
