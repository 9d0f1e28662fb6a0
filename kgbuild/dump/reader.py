"""Open a dump, wherever it is and however compressed, and read it in blocks of whole lines."""

import contextlib
import datetime
import errno
import io
import itertools
import os
import re
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import IO, Any, NamedTuple, TypeAlias, cast

from isal import igzip, isal_zlib

from kgbuild.dump import bunzip, scanner
from kgbuild.errors import CorruptArchiveError, UnreadableDumpError
from kgbuild.net.download import Remote

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

BLOCK = 8 << 20
"""Bytes of text read at a time."""
LONGEST_LINE = 1 << 20
"""Bytes of the longest line that is taken for a triple. Wikidata's texts end at 1,500 letters."""
LONGEST_ENTITY = 64 << 20
"""Bytes of the longest line of a JSON dump. The largest items have 5 MB."""
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
Text: TypeAlias = bytes | bytearray
_BOM = b"\xef\xbb\xbf"
_JSON = re.compile(rb"\s*[\[{]")


class Block(NamedTuple):
    """Whole lines of a dump.

    ``first`` is the number of the first line (from 1), ``text`` ends with a newline,
    ``overlong`` are the numbers of lines that were too long and are cut.
    """

    first: int
    text: Text
    overlong: frozenset[int]


class Dump:
    """A dump that is being read.

    ``name`` and ``modified`` (a date, or empty) say what it is, ``size`` is in bytes as stored
    (None for a pipe); ``is_json``, known once reading has begun, tells that its lines are
    entities in JSON; ``is_ended``, known at the end, that the last one has a line end. What is
    open already is read as ``file``.

    Raises:
        UnreadableDumpError: it cannot be opened.
    """

    def __init__(self, path: str, file: IO[bytes] | None = None):
        self.name = "standard input" if path == "-" else _readable(path)
        self.size: int | None = None
        self.modified = ""
        self.is_json = False
        self.is_ended = True
        try:
            self._raw = _Counted(file or self._opened(path))
        except OSError as error:
            raise UnreadableDumpError(self.name, error.strerror or str(error)) from error

    def _opened(self, path: str) -> IO[bytes]:
        if path == "-":
            return _standard_input()
        if is_url(path):
            remote = Remote(path)
            self.name, self.size, self.modified = remote.name, remote.size, remote.modified
            return cast(IO[bytes], remote)
        file = Path(path).open("rb")  # noqa: SIM115
        if Path(path).is_file():
            state = os.fstat(file.fileno())
            self.size = state.st_size
            when = datetime.datetime.fromtimestamp(state.st_mtime, datetime.UTC)
            self.modified = when.date().isoformat()
        return file

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
            parts = _read(_decompressed(self._raw))
            start = next(parts)
            self.is_json = is_json(start)
            longest = LONGEST_ENTITY if self.is_json else LONGEST_LINE
            for text, cut in _whole_lines(self._noted(itertools.chain([start], parts)), longest):
                yield Block(line, text, frozenset(line + n for n in cut))
                line += scanner.count_lines(text)
        except _DAMAGE as error:
            raise CorruptArchiveError(self.name, line - 1, str(error)) from error
        except OSError as error:
            if error.errno is None:  # bz2 says "Invalid data stream" in this way
                raise CorruptArchiveError(self.name, line - 1, str(error)) from error
            raise UnreadableDumpError(self.name, error.strerror or str(error)) from error

    def _noted(self, parts: Iterable[bytearray]) -> Iterator[bytearray]:
        for part in parts:
            self.is_ended = part.endswith(b"\n") if part else self.is_ended
            yield part


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


class _Bunzipped:
    """The text of a bz2 file."""

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


