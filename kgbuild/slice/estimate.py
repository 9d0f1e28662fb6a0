"""How much a slice or a load will need, measured by doing it to the first part of the dumps.

What is written down is what the job itself does to some megabytes: it is scaled by the share of
the dumps that they are. A dump's beginning is not quite like its rest, and what chosen items
point to is relatively more in a small part: so this is an estimate, not a promise.
"""

import resource
import shutil
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from kgbuild.dump.filter import Filter
from kgbuild.dump.pipeline import Progress, Sample
from kgbuild.errors import UnknownSizeError
from kgbuild.slice import slice as slicing
from kgbuild.slice.spec import Spec
from kgbuild.store.load import load

BYTES_PER_TRIPLE = 150
"""Of a store on the disk, its names included: the most that was measured is 120."""


class Needs(NamedTuple):
    """What a job will need.

    ``share`` of the dumps was read to tell. ``disk`` and ``meanwhile`` are bytes, of the result
    and beside it during the work; ``memory`` is bytes at the highest, ``seconds`` time.
    """

    share: float
    lines: int
    triples: int
    disk: int
    meanwhile: int
    memory: int
    seconds: float


class _Clock:
    """Notes when the first part of the dumps was done, and how much has been read."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._first: tuple[float, int] | None = None
        self.read = self.lines = 0
        self.size: int | None = None

    def __call__(self, now: Progress) -> None:
        if now.step == "reading":
            self._first = self._first or (time.monotonic(), now.read)
            self.read, self.size, self.lines = now.read, now.size, now.lines

    @property
    def share(self) -> float:
        return min(1.0, self.read / self.size) if self.size else 1.0

    def seconds(self, share: float) -> float:
        """Return the time for all, if what came after the first part scales."""
        ended = time.monotonic()
        if self._first is None or self.read == self._first[1]:
            return ended - self._began
        done, read = self._first
        rest = (self.read / share - read) / (self.read - read)
        return done - self._began + (ended - done) * rest


def of_slice(dumps: Sequence[str], spec: Spec) -> tuple[Needs, Needs]:
    """Estimate what it takes to cut a slice, and then to load it.

    Raises:
        UnknownSizeError: a dump's size is unknown, so that a part tells nothing of the whole.
        As ``slice.cut``.
    """
    with tempfile.TemporaryDirectory(prefix="kgbuild-") as folder:
        out = Path(folder) / "sample.nt.gz"
        clock = _clock(dumps)
        report = slicing.cut(dumps, out, spec, 1.0, progress=clock, sample=Sample())
        is_preview = spec.limit is not None and not (spec.subclasses or spec.hops)
        share = 1.0 if is_preview and report.chosen == spec.limit else clock.share
        needs = Needs(
            share=clock.share,
            lines=round(report.lines / share),
            triples=round(report.kept / share),
            disk=round(report.bytes / share),
            meanwhile=round(report.spooled / share),
            memory=_memory(),
            seconds=clock.seconds(share),
        )
        loaded = _load([str(out)], spec.loading, Path(folder) / "kg", share)
        return needs, loaded._replace(share=clock.share)


def of_load(dumps: Sequence[str], keep: Filter) -> Needs:
    """Estimate what it takes to load dumps.

    Raises:
        UnknownSizeError: a dump's size is unknown, so that a part tells nothing of the whole.
        As ``load.load``.
    """
    with tempfile.TemporaryDirectory(prefix="kgbuild-") as folder:
        return _load(dumps, keep, Path(folder) / "kg", None)


def _load(dumps: Sequence[str], keep: Filter, store: Path, share: float | None) -> Needs:
    clock = _clock(dumps)
    sample = Sample() if share is None else None
    made = load(dumps, store, keep, 1.0, clock, sample)
    share = clock.share if share is None else share
    written = sum(path.stat().st_size for path in store.rglob("*") if path.is_file())
    return Needs(
        share=share,
        lines=round(made.lines / share),
        triples=round(made.triples / share),
        disk=round(written / share),
        meanwhile=round(written / share),  # while its parts are merged
        memory=_memory(),
        seconds=clock.seconds(share),
    )


def _clock(dumps: Sequence[str]) -> _Clock:
    if "-" in dumps:
        raise UnknownSizeError("standard input")
    return _Clock()


def _memory() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def watching(
    store: Path, progress: Callable[[Progress], None], warn: Callable[[int, int], None]
) -> Callable[[Progress], None]:
    """Return a progress that warns, once, if a load's disk will not hold it.

    ``warn`` is given the bytes that the store is going to need, and those that are free.
    """
    told = False

    def watched(now: Progress) -> None:
        nonlocal told
        progress(now)
        if told or not now.size or now.read < min(now.size, _TELLING):
            return
        needed = round(now.kept * BYTES_PER_TRIPLE * now.size / now.read)
        free = shutil.disk_usage(store).free + now.kept * BYTES_PER_TRIPLE
        told = needed > free
        if told:
            warn(needed, free)

    return watched


_TELLING = 16 << 20
"""Bytes of a dump that tell something of the rest."""
