"""Read the blocks of a dump as N-Triples lines; convert the entities of a JSON dump."""

import contextlib
import itertools
from collections.abc import Generator, Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

from kgbuild.dump import reader
from kgbuild.dump.reader import Block
from kgbuild.dump.scanning.rules import CandidateItems, Rules

if TYPE_CHECKING:
    from kgbuild.dump.json.entities import Converted


class TripleBlock(NamedTuple):
    """A block of N-Triples lines.

    ``line_numbers`` has the number of the dump's line that each line comes from. ``converted`` has
    the result of the conversion, if the dump is in JSON.
    """

    lines: Block
    line_numbers: Sequence[int] = ()
    converted: "Converted | None" = None


def read_triples(
    blocks: Iterable[Block],
    name: str,
    rules: Rules,
    is_whole: bool = True,
    in_processes: bool = False,
    candidates: CandidateItems | None = None,
) -> Generator[TripleBlock, None, None]:
    """Yield a dump's blocks as N-Triples lines; those of JSON lack some that the rules drop.

    ``is_whole`` is whether the blocks are the whole dump. JSON is converted in this process, or
    ``in_processes`` on all cores. Of items in JSON that are not among the
    ``candidates``, most statements are missing.

    Raises:
        KgbuildError: a whole JSON dump that begins with "[" does not end with "]".
    """
    remaining = iter(blocks)
    for first in remaining:
        blocks = itertools.chain([first], remaining)
        if reader.is_json(first.text):
            from kgbuild.dump.json import workers as json_workers

            convert = (
                json_workers.convert_in_processes if in_processes else json_workers.convert_here
            )
            yield from _converted(
                convert(blocks, json_workers.wanted(rules, candidates)), name, is_whole
            )
        else:
            for block in blocks:
                yield TripleBlock(block, range(block.first, block.first + block.lines))


def _converted(
    conversions: "Generator[tuple[Block, Converted], None, None]", name: str, is_whole: bool
) -> Generator[TripleBlock, None, None]:
    first_byte = last_line = b""
    with contextlib.closing(conversions):
        for block, converted in conversions:
            first_byte = first_byte or bytes(block.text).lstrip()[:1]
            last_line = converted.last or last_line
            lines = Block(block.first, converted.text, position=block.position)
            yield TripleBlock(lines, converted.line_numbers, converted)
    if is_whole and first_byte == b"[" and not last_line.endswith(b"]"):
        raise reader.cut_short(name, "no ']' closes the list of entities")
