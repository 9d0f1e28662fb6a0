"""Load lines into a new Oxigraph database in threads, and continue what a killed load has begun.

A later load with the same dumps, options and program reads the dumps again, which divides them into
the same parts, and writes all files beside the graph anew; only the parts in the graph are not
loaded again, which would take most of the time. To add a triple again changes nothing, so a part
that was written after the last checkpoint does no harm.

Files are not synced during a load, so a checkpoint counts only until the machine starts again.
"""

import contextlib
import functools
import json
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict
from importlib import metadata
from pathlib import Path
from typing import NamedTuple, TypeAlias

from kgbuild.dump.filter import Filter
from kgbuild.dump.pipeline import Batch, Pipeline
from kgbuild.errors import UnreadableDumpError
from kgbuild.files import part_folders
from kgbuild.files.atomic_files import create, write_errors
from kgbuild.rows import stable_id
from kgbuild.store import counts, killable, oxigraph
from kgbuild.store.lines import name_blank_nodes
from kgbuild.store.manifest import GRAPH, UNFINISHED
from kgbuild.store.oxigraph import StoreWriter

_BOOT = Path("/proc/sys/kernel/random/boot_id")
"""A file of Linux with an id that differs after each start of the machine."""
_PART_BYTES = 16 << 20
"""Number of bytes that Oxigraph loads at a time.

With more, it takes longer to sort them; with fewer, it writes too many files.
"""
_LOADING = 2
"""Number of parts that Oxigraph loads in parallel: it uses about one core for each part."""
_WAITING = 1
"""Maximum number of parts that wait while others are loaded."""
_MIN_COMPACTED = 3_000_000
"""Number of lines from which on a database is compacted, so that reading an item takes under 1 ms.

RocksDB writes less than ``_FIRST_COMPACTION`` without compression, so a compacted database of two
million triples takes 273 MB instead of 180 to 200, and reading an item takes 0.2 ms instead of 0.5.
"""
_FIRST_COMPACTION = 15_000_000
"""Number of lines after which a database is compacted once during the load.

From this size on, RocksDB compresses what it merges into the database. So the last compaction
compresses everything. One of all files at the end takes less time than several between.
"""
_Refused: TypeAlias = list[tuple[int, str]]
"""The (index, reason) of each line that is refused."""


class Loaded(NamedTuple):
    """The number of the first parts that are in the graph, and that of their lines."""

    parts: int = 0
    lines: int = 0


class Checkpoints:
    """Writes and reads the checkpoint of a load.

    ``origin`` identifies the dumps, the options and the program. If it is empty, the load cannot
    continue: it reads a pipe, or the machine does not tell when it was started.
    """

    def __init__(self, origin: str):
        self._origin = origin

    def can_continue(self, generation: Path) -> bool:
        """Return whether a load with this origin has begun the generation in a folder."""
        return self.read(generation).parts > 0

    def read(self, generation: Path) -> Loaded:
        """Return what is in the graph of a generation that a load with this origin has begun."""
        try:
            *identity, parts, lines = _path(generation).read_text(encoding="utf-8").split()
        except (OSError, ValueError):
            return Loaded()
        is_same = bool(self._origin) and identity == [self._origin, generation.name]
        return Loaded(int(parts), int(lines)) if is_same else Loaded()

    def write(self, generation: Path, loaded: Loaded) -> None:
        """Write a checkpoint, which replaces the one before it."""
        if self._origin:
            path = _path(generation)
            partial = path.with_name(f"{path.name}.new")
            content = f"{self._origin} {generation.name} {loaded.parts} {loaded.lines}\n"
            with write_errors(path):
                with create(partial) as file:
                    file.write(content.encode())
                partial.replace(path)


