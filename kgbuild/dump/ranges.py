"""Read a range of the bytes of a plain file, as tasks on several machines do."""

from collections.abc import Iterator
from pathlib import Path

from kgbuild.dump import reader, scanner
from kgbuild.dump.reader import Block
from kgbuild.errors import UnreadableDumpError


def blocks(path: Path, start: int, end: int) -> Iterator[Block]:
    """Yield the lines of a file whose first byte is in a range, so that ranges share no line.

    Raises:
        UnreadableDumpError: the file cannot be read.
    """
    line, longest = 1, reader.LONGEST_LINE
    try:
        for part in _parts(path, start, end):
            if line == 1 and reader.is_json(part):
                longest = reader.LONGEST_ENTITY
            for text, cut in reader.whole_lines([part], longest):
                yield Block(line, text, frozenset(line + index for index in cut))
                line += scanner.count_lines(text)
    except OSError as error:
        raise UnreadableDumpError(str(path), error.strerror or str(error)) from error


def _parts(path: Path, start: int, end: int) -> Iterator[bytearray]:
    """Yield the text of whole lines."""
    with path.open("rb") as file:
        if start:  # the line that the range before ends with
            file.seek(start - 1)
            start += len(file.readline()) - 1
        while start < end:
            part = bytearray(min(reader.BLOCK, end - start))
            del part[file.readinto(part) :]
            if not part:
                return
            if not part.endswith(b"\n"):
                part += file.readline()
            start += len(part)
            yield part.removeprefix(reader.BOM) if start == len(part) else part
