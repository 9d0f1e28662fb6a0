"""Read dumps, filter their lines in threads, count all lines, and write bad ones to a file.

Every line of a dump is kept, dropped for a reason, or bad, so the counts add up to ``wc -l``.
"""

import contextlib
import os
import threading
import time
from collections import deque
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple, TypeVar

from kgbuild import errors
from kgbuild.dump import reader
from kgbuild.dump.blocks import Read, reads
from kgbuild.dump.dump_file import DumpFile
from kgbuild.dump.filter import Sieve, by_reason
from kgbuild.dump.json_entities import Fault
from kgbuild.dump.kinds import REASONS
from kgbuild.dump.rejects import Rejects, shown
from kgbuild.dump.rules import Rules
from kgbuild.dump.scanner import Scanned
from kgbuild.dump.tally import Tally
from kgbuild.rows import Progress, no_progress

T = TypeVar("T")

READING = "reading"
"""The first word of the step that a pipeline reports as its progress."""
_THREADS = min(4, os.cpu_count() or 1)
"""Number of blocks that are scanned at a time; four threads scan faster than a gz file is read."""
_HOPELESS = 1000
"""If this number of lines at the start of a file is bad, and none is good, it is not a dump."""


class Sample(NamedTuple):
    """How much of the dumps an estimate reads: until so many bytes are read, or lines are kept."""

    read: int = 64 << 20
    kept: int = 500_000


class Batch(NamedTuple):
    """The kept lines of a block; ``origin`` are the numbers of all its lines in the dump."""

    scanned: Scanned
    name: str
    origin: Sequence[int]


