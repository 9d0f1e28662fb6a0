"""Open a dump (a file, a URL or standard input), and read it in blocks of whole lines."""

import datetime
import errno
import hashlib
import io
import itertools
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import IO, Any, NamedTuple, TypeAlias, cast

from kgbuild.dump import compression, scanner
from kgbuild.dump.part_folders import LIST
from kgbuild.errors import (
    CorruptArchiveError,
    NotAnArchiveError,
    UnreadableDumpError,
    UnreadArchiveError,
)
from kgbuild.net.download import Remote

BLOCK = 8 << 20
"""Number of bytes of text that are read at a time."""
LONGEST_LINE = 1 << 20
"""Maximum size in bytes of a line of N-Triples. Wikidata's texts have at most 1,500 letters."""
LONGEST_ENTITY = 64 << 20
"""Maximum size in bytes of a line of a JSON dump. The largest items have 5 MB."""
_SPARE = 1 << 20
"""Size of the memory after a block, so that the start of a line fits in without a copy of all."""
_CUT_SIZE = 200
"""Number of bytes that are kept of a line that is too long, for the file of rejects."""
_ELLIPSIS = "…".encode()
"""The end of a cut line, which shows that it is not complete."""
_FAILURE: tuple[type[Exception], ...] = (*compression.DAMAGE, OSError)
BOM = b"\xef\xbb\xbf"
"""The mark of UTF-8 with which some programs begin a file."""
_FOLDER = (
    f"it is a folder without {LIST}, which a slice by Spark has. Pass its files instead, such as "
    "parts/*.gz"
)
"""What is wrong with a folder, and what to do."""
_JSON_START = re.compile(rb"\s*[\[{]")
Text: TypeAlias = bytes | bytearray
Part: TypeAlias = tuple[bytearray, int]
"""Text of a dump, and the number of stored (compressed) bytes up to its end."""


class Block(NamedTuple):
    """Whole lines of a dump.

    ``first`` is the number of the first line (from 1); ``text`` ends with a newline; ``overlong``
    has the numbers of the lines that were cut because they were too long. ``position`` is the
    number of stored (compressed) bytes of the dump that were read so far.
    """

    first: int
    text: Text
    overlong: frozenset[int] = frozenset()
    position: int = 0


class Dump:
    """An open dump: a file, a URL, standard input (the path ``-``), or the object ``file``.

    ``size`` is the stored size in bytes (None for a pipe); ``modified`` is an ISO date, or empty.
    After reading, ``is_ended`` is whether the last line has a line end.

    Raises:
        UnreadableDumpError: the dump cannot be opened.
    """

    def __init__(self, path: str, file: IO[bytes] | None = None):
        self.name = "standard input" if path == "-" else _printable(path)
        self.size: int | None = None
        self.modified = ""
        self.is_ended = True
        self._read = 0
        try:
            self._raw = _Counted(file or self._opened(path))
        except OSError as error:
            raise UnreadableDumpError(self.name, error.strerror or str(error)) from error

    def _opened(self, path: str) -> IO[bytes]:
        if path == "-":
            if sys.stdin is None:
                raise OSError(errno.EBADF, "it is closed")
            return sys.stdin.buffer
        if is_url(path):
            remote = Remote(path)
            self.name, self.size, self.modified = remote.name, remote.size, remote.modified
            return cast(IO[bytes], remote)
        file = Path(path).open("rb")  # noqa: SIM115
        if Path(path).is_file():
            state = os.fstat(file.fileno())
            self.size = state.st_size
            modified = datetime.datetime.fromtimestamp(state.st_mtime, datetime.UTC)
            self.modified = modified.date().isoformat()
        return file

    @property
    def position(self) -> int:
        """The number of stored bytes that were read."""
        return self._raw.position

    @property
    def digest(self) -> str:
        """The SHA-256 of all stored bytes that were read."""
        return self._raw.hash.hexdigest()

    def __enter__(self) -> "Dump":
        return self

    def __exit__(self, *_: object) -> None:
        self._raw.close()

    def blocks(self, ahead: Callable[[Iterator[Part]], Iterator[Part]] = iter) -> Iterator[Block]:
        """Yield the dump's lines, in blocks; ``ahead`` may decompress its text in a thread.

        Raises:
            UnreadArchiveError: it is an archive in a format that kgbuild does not read.
            NotAnArchiveError: it only begins like a compressed file.
            CorruptArchiveError: the compressed stream is damaged or ends too early.
            UnreadableDumpError: the file cannot be read.
        """
        line = 1
        try:
            parts = self._texts(ahead(self._parts()))
            start = next(parts)
            if archive := compression.unread_format(start):
                raise UnreadArchiveError(self.name, archive)
            if b"\r" in start and b"\n" not in start:  # lines that end with a carriage return only
                parts = (part.replace(b"\r", b"\n") for part in parts)
                start = start.replace(b"\r", b"\n")
            longest = LONGEST_ENTITY if is_json(start) else LONGEST_LINE
            for text, cut in whole_lines(self._watch_end(itertools.chain([start], parts)), longest):
                yield Block(line, text, frozenset(line + index for index in cut), self._read)
                line += scanner.count_lines(text)
        except _FAILURE as error:
            # The errors of bz2 and gz for damage are an OSError without a number.
            if isinstance(error, OSError) and error.errno is not None:
                raise UnreadableDumpError(self.name, error.strerror or str(error)) from error
            is_archive = line > 1 or isinstance(error, EOFError)
            kind = CorruptArchiveError if is_archive else NotAnArchiveError
            raise kind(self.name, line - 1, str(error)) from error

    def _parts(self) -> Iterator[Part]:
        for text in _read(compression.decompressed(self._raw)):
            yield text, self.position

    def _texts(self, parts: Iterable[Part]) -> Iterator[bytearray]:
        """Yield the text of the parts, and set ``_read`` to their position."""
        for text, self._read in parts:
            yield text

    def _watch_end(self, parts: Iterable[bytearray]) -> Iterator[bytearray]:
        """Yield the parts, and set ``is_ended``."""
        for part in parts:
            self.is_ended = part.endswith(b"\n") if part else self.is_ended
            yield part


