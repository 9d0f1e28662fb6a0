"""Choose items by their links: instances of classes, neighbours, and items that they point to.

A link (subject, predicate, object) is three 32-bit numbers. Links are read from a file in parts,
as often as necessary; sets of items are bitmaps. So memory does not grow with the dump.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, TypeAlias

import numpy as np
import numpy.typing as npt

from kgbuild import wikidata
from kgbuild.dump import bitmaps, rules
from kgbuild.dump.bitmaps import Bitmap, Numbers
from kgbuild.dump.kinds import HIERARCHY
from kgbuild.dump.scanner import Scanned
from kgbuild.native.kernel import kernel

Part: TypeAlias = npt.NDArray[np.uint32]
"""An array of n links, of the shape (n, 3)."""

INSTANCE_OF, SUBCLASS_OF = wikidata.number("P31"), wikidata.number("P279")
_PART = 1 << 20


def links(scanned: Scanned) -> bytes:
    """Return the links between items in scanned lines, as bytes."""
    linked = (scanned.subject > 0) & (scanned.object > 0)
    columns = (scanned.subject[linked], scanned.predicate[linked], scanned.object[linked])
    return np.column_stack(columns).astype(np.uint32).tobytes()


def part(data: bytes) -> Part:
    """Return the links in the bytes from ``links``."""
    return np.frombuffer(data, np.uint32).reshape(-1, 3)


class Links:
    """The links in a file."""

    def __init__(self, path: Path):
        self._path = path

    def parts(self) -> Iterator[Part]:
        """Yield all links in parts."""
        with self._path.open("rb") as file:
            while data := file.read(12 * _PART):
                yield part(data)

    def step(self, sources: Bitmap, targets: Bitmap) -> int:
        """Add to ``targets`` the items that ``sources`` point to.

        Returns:
            The highest number that any item points to.
        """
        return step(self.parts(), sources, targets)

    def reach(self, reached: Bitmap, others: Bitmap, predicates: Sequence[int]) -> None:
        """Add the items that ``reached`` or ``others`` lead to, in any number of steps."""
        while reach(self.parts(), reached, others, predicates):
            pass

    def below(self, classes: Bitmap) -> None:
        """Add all subclasses of the ``classes`` to them."""
        while below(self.parts(), classes):
            pass

    def instances(self, classes: Bitmap) -> Iterator[Numbers]:
        """Yield the instances of some classes, in the order of the links."""
        return (instances(part, classes) for part in self.parts())


def step(parts: Iterable[Part], sources: Bitmap, targets: Bitmap) -> int:
    """Add to ``targets`` the items that ``sources`` point to; return the highest object."""
    top = 0
    for part in parts:
        _step(part, sources, targets)
        top = max(top, int(part[:, 2].max(initial=0)))
    return top


def reach(parts: Iterable[Part], reached: Bitmap, others: Bitmap, predicates: Sequence[int]) -> int:
    """Read all links once; add to ``reached`` the objects of items in ``reached`` and ``others``.

    Only links with one of the ``predicates`` count. Returns the number of added items.
    """
    flags = np.zeros(rules.PREDICATES, np.bool_)
    flags[list(predicates)] = True
    return sum(_reach(part, reached, others, flags) for part in parts)


def below(parts: Iterable[Part], classes: Bitmap) -> int:
    """Read all links once, and add subclasses to ``classes``; return how many were added."""
    return sum(_below(part, classes, SUBCLASS_OF) for part in parts)


def instances(part: Part, classes: Bitmap) -> Numbers:
    """Return the instances of the classes, in the order of the links."""
    are_instances = part[:, 1] == INSTANCE_OF
    subjects: Numbers = part[are_instances & bitmaps.has(classes, part[:, 2]), 0].astype(np.int64)
    return subjects


def closure(links: Links, subjects: Bitmap) -> Bitmap:
    """Return the items that the subjects point to, and all classes and places of these items.

    The targets of redirects are included.
    """
    pointed = bitmaps.bitmap()
    links.step(subjects, pointed)
    chain = [*map(wikidata.number, HIERARCHY), rules.SAME_AS]
    links.reach(pointed, subjects, chain)
    return pointed


class Seeds:
    """Selects items in the order in which they are added: the first ``limit``, or a random share.

    Whether an item belongs to the share depends only on its number and the seed.
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
        """Select items from ``numbers`` in their order; return those that are newly selected."""
        taken = np.empty(min(numbers.size, self._limit - self.count), np.int64)
        numbers = np.ascontiguousarray(numbers)
        count = _take(numbers, self.bits, taken, np.uint64(self._below), self._seed)
        self.count += count
        return taken[:count]


def hops(links: Links, subjects: Bitmap, count: int) -> None:
    """Add the items up to ``count`` statements away (from subject to object) to ``subjects``."""
    links.reach(subjects, subjects, [rules.SAME_AS])
    for _ in range(count):
        targets = bitmaps.bitmap()
        top = links.step(subjects, targets)
        bitmaps.unite(subjects, targets, top)


def _in(bits: Bitmap, number: int) -> bool:
    return bool((bits[number >> 3] >> (number & 7)) & 1 != 0)


def _put(bits: Bitmap, number: int) -> None:
    bits[number >> 3] |= np.uint8(1 << (number & 7))


@kernel
def _step(part: Annotated[Part, 2], sources: Bitmap, targets: Bitmap) -> None:
    for n in range(part.shape[0]):
        if _in(sources, part[n, 0]):
            _put(targets, part[n, 2])


@kernel
def _reach(
    part: Annotated[Part, 2], reached: Bitmap, others: Bitmap, flags: npt.NDArray[np.bool_]
) -> int:
    more = 0
    for n in range(part.shape[0]):
        if not flags[part[n, 1]] or _in(reached, part[n, 2]):
            continue
        if _in(reached, part[n, 0]) or _in(others, part[n, 0]):
            _put(reached, part[n, 2])
            more += 1
    return more


@kernel
def _below(part: Annotated[Part, 2], classes: Bitmap, predicate: int) -> int:
    more = 0
    for n in range(part.shape[0]):
        if part[n, 1] == predicate and not _in(classes, part[n, 0]) and _in(classes, part[n, 2]):
            _put(classes, part[n, 0])
            more += 1
    return more


def _mixed(number: int, seed: np.uint64) -> np.uint64:
    """Return a 64-bit hash of a number (SplitMix64; Steele, Lea and Flood, OOPSLA 2014)."""
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
