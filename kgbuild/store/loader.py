"""Load lines into a new Oxigraph database in threads."""

import contextlib
from collections import defaultdict, deque
from collections.abc import Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

from kgbuild.dump.pipeline import Batch, Pipeline
from kgbuild.store.checkpoint import Loaded, Refused
from kgbuild.store.compaction import compacting
from kgbuild.store.oxigraph import StoreWriter

_PART_BYTES = 16 << 20
"""Number of bytes that Oxigraph loads at a time.

With more, it takes longer to sort them; with fewer, it writes too many files.
"""
_LOADING = 2
"""Number of parts that Oxigraph loads in parallel: it uses about one core for each part."""
_WAITING = 1
"""Maximum number of parts that wait while others are loaded."""
_MIN_COMPACTED = 1_000_000
"""Number of lines from which on a database is compacted, so that reading it is fast."""
_FIRST_COMPACTION = 15_000_000
"""Number of lines after which a database is compacted during the load.

From this size on, RocksDB compresses what it merges into the database. So the last compaction
compresses everything.
"""
_GROWTH = 5
"""Factor between the numbers of lines of two compactions."""


class Loader:
    """Loads lines into the database in the folder ``path``.

    If ``are_checked``, the IRIs of the lines are known to be valid. ``loaded`` is what a load that
    was killed has loaded there.

    Raises:
        WriteError: the disk is full or may not be written.
    """

    def __init__(
        self, pipeline: Pipeline, path: Path, are_checked: bool, loaded: Loaded | None = None
    ):
        self._pipeline = pipeline
        self._path = path
        self._are_checked = are_checked
        self._writer = StoreWriter(path)
        self._pool = ThreadPoolExecutor(_LOADING)
        self._texts: list[bytes] = []
        self._batches: list[Batch] = []
        self._loading: deque[tuple[list[Batch], Future[list[tuple[int, str]]]]] = deque()
        begun = loaded or Loaded()
        self._added = 0
        self._loaded_batches = begun.batches
        self._loaded_lines = self._lines = begun.lines
        self._refused = [*begun.refused]
        self._to_repeat = _by_noticed(begun.refused)
        self._skipped: dict[int, Batch] = {}
        self._next_compaction = _FIRST_COMPACTION
        while self._next_compaction <= self._lines:
            self._next_compaction *= _GROWTH

    @property
    def loaded(self) -> Loaded:
        """The batches that are loaded completely, and the lines that were refused so far."""
        return Loaded(self._loaded_batches, self._loaded_lines, tuple(self._refused))

    def skip(self, batch: Batch) -> None:
        """Pass over a batch that is loaded."""
        self._added += 1
        if self._to_repeat:
            self._skipped[self._added] = batch
        self._repeat_rejections()

    def _repeat_rejections(self) -> None:
        """Reject the lines that were rejected when as many batches had been added as now."""
        for refused in self._to_repeat.pop(self._added, ()):
            self._pipeline.reject(self._skipped[refused.batch], refused.line, refused.reason)

    def add(self, batch: Batch, text: bytes) -> None:
        """Add a batch; ``text`` has its lines with IRIs instead of blank nodes."""
        self._added += 1
        self._repeat_rejections()
        self._batches.append(batch)
        self._texts.append(text)
        self._lines += len(batch.scanned.ends)
        if sum(map(len, self._texts)) >= _PART_BYTES:
            self._submit()
        if len(self._loading) >= _LOADING + _WAITING:
            self._finish_oldest()
        if self._lines >= self._next_compaction:
            self._next_compaction *= _GROWTH
            self.finish()
            with compacting(self._path):
                pass
            self._writer = StoreWriter(self._path)

    def _submit(self) -> None:
        """Start loading the batches that were added since the last call."""
        future = self._pool.submit(self._writer.add, b"".join(self._texts), self._are_checked)
        self._loading.append((self._batches, future))
        self._texts, self._batches = [], []

    def _finish_oldest(self) -> None:
        """Wait until the oldest batches are loaded; reject the lines that Oxigraph refused."""
        batches, future = self._loading.popleft()
        reasons = dict(future.result())
        kept_lines = (
            (number, batch, index)
            for number, batch in enumerate(batches, self._loaded_batches + 1)
            for index in range(len(batch.scanned.ends))
        )
        for line, (number, batch, index) in enumerate(kept_lines if reasons else ()):
            if line in reasons:
                self._pipeline.reject(batch, index, reasons[line])
                self._refused.append(Refused(self._added, number, index, reasons[line]))
        self._loaded_batches += len(batches)
        self._loaded_lines += sum(len(batch.scanned.ends) for batch in batches)

    def finish(self) -> None:
        """Load all batches, and close the database."""
        if self._batches:
            self._submit()
        while self._loading:
            self._finish_oldest()
        self._writer.close()

    def compacting(self) -> contextlib.AbstractContextManager[None]:
        """Return a context in which the finished database is compacted, if it is large."""
        is_large = self._lines >= _MIN_COMPACTED
        return compacting(self._path) if is_large else contextlib.nullcontext()

    def close(self) -> None:
        """Stop the threads, and close the database."""
        self._pool.shutdown(cancel_futures=True)
        self._writer.close()


def _by_noticed(refused: Sequence[Refused]) -> dict[int, list[Refused]]:
    """Group refused lines by the number of batches that had been added."""
    groups: dict[int, list[Refused]] = defaultdict(list)
    for line in refused:
        groups[line.noticed].append(line)
    return groups
