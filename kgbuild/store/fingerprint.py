"""Count the triples of a graph and compute its fingerprint, during a load or from a store.

A dump has a line for each statement, so two statements with the same value are two equal lines,
which are close to each other. A graph has the triple once.
"""

import hashlib
import re
from collections import Counter

import numpy as np

from kgbuild import wikidata
from kgbuild.dump import bitmaps
from kgbuild.dump.scanning import rules
from kgbuild.dump.scanning.scanner import Scanned
from kgbuild.native.arrays import Flags, Words
from kgbuild.store.arrays import are_new
from kgbuild.store.line_hashes import DIGEST_SIZE, hash_lines, sum_of_hashes
from kgbuild.store.lines import chosen

_INSTANCE_OF = wikidata.number("P31")
_UNKNOWN = f"<{wikidata.UNKNOWN_VALUE}".encode()
# The IRI of an unknown value, as the subject or the object of a line.
_UNKNOWN_TERM = re.compile(rb"^%b[^>]*>|(?<=> )%b[^>]*>(?= \.$)" % ((re.escape(_UNKNOWN),) * 2))
_KEPT = 1024
"""Minimum number of lines with which those of the next batch are compared."""


class Survey:
    """Counts the triples, items, properties and classes of a graph, and computes its fingerprint.

    The fingerprint is the sum, modulo 2^128, of the BLAKE2b hashes of the canonical N-Triples
    lines, so it does not depend on their order. In the lines, ``_:`` replaces the IRIs of unknown
    values.

    Lines that repeat one of their batch, or one of the last before it, are left out. If two others
    had the same hash, the graph would have more lines than are counted, and would be read again,
    as after a repetition that is farther away.
    """

    def __init__(self) -> None:
        self.triples = 0
        self._sum = 0
        self._properties = np.zeros(rules.PROPERTIES, np.int64)
        self._classes: Counter[int] = Counter()
        self._subjects = bitmaps.bitmap()
        self._top = 0
        self._last: Words = np.empty(0, np.uint64)

    def add(self, scanned: Scanned) -> Scanned:
        """Add triples, in the form that Oxigraph writes; return those that are new."""
        hashes = hash_lines(scanned.text, scanned.ends)
        new = self._find_new(hashes[:, 1])
        if not new.all():
            scanned, hashes = chosen(scanned, new), hashes[new]
        others = np.flatnonzero(~scanned.canonical).tolist()
        unknown = [n for n in others if _UNKNOWN in scanned.line(n)]
        hashes[unknown] = 0
        self._sum += sum_of_hashes(hashes)
        self._sum += sum(_hash(_UNKNOWN_TERM.sub(b"_:", scanned.line(n))) for n in unknown)
        self.triples += len(scanned.ends)
        predicates = scanned.predicate
        direct = predicates[(predicates >= 0) & (predicates < rules.PROPERTIES)]
        self._properties += np.bincount(direct, minlength=rules.PROPERTIES)
        classes = scanned.object[(scanned.predicate == _INSTANCE_OF) & (scanned.object != 0)]
        self._classes.update(classes.tolist())
        bitmaps.add(self._subjects, scanned.subject)
        self._top = max(self._top, int(scanned.subject.max(initial=0)))
        return scanned

    def _find_new(self, hashes: Words) -> Flags:
        """Return whether each hash of a batch is not that of a line before it."""
        known = np.append(self._last, hashes)
        before, self._last = len(self._last), known[-max(len(hashes), _KEPT) :]
        if are_new(np.sort(known)).all():
            return np.ones(len(hashes), np.bool_)
        order = np.argsort(known, kind="stable")
        flags = np.empty(len(known), np.bool_)
        flags[order] = are_new(known[order])
        return flags[before:]

    @property
    def fingerprint(self) -> str:
        """The fingerprint, as 32 hexadecimal digits."""
        return f"{self._sum % (1 << 128):032x}"

    @property
    def items(self) -> int:
        """The number of items that are the subject of a triple."""
        return bitmaps.count(self._subjects, self._top)

    @property
    def properties(self) -> dict[str, int]:
        """The number of statements of each property, by falling number, then by id."""
        numbers = np.flatnonzero(self._properties).tolist()
        return _by_count({f"P{n}": int(self._properties[n]) for n in numbers if n})

    @property
    def classes(self) -> dict[str, int]:
        """The number of direct instances of each class, by falling number, then by id."""
        counts = self._classes.items()
        return _by_count({f"Q{n}" if n > 0 else f"P{-n}": count for n, count in counts})


def _hash(line: bytes) -> int:
    return int.from_bytes(hashlib.blake2b(line, digest_size=DIGEST_SIZE).digest(), "big")


def _by_count(counts: dict[str, int]) -> dict[str, int]:
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], wikidata.number(pair[0]))))