class Pipeline:
    """Reads dumps and filters their lines by rules.

    ``tally`` has the counts of lines so far; its ``counts`` of dropped lines are set at the end.
    ``files`` are the dumps that were read completely, ``read`` is the number of stored bytes that
    were read. ``stopped`` is whether reading ended before the end of the dumps.
    """

    def __init__(
        self,
        dumps: Sequence[str],
        rules: Rules,
        rejects: Rejects,
        progress: Progress = no_progress,
        sample: Sample | None = None,
    ):
        for path in dumps:
            reader.require(path)  # at the start, not after hours of reading other dumps
        self.tally = Tally()
        self.files: list[DumpFile] = []
        self.read = 0
        self.stopped = False
        self._dumps = dumps
        self._sieve = Sieve(rules)
        self._rejects = rejects
        self._progress = progress
        self._sample = sample
        self._sizes = [reader.size(path) for path in dumps]
        self._first_fault: Fault | None = None
        self._ends_badly = False
        self._started = time.monotonic()

    @property
    def size(self) -> int:
        """The sum of the dumps' stored sizes in bytes; 0 if one of them is unknown."""
        sizes = [size for size in self._sizes if size is not None]
        return sum(sizes) if len(sizes) == len(self._sizes) else 0

    def batches(self) -> Generator[Batch, None, None]:
        """Yield the kept lines of all dumps, block by block.

        Raises:
            UnreadableDumpError, CorruptArchiveError, EmptyDumpError, NotADumpError: a dump is
                at fault; the lines before the fault are yielded first.
        """
        before = 0
        for n, path in enumerate(self._dumps):
            lines, bad, self._first_fault = self.tally.lines, self.tally.bad, None
            with reader.Dump(path) as dump:
                self._sizes[n] = dump.size
                with contextlib.closing(_read_ahead(reads(dump.blocks(), dump.name))) as blocks:
                    for read, scanned in self._sifted(blocks):
                        batch = self._count(read, scanned, dump.name)
                        self.read = before + read.block.position
                        yield batch
                        self._report_progress()
                if self.stopped:
                    break
                fault = self._first_fault
                is_foreign = self.tally.bad - bad == self.tally.lines - lines and fault
                begins_well = fault and fault[2].startswith((b"<", b"_", b"{", b"["))
                if self._ends_badly and not dump.is_ended and (begins_well or not is_foreign):
                    raise errors.CutShortError(dump.name, "the last line is incomplete")
                before += dump.position
                if self.tally.lines == lines:  # a download or a pipe that failed
                    raise errors.EmptyDumpError([dump.name])
                if is_foreign and fault:
                    self._refuse(dump.name, fault)
                name = Path(dump.name).name
                self.files.append(DumpFile(name, dump.position, dump.digest, dump.modified))
        self.tally.counts = self._sieve.counts

    def stop(self) -> None:
        """Stop reading. Lines that are scanned already are still yielded and counted."""
        self.stopped = True

    def reject(self, batch: Batch, kept: int, reason: str) -> None:
        """Reject the line with the index ``kept`` among a batch's kept lines."""
        number = batch.origin[int(batch.scanned.indexes[kept])]
        self._rejects.add(batch.name, number, reason, batch.scanned.line(kept))
        self.tally.kept -= 1
        self.tally.bad += 1
        self.tally.faulty += 1

    def check(self, max_bad: float) -> None:
        """Check the counts of lines.

        Raises:
            TooManyBadLinesError: more than the fraction ``max_bad`` of the stored lines is bad.
            NothingKeptError: no line is kept.
        """
        tally = self.tally
        if tally.faulty > max_bad * tally.stored:
            self._rejects.keep()
            path = self._rejects.path
            raise errors.TooManyBadLinesError(tally.faulty, tally.stored, max_bad, path)
        if not tally.kept:
            raise errors.NothingKeptError(self._dumps, tally.dropped, REASONS)

    def _sifted(self, blocks: Iterator[Read]) -> Iterator[tuple[Read, Scanned]]:
        with ThreadPoolExecutor(_THREADS) as pool:
            waiting: deque[tuple[Read, Future[Scanned]]] = deque()
            try:
                for read in blocks:
                    if self.stopped:
                        break
                    waiting.append((read, pool.submit(self._sieve.sift, read.block)))
                    if len(waiting) > _THREADS:
                        yield _next(waiting)
            except errors.KgbuildError:
                while waiting:  # the lines before the damage come first
                    yield _next(waiting)
                raise
            while waiting:
                yield _next(waiting)

    def _count(self, read: Read, scanned: Scanned, name: str) -> Batch:
        before = self.tally.lines
        faults = self.tally.add(read, scanned)
        for number, reason, text in faults:
            self._rejects.add(name, number, reason, text)
        if faults:
            self._first_fault = self._first_fault or faults[0]
        last = read.converted.end if read.converted else read.origin[0] + scanned.lines - 1
        self._ends_badly = bool(faults) and faults[-1][0] == last
        if len(faults) >= _HOPELESS and read.block.first == 1:
            empty = by_reason(self._sieve.counts)["not_triple"] + self.tally.empty
            if self.tally.lines - before - len(faults) <= empty:
                self._refuse(name, faults[0])
        return Batch(scanned, name, read.origin)

    def _refuse(self, name: str, fault: Fault) -> None:
        raise errors.NotADumpError(name, fault[0], shown(fault[2]))

    def _report_progress(self) -> None:
        lines = self.tally.lines
        rate = lines / (time.monotonic() - self._started) / 1e3
        step = f"{READING} {lines / 1e6:,.1f} M lines, {rate:,.0f} k/s"
        self._progress(step, self.read, self.size)
        if sample := self._sample:
            self.stopped |= self.read >= sample.read or self.tally.kept >= sample.kept


def _next(waiting: deque[tuple[Read, Future[Scanned]]]) -> tuple[Read, Scanned]:
    read, future = waiting.popleft()
    return read, future.result()


def _read_ahead(parts: Iterator[T]) -> Generator[T, None, None]:
    """Yield parts, while a thread prepares the next one."""
    following = _make_next(parts)
    while (part := following.result()) is not None:
        following = _make_next(parts)
        yield part


def _make_next(parts: Iterator[T]) -> "Future[T | None]":
    future: Future[T | None] = Future()

    def make() -> None:
        try:
            future.set_result(next(parts, None))
        except BaseException as error:  # noqa: BLE001 (it is raised where the part is used)
            future.set_exception(error)

    # A daemon: a thread that waits for a pipe must not keep the program from ending.
    threading.Thread(target=make, daemon=True).start()
    return future
