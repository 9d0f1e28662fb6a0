"""Filter the lines of a dump.

Most lines of a truthy dump are not needed: it has each label three times and in hundreds of
languages, external ids, files and metadata.
"""

import functools
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kgbuild import wikidata
from kgbuild.dump.kinds import HIERARCHY, KINDS, USUAL_KINDS
from kgbuild.dump.reader import Block
from kgbuild.dump.scanning import rules, scanner
from kgbuild.dump.scanning.rules import Rules
from kgbuild.dump.scanning.scanner import Scanned
from kgbuild.native.arrays import Bytes


@dataclass(frozen=True)
class Filter:
    """A description of the lines to keep.

    ``languages`` are codes; ``mul`` (for all languages) and regional forms (``en-gb`` for ``en``)
    are kept, too. ``properties`` are the ids of the properties to keep besides HIERARCHY; None
    keeps all. ``kinds`` are the kinds of values to keep, of ``kinds.KINDS``. ``descriptions`` and
    ``aliases`` say whether to keep these. If ``everything``, no line is dropped.
    """

    languages: tuple[str, ...] = ("en",)
    everything: bool = False
    properties: tuple[str, ...] | None = None
    kinds: tuple[str, ...] = USUAL_KINDS
    descriptions: bool = True
    aliases: bool = True

    def rules(self, select: tuple[Bytes, Bytes] | None = None) -> Rules:
        """Return the filter in the form that the scanner reads.

        ``select`` are the sets of items ``subjects`` and ``objects`` of ``Rules``; without it, the
        lines of all items are kept.
        """
        languages = "".join(f"{code}\n" for code in (*self.languages, "mul")).encode()
        # One array for all flags: each argument of a compiled function costs time.
        table = np.zeros(rules.LANGUAGES_AT + len(languages), np.uint8)
        table[: rules.PROPERTIES] = self.properties is None
        hierarchy = list(map(wikidata.number, HIERARCHY))
        kept_numbers = (*map(wikidata.number, self.properties or ()), *hierarchy)
        table[: rules.PROPERTIES][list(kept_numbers)] = True
        table[rules.BASIC_AT : rules.KINDS_AT][hierarchy] = True
        table[rules.KINDS_AT : rules.NAMES_AT] = [kind in self.kinds for kind in KINDS]
        table[rules.NAMES_AT : rules.EVERYTHING_AT] = (True, self.aliases, self.descriptions)
        table[rules.EVERYTHING_AT] = self.everything
        table[rules.SELECTING_AT] = select is not None
        table[rules.LANGUAGES_AT :] = np.frombuffer(languages, np.uint8)
        return Rules(table, *(select or np.zeros((2, 0), np.uint8)))


def sift(block: Block, rules: Rules) -> Scanned:
    """Return the kept lines of a block, and what there is of the others."""
    return scanner.scan(block.text, block.lines, rules)


def scan_lines(lines: Sequence[bytes]) -> Scanned:
    """Scan lines, which have no line ends, and keep all of them."""
    return sift(Block(1, b"".join([line + b"\n" for line in lines])), _keep_everything())


@functools.cache
def _keep_everything() -> Rules:
    return Filter(everything=True).rules()
