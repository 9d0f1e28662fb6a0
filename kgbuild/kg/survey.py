"""Count triples and sum up their hashes, while they are loaded or from a finished store."""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Sequence

from kgbuild.kg import wikidata

_ITEM = re.compile(rf"<{re.escape(wikidata.ENTITY)}Q({wikidata.NUMBER})>".encode())
_PROPERTY = re.compile(rf"<{re.escape(wikidata.DIRECT)}(P{wikidata.NUMBER})>".encode())
_CLASS = re.compile(rf"<{re.escape(wikidata.ENTITY)}([QP]{wikidata.NUMBER})> \.".encode())
_INSTANCE_OF = f"<{wikidata.DIRECT}P31>".encode()
_UNKNOWN = f"<{wikidata.UNKNOWN_VALUE}".encode()
_UNKNOWN_TERM = re.compile(rb"^%b[^>]*>|(?<=> )%b[^>]*>(?= \.$)" % ((re.escape(_UNKNOWN),) * 2))
_SMALL = 1 << 29


class Survey:
    """What is known of a set of triples: their number, their items, properties, classes.

    The fingerprint is the sum, modulo 2^128, of the BLAKE2b hashes of the canonical
    N-Triples lines, so it depends neither on their order nor on the names of unknown
    values, which count as one constant.
    """

    def __init__(self) -> None:
        self.triples = 0
        self._sum = 0
        self._predicates: Counter[bytes] = Counter()
        self._classes: Counter[bytes] = Counter()
        self._subjects = _Bitmap()

    def add(self, lines: Sequence[bytes]) -> None:
        """Add distinct triples, as canonical N-Triples lines without their line ends."""
        parts = [line.split(b" ", 2) for line in lines]
        self._predicates.update(predicate for _, predicate, _ in parts)
        self._classes.update(value for _, predicate, value in parts if predicate == _INSTANCE_OF)
        subjects = map(_ITEM.fullmatch, {subject for subject, _, _ in parts})
        self._subjects.add(int(match[1]) for match in subjects if match)
        digests = (hashlib.blake2b(_unnamed(line), digest_size=16).digest() for line in lines)
        self._sum += sum(int.from_bytes(digest, "big") for digest in digests)
        self.triples += len(lines)

    @property
    def fingerprint(self) -> str:
        """The fingerprint, 32 hexadecimal digits."""
        return f"{self._sum % (1 << 128):032x}"

    @property
    def items(self) -> int:
        """How many items are the subject of a triple."""
        return len(self._subjects)

    @property
    def properties(self) -> dict[str, int]:
        """The number of statements of each property, the most frequent first, ties by id."""
        return _by_count(self._predicates, _PROPERTY)

    @property
    def classes(self) -> dict[str, int]:
        """The number of direct instances of each class, the most frequent first, ties by id."""
        return _by_count(self._classes, _CLASS)


class _Bitmap:
    """A set of numbers, the small ones at a bit each: all of Wikidata's items fit into 20 MB."""

    def __init__(self) -> None:
        self._bits = bytearray(1 << 16)
        self._large: set[int] = set()

    def add(self, numbers: Iterable[int]) -> None:
        for number in numbers:
            if number >= _SMALL:  # no item has such an id yet
                self._large.add(number)
                continue
            place, bit = number >> 3, 1 << (number & 7)
            if place >= len(self._bits):
                self._bits.extend(bytes(place + 1 - len(self._bits) + len(self._bits) // 2))
            self._bits[place] |= bit

    def __len__(self) -> int:
        return int.from_bytes(self._bits, "little").bit_count() + len(self._large)


def _unnamed(line: bytes) -> bytes:
    return _UNKNOWN_TERM.sub(b"_:", line) if _UNKNOWN in line else line


def _by_count(counter: Counter[bytes], term: re.Pattern[bytes]) -> dict[str, int]:
    matches = ((term.fullmatch(text), count) for text, count in counter.items())
    ids = {match[1].decode(): count for match, count in matches if match}
    return dict(sorted(ids.items(), key=lambda pair: (-pair[1], wikidata.number(pair[0]))))
