"""Read the blocks of a dump as N-Triples lines; convert the entities of a JSON dump."""

import contextlib
import itertools
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

from kgbuild.dump import reader
from kgbuild.dump.json_entities import Converted, Converter
from kgbuild.dump.json_pruning import Candidates, Pruner
from kgbuild.dump.reader import Block
from kgbuild.dump.rules import Rules
from kgbuild.errors import CutShortError


class TripleBlock(NamedTuple):
    """A block of N-Triples lines.

    ``line_numbers`` has the number of the dump's line that each line comes from. ``converted`` has
    the result of the conversion, if the dump is in JSON.
    """

    lines: Block
    line_numbers: Sequence[int] = ()
    converted: Converted | None = None


Conversion: TypeAlias = Callable[
    [Iterable[Block], Rules, Candidates | None], Generator[tuple[Block, Converted], None, None]
]
"""Converts the blocks of a JSON dump, in order."""


def convert_here(
    blocks: Iterable[Block], rules: Rules, candidates: Candidates | None = None
) -> Generator[tuple[Block, Converted], None, None]:
    """Yield blocks with their conversions."""
    pruner, converter = Pruner(rules, candidates), Converter(rules)
    for block in blocks:
        text, dropped = pruner.prune(block)
        yield block, unpruned(converter.convert(text, block.first), block, dropped)


def unpruned(converted: Converted, block: Block, dropped: Counter[tuple[str, str]]) -> Converted:
    """Return the result for a block from which a ``Pruner`` removed the ``dropped`` parts."""
    faults = converted.faults
    if faults:
        lines = bytes(block.text).split(b"\n")
        faults = [fault._replace(text=lines[fault.number - block.first]) for fault in faults]
    return converted._replace(dropped=converted.dropped + dropped, faults=faults)


def read_triples(
    blocks: Iterable[Block],
    name: str,
    rules: Rules,
    is_whole: bool = True,
    convert: Conversion = convert_here,
    candidates: Candidates | None = None,
) -> Generator[TripleBlock, None, None]:
    """Yield a dump's blocks as N-Triples lines; those of JSON lack some that the rules drop.

    ``is_whole`` is whether the blocks are the whole dump. Of items in JSON that are not among the
    ``candidates``, most statements are missing.

    Raises:
        CutShortError: a whole JSON dump that begins with "[" does not end with "]".
    """
    remaining = iter(blocks)
    for first in remaining:
        blocks = itertools.chain([first], remaining)
        if reader.is_json(first.text):
            yield from _converted(convert(blocks, rules, candidates), name, is_whole)
        else:
            for block in blocks:
                yield TripleBlock(block, range(block.first, block.first + block.lines))


def _converted(
    conversions: Generator[tuple[Block, Converted], None, None], name: str, is_whole: bool
) -> Iterator[TripleBlock]:
    first_byte = last_line = b""
    with contextlib.closing(conversions):
        for block, converted in conversions:
            first_byte = first_byte or bytes(block.text).lstrip()[:1]
            last_line = converted.last or last_line
            lines = Block(block.first, converted.text, position=block.position)
            yield TripleBlock(lines, converted.line_numbers, converted)
    if is_whole and first_byte == b"[" and not last_line.endswith(b"]"):
        raise CutShortError(name, "no ']' closes the list of entities")
