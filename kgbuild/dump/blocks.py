"""Read the blocks of a dump as N-Triples lines; convert the entities of a JSON dump."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from kgbuild.dump import json_entities, reader
from kgbuild.dump.json_entities import Converted
from kgbuild.dump.reader import Block
from kgbuild.errors import CutShortError


class TripleBlock(NamedTuple):
    """A block of N-Triples lines.

    ``line_numbers`` has the number of the dump's line that each line comes from. ``converted`` has
    the result of the conversion, if the dump is in JSON.
    """

    lines: Block
    line_numbers: Sequence[int] = ()
    converted: Converted | None = None


def read_triples(
    blocks: Iterable[Block], name: str, is_whole: bool = True
) -> Iterator[TripleBlock]:
    """Yield a dump's blocks as N-Triples lines.

    Raises:
        CutShortError: a JSON dump that begins with "[" does not end with "]" (if ``is_whole``).
    """
    first_byte = last_line = b""
    is_json = None
    for block in blocks:
        if is_json is None:
            is_json = reader.is_json(block.text)
        if not is_json:
            # The range is longer than the number of lines, which is not known yet.
            yield TripleBlock(block, range(block.first, block.first + len(block.text)))
            continue
        converted = json_entities.convert(bytes(block.text), block.first)
        first_byte = first_byte or bytes(block.text).lstrip()[:1]
        last_line = converted.last or last_line
        lines = Block(block.first, converted.text, position=block.position)
        yield TripleBlock(lines, converted.line_numbers, converted)
    if is_whole and first_byte == b"[" and not last_line.endswith(b"]"):
        raise CutShortError(name, "no ']' closes the list of entities")
