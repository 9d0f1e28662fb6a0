"""What to keep of a dump, as far as a line alone can tell.

A truthy dump is mostly noise for our purposes: each label three times and in hundreds of
languages, external ids and their links, files, metadata.
"""

import functools
import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kgbuild import wikidata
from kgbuild.dump import scanner
from kgbuild.dump.kinds import HIERARCHY, KINDS, USUAL_KINDS
from kgbuild.dump.reader import Block
from kgbuild.dump.scanner import Bytes, Rules, Scanned


@dataclass(frozen=True)
class Filter:
    """What to keep of each item.

    ``languages`` are the codes of the languages to keep; ``mul`` (for all languages) and the
    regional forms (``en-gb`` for ``en``) come along. ``properties`` are the ids of properties
    to keep, all if None; those of HIERARCHY come along. ``kinds`` are of ``kinds.KINDS``. With
    ``everything``, nothing is dropped.
    """

    languages: tuple[str, ...] = ("en",)
    everything: bool = False
    properties: tuple[str, ...] | None = None
    kinds: tuple[str, ...] = USUAL_KINDS
    descriptions: bool = True
    aliases: bool = True

    def rules(self, subjects: Bytes | None = None, pointed: Bytes | None = None) -> Rules:
        """Return the filter as the scan reads it.

        With two bitmaps, only the items of ``subjects`` are kept with all that the filter
        keeps, and those of ``pointed`` with their names, their class and their place.
        """
        kinds = np.array([kind in self.kinds for kind in KINDS])
        names = np.array([True, self.aliases, self.descriptions])
        properties = np.full(scanner.PROPERTIES, self.properties is None)
        basic = np.zeros(scanner.PROPERTIES, np.bool_)
        basic[[wikidata.number(pid) for pid in HIERARCHY]] = True
        if self.properties is not None:
            known = (wikidata.number(pid) for pid in (*self.properties, *HIERARCHY))
            properties[[number for number in known if number < scanner.PROPERTIES]] = True
        select = None if subjects is None or pointed is None else (subjects, pointed)
        languages = (*self.languages, "mul")
        return Rules(properties, kinds, names, languages, self.everything, basic, select)


class Sieve:
    """Sorts out blocks by one filter's rules and counts what becomes of their lines.

    Several threads may sift at a time: each counts by itself.
    """

    def __init__(self, rules: Rules):
        self._rules = rules
        self._thread = threading.local()
        self._counts: list[scanner.Numbers] = []
        self._others: Counter[tuple[str, bytes]] = Counter()
        self._lock = threading.Lock()

    def sift(self, block: Block) -> Scanned:
        """Return the lines of a block that are kept, and the places of bad ones."""
        if not hasattr(self._thread, "counts"):
            self._thread.counts = np.zeros((len(scanner.REASONS), scanner.PREDICATES), np.int64)
            self._counts.append(self._thread.counts)
        scanned = scanner.scan(block.text, self._rules, self._thread.counts)
        _, firsts, counts = np.unique(scanned.others[:, 3], return_index=True, return_counts=True)
        with self._lock:
            for n, count in zip(firsts.tolist(), counts.tolist(), strict=True):
                verdict, start, end, _ = scanned.others[n].tolist()
                predicate = bytes(block.text[start:end])
                self._others[scanner.REASONS[verdict], predicate] += count
        return scanned

    @property
    def _coded(self) -> scanner.Numbers:
        zeros = np.zeros((len(scanner.REASONS), scanner.PREDICATES), np.int64)
        return sum(self._counts, zeros)

    @property
    def counts(self) -> Counter[tuple[str, str]]:
        """How many lines were dropped, by reason and predicate.

        External ids as links are counted together.
        """
        counts: Counter[tuple[str, str]] = Counter()
        coded = self._coded
        for verdict, code in np.argwhere(coded).tolist():
            counts[scanner.REASONS[verdict], _name(code)] += int(coded[verdict, code])
        for (reason, text), count in self._others.items():
            counts[reason, text.decode("utf-8", "replace").strip("<>")] += count
        return counts


def by_reason(counts: Counter[tuple[str, str]]) -> Counter[str]:
    """Return how many lines were dropped, by reason."""
    found: Counter[str] = Counter()
    for (reason, _), count in counts.items():
        found[reason] += count
    return found


def by_predicate(counts: Counter[tuple[str, str]]) -> dict[str, dict[str, int]]:
    """Return how many lines were dropped, by reason and predicate, the most frequent first."""
    named: dict[str, dict[str, int]] = {}
    for (reason, name), count in sorted(counts.items(), key=lambda pair: (-pair[1], pair[0])):
        named.setdefault(reason, {})[name] = count
    return dict(sorted(named.items()))


def scanned(lines: Sequence[bytes]) -> Scanned:
    """Scan the lines of a graph, without their line ends; all are kept."""
    return _everything().sift(Block(1, b"".join([line + b"\n" for line in lines]), frozenset()))


@functools.cache
def _everything() -> Sieve:
    return Sieve(Filter(everything=True).rules())


def _name(code: int) -> str:
    if code >= scanner.PROPERTIES:
        return scanner.NAMED[code - scanner.PROPERTIES]
    return f"P{code}" if code else f"P{scanner.PROPERTIES} and beyond"
