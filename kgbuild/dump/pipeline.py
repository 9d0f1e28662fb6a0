"""Take dumps in: sort out their lines, count them all, set bad ones aside.

Every line of a dump is kept, dropped for a reason, or bad, so that the counts add up to what
``wc -l`` says. Of a JSON dump, the triples made of its entities are counted so, beside the
lines that hold no entity; how many entities there were is counted too.
"""

import contextlib
import os
import re
import threading
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Generic, NamedTuple, Protocol, TypeVar

from kgbuild.dump import json_entities, reader
from kgbuild.dump.dump_file import DumpFile
from kgbuild.dump.filter import Sieve, by_predicate, by_reason
from kgbuild.dump.json_entities import Converted
from kgbuild.dump.reader import Block
from kgbuild.dump.reasons import REASONS
from kgbuild.dump.scanner import Rules, Scanned, count_lines
from kgbuild.errors import (
    CutShortError,
    EmptyDumpError,
    KgbuildError,
    NotADumpError,
    NothingKeptError,
    TooManyBadLinesError,
    WriteError,
)

SHOWN = 200
"""Bytes of a bad line that the rejects file shows."""
_THREADS = min(4, os.cpu_count() or 1)
"""How many blocks are scanned at a time. A gz file is not read faster than four can scan."""
_HOPELESS = 1000
"""A dump whose first so many lines are all bad is no dump."""
_ESCAPE = re.compile(rb"(?:[^\\]|\\[tbnrf\"'\\]|\\u[0-9A-Fa-f]{4}|\\U[0-9A-Fa-f]{8})*")

T = TypeVar("T")


@dataclass
class Progress:
    """How far a job is: what it does now, bytes (as stored) and lines of all dumps."""

    step: str = "reading"
    read: int = 0
    size: int | None = None
    lines: int = 0
    kept: int = 0


class Sample(NamedTuple):
    """How much of the dumps is enough to estimate the rest: so many bytes read, or lines kept."""

    read: int = 64 << 20
    kept: int = 500_000

    def is_enough(self, read: int, kept: int) -> bool:
        """Tell whether so much is enough."""
        return read >= self.read or kept >= self.kept


class Rejects:
    """The file of rejected lines, with file, number, reason and text of each."""

    def __init__(self, file: IO[str], path: Path):
        file.write("file\tline\treason\ttext\n")
        self._file = file
        self.path = path

    def add(self, name: str, number: int, reason: str, text: bytes) -> None:
        """Add a line. The reason may quote it."""
        self._file.write(f"{name}\t{number}\t{shown(reason.encode())}\t{shown(text)}\n")

    def keep(self) -> None:
        """Put the file in the place of the one before."""
        self._file.flush()
        _partial(self.path).replace(self.path)


@contextlib.contextmanager
def rejecting(path: Path) -> Iterator[Rejects]:
    """Open a new file of rejected lines, which counts only if ``keep`` is called.

    Raises:
        WriteError: it cannot be written.
    """
    try:
        file = _partial(path).open("w", encoding="utf-8")
    except OSError as error:
        raise WriteError(path, error.strerror or str(error)) from error
    try:
        with file:
            yield Rejects(file, path)
    finally:
        _partial(path).unlink(missing_ok=True)


def _partial(path: Path) -> Path:
    return path.with_name(f"{path.name}.new")


def shown(text: bytes) -> str:
    """Return the beginning of a line as plain ASCII."""
    return ascii(text[:SHOWN].decode("utf-8", "backslashreplace"))[1:-1]


class Batch(NamedTuple):
    """The kept lines of a block, and where each stood in the dump."""

    scanned: Scanned
    name: str
    first: int
    origin: Sequence[int]

    def number(self, kept: int) -> int:
        """Return the number, in the dump, of the line of which the n-th kept line came."""
        return self._number(int(self.scanned.numbers[kept]))

    def _number(self, place: int) -> int:
        return self.origin[place] if self.origin else self.first + place


class Read(NamedTuple):
    """A block as it goes to the sieve, with what was found out on the way.

    ``end`` is the number of its last line in a JSON dump, of which it was ``made``.
    """

    block: Block
    position: int = 0
    origin: Sequence[int] = ()
    made: Converted | None = None
    end: int = 0


