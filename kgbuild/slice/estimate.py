"""Estimate the resources that a slice or a load needs, by running it on the start of the dumps.

The results are divided by the share of the dumps that was read. They are not exact: the start of
a dump differs from its rest, and in a small part, chosen items point to relatively more items.
"""

import resource
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from kgbuild.dump.filter import Filter
from kgbuild.dump.pipeline import READING, Sample
from kgbuild.errors import UnknownSizeError
from kgbuild.slice import slice as slicing
from kgbuild.slice.spec import Spec
from kgbuild.store.load import load


class Needs(NamedTuple):
    """The resources that a job needs.

    ``share`` is the share of the dumps that was read. ``disk`` is the size of the result,
    ``meanwhile`` the size of temporary files, and ``memory`` the peak, all in bytes.
    """

    share: float
    lines: int
    triples: int
    disk: int
    meanwhile: int
    memory: int
    seconds: float


class _Clock:
    """A progress function that records the time and position of the first and the last call."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._first: tuple[float, int] | None = None
        self.read = self.size = 0

    def __call__(self, step: str, done: int, total: int) -> None:
        if step.startswith(READING):
            self._first = self._first or (time.monotonic(), done)
            self.read, self.size = done, total

    @property
    def share(self) -> float:
        return min(1.0, self.read / self.size) if self.size else 1.0

    def seconds(self, share: float) -> float:
        """Return the estimated time for all, if the time after the first call is proportional."""
        ended = time.monotonic()
        if self._first is None or self.read == self._first[1]:
            return ended - self._began
        done, read = self._first
        rest = (self.read / share - read) / (self.read - read)
        return done - self._began + (ended - done) * rest


def of_slice(dumps: Sequence[str], spec: Spec) -> tuple[Needs, Needs]:
    """Estimate the needs of cutting a slice, and then of loading it.

    Raises:
        UnknownSizeError: a dump's size is unknown. Also the errors of ``slice.cut``.
    """
    with tempfile.TemporaryDirectory(prefix="kgbuild-") as folder:
        out = Path(folder) / "sample.nt.gz"
        clock = _clock(dumps)
        report = slicing.cut(dumps, out, spec, 1.0, progress=clock, sample=Sample())
        is_preview = spec.limit is not None and not (spec.subclasses or spec.hops)
        share = 1.0 if is_preview and report.chosen == spec.limit else clock.share
        needs = _needs(clock, share, report.lines, report.kept, report.bytes, report.spooled)
        loaded = _load([str(out)], spec.loading, Path(folder) / "kg", share)
        return needs, loaded._replace(share=clock.share)


def of_load(dumps: Sequence[str], keep: Filter) -> Needs:
    """Estimate the needs of loading dumps.

    Raises:
        UnknownSizeError: a dump's size is unknown. Also the errors of ``load.load``.
    """
    with tempfile.TemporaryDirectory(prefix="kgbuild-") as folder:
        return _load(dumps, keep, Path(folder) / "kg", None)


def _load(dumps: Sequence[str], keep: Filter, store: Path, share: float | None) -> Needs:
    clock = _clock(dumps)
    manifest = load(dumps, store, keep, 1.0, clock, sample=Sample() if share is None else None)
    share = clock.share if share is None else share
    size = sum(path.stat().st_size for path in store.rglob("*") if path.is_file())
    # The temporary files take as much again, while the parts of the store are merged.
    return _needs(clock, share, manifest.lines, manifest.triples, size, size)


def _needs(clock: _Clock, share: float, *sizes: int) -> Needs:
    lines, triples, disk, meanwhile = (round(size / share) for size in sizes)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return Needs(clock.share, lines, triples, disk, meanwhile, memory, clock.seconds(share))


def _clock(dumps: Sequence[str]) -> _Clock:
    if "-" in dumps:
        raise UnknownSizeError("standard input")
    return _Clock()
