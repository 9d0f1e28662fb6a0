"""Filter the lines of a dump, and count the dropped lines by the reason why they are dropped.

Most lines of a truthy dump are not needed: it has each label three times and in hundreds of
languages, external ids, files and metadata.
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


class Sieve:
    """Filters the lines of blocks by rules, and counts the dropped lines.

    Several threads may call ``sift`` at the same time, because each thread has separate counts.
    """

    def __init__(self, rules: Rules):
        self._rules = rules
        self._thread = threading.local()
        self._counts: list[Numbers] = []
        self._uncoded: Counter[tuple[str, bytes]] = Counter()
        self._lock = threading.Lock()

    def sift(self, block: Block) -> Scanned:
        """Return the kept lines of a block, and the positions of bad lines."""
        if not hasattr(self._thread, "counts"):
            self._thread.counts = np.zeros((len(rules.VERDICTS), rules.PREDICATES), np.int64)
            self._counts.append(self._thread.counts)
        scanned = scanner.scan(block.text, block.lines, self._rules, self._thread.counts)
        hashes = scanned.uncoded[:, 3]
        _, firsts, counts = np.unique(hashes, return_index=True, return_counts=True)
        with self._lock:
            for n, count in zip(firsts.tolist(), counts.tolist(), strict=True):
                verdict, start, end, _ = scanned.uncoded[n].tolist()
                predicate = bytes(block.text[start:end])
                self._uncoded[rules.VERDICTS[verdict], predicate] += count
        return scanned

    @property
    def counts(self) -> Counter[tuple[str, str]]:
        """The number of dropped lines for each (reason, predicate).

        The predicates wdtn:P… of all properties are counted together.
        """
        counts: Counter[tuple[str, str]] = Counter()
        for coded_counts in self._counts:
            for verdict, code in np.argwhere(coded_counts != 0).tolist():
                number = int(coded_counts[verdict, code])
                counts[rules.VERDICTS[verdict], rules.name(code)] += number
        for (reason, predicate), count in self._uncoded.items():
            counts[reason, predicate.decode("utf-8", "replace").strip("<>")] += count
        return counts


def by_reason(counts: Counter[tuple[str, str]]) -> Counter[str]:
    """Return the number of dropped lines for each reason."""
    by_reason: Counter[str] = Counter()
    for (reason, _), count in counts.items():
        by_reason[reason] += count
    return by_reason


def by_predicate(counts: Counter[tuple[str, str]]) -> dict[str, dict[str, int]]:
    """Return the number of dropped lines for each reason and predicate, the highest first."""
    by_reason: dict[str, dict[str, int]] = {}
    for (reason, name), count in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])):
        by_reason.setdefault(reason, {})[name] = count
    return dict(sorted(by_reason.items()))


def scan_lines(lines: Sequence[bytes]) -> Scanned:
    """Scan lines, which have no line ends, and keep all of them."""
    return _keep_everything().sift(Block(1, b"".join([line + b"\n" for line in lines])))


@functools.cache
def _keep_everything() -> Sieve:
    return Sieve(Filter(everything=True).rules())