class _Counted(io.RawIOBase):
    """A file that counts and hashes the bytes that are read from it."""

    def __init__(self, file: IO[bytes]):
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
        if self._file is not getattr(sys.stdin, "buffer", None):  # standard input stays open
            self._file.close()
        super().close()


def whole_lines(parts: Iterable[bytearray], longest: int) -> Iterator[tuple[Text, list[int]]]:
    """Yield (text that ends with a newline, indexes of its lines that were cut)."""
    rest = b""
    for data in parts:
        end = data.rfind(b"\n") + 1
        if end == 0:
            rest += data if len(rest) <= longest else b""
            continue
        next_rest = bytes(data[end:])
        del data[end:]
        if rest:
            data[:0] = rest
        yield cut_long(data, longest)
        rest = next_rest
    if rest:
        yield cut_long(rest + b"\n", longest)


def _read(file: Any) -> Iterator[bytearray]:
    """Yield a file in blocks; yield the text before any damage, and then raise the error."""
    byte_order_mark = BOM
    failure: Exception | None = None
    while failure is None:
        block, size = bytearray(BLOCK + _SPARE), 0
        try:
            with memoryview(block) as whole, whole[:BLOCK] as view:
                while size < BLOCK:
                    count = file.readinto1(view[size : size + compression.CHUNK])
                    if not count:
                        break
                    size += count
        except _FAILURE as error:
            failure = error
        if size < BLOCK:
            block = block[:size]  # a copy: the traceback of a failure refers to the block
        else:
            del block[BLOCK:]
        del block[: len(byte_order_mark) * block.startswith(byte_order_mark)]
        yield block
        byte_order_mark = b""
        if size < BLOCK and failure is None:
            return
    raise failure


def is_json(start: Text) -> bool:
    """Return whether a dump that starts with these bytes is in JSON."""
    return _JSON_START.match(start) is not None


def cut_long(text: Text, longest: int) -> tuple[Text, list[int]]:
    """Cut lines longer than ``longest`` bytes; return the text and the indexes of these lines."""
    if not _has_long(text, longest):
        return text, []
    lines = bytes(text).split(b"\n")
    long_indexes = [index for index, line in enumerate(lines) if len(line) > longest]
    for index in long_indexes:
        lines[index] = lines[index][:_CUT_SIZE] + _ELLIPSIS
    return b"\n".join(lines), long_indexes


def _has_long(text: Text, longest: int) -> bool:
    """Return whether a line is longer than ``longest`` bytes; jump from line end to line end."""
    start = 0
    while len(text) - start > longest:
        start = text.rfind(b"\n", start, start + longest + 1) + 1
        if start == 0:
            return True
    return False


def is_url(path: str) -> bool:
    """Return whether the path of a dump is an http or https URL."""
    return path.lower().startswith(("http://", "https://"))


def _printable(path: str) -> str:
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def size(path: str) -> int | None:
    """Return the size in bytes of a dump that is a file, or None."""
    return Path(path).stat().st_size if path != "-" and Path(path).is_file() else None


def require(path: str) -> None:
    """Check that the dump at ``path`` exists and may be read.

    Raises:
        UnreadableDumpError: it does not exist, may not be read, or is a folder.
    """
    if path == "-" or is_url(path):
        return
    if "://" in path and not Path(path).exists():
        raise UnreadableDumpError(_printable(path), "the URL must begin with http:// or https://")
    try:
        if Path(path).is_dir():
            raise UnreadableDumpError(_printable(path), _FOLDER)
        Path(path).stat()
        if not os.access(path, os.R_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    except OSError as error:
        raise UnreadableDumpError(_printable(path), error.strerror or str(error)) from error