class Intake:
    """The lines of dumps, sorted out by rules.

    ``lines`` counts what was read: the lines of N-Triples dumps; of JSON dumps the triples
    made, and the lines that hold none. It equals ``kept`` + ``bad`` + all of ``dropped``.
    ``entities`` counts those of JSON dumps; ``files`` describe the dumps read so far.
    """

    def __init__(
        self,
        dumps: Sequence[str],
        rules: Rules,
        rejects: Rejects,
        progress: Callable[[Progress], None] = lambda _: None,
        sample: Sample | None = None,
    ):
        for path in dumps:
            reader.require(path)  # before hours are spent on the one before it
        self._dumps = dumps
        self._sieve = Sieve(rules)
        self._rejects = rejects
        self._progress = progress
        self._first_bad: tuple[int, str] | None = None
        self._empty = 0
        self._held = self._faulty = 0
        self._ends_badly = False
        self._sizes = [reader.size(path) for path in dumps]
        self._sample = sample
        self.read = 0
        self.stopped = False
        self.lines = self.kept = self.bad = self.entities = 0
        self.files: list[DumpFile] = []

    @property
    def size(self) -> int | None:
        """The size of all dumps in bytes, as stored; None if one's is unknown."""
        known = [size for size in self._sizes if size is not None]
        return sum(known) if len(known) == len(self._sizes) else None

    @property
    def dropped(self) -> dict[str, int]:
        """How many lines were dropped, by reason, in the order of their names."""
        counts = by_reason(self._sieve.counts)
        counts["not_triple"] += self._empty
        return dict(sorted((+counts).items()))

    @property
    def predicates(self) -> dict[str, dict[str, int]]:
        """How many lines were dropped, by reason and predicate."""
        return by_predicate(self._sieve.counts)

    def batches(self) -> Generator[Batch, None, None]:
        """Yield the kept lines of all dumps, block by block.

        Raises:
            UnreadableDumpError, CorruptArchiveError, EmptyDumpError, NotADumpError: a dump is
                at fault; what came before was yielded.
        """
        before = 0
        for n, path in enumerate(self._dumps):
            lines, bad, self._first_bad = self.lines, self.bad, None
            with reader.opened(path) as opened:
                self._sizes[n] = opened.size
                with contextlib.closing(_ahead(reads(opened))) as blocks:
                    for read, scanned in self._sifted(blocks):
                        batch = self._sort(read, scanned, opened.name)
                        self.read = before + read.position
                        yield batch
                        step = Progress("reading", self.read, self.size, self.lines, self.kept)
                        self._progress(step)
                        if self._sample and self._sample.is_enough(self.read, self.kept):
                            self.stop()
                if self.stopped:
                    return
                if self._ends_badly and not opened.is_ended:
                    raise CutShortError(opened.name, "the last line is no whole one")
                before += opened.position
                if self.lines == lines:  # a download or a pipe that failed
                    raise EmptyDumpError([opened.name])
                if self.bad - bad == self.lines - lines and self._first_bad:
                    raise NotADumpError(opened.name, *self._first_bad)
                self.files.append(_described(opened))

    def stop(self) -> None:
        """Read no further. What is scanned already still comes, and counts."""
        self.stopped = True

    def reject(self, batch: Batch, kept: int, reason: str) -> None:
        """Set a line aside that was kept so far, the n-th kept one of a batch."""
        self._rejects.add(batch.name, batch.number(kept), reason, batch.scanned.line(kept))
        self.kept -= 1
        self.bad += 1
        self._faulty += 1

    def check(self, max_bad: float) -> None:
        """Raise if more than a fraction of the lines were bad, or none was kept.

        Of a JSON dump, its own lines count: those without an entity, or with a part left out.

        Raises:
            TooManyBadLinesError, NothingKeptError: so it is; the rejects are kept.
        """
        if self._faulty > max_bad * self._held:
            self._rejects.keep()
            raise TooManyBadLinesError(self._faulty, self._held, max_bad, self._rejects.path)
        if not self.kept:
            raise NothingKeptError(self._dumps, self.dropped, REASONS)

    def _sifted(self, blocks: Iterator[Read]) -> Iterator[tuple[Read, Scanned]]:
        """Yield blocks, in order, each sifted by one of some threads."""
        with ThreadPoolExecutor(_THREADS) as pool:
            waiting: deque[tuple[Read, Future[Scanned]]] = deque()
            try:
                for read in blocks:
                    if self.stopped:
                        break
                    waiting.append((read, pool.submit(self._sieve.sift, read.block)))
                    if len(waiting) > _THREADS:
                        yield _done(waiting)
            except KgbuildError:
                while waiting:  # what came before the damage is told first
                    yield _done(waiting)
                raise
            while waiting:
                yield _done(waiting)

    def _sort(self, read: Read, scanned: Scanned, name: str) -> Batch:
        block = read.block
        batch = Batch(scanned, name, block.first, read.origin)
        bad = faults(read, scanned)
        for number, reason, text in bad:
            self._rejects.add(name, number, reason, text)
        if bad and self._first_bad is None:
            self._first_bad = (bad[0][0], shown(bad[0][2]))
        counted = tallied(read, scanned)
        lines = counted.lines
        self._empty += counted.empty
        self.entities += counted.entities
        self._held += counted.held
        self._faulty += counted.faulty
        self._ends_badly = bool(bad) and bad[-1][0] == (read.end or block.first + lines - 1)
        self.lines += lines
        self.kept += counted.kept
        self.bad += counted.bad
        if len(bad) >= _HOPELESS and block.first == 1 and self._is_hopeless(lines, bad):
            raise NotADumpError(name, bad[0][0], shown(bad[0][2]))
        return batch

    def _is_hopeless(self, lines: int, bad: Sequence[object]) -> bool:
        return lines - len(bad) <= self.dropped.get("not_triple", 0)


