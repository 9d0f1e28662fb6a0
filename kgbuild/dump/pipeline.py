"""Read dumps, filter their lines in threads, count all lines, and write the bad lines to a file.

Every line of a dump is kept, dropped for a reason, or bad, so the sum of the counts is ``wc -l``.
"""

import contextlib
import os
import threading
import time
from collections.abc import Generator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from queue import SimpleQueue
from typing import NamedTuple

from kgbuild.dump import forms, reader
from kgbuild.dump.blocks import TripleBlock, read_triples
from kgbuild.dump.dump_file import DumpFile
from kgbuild.dump.filter import sift
from kgbuild.dump.kinds import REASONS_WITHOUT_ITEMS
from kgbuild.dump.rejects import Fault, Rejects, shown
from kgbuild.dump.scanning.rules import CandidateItems, Rules
from kgbuild.dump.scanning.scanner import Scanned
from kgbuild.dump.tally import Tally, not_a_dump, nothing_kept, require_dump, too_many_bad
from kgbuild.files import part_folders
from kgbuild.rows import Progress, no_progress

READING = "reading"
"""The first word of the steps that a pipeline reports to its progress function."""
_THREADS = min(4, os.cpu_count() or 1)
"""Number of blocks that are scanned at a time; four threads scan faster than a gz file is read."""
_AHEAD = _THREADS + 1
"""Number of blocks that are in hand, from the first scanned to the last written."""
_NOT_DUMP = 1000
"""Number of bad lines in the first block from which on a file without a good line is refused."""


class DumpSample(NamedTuple):
    """The limits of reading for an estimate: numbers of stored bytes and of kept lines."""

    max_bytes: int = 64 << 20
    max_kept: int = 500_000


class Batch(NamedTuple):
    """The kept lines of a block.

    ``name`` is the name of the dump, ``line_numbers`` has the numbers of all lines of the block.
    """

    scanned: Scanned
    name: str
    line_numbers: Sequence[int]


