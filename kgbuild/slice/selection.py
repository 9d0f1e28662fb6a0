"""Choose items by their links: instances of classes, neighbours, and items that they point to.

A link is a statement between two items, as three 32-bit numbers (subject, predicate, object). Links
are read from a file in parts, as often as necessary, and sets of items are bitmaps, so memory does
not grow with the dump.
"""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, TypeAlias

import numpy as np
import numpy.typing as npt

from kgbuild import wikidata
from kgbuild.dump import bitmaps
from kgbuild.dump.bitmaps import Bitmap, is_in, put
from kgbuild.dump.kinds import HIERARCHY
from kgbuild.dump.scanning import rules
from kgbuild.dump.scanning.scanner import Scanned
from kgbuild.native.arrays import Positions
from kgbuild.native.kernel import kernel

Part: TypeAlias = npt.NDArray[np.uint32]
"""An array of n links, with the shape (n, 3)."""

INSTANCE_OF, SUBCLASS_OF = wikidata.number("P31"), wikidata.number("P279")
_PART_SIZE = 1 << 20
"""Number of links that are read at a time."""
_LINK_BYTES = 12


def links(scanned: Scanned) -> bytes:
    """Return the links between items in scanned lines, as bytes."""
    are_links = (scanned.subject > 0) & (scanned.object > 0)
    columns = [column[are_links] for column in (scanned.subject, scanned.predicate, scanned.object)]
    return np.column_stack(columns).astype(np.uint32).tobytes()


def part(data: bytes) -> Part:
    """Return the links in bytes that ``links`` returned."""
    return np.frombuffer(data, np.uint32).reshape(-1, 3)


class ClassLinks:
    """The links in a file. ``sources``, ``targets`` and so on are sets of items."""

    def __init__(self, path: Path):
        self._path = path

    def parts(self) -> Iterator[Part]:
        """Yield all links in parts."""
        with self._path.open("rb") as file:
            while data := file.read(_LINK_BYTES * _PART_SIZE):
                yield part(data)

    def step(self, sources: Bitmap, targets: Bitmap) -> None:
        """Add to ``targets`` the items that ``sources`` point to."""
        step(self.parts(), sources, targets)

    def grow(self, members: Bitmap, predicates: Sequence[int], is_backward: bool = False) -> None:
        """Do as the function ``grow``, over any number of links."""
        while grow(self.parts(), members, predicates, is_backward):
            pass

    def instances(self, classes: Bitmap) -> Iterator[Positions]:
        """Yield the instances of some classes, in the order of the links."""
        return (instances(part, classes) for part in self.parts())


def step(parts: Iterable[Part], sources: Bitmap, targets: Bitmap) -> None:
    """Add to ``targets`` the items that ``sources`` point to."""
    for part in parts:
        bitmaps.add(targets, part[bitmaps.has(sources, part[:, 0]), 2].astype(np.int64))


def grow(
    parts: Iterable[Part], members: Bitmap, predicates: Sequence[int], is_backward: bool
) -> int:
    """Read all links once; add to ``members`` the items that these lead to by the ``predicates``.

    If ``is_backward``, the items are added that lead to the members. Returns their number.
    """
    flags = np.zeros(rules.PREDICATES, np.bool_)
    flags[list(predicates)] = True
    known, new = (2, 0) if is_backward else (0, 2)
    return sum(_grow(part, members, flags, known, new) for part in parts)


def instances(part: Part, classes: Bitmap) -> Positions:
    """Return the instances of the classes, in the order of the links."""
    are_instances = part[:, 1] == INSTANCE_OF
    subjects: Positions = part[are_instances & bitmaps.has(classes, part[:, 2]), 0].astype(np.int64)
    return subjects


def closure(links: ClassLinks, subjects: Bitmap) -> Bitmap:
    """Return the items that the subjects point to, and the items that describe these.

    They are described by all their classes, places and countries (HIERARCHY) and by the targets of
    redirects.
    """
    objects = bitmaps.bitmap()
    links.step(subjects, objects)
    links.grow(objects, [*map(wikidata.number, HIERARCHY), rules.SAME_AS])
    return objects


class Seeds:
    """Selects items in the order in which they are added.

    It selects the first ``limit`` items, of a random fraction ``sample``. Whether an item belongs
    to the fraction depends only on its number and the seed. ``bits`` is the set of selected items,
    ``count`` their number.
    """

    def __init__(self, limit: int | None, sample: float | None, seed: int):
        self.bits = bitmaps.bitmap()
        self.count = 0
        self._limit = limit or 10**9  # above the number of items
        self._threshold = int((1.0 if sample is None else sample) * 2**53)
        self._seed = np.uint64(seed)

    @property
    def is_full(self) -> bool:
        """Whether the limit is reached."""
        return self.count >= self._limit

    def add(self, numbers: Positions) -> Positions:
        """Select items from ``numbers`` in their order; return those that are newly selected."""
        selected = np.empty(min(numbers.size, self._limit - self.count), np.int64)
        numbers = np.ascontiguousarray(numbers)
        count = _take(numbers, self.bits, selected, np.uint64(self._threshold), self._seed)
        self.count += count
        return selected[:count]


def hops(links: ClassLinks, subjects: Bitmap, count: int) -> None:
    """Add to ``subjects`` the items that they lead to over at most ``count`` statements.

    Redirects do not count as statements: the target of a redirect belongs to it.
    """
    for hop in range(count + 1):
        if hop:
            targets = bitmaps.bitmap()
            links.step(subjects, targets)
            bitmaps.unite(subjects, targets, bitmaps.top(targets))
        links.grow(subjects, [rules.SAME_AS])


@kernel
def _grow(
    part: Annotated[Part, 2], members: Bitmap, flags: npt.NDArray[np.bool_], known: int, new: int
) -> int:
    """Add the items in the column ``new`` of links whose column ``known`` has a member."""
    added = 0
    for n in range(part.shape[0]):
        if (
            flags[part[n, 1]]
            and is_in(members, part[n, known])
            and not is_in(members, part[n, new])
        ):
            put(members, part[n, new])
            added += 1
    return added


def _hash(number: int, seed: np.uint64) -> np.uint64:
    """Return a 64-bit hash of a number (SplitMix64; Steele, Lea and Flood, OOPSLA 2014)."""
    x = np.uint64(number) + (seed + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))


@kernel
def _take(
    numbers: Positions, bits: Bitmap, selected: Positions, threshold: np.uint64, seed: np.uint64
) -> int:
    count = 0
    for number in numbers:
        if count == selected.size:
            break
        if number <= 0 or is_in(bits, number):
            continue
        if _hash(number, seed) >> np.uint64(11) < threshold:
            put(bits, number)
            selected[count] = number
            count += 1
    return count