class Tally(NamedTuple):
    """How many lines of a block there are, and what they are (see ``Intake``).

    ``held`` and ``faulty`` are what the share of bad lines is told by; ``empty`` lines of a
    JSON dump hold no entity.
    """

    lines: int
    kept: int
    bad: int
    held: int
    faulty: int
    empty: int
    entities: int


def tallied(read: Read, scanned: Scanned) -> Tally:
    """Count the lines of a block."""
    lines, kept, bad, made = scanned.lines, len(scanned.ends), len(scanned.bad), read.made
    if made is None:
        return Tally(lines, kept, bad, lines, bad, 0, 0)
    lines, bad = lines + len(made.bad) + made.empty, bad + len(made.bad)
    return Tally(lines, kept, bad, made.held, made.faulty, made.empty, made.entities)


def faults(read: Read, scanned: Scanned) -> list[tuple[int, str, bytes]]:
    """Return the number of each bad line of a block, what is wrong with it, and its text."""
    bad = list(read.made.bad) if read.made else []
    for place, start, end in scanned.bad.tolist():
        number = read.origin[place] if read.origin else read.block.first + place
        text = bytes(read.block.text[start:end])
        bad.append((number, _fault(text, number in read.block.overlong), text))
    return sorted(bad, key=lambda fault: fault[0])


def _done(waiting: deque[tuple[Read, Future[Scanned]]]) -> tuple[Read, Scanned]:
    read, future = waiting.popleft()
    return read, future.result()


def _fault(text: bytes, is_long: bool) -> str:
    """Say what is wrong with a line, as far as that is easily told."""
    if is_long:
        return f"longer than {reader.LONGEST_LINE} bytes"
    try:
        text.decode()
    except UnicodeDecodeError:
        return "not UTF-8"
    if text.startswith((b"<", b"_:")) and not _ESCAPE.fullmatch(text):
        return "invalid escape in an N-Triples line"
    return "not an N-Triples line"


class Opened(Protocol):
    """A dump, or a part of one, as far as its lines go (see ``Dump``)."""

    name: str
    is_json: bool

    @property
    def position(self) -> int:
        """How many bytes, as stored, have been read."""

    def blocks(self) -> Iterator[Block]:
        """Yield its lines, in blocks."""


def reads(opened: Opened, is_whole: bool = True) -> Iterator[Read]:
    """Yield a dump's blocks of N-Triples lines, made from entities if it is a JSON dump.

    Raises:
        CutShortError: a JSON dump that should be whole does not end.
    """
    start = last = b""
    for block in opened.blocks():
        if not opened.is_json:
            yield Read(block, opened.position)
            continue
        made = json_entities.convert(bytes(block.text), block.first)
        end = block.first + count_lines(block.text) - 1
        start, last = start or bytes(block.text).lstrip()[:1], made.last or last
        converted = Block(block.first, made.text, frozenset())
        yield Read(converted, opened.position, made.origin, made, end)
    if is_whole and start == b"[" and not last.endswith(b"]"):
        raise CutShortError(opened.name, "no ']' closes the list of entities")


class _Coming(threading.Thread, Generic[T]):
    """The next of some parts, being made.

    A daemon: one that waits for a pipe must not hold up whoever gives up.
    """

    def __init__(self, parts: Iterator[T]):
        super().__init__(daemon=True)
        self._parts = parts
        self._part: T | None = None
        self._error: BaseException | None = None
        self.start()

    def run(self) -> None:
        try:
            self._part = next(self._parts, None)
        except BaseException as error:  # noqa: BLE001 (it is raised where the part is used)
            self._error = error

    def result(self) -> T | None:
        """Wait for the part; None if there is no more."""
        self.join()
        if self._error is not None:
            raise self._error
        return self._part


def _ahead(parts: Iterator[T]) -> Generator[T, None, None]:
    """Yield the parts, while a thread already makes the next one."""
    coming = _Coming(parts)
    while (part := coming.result()) is not None:
        coming = _Coming(parts)
        yield part


def _described(opened: reader.Dump) -> DumpFile:
    """Describe a dump that was read to its end. The date of the file stands for the dump's."""
    return DumpFile(Path(opened.name).name, opened.position, opened.digest, opened.modified)