_CHUNK = 1 << 18
_MAGIC: dict[bytes, Callable[[Any], Any]] = {
    b"\x1f\x8b": igzip.open,
    b"BZh": _Bunzipped,
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


def _whole_lines(parts: Iterable[bytearray], longest: int) -> Iterator[tuple[Text, list[int]]]:
    """Yield blocks that end at a newline, and which of their lines (from 0) had to be cut."""
    rest = b""
    for data in parts:
        end = data.rfind(b"\n") + 1
        if end == 0:
            rest += data if len(rest) <= longest else b""
            continue
        after = bytes(data[end:])
        del data[end:]
        if rest:
            data[:0] = rest
        yield cut_long(data, longest)
        rest = after
    if rest:
        yield cut_long(rest + b"\n", longest)


def _read(file: Any) -> Iterator[bytearray]:
    """Yield a file in blocks; if it is damaged, what comes before the damage, then the error."""
    mark = _BOM
    failure: Exception | None = None
    while failure is None:
        block, size = bytearray(BLOCK), 0
        try:
            with memoryview(block) as view:
                while size < BLOCK and (count := file.readinto1(view[size : size + _CHUNK])):
                    size += count
        except _FAILURE as error:
            failure = error
        if size < BLOCK:
            block = block[:size]  # a copy, for a failure holds on to the block itself
        del block[: len(mark) * block.startswith(mark)]
        yield block
        mark = b""
        if size < BLOCK and failure is None:
            return
    raise failure


def is_archive(start: bytes) -> bool:
    """Tell of the first bytes of a file whether it is compressed."""
    return start.startswith(tuple(_MAGIC))


def is_json(start: Text) -> bool:
    """Tell of the beginning of a dump whether it is in JSON."""
    return _JSON.match(start) is not None


def cut_long(text: Text, longest: int) -> tuple[Text, list[int]]:
    """Cut the lines of a text that are too long; return which these were, from 0."""
    if not _has_long(text, longest):
        return text, []
    lines = bytes(text).split(b"\n")
    long = [n for n, line in enumerate(lines) if len(line) > longest]
    for n in long:
        lines[n] = lines[n][:_CUT] + _CUT_END
    return b"\n".join(lines), long


def _has_long(text: Text, longest: int) -> bool:
    """Tell whether a line is too long, by leaps from line end to line end as far as allowed."""
    start = 0
    while len(text) - start > longest:
        start = text.rfind(b"\n", start, start + longest + 1) + 1
        if start == 0:
            return True
    return False


def is_url(path: str) -> bool:
    """Tell whether a dump is to be read from the network."""
    return path.lower().startswith(("http://", "https://"))


def _readable(path: str) -> str:
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def size(path: str) -> int | None:
    """Return the size in bytes of a dump that is a file, else None."""
    return Path(path).stat().st_size if path != "-" and Path(path).is_file() else None


def require(path: str) -> None:
    """Raise unless the dump at ``path`` is there and may be read.

    Raises:
        UnreadableDumpError: it is not, or it is a folder.
    """
    if path == "-" or is_url(path):
        return
    if "://" in path and not Path(path).exists():
        raise UnreadableDumpError(_readable(path), "URLs are to begin with http:// or https://")
    try:
        if Path(path).is_dir():
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
        Path(path).stat()
        if not os.access(path, os.R_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    except OSError as error:
        raise UnreadableDumpError(_readable(path), error.strerror or str(error)) from error


@contextlib.contextmanager
def opened(path: str) -> Iterator[Dump]:
    """Open the dump at ``path`` (``-`` is standard input) and close it at the end."""
    dump = Dump(path)
    try:
        yield dump
    finally:
        dump.close()


def compressing(file: IO[bytes], name: str) -> IO[bytes]:
    """Return what compresses into a file, as the end of its name says: gz, zst or not at all.

    The same bytes are written whenever and wherever it is done with the same libraries.
    """
    if name.endswith(".gz"):
        gzipped: Any = igzip.IGzipFile
        return cast(IO[bytes], gzipped("", "wb", compresslevel=1, fileobj=file, mtime=0))
    return cast(IO[bytes], zstd.ZstdFile(file, "w", level=3)) if name.endswith(".zst") else file
