"""Open a dump (a file, a URL or standard input), and read it in blocks of whole lines."""

import datetime
import errno
import hashlib
import io
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import IO, TypeAlias, cast

from kgbuild.dump import forms
from kgbuild.dump.scanning import scanner
from kgbuild.errors import CorruptArchiveError, KgbuildError, UnreadableDumpError, sentence
from kgbuild.files import compression
from kgbuild.files.part_folders import LIST

BLOCK = 8 << 20
"""Number of bytes of text that are read at a time."""
LONGEST_LINE = 1 << 20
"""Maximum size in bytes of a line of N-Triples. Wikidata's texts have at most 1,500 letters."""
LONGEST_ENTITY = 64 << 20
"""Maximum size in bytes of a line of a JSON dump. The largest items have 5 MB."""
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


@dataclass(frozen=True)
class Block:
    """Whole lines of a dump.

    ``first`` is the number of the first line (from 1); ``text`` ends with a newline; ``overlong``
    has the numbers of the lines that were cut because they were too long. ``position`` is the
    number of stored (compressed) bytes of the dump that were read so far.
    """

    first: int
    text: Text
    overlong: frozenset[int] = frozenset()
    position: int = 0

    @cached_property
    def lines(self) -> int:
        """The number of lines, which are counted once."""
        return scanner.count_lines(self.text)


def cut_short(name: str, detail: str) -> KgbuildError:
    """Return the error that a dump ends too early."""
    return KgbuildError(
        f"{name} is cut short: {detail}. Fetch it again; what was there before is unchanged."
    )


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
            from kgbuild.net.download import Remote  # most dumps are files

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

    def blocks(self) -> Iterator[Block]:
        """Yield the dump's lines, in blocks.

        Raises:
            KgbuildError: it is no dump, but a file in another form.
            CorruptArchiveError: the compressed stream is damaged or ends too early, or the file
                only begins like one.
            UnreadableDumpError: the file cannot be read.
        """
        line = 0
        try:
            file = compression.decompressed(self._raw)

            def read(size: int) -> bytes:
                data: bytes = file.read1(size)
                self.is_ended = data.endswith((b"\r", b"\n")) if data else self.is_ended
                return data

            for block in numbered(whole_lines(read), lambda: self.position):
                if line == 0 and (form := forms.unread(block.text)):
                    raise KgbuildError(
                        f"{self.name} is {form.name}, which is not read: {sentence(form.advice)}"
                    )
                line += block.lines
                yield block
        except _FAILURE as error:
            # The errors of bz2 and gz for damage are an OSError without a number.
            if isinstance(error, OSError) and error.errno is not None:
                raise UnreadableDumpError(self.name, error.strerror or str(error)) from error
            is_archive = line > 0 or isinstance(error, EOFError)
            raise CorruptArchiveError(self.name, line, str(error), is_archive) from error


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


def numbered(texts: Iterable[Text], position: Callable[[], int] = lambda: 0) -> Iterator[Block]:
    """Yield the texts of a dump, which have whole lines, as blocks; cut lines that are too long.

    ``position`` returns the position of the block of the last text.
    """
    first = longest = 1
    for text in texts:
        if first == 1:
            longest = LONGEST_ENTITY if is_json(text) else LONGEST_LINE
        cut_text, cut = _cut_long(text, longest)
        block = Block(first, cut_text, frozenset(first + index for index in cut), position())
        first += block.lines
        yield block


def whole_lines(read: Callable[[int], bytes]) -> Iterator[Text]:
    """Yield a file in texts that end with a line end; of very long lines, only the start and end.

    ``read(n)`` returns at most the next n bytes of the file, none at its end. The lines before an
    error of it come first.
    """
    text = bytearray()
    is_start, is_end, is_old_mac = True, False, False
    failure: Exception | None = None
    while not is_end:
        first, full = len(text), len(text) + BLOCK  # there is no line end before first
        failure = _fill(text, full, read)
        is_end = len(text) < full
        if is_start:
            text = text.removeprefix(BOM)
            # All lines of some files end with a carriage return only.
            is_start, is_old_mac = False, b"\r" in text and b"\n" not in text
        text = text.replace(b"\r", b"\n") if is_old_mac else text
        if is_end and not failure and text and not text.endswith(b"\n"):
            text += b"\n"
        if end := text.rfind(b"\n", first) + 1:
            rest = text[end:]
            del text[end:]
            yield text
            text = rest
        elif first > LONGEST_ENTITY:
            del text[first:]
    if failure:
        raise failure


def _fill(text: bytearray, full: int, read: Callable[[int], bytes]) -> Exception | None:
    """Read a file into a text until it has ``full`` bytes or the file ends; return an error."""
    try:
        while len(text) < full and (data := read(min(full - len(text), compression.CHUNK))):
            text += data
    except _FAILURE as error:
        return error
    return None


def is_json(start: Text) -> bool:
    """Return whether a dump that starts with these bytes is in JSON."""
    return _JSON_START.match(start) is not None


def _cut_long(text: Text, longest: int) -> tuple[Text, list[int]]:
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
