"""Read a range of the bytes of a plain file, as tasks on several machines do."""

import itertools
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from kgbuild.dump import reader, scanner
from kgbuild.dump.reader import Block
from kgbuild.errors import UnreadableDumpError


def blocks(path: Path, start: int, end: int) -> Iterator[Block]:
    """Yield the lines of a file whose first byte is in a range, so that ranges share no line.

    Raises:
        UnreadableDumpError: the file cannot be read.
    """
    line = 1
    try:
        parts = _parts(path, start, end)
        for first in parts:
            longest = reader.LONGEST_ENTITY if reader.is_json(first) else reader.LONGEST_LINE
            for text, cut in reader.whole_lines(itertools.chain([first], parts), longest):
                yield Block(line, text, frozenset(line + index for index in cut))
                line += scanner.count_lines(text)
    except OSError as error:
        raise UnreadableDumpError(str(path), error.strerror or str(error)) from error


def _parts(path: Path, start: int, end: int) -> Iterator[bytearray]:
    """Yield the text of the lines in pieces, so that no long line is in memory as a whole."""
    with path.open("rb") as file:
        if start:  # the line that the range before ends with
            start -= 1
            file.seek(start)
            for piece in _rest_of_line(file):
                start += len(piece)
        is_complete = True
        while start < end:
            part = bytearray(min(reader.BLOCK, end - start))
            del part[file.readinto(part) :]
            if not part:
                return
            start += len(part)
            is_complete = part.endswith(b"\n")
            yield part.removeprefix(reader.BOM) if start == len(part) else part
        if not is_complete:
            yield from _rest_of_line(file)


def _rest_of_line(file: BinaryIO) -> Iterator[bytearray]:
    while piece := bytearray(file.readline(reader.BLOCK)):
        yield piece
        if piece.endswith(b"\n"):
            return
