"""What a task of a cluster does with its part of a dump.

It decides as the local engine does, with the same functions. Rows come and go as Arrow's
batches; those that come have one column, of bytes.
"""

import itertools
import pickle
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import IO, Any, TypeAlias, cast

import numpy as np

from kgbuild.dump import bitmaps, pipeline, reader, scanner
from kgbuild.dump.bitmaps import Bitmap, Numbers
from kgbuild.dump.filter import Sieve
from kgbuild.dump.pipeline import Opened, Read
from kgbuild.dump.reader import Block, Dump
from kgbuild.dump.scanner import Scanned
from kgbuild.errors import KgbuildError
from kgbuild.slice import selection
from kgbuild.slice.selection import Part, Seeds
from kgbuild.slice.slice import Traces, wanted
from kgbuild.slice.spec import Spec

Batches: TypeAlias = Iterable[Any]
"""Record batches of Arrow."""

COLUMNS = ("text", "links", "seeds", "described", "pointed", "account")
SCHEMA = ", ".join(f"{name} {'string' if name == 'text' else 'binary'}" for name in COLUMNS)
"""Of a block: its kept lines, their links, and the items that are chosen by them, in order; and
of the whole part, in a last row: the items that its lines describe and point to, and the account.
"""
FOUND = "found binary"
"""A set of items."""
_MOST = 1000
"""Bad lines that are told of each part."""


@dataclass
class Account:
    """What became of the lines of a part of a dump (see ``Intake``).

    ``physical`` counts the lines as they stand there, which differ in a JSON dump. ``faults``
    are the first bad ones: number in the part, what is wrong, text. ``ends_badly`` tells that
    the last line is bad. ``error`` ended the reading.
    """

    dump: int
    lines: int = 0
    kept: int = 0
    bad: int = 0
    held: int = 0
    faulty: int = 0
    empty: int = 0
    entities: int = 0
    physical: int = 0
    counts: Counter[tuple[str, str]] = field(default_factory=Counter)
    faults: list[tuple[int, str, bytes]] = field(default_factory=list)
    ends_badly: bool = False
    error: KgbuildError | None = None

    def add(self, read: Read, scanned: Scanned) -> None:
        """Count a block."""
        told = pipeline.tallied(read, scanned)
        self._sum(told)
        self.physical = read.end or read.block.first + scanned.lines - 1
        bad = pipeline.faults(read, scanned)
        self.ends_badly = bool(bad) and bad[-1][0] == self.physical
        self.faults += bad[: _MOST - len(self.faults)]

    def unite(self, later: "Account") -> None:
        """Count the lines of a part that follows."""
        self._sum(later)
        self.physical += later.physical
        self.counts += later.counts
        self.ends_badly = later.ends_badly if later.lines else self.ends_badly

    def _sum(self, more: "Account | pipeline.Tally") -> None:
        for name in ("lines", "kept", "bad", "held", "faulty", "empty", "entities"):
            setattr(self, name, getattr(self, name) + getattr(more, name))


@dataclass(frozen=True)
class Choice:
    """What of a part is wanted: packed sets of listed items and of classes, by a spec."""

    spec: Spec
    listed: bytes
    classes: bytes


def sifted(
    batches: Batches,
    number: int,
    name: str,
    size: int | None,
    rules: Any,
    choice: Choice | None,
) -> Iterator[Any]:
    """Sort out the lines of a part of dump ``number``, by broadcast rules.

    ``size`` is given of an archive that comes as a whole: how many bytes it has.
    """
    opened: Opened = _Part(batches, name)
    if size is not None:
        opened = Dump(name, cast(IO[bytes], _Joined(batches, size)))
    yield from _sorted(pipeline.reads(opened, size is not None), Sieve(rules.value), number, choice)


def sifted_again(batches: Batches, spec: Spec, chosen: Any, pointed: Any) -> Iterator[Any]:
    """Sort out lines that were kept, by the items that are wanted (broadcast, packed)."""
    rules = spec.filter.rules(*(_whole(one.value)[0] for one in (chosen, pointed)))
    blocks = (Block(1, text + b"\n", frozenset()) for text in _values(batches))
    yield from _sorted(map(Read, blocks), Sieve(rules), 0, None)


def _sorted(
    reads: Iterable[Read], sieve: Sieve, number: int, choice: Choice | None
) -> Iterator[Any]:
    account, traces = Account(number), Traces()
    chooser = _Chooser(choice) if choice else None
    try:
        for read in reads:
            scanned = sieve.sift(read.block)
            account.add(read, scanned)
            if not len(scanned.ends):
                continue
            row = {"text": scanned.text[:-1].tobytes()}
            if chooser:
                row |= {"links": selection.links(scanned), "seeds": chooser.seeds(scanned)}
            else:
                traces.add(scanned)
            yield _row(row)
    except KgbuildError as error:  # as an answer: Spark would only try again
        account.error = error
    account.counts += sieve.counts
    sets = {
        "described": bitmaps.packed(traces.described, traces.highest),
        "pointed": bitmaps.packed(traces.pointed, traces.highest),
    }
    yield _row({"account": pickle.dumps(account), **({} if chooser else sets)})


class _Chooser:
    """Tells which items of a part are chosen by their lines."""

    def __init__(self, choice: Choice):
        self._spec = choice.spec
        self._listed, _ = _whole(choice.listed)
        self._classes, _ = _whole(choice.classes)
        self._taken = _seeds(choice.spec)

    def seeds(self, scanned: Scanned) -> bytes:
        """Return them, in order."""
        found = wanted(scanned, self._spec, self._listed, self._classes)
        return _numbers(self._taken.add(found))


