"""Filter the lines of a dump one by one, and count those that are dropped.

Most of a truthy dump is of no use here: each label comes three times and in hundreds of languages,
with external ids and their links, files, metadata.
"""

import functools
import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kgbuild import wikidata
from kgbuild.dump import rules, scanner
from kgbuild.dump.kinds import HIERARCHY, KINDS, USUAL_KINDS
from kgbuild.dump.reader import Block
from kgbuild.dump.rules import Bytes, Numbers, Rules
from kgbuild.dump.scanner import Scanned


@dataclass(frozen=True)
class Filter:
    """The lines to keep of each item.

    ``languages`` are the codes of the languages to keep, with ``mul`` (for all languages) and the
    regional forms (``en-gb`` for ``en``). ``properties`` are the ids of properties to keep, with
    those of HIERARCHY; all if None. ``kinds`` are of ``kinds.KINDS``. With ``everything``,
    nothing is dropped.
    """

    languages: tuple[str, ...] = ("en",)
    everything: bool = False
    properties: tuple[str, ...] | None = None
    kinds: tuple[str, ...] = USUAL_KINDS
    descriptions: bool = True
    aliases: bool = True

    def rules(self, select: tuple[Bytes, Bytes] | None = None) -> Rules:
        """Return the filter as the scanner reads it.

        With two bitmaps, the items of the first one are kept with all lines that the filter
        keeps, those of the second one with their names, class and place, and no others.
        """
        codes = "".join(f"{code}\n" for code in (*self.languages, "mul")).encode()
        # One array for all: each argument of a compiled function costs some time.
        table = np.zeros(rules.LANGUAGES_AT + len(codes), np.uint8)
        table[: rules.PROPERTIES] = self.properties is None
        hierarchy = list(map(wikidata.number, HIERARCHY))
        numbers = (*map(wikidata.number, self.properties or ()), *hierarchy)
        table[[number for number in numbers if number < rules.PROPERTIES]] = True
        table[rules.PROPERTIES : rules.KINDS_AT][hierarchy] = True
        table[rules.KINDS_AT : rules.NAMES_AT] = [kind in self.kinds for kind in KINDS]
        table[rules.NAMES_AT : rules.EVERYTHING_AT] = (True, self.aliases, self.descriptions)
        table[rules.EVERYTHING_AT] = self.everything
        table[rules.SELECTING_AT] = select is not None
        table[rules.LANGUAGES_AT :] = np.frombuffer(codes, np.uint8)
        return Rules(table, *(select or np.zeros((2, 0), np.uint8)))


class Sieve:
    """Sorts out the lines of blocks by rules, and counts those that are dropped.

    Several threads may sift at a time: each counts by itself.
    """

    def __init__(self, rules: Rules):
        self._rules = rules
        self._thread = threading.local()
        self._counts: list[Numbers] = []
        self._others: Counter[tuple[str, bytes]] = Counter()
        self._lock = threading.Lock()

    def sift(self, block: Block) -> Scanned:
        """Return the kept lines of a block, and the places of bad ones."""
        if not hasattr(self._thread, "counts"):
            self._thread.counts = np.zeros((len(rules.VERDICTS), rules.PREDICATES), np.int64)
            self._counts.append(self._thread.counts)
        scanned = scanner.scan(block.text, self._rules, self._thread.counts)
        _, firsts, counts = np.unique(scanned.others[:, 3], return_index=True, return_counts=True)
        with self._lock:
            for n, count in zip(firsts.tolist(), counts.tolist(), strict=True):
                verdict, start, end, _ = scanned.others[n].tolist()
                predicate = bytes(block.text[start:end])
                self._others[rules.VERDICTS[verdict], predicate] += count
        return scanned

    @property
    def counts(self) -> Counter[tuple[str, str]]:
        """How many lines were dropped, by reason and predicate.

        External ids as links are counted together.
        """
        counts: Counter[tuple[str, str]] = Counter()
        coded = sum(self._counts, np.zeros((len(rules.VERDICTS), rules.PREDICATES), np.int64))
        for verdict, code in np.argwhere(coded).tolist():
            counts[rules.VERDICTS[verdict], _name(code)] += int(coded[verdict, code])
        for (reason, text), count in self._others.items():
            counts[reason, text.decode("utf-8", "replace").strip("<>")] += count
        return counts


def by_reason(counts: Counter[tuple[str, str]]) -> Counter[str]:
    """Return how many lines were dropped, by reason."""
    by_reason: Counter[str] = Counter()
    for (reason, _), count in counts.items():
        by_reason[reason] += count
    return by_reason


def by_predicate(counts: Counter[tuple[str, str]]) -> dict[str, dict[str, int]]:
    """Return how many lines were dropped, by reason and predicate, the most frequent first."""
    by_reason: dict[str, dict[str, int]] = {}
    for (reason, name), count in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])):
        by_reason.setdefault(reason, {})[name] = count
    return dict(sorted(by_reason.items()))


def scan_lines(lines: Sequence[bytes]) -> Scanned:
    """Scan lines without their line ends; all are kept."""
    return _everything().sift(Block(1, b"".join([line + b"\n" for line in lines])))


@functools.cache
def _everything() -> Sieve:
    return Sieve(Filter(everything=True).rules())


def _name(code: int) -> str:
    if code >= rules.PROPERTIES:
        return rules.NAMED[code - rules.PROPERTIES]
    return f"P{code}" if code else f"P{rules.PROPERTIES} and beyond"
