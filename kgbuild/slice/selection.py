"""Choose items by how they are linked: instances, neighbours, and what those point to.

Links (subject, predicate, object) are three 32-bit numbers each, and are gone through as often
as needed, a part at a time, in a file or wherever else they lie; sets of items are bitmaps. So
memory does not grow with the dump.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from kgbuild import wikidata
from kgbuild.dump import bitmaps, scanner
from kgbuild.dump.bitmaps import Bitmap, Numbers
from kgbuild.dump.kinds import HIERARCHY
from kgbuild.dump.scanner import Scanned
from kgbuild.native.kernel import kernel

Part: TypeAlias = npt.NDArray[np.uint32]
"""Links, of shape (n, 3)."""

INSTANCE_OF, SUBCLASS_OF = wikidata.number("P31"), wikidata.number("P279")
_PART = 1 << 20


def links(scanned: Scanned) -> bytes:
    """Return the links of items to items among scanned lines."""
    linked = (scanned.subject > 0) & (scanned.object > 0)
    columns = (scanned.subject[linked], scanned.predicate[linked], scanned.object[linked])
    return np.column_stack(columns).astype(np.uint32).tobytes()


def part(data: bytes) -> Part:
    """Return links as they were written."""
    return np.frombuffer(data, np.uint32).reshape(-1, 3)


class Linked(Protocol):
    """Links, wherever they lie."""

    def step(self, sources: Bitmap, targets: Bitmap, predicates: Sequence[int] | None) -> int:
        """Add to ``targets`` what ``sources`` point to, by some predicates or any.

        Return the highest number that any item points to.
        """

    def reach(self, found: Bitmap, others: Bitmap, predicates: Sequence[int]) -> None:
        """Add to ``found`` whatever is reached from it or from ``others`` in any steps."""

    def below(self, found: Bitmap) -> None:
        """Add to ``found`` all subclasses of its classes."""

    def instances(self, classes: Bitmap) -> Iterable[Numbers]:
        """Yield the subjects, in order, of links that make them instances of some classes."""


class Links:
    """The links in a file."""

    def __init__(self, path: Path):
        self._path = path

    def parts(self) -> Iterator[Part]:
        """Yield all links, some at a time."""
        with self._path.open("rb") as file:
            while data := file.read(12 * _PART):
                yield part(data)

    def step(self, sources: Bitmap, targets: Bitmap, predicates: Sequence[int] | None) -> int:
        """See ``Linked``."""
        return step(self.parts(), sources, targets, predicates)

    def reach(self, found: Bitmap, others: Bitmap, predicates: Sequence[int]) -> None:
        """See ``Linked``."""
        while reach(self.parts(), found, others, predicates):
            pass

    def below(self, found: Bitmap) -> None:
        """See ``Linked``."""
        while below(self.parts(), found):
            pass

    def instances(self, classes: Bitmap) -> Iterator[Numbers]:
        """See ``Linked``."""
        return (instances(part, classes) for part in self.parts())


def step(
    parts: Iterable[Part], sources: Bitmap, targets: Bitmap, predicates: Sequence[int] | None
) -> int:
    """Add to ``targets`` what ``sources`` point to, by some predicates or any.

    Return the highest number that any item points to.
    """
    flags = _flags(predicates)
    top = 0
    for some in parts:
        _step(some, sources, targets, flags)
        top = max(top, int(some[:, 2].max(initial=0)))
    return top


def reach(parts: Iterable[Part], found: Bitmap, others: Bitmap, predicates: Sequence[int]) -> int:
    """Go once through links that lead from ``found`` or ``others``; add to ``found`` what to.

    Return how many were added.
    """
    flags = _flags(predicates)
    return sum(_reach(some, found, others, flags) for some in parts)


def below(parts: Iterable[Part], found: Bitmap) -> int:
    """Go once through links and add the subclasses of ``found`` to it; return how many."""
    return sum(_below(some, found, SUBCLASS_OF) for some in parts)


def instances(part: Part, classes: Bitmap) -> Numbers:
    """Return the subjects, in order, of links that make them instances of some classes."""
    objects = part[:, 2].astype(np.int64)
    found = (part[:, 1] == INSTANCE_OF) & bitmaps.has(classes, objects)
    subjects: Numbers = part[found, 0].astype(np.int64)
    return subjects


def closure(links: Linked, subjects: Bitmap) -> Bitmap:
    """Return what the subjects point to, with its classes and places up to the last.

    What redirects lead to comes along.
    """
    pointed = bitmaps.bitmap()
    links.step(subjects, pointed, None)
    chain = [*map(wikidata.number, HIERARCHY), scanner.SAME_AS]
    links.reach(pointed, subjects, chain)
    return pointed


class Seeds:
    """Items that are taken as they come, up to a limit, or a share of them.

    Whether an item belongs to the share depends on its number and the seed alone.
    """

    def __init__(self, limit: int | None, sample: float | None, seed: int):
        self.bits = bitmaps.bitmap()
        self.count = 0
        self._limit = limit or 10**9
        self._below = int((1.0 if sample is None else sample) * 2**53)
        self._seed = np.uint64(seed)

    @property
    def full(self) -> bool:
        """Whether the limit is reached."""
        return self.count >= self._limit

    def add(self, numbers: Numbers) -> Numbers:
        """Take items in order; return those that were taken."""
        taken = np.empty(min(numbers.size, self._limit - self.count), np.int64)
        numbers = np.ascontiguousarray(numbers)
        count = _take(numbers, self.bits, taken, np.uint64(self._below), self._seed)
        self.count += count
        return taken[:count]


def hops(links: Linked, subjects: Bitmap, count: int) -> None:
    """Add to ``subjects`` what is up to ``count`` statements away, from subject to object."""
    links.reach(subjects, subjects, [scanner.SAME_AS])
    for _ in range(count):
        found = bitmaps.bitmap()
        top = links.step(subjects, found, None)
        bitmaps.unite(subjects, found, top)


def _flags(predicates: Sequence[int] | None) -> npt.NDArray[np.bool_]:
    flags = np.full(scanner.PREDICATES, predicates is None)
    if predicates is not None:
        flags[list(predicates)] = True
    return flags


def _in(bits: Bitmap, number: int) -> bool:
    return bool((bits[number >> 3] >> (number & 7)) & 1 != 0)


def _put(bits: Bitmap, number: int) -> None:
    bits[number >> 3] |= np.uint8(1 << (number & 7))


@kernel
def _step(
    part: Annotated[Part, 2], sources: Bitmap, targets: Bitmap, flags: npt.NDArray[np.bool_]
) -> None:
    for n in range(part.shape[0]):
        if flags[part[n, 1]] and _in(sources, part[n, 0]):
            _put(targets, part[n, 2])


@kernel
def _reach(
    part: Annotated[Part, 2], found: Bitmap, others: Bitmap, flags: npt.NDArray[np.bool_]
) -> int:
    more = 0
    for n in range(part.shape[0]):
        if not flags[part[n, 1]] or _in(found, part[n, 2]):
            continue
        if _in(found, part[n, 0]) or _in(others, part[n, 0]):
            _put(found, part[n, 2])
            more += 1
    return more


@kernel
def _below(part: Annotated[Part, 2], found: Bitmap, predicate: int) -> int:
    more = 0
    for n in range(part.shape[0]):
        if part[n, 1] == predicate and not _in(found, part[n, 0]) and _in(found, part[n, 2]):
            _put(found, part[n, 0])
            more += 1
    return more


def _mixed(number: int, seed: np.uint64) -> np.uint64:
    """Return a number's hash of 64 bits (SplitMix64; Steele, Lea and Flood, OOPSLA 2014)."""
    x = np.uint64(number) + (seed + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@kernel
def _take(numbers: Numbers, bits: Bitmap, taken: Numbers, below: np.uint64, seed: np.uint64) -> int:
    count = 0
    for number in numbers:
        if count == taken.size:
            break
        if number <= 0 or _in(bits, number):
            continue
        if _mixed(number, seed) >> np.uint64(11) < below:
            _put(bits, number)
            taken[count] = number
            count += 1
    return count