def _seeds(spec: Spec) -> Seeds:
    return Seeds(spec.limit, spec.sample, spec.seed)


class _Part:
    """A part of a dump that comes in batches of lines, each with its end."""

    position = 0

    def __init__(self, batches: Batches, name: str):
        self._batches = batches
        self.name = name
        self.is_json = False

    def blocks(self) -> Iterator[Block]:
        """Yield its lines, in blocks."""
        line = 1
        for batch in self._batches:
            text = _joined(batch)
            if line == 1:
                self.is_json = reader.is_json(text)
            longest = reader.LONGEST_ENTITY if self.is_json else reader.LONGEST_LINE
            kept, cut = reader.cut_long(text, longest)
            yield Block(line, kept, frozenset(line + n for n in cut))
            line += scanner.count_lines(kept)


class _Joined:
    """A file of ``size`` bytes that comes as lines: a last line end may be none of its own."""

    def __init__(self, batches: Batches, size: int):
        self._parts = (_joined(batch) for batch in batches)
        self._part = memoryview(b"")
        self._left = size

    def read(self, size: int) -> bytes:
        """Read some bytes; none at the end."""
        while not self._part and (part := next(self._parts, b"")):
            self._part = memoryview(part)[: self._left]
            self._left -= len(self._part)
            if len(part) - len(self._part) > 1:
                raise OSError("more bytes come than it has")  # as if it were decompressed before
        data, self._part = self._part[:size], self._part[size:]
        return bytes(data)

    def close(self) -> None:
        """Do nothing: what comes is not ours to close."""


def stepped(batches: Batches, sources: Any, predicates: Sequence[int] | None) -> Iterator[Any]:
    """Find what some items (broadcast, packed) point to."""
    targets = bitmaps.bitmap()
    top = selection.step(_parts(batches), _whole(sources.value)[0], targets, predicates)
    yield _row({"found": bitmaps.packed(targets, top)})


def reached(batches: Batches, found: Any, others: Any, predicates: Sequence[int]) -> Iterator[Any]:
    """Find what is reached from either of two sets (broadcast, packed), and not in the first."""
    bits, _ = _whole(found.value)
    links = _Noted(batches)
    selection.reach(links, bits, _whole(others.value)[0], predicates)
    yield _added(bits, found.value, links.top)


def below(batches: Batches, found: Any) -> Iterator[Any]:
    """Find the subclasses of some classes (broadcast, packed) that are not among them."""
    bits, _ = _whole(found.value)
    links = _Noted(batches)
    selection.below(links, bits)
    yield _added(bits, found.value, links.top)


class _Noted:
    """The links of a part, with the highest number among them, once they are gone through."""

    top = 0

    def __init__(self, batches: Batches):
        self._batches = batches

    def __iter__(self) -> Iterator[Part]:
        for part in _parts(self._batches):
            self.top = max(self.top, int(part[:, ::2].max(initial=0)))
            yield part


def _added(bits: Bitmap, before: bytes, top: int) -> Any:
    """Return what a set has of the numbers up to ``top`` that it had not before."""
    bitmaps.remove(bits, before)
    return _row({"found": bitmaps.packed(bits, top)})


def _whole(data: bytes) -> tuple[Bitmap, int]:
    """Return a packed set with room for all numbers, and a number that none in it exceeds."""
    return bitmaps.together([data])


def instances(batches: Batches, classes: Any, spec: Spec) -> Iterator[Any]:
    """Find the instances of some classes (broadcast, packed), in order."""
    seeds, (known, _) = _seeds(spec), _whole(classes.value)
    for part in _parts(batches):
        yield _row({"found": _numbers(seeds.add(selection.instances(part, known)))})


def _numbers(found: Numbers) -> bytes:
    return found.astype(np.uint32).tobytes()


def numbers(data: bytes) -> Numbers:
    """Return items in the order in which they were found."""
    return np.frombuffer(data, np.uint32).astype(np.int64)


def united(batches: Batches) -> Iterator[Any]:
    """Unite packed sets."""
    yield _row({"found": bitmaps.packed(*bitmaps.together(_values(batches)))})


def _parts(batches: Batches) -> Iterator[Part]:
    return map(selection.part, _values(batches))


def _values(batches: Batches) -> Iterator[bytes]:
    """Yield the values of batches, one by one."""
    for batch in batches:
        column = batch.column(0)
        _, ends, data = column.buffers()
        places = np.frombuffer(ends, np.int32)[column.offset :][: len(column) + 1].tolist()
        for start, end in itertools.pairwise(places):
            yield data[start:end].to_pybytes()


def _joined(batch: Any) -> bytes:
    """Return the values of a batch as one, as which they lie in memory."""
    column = batch.column(0)
    _, ends, data = column.buffers()
    places = np.frombuffer(ends, np.int32)[column.offset :][: len(column) + 1]
    return bytes(data[int(places[0]) : int(places[-1])].to_pybytes())


def _row(values: dict[str, bytes]) -> Any:
    import pyarrow

    names = ("found",) if "found" in values else COLUMNS
    kinds = [pyarrow.string() if name == "text" else pyarrow.binary() for name in names]
    cells = [values.get(name) for name in names]
    arrays = [pyarrow.array([cell], kind) for cell, kind in zip(cells, kinds, strict=True)]
    return pyarrow.RecordBatch.from_arrays(arrays, names)