class Pipeline:
    """Reads dumps, or folders of their parts, and filters their lines by rules.

    ``tally`` has the counts of lines so far. ``files`` are the dumps that were read completely;
    ``read`` is the number of stored (compressed) bytes that were read. ``stopped`` is whether
    reading ended before the end of the dumps.
    ``sample`` limits how much is read; ``candidates`` are the items of which all statements are
    read, None for all items.
    """

    def __init__(
        self,
        dumps: Sequence[str],
        rules: Rules,
        rejects: Rejects,
        progress: Progress = no_progress,
        sample: DumpSample | None = None,
        candidates: CandidateItems | None = None,
    ):
        files = [file for path in dumps for file in part_folders.files(path)]
        for path in files:
            reader.require(path)  # at the start, not after hours of reading other dumps
        self.tally = Tally()
        self.files: list[DumpFile] = []
        self.read = 0
        self.stopped = False
        self._dumps, self._files = dumps, files
        self._rules = rules
        self._rejects = rejects
        self._progress = progress
        self._sample = sample
        self._candidates = candidates
        self._sizes = [reader.size(path) for path in files]
        self._first_fault: Fault | None = None
        self._triples_before = 0
        self._first_line = ""
        self._last_line_is_bad = False
        self._started = time.monotonic()

    @property
    def size(self) -> int:
        """The sum of the dumps' stored sizes in bytes; 0 if one of them is unknown."""
        sizes = [size for size in self._sizes if size is not None]
        return sum(sizes) if len(sizes) == len(self._sizes) else 0

    def batches(self) -> Generator[Batch, None, None]:
        """Yield the kept lines of all dumps, block by block.

        Raises:
            UnreadableDumpError, CorruptArchiveError, KgbuildError: a dump is
                at fault; the lines before the fault are yielded first.
        """
        bytes_before = 0
        for index, path in enumerate(self._files):
            lines_before, self._triples_before = self.tally.lines, self._triples()
            self._first_fault = None
            with reader.Dump(path) as dump:
                self._sizes[index] = dump.size
                blocks = read_triples(
                    dump.blocks(),
                    dump.name,
                    self._rules,
                    in_processes=True,
                    candidates=self._candidates,
                )
                with contextlib.closing(self._sifted(blocks)) as sifted:
                    for block, scanned in sifted:
                        batch = self._count(block, scanned, dump.name)
                        self.read = bytes_before + block.lines.position
                        yield batch
                        self._report_progress()
                if self.stopped:
                    break
                self._check_dump(dump, self.tally.lines - lines_before)
                bytes_before += dump.position
                # The query of a URL is no part of the name by which a copy is found again.
                path = dump.name.partition("?")[0] if reader.is_url(dump.name) else dump.name
                name = Path(path).name
                self.files.append(DumpFile(name, dump.position, dump.digest, dump.modified))

    def _check_dump(self, dump: reader.Dump, lines: int) -> None:
        """Check a dump that was read to its end, by its number of lines."""
        first = None if self._triples() > self._triples_before else self._first_fault
        looks_like_dump = not first or first.text.startswith((b"<", b"_", b"{", b"["))
        is_cut = self._last_line_is_bad and not dump.is_ended and looks_like_dump
        require_dump(dump.name, lines, is_cut, first)

    def _triples(self) -> int:
        """Return the number of lines so far that are triples or entities."""
        empty = self.tally.counts["not_triple"] + self.tally.empty
        return self.tally.lines - self.tally.bad - empty

    def stop(self) -> None:
        """Stop reading. Lines that are already scanned are still yielded and counted."""
        self.stopped = True

    def reject(self, batch: Batch, index: int, reason: str) -> None:
        """Reject the kept line of a batch with an index; count it as bad."""
        number = batch.line_numbers[int(batch.scanned.indexes[index])]
        self._rejects.add(batch.name, number, reason, batch.scanned.line(index))
        self.tally.kept -= 1
        self.tally.bad += 1
        self.tally.faulty += 1

    def check(self, max_bad: float) -> None:
        """Check the counts of lines.

        Raises:
            KgbuildError: more than the fraction ``max_bad`` of the stored lines is bad.
            NothingKeptError: no line is kept.
        """
        tally, path = self.tally, self._rejects.path
        too_many = tally.faulty > max_bad * tally.stored
        if tally.bad and (too_many or not tally.kept):
            self._rejects.keep()
        if too_many:
            raise too_many_bad(tally, max_bad, path)
        if not tally.kept:
            has_items = bool(tally.dropped.keys() - REASONS_WITHOUT_ITEMS)
            first_line = "" if has_items else self._first_line
            raise nothing_kept(self._dumps, tally.dropped, tally.bad, path, first_line)

    def _sifted(
        self, blocks: Generator[TripleBlock, None, None]
    ) -> Generator[tuple[TripleBlock, Scanned], None, None]:
        """Yield each block with its kept lines, in order.

        A thread reads the next blocks, and others filter them. The lines before an error come
        first.
        """
        ready: SimpleQueue[tuple[TripleBlock, Future[Scanned]] | BaseException | None]
        ready = SimpleQueue()
        room, is_closed = threading.Semaphore(_AHEAD), threading.Event()

        def read() -> None:
            last: BaseException | None = None
            try:
                with contextlib.closing(blocks):
                    for block in blocks:
                        room.acquire()
                        if self.stopped or is_closed.is_set():
                            break
                        ready.put((block, pool.submit(sift, block.lines, self._rules)))
            except BaseException as error:  # noqa: BLE001 (it is raised where the blocks are used)
                last = error
            ready.put(last)

        with ThreadPoolExecutor(_THREADS) as pool:
            # A daemon thread does not keep the program alive while it waits for a pipe.
            threading.Thread(target=read, daemon=True).start()
            try:
                while isinstance(item := ready.get(), tuple):
                    block, future = item
                    yield block, future.result()
                    room.release()
                if item is not None:
                    raise item
            finally:
                is_closed.set()
                room.release()  # so that the thread goes on, and ends

    def _count(self, block: TripleBlock, scanned: Scanned, name: str) -> Batch:
        """Count the lines of a block of a dump, and write its bad lines to the rejects."""
        self._first_line = self._first_line or shown(forms.first_line(block.lines.text))
        faults = self.tally.add(block, scanned)
        for number, reason, text in faults:
            self._rejects.add(name, number, reason, text)
        if faults:
            self._first_fault = self._first_fault or faults[0]
        last = block.converted.end if block.converted else block.line_numbers[0] + scanned.lines - 1
        self._last_line_is_bad = bool(faults) and faults[-1].number == last
        is_start = block.lines.first == 1
        if is_start and len(faults) >= _NOT_DUMP and self._triples() <= self._triples_before:
            raise not_a_dump(name, faults[0])
        return Batch(scanned, name, block.line_numbers)

    def _report_progress(self) -> None:
        lines = self.tally.lines
        rate = lines / (time.monotonic() - self._started) / 1e3
        step = f"{READING} {lines / 1e6:,.1f} M lines, {rate:,.0f} k/s"
        self._progress(step, self.read, self.size)
        if sample := self._sample:
            self.stopped |= self.read >= sample.max_bytes or self.tally.kept >= sample.max_kept