class Loader:
    """Loads lines into the database of a generation, in parts.

    If ``are_checked``, the IRIs of the lines are known to be valid. ``begun`` is what a load that
    was killed has loaded there; its parts are only parsed, to reject the same lines. A checkpoint
    follows each further part.

    Raises:
        WriteError: the disk is full or may not be written.
    """

    def __init__(
        self, pipeline: Pipeline, generation: Path, are_checked: bool, checkpoints: Checkpoints
    ):
        self.begun = checkpoints.read(generation)
        self._pipeline = pipeline
        self._path = generation / GRAPH
        self._are_checked = are_checked
        self._save = functools.partial(checkpoints.write, generation)
        self._writer = StoreWriter(self._path)
        self._pool = ThreadPoolExecutor(_LOADING)
        self._batches: list[Batch] = []
        self._loading: deque[tuple[list[Batch], Future[_Refused]]] = deque()
        self._parts = self._lines = 0
        self._loaded = Loaded()
        self._is_compacted = False

    def add(self, batch: Batch) -> None:
        """Add a batch."""
        self._batches.append(batch)
        self._lines += len(batch.scanned.ends)
        if sum(len(waiting.scanned.text) for waiting in self._batches) >= _PART_BYTES:
            self._submit()
        if len(self._loading) >= _LOADING + _WAITING:
            self._finish_oldest()
        if not self._is_compacted and self._lines >= _FIRST_COMPACTION:
            self._is_compacted = True
            self._finish()
            if self._parts >= self.begun.parts:
                with compacting(self._path):
                    pass
            self._writer = StoreWriter(self._path)

    def _submit(self) -> None:
        """Start loading the batches that were added since the last call."""
        self._parts += 1
        batches, self._batches = self._batches, []
        action = self._writer.add if self._parts > self.begun.parts else oxigraph.faults
        future = self._pool.submit(_with_text, action, batches, self._are_checked)
        self._loading.append((batches, future))

    def _finish_oldest(self) -> None:
        """Wait until the oldest batches are loaded; reject the lines that Oxigraph refused."""
        batches, future = self._loading.popleft()
        refused = deque(future.result())
        lines = 0
        for batch in batches:
            count = len(batch.scanned.ends)
            while refused and refused[0][0] < lines + count:
                line, reason = refused.popleft()
                self._pipeline.reject(batch, line - lines, reason)
            lines += count
        self._loaded = Loaded(self._loaded.parts + 1, self._loaded.lines + lines)
        if self._loaded.parts > self.begun.parts:
            self._save(self._loaded)

    def _finish(self) -> None:
        """Load all batches, and close the database."""
        if self._batches:
            self._submit()
        while self._loading:
            self._finish_oldest()
        self._writer.close()

    @contextlib.contextmanager
    def completing(self) -> Iterator[None]:
        """Complete the database while the block runs, and compact it if it is large."""
        if self._lines >= _MIN_COMPACTED:
            self._finish()
            with compacting(self._path):
                yield
        else:
            yield
            self._finish()

    def close(self) -> None:
        """Stop the threads, and close the database."""
        self._pool.shutdown(cancel_futures=True)
        self._writer.close()


@contextlib.contextmanager
def compacting(path: Path) -> Iterator[None]:
    """Compact the database in a folder during the block, as ``oxigraph.compact``; wait for it."""
    with write_errors(path), killable.running(oxigraph.compact, path) as wait:
        yield
        wait(None)


def _with_text(
    action: Callable[[bytes, bool], _Refused], batches: Sequence[Batch], are_checked: bool
) -> _Refused:
    """Do an action with the lines of batches, which then have no blank nodes."""
    return action(b"".join(name_blank_nodes(batch.scanned) for batch in batches), are_checked)


def _path(generation: Path) -> Path:
    return generation.parent / UNFINISHED / "checkpoint"


def origin(dumps: Sequence[str], keep: Filter) -> str:
    """Return a hash of what a load depends on, or "" if a part of it is unknown."""
    if "-" in dumps:
        return ""
    try:
        files = [Path(file) for dump in dumps for file in part_folders.files(dump)]
        sizes = [(str(file.absolute()), file.stat()) for file in files]
        boot = _BOOT.read_text()
    except (OSError, UnreadableDumpError):  # also of URLs
        return ""
    identity = [
        boot,
        counts.program_digest(),
        *(metadata.version(name) for name in ("pyoxigraph", "numpy")),
        [(path, state.st_size, state.st_mtime_ns, state.st_ino) for path, state in sizes],
        asdict(keep),
    ]
    return stable_id(json.dumps(identity))
