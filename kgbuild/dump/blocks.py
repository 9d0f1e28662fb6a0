"""Turn the blocks of a dump into blocks of N-Triples lines."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from kgbuild.dump import json_entities, reader
from kgbuild.dump.json_entities import Converted
from kgbuild.dump.reader import Block
from kgbuild.errors import CutShortError


class Read(NamedTuple):
    """A block of N-Triples lines; ``origin`` has the line number in the dump of each line."""

    block: Block
    origin: Sequence[int] = ()
    converted: Converted | None = None


def reads(blocks: Iterable[Block], name: str, is_whole: bool = True) -> Iterator[Read]:
    """Yield a dump's blocks of N-Triples lines; those of a JSON dump are converted.

    Raises:
        CutShortError: a whole JSON dump does not end with "]".
    """
    start = last = b""
    is_json = None
    for block in blocks:
        if is_json is None:
            is_json = reader.is_json(block.text)
        if not is_json:
            yield Read(block, range(block.first, block.first + len(block.text)))
            continue
        converted = json_entities.convert(bytes(block.text), block.first)
        start, last = start or bytes(block.text).lstrip()[:1], converted.last or last
        lines = Block(block.first, converted.text, position=block.position)
        yield Read(lines, converted.origin, converted)
    if is_whole and start == b"[" and not last.endswith(b"]"):
        raise CutShortError(name, "no ']' closes the list of entities")
