"""Convert the blocks of a JSON dump on all cores.

Processes convert them, since Python converts on one core only. Each (``json.entities``) reads
blocks from its standard input and writes them, converted, to its standard output. It ends with its
input, so also if this process is killed.
"""

import contextlib
import itertools
import os
import pickle
import subprocess
import threading
from collections import deque
from collections.abc import Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import IO, cast

import numpy as np

from kgbuild.dump import child_processes
from kgbuild.dump.json.entities import Converted, Wanted, convert
from kgbuild.dump.reader import Block
from kgbuild.dump.scanning import rules as codes
from kgbuild.dump.scanning.rules import CandidateItems, Rules
from kgbuild.errors import KgbuildError

_WORKERS = min(4, os.cpu_count() or 1)
"""Number of processes; four convert as fast as a gz file is read."""


def wanted(rules: Rules, candidates: CandidateItems | None = None) -> Wanted:
    """Return what the rules may keep, of a slice that can only choose some items."""
    listed, classes = candidates or (frozenset(), None)
    table = rules.table
    if table[codes.EVERYTHING_AT]:
        return Wanted(listed=listed, classes=classes)
    are_kept = table[: codes.PROPERTIES]
    return Wanted(
        languages=tuple(bytes(table[codes.LANGUAGES_AT :]).decode().split()),
        names=[
            codes.OTHER_IRIS[n] for n in np.flatnonzero(table[codes.NAMES_AT : codes.EVERYTHING_AT])
        ],
        properties=None if are_kept.all() else {f"P{n}" for n in np.flatnonzero(are_kept)},
        strings=bool(table[codes.KINDS_AT + codes.STRING]),
        listed=listed,
        classes=classes,
    )


def convert_here(
    blocks: Iterable[Block], wanted: Wanted
) -> Generator[tuple[Block, Converted], None, None]:
    """Yield blocks with their conversions."""
    for block in blocks:
        yield block, convert(bytes(block.text), block.first, wanted)


def convert_in_processes(
    blocks: Iterable[Block], wanted: Wanted
) -> Generator[tuple[Block, Converted], None, None]:
    """Yield blocks with their conversions, in order. The first is converted in this process.

    Raises:
        KgbuildError: from ``blocks``, after the conversions of the blocks before it; a process
            ended.
    """
    remaining = iter(blocks)
    yield from convert_here(itertools.islice(remaining, 1), wanted)
    waiting: deque[tuple[Block, Future[Converted]]] = deque()
    with contextlib.closing(_Workers(wanted)) as workers:
        try:
            for block in remaining:
                waiting.append((block, workers.submit(block)))
                if len(waiting) > _WORKERS:
                    yield _next(waiting)
        except KgbuildError:
            while waiting:
                yield _next(waiting)
            raise
        while waiting:
            yield _next(waiting)


def _next(waiting: deque[tuple[Block, Future[Converted]]]) -> tuple[Block, Converted]:
    block, future = waiting.popleft()
    return block, future.result()


class _Workers:
    """Processes that convert blocks, one for each thread of a pool, which starts it."""

    def __init__(self, wanted: Wanted):
        self._wanted = wanted
        self._pool = ThreadPoolExecutor(_WORKERS)
        self._thread = threading.local()
        self._processes: list[subprocess.Popen[bytes]] = []

    def submit(self, block: Block) -> Future[Converted]:
        """Convert a block in a process."""
        return self._pool.submit(self._convert, block)

    def close(self) -> None:
        """End the workers, also in the middle of a block."""
        for process in self._processes:
            process.kill()
        self._pool.shutdown(cancel_futures=True)
        for process in self._processes:
            process.communicate()

    def _convert(self, block: Block) -> Converted:
        try:
            if not hasattr(self._thread, "process"):
                self._thread.process = self._started()
            _send((bytes(block.text), block.first), self._thread.process)
            return Converted._make(pickle.load(self._thread.process.stdout))  # noqa: S301
        except (EOFError, OSError, pickle.UnpicklingError) as error:
            raise KgbuildError(
                f"A process that converts JSON ended at line {block.first}, perhaps because "
                "memory was full. What was there before is unchanged; run the command again "
                "with more memory."
            ) from error

    def _started(self) -> "subprocess.Popen[bytes]":
        process = child_processes.start("kgbuild.dump.json.entities", stdout=subprocess.PIPE)
        self._processes.append(process)
        _send(tuple(self._wanted), process)
        return process


def _send(value: object, process: "subprocess.Popen[bytes]") -> None:
    pipe = cast(IO[bytes], process.stdin)
    pickle.dump(value, pipe)
    pipe.flush()
