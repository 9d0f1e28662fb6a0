"""Open a dump, however it is compressed, and read it in blocks of whole lines."""

import bz2
import contextlib
import errno
import io
import os
import sys
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any, NamedTuple, cast

from isal import igzip, isal_zlib

from kgbuild.errors import CorruptArchiveError, UnreadableDumpError

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

BLOCK = 16 << 20
"""Bytes of text read at a time."""
LONGEST_LINE = 1 << 20
"""Bytes of the longest line that is taken for a triple. Wikidata's texts end at 1,500 letters."""
_CUT = 200
"""Bytes kept of an over-long line, enough to recognise it in the rejects."""
_CUT_END = "…".encode()
"""What follows them, so that no cut line looks whole."""
_DAMAGE: tuple[type[Exception], ...] = (
    EOFError,
    zlib.error,
    igzip.BadGzipFile,
    cast(type[Exception], isal_zlib.error),
    zstd.ZstdError,
)
_FAILURE: tuple[type[Exception], ...] = (*_DAMAGE, OSError)
_BOM = b"\xef\xbb\xbf"


class Block(NamedTuple):
    """Whole lines of a dump.

    ``first`` is the number of the first line (from 1), ``text`` ends with a newline,
    ``overlong`` are the numbers of lines that were too long and are cut.
    """

    first: int
    text: bytes
    overlong: frozenset[int]


class Dump:
    """A dump that is being read: its ``name``, its ``size`` in bytes as stored (None for a pipe).

    Raises:
        UnreadableDumpError: it cannot be opened.
    """

    def __init__(self, path: str):
        readable = os.fsencode(path).decode("utf-8", "backslashreplace")
        self.name = "standard input" if path == "-" else readable
        try:
            raw = _standard_input() if path == "-" else Path(path).open("rb")  # noqa: SIM115
            self.size = (
                None if path == "-" or not Path(path).is_file() else Path(path).stat().st_size
            )
        except OSError as error:
            raise UnreadableDumpError(self.name, error.strerror or str(error)) from error
        self._raw = _Counted(raw)

    @property
    def position(self) -> int:
        """How many bytes, as stored, have been read."""
        return self._raw.position

    @property
    def digest(self) -> str:
        """The SHA-256 of all that has been read."""
        return self._raw.hash.hexdigest()

    def close(self) -> None:
        """Close the file."""
        self._raw.close()

    def blocks(self) -> Iterator[Block]:
        """Yield the dump's lines, in blocks.

        Raises:
            CorruptArchiveError: the compressed stream is damaged or ends too early.
            UnreadableDumpError: the file cannot be read.
        """
        line = 1
        try:
            for text, cut in _whole_lines(_decompressed(self._raw)):
                block = Block(line, text, frozenset(line + n for n in cut))
                yield block
                line += text.count(b"\n")
        except _DAMAGE as error:
            raise CorruptArchiveError(self.name, line - 1, str(error)) from error
        except OSError as error:
            if error.errno is None:  # bz2 says "Invalid data stream" in this way
                raise CorruptArchiveError(self.name, line - 1, str(error)) from error
            raise UnreadableDumpError(self.name, error.strerror or str(error)) from error


class _Counted(io.RawIOBase):
    """A file that counts and hashes what is read from it."""

    def __init__(self, file: IO[bytes]):
        import hashlib

        self._file = file
        self.position = 0
        self.hash = hashlib.sha256()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        data = self._file.read(len(buffer))
        buffer[: len(data)] = data
        self.position += len(data)
        self.hash.update(data)
        return len(data)

    def close(self) -> None:
        if self._file is not getattr(sys.stdin, "buffer", None):  # that is not ours to close
            self._file.close()
        super().close()


