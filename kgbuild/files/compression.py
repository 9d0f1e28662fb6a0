"""The compressed formats of dumps: gz, bz2, xz and zst, recognised by their first bytes."""

import io
import lzma
import sys
import zlib
from collections.abc import Callable, Iterator
from typing import IO, Any, cast

from isal import igzip, isal_zlib

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

CHUNK = 1 << 18
"""Number of bytes that are decompressed at a time."""
DAMAGE: tuple[type[Exception], ...] = (
    EOFError,
    zlib.error,
    lzma.LZMAError,
    igzip.BadGzipFile,
    cast(type[Exception], isal_zlib.error),
    zstd.ZstdError,
)
"""The errors for damaged archives; a damaged bz2 file may also raise an OSError without errno."""


class _PartsFile(io.RawIOBase):
    """A file whose content is an iterator of parts."""

    def __init__(self, parts: Iterator[bytes]):
        self._parts = filter(None, parts)
        self._part = memoryview(b"")

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        if not self._part:
            self._part = memoryview(next(self._parts, b""))
        size = min(len(buffer), len(self._part))
        buffer[:size] = self._part[:size]
        self._part = self._part[size:]
        return size


def _xz_parts(read: Callable[[int], bytes]) -> Iterator[bytes]:
    """Yield the text of the xz streams of a file.

    ``lzma.open`` would ignore bytes after the first stream that are not a stream.
    """
    data = read(CHUNK)
    while data:
        stream = lzma.LZMADecompressor(lzma.FORMAT_XZ)
        while not stream.eof:
            yield stream.decompress(data, CHUNK)
            data = read(CHUNK) if stream.needs_input else b""
            if stream.needs_input and not data:
                raise EOFError("an xz stream does not end")
        data = stream.unused_data
        while not data.strip(b"\0") and (data := read(CHUNK)):  # padding between streams
            continue
        data = data.lstrip(b"\0")


def _open_zst(file: IO[bytes]) -> IO[bytes]:
    """Open a zst file, also one made with "zstd --long", whose window is larger than usual."""
    window = zstd.DecompressionParameter.window_log_max
    return cast(IO[bytes], zstd.ZstdFile(file, options={window: window.bounds()[1]}))


def _open_bz2(file: IO[bytes]) -> io.BufferedReader:
    from kgbuild.files import bunzip  # it imports NumPy, which most commands do without

    return io.BufferedReader(_PartsFile(bunzip.decompressed(file.read)))


# Functions that open a compressed file, by its first bytes.
_OPENERS: dict[bytes, Callable[[Any], Any]] = {
    b"\x1f\x8b": igzip.open,
    b"BZh": _open_bz2,
    b"\xfd7zX": lambda file: io.BufferedReader(_PartsFile(_xz_parts(file.read))),
    b"\x28\xb5\x2f\xfd": _open_zst,
    # A zst file may begin with a frame that readers must skip: pzstd writes such files.
    **{bytes([n]) + b"\x2a\x4d\x18": _open_zst for n in range(0x50, 0x60)},
}


def is_archive(start: bytes) -> bool:
    """Return whether a file that starts with these bytes is compressed in a format that is read."""
    return start.startswith(tuple(_OPENERS))


def decompressed(raw: io.RawIOBase) -> Any:
    """Return a buffered file with the decompressed text of a file."""
    buffered = io.BufferedReader(raw, CHUNK)
    start = buffered.peek(4)[:4]
    openers = [opener for first_bytes, opener in _OPENERS.items() if start.startswith(first_bytes)]
    return openers[0](buffered) if openers else buffered


def compressing(file: IO[bytes], name: str) -> IO[bytes]:
    """Return a writer that compresses into a file if its name ends with .gz or .zst.

    The same text gives the same bytes, with the same versions of the libraries.
    """
    if name.endswith(".gz"):
        gzipped: Any = igzip.IGzipFile
        return cast(IO[bytes], gzipped("", "wb", compresslevel=1, fileobj=file, mtime=0))
    return cast(IO[bytes], zstd.ZstdFile(file, "w", level=3)) if name.endswith(".zst") else file


def packed(text: memoryview) -> bytes:
    """Compress a text in memory, in a short time."""
    return isal_zlib.compress(text, isal_zlib.ISAL_BEST_SPEED)


def unpacked(data: bytes) -> bytes:
    """Return the text of ``packed``."""
    return isal_zlib.decompress(data)