class _Bunzipped(io.RawIOBase):
    """The text of a bz2 file of one or more streams.

    Python's own reader takes damage at the start of a later stream for the end of the file.
    """

    def __init__(self, file: IO[bytes]):
        self._file = file
        self._stream = bz2.BZ2Decompressor()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        text = b""
        while not text:
            data = self._stream.unused_data
            if not data and (self._stream.eof or self._stream.needs_input):
                data = self._file.read(_CHUNK)
                if not data and self._stream.eof:
                    return 0
                if not data:
                    raise EOFError("the file ends before the end of the stream")
            if self._stream.eof:
                self._stream = bz2.BZ2Decompressor()
            text = self._stream.decompress(data, len(buffer))
        buffer[: len(text)] = text
        return len(text)


_CHUNK = 1 << 18
_MAGIC: dict[bytes, Callable[[Any], Any]] = {
    b"\x1f\x8b": igzip.open,
    b"BZh": lambda file: io.BufferedReader(_Bunzipped(file), _CHUNK),
    b"\x28\xb5\x2f\xfd": zstd.open,
    # A zst file may begin with a frame that is to be skipped: pzstd writes such files.
    **{bytes([n]) + b"\x2a\x4d\x18": zstd.open for n in range(0x50, 0x60)},
}


def _standard_input() -> IO[bytes]:
    if sys.stdin is None:
        raise OSError(errno.EBADF, "it is closed")
    return sys.stdin.buffer


def _decompressed(raw: _Counted) -> IO[bytes]:
    """Return the text of a file, told by its first bytes, since names lie."""
    buffered = io.BufferedReader(raw, _CHUNK)
    start = buffered.peek(4)[:4]
    for magic, open_archive in _MAGIC.items():
        if start.startswith(magic):
            return cast(IO[bytes], open_archive(buffered))
    return buffered


def _whole_lines(file: IO[bytes]) -> Iterator[tuple[bytes, list[int]]]:
    """Yield blocks that end at a newline, and which of their lines (from 0) had to be cut."""
    rest, start = b"", True
    for data in _read(file):
        if start:
            data, start = data.removeprefix(_BOM), False
        end = data.rfind(b"\n") + 1
        if end == 0:
            rest += data if len(rest) <= LONGEST_LINE else b""
            continue
        yield _cut_long(rest + data[:end])
        rest = data[end:]
    if rest:
        yield _cut_long(rest + b"\n")


def _read(file: IO[bytes]) -> Iterator[bytes]:
    """Yield a file in blocks; if it is damaged, what comes before the damage, then the error."""
    parts: list[bytes] = []
    size = 0
    try:
        while data := file.read1(_CHUNK):  # type: ignore[attr-defined]
            parts.append(data)
            size += len(data)
            if size >= BLOCK:
                yield b"".join(parts)
                parts, size = [], 0
    except _FAILURE:
        yield b"".join(parts)
        raise
    yield b"".join(parts)


def _cut_long(text: bytes) -> tuple[bytes, list[int]]:
    if not _has_long(text):
        return text, []
    lines = text.split(b"\n")
    long = [n for n, line in enumerate(lines) if len(line) > LONGEST_LINE]
    for n in long:
        lines[n] = lines[n][:_CUT] + _CUT_END
    return b"\n".join(lines), long


def _has_long(text: bytes) -> bool:
    """Tell whether a line is too long, by leaps from line end to line end as far as allowed."""
    start = 0
    while len(text) - start > LONGEST_LINE:
        start = text.rfind(b"\n", start, start + LONGEST_LINE + 1) + 1
        if start == 0:
            return True
    return False


def require(path: str) -> None:
    """Raise unless the dump at ``path`` is there and may be read.

    Raises:
        UnreadableDumpError: it is not, or it is a folder.
    """
    if path == "-":
        return
    try:
        if Path(path).is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        Path(path).stat()
        if not os.access(path, os.R_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    except OSError as error:
        name = os.fsencode(path).decode("utf-8", "backslashreplace")
        raise UnreadableDumpError(name, error.strerror or str(error)) from error


@contextlib.contextmanager
def opened(path: str) -> Iterator[Dump]:
    """Open the dump at ``path`` (``-`` is standard input) and close it at the end."""
    dump = Dump(path)
    try:
        yield dump
    finally:
        dump.close()
