"""Estimate the resources that a slice or a load needs, by running it on the start of the dumps.

The results are divided by the fraction of the dumps that was read. They are not exact: the start of
a dump differs from its rest, and the items in a small part point to relatively many other items.
"""

import contextlib
import resource
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from kgbuild.dump.filter import Filter
from kgbuild.dump.pipeline import READING, DumpSample
from kgbuild.errors import KgbuildError, NothingKeptError, WrongCallError
from kgbuild.rows import Progress, no_progress
from kgbuild.slice import slice as slicing
from kgbuild.slice.spec import Spec
from kgbuild.store import space
from kgbuild.store.load import READING_SHARE, load


class Needs(NamedTuple):
    """The resources that a job needs.

    ``fraction`` is the fraction of the dumps that was read for the estimate. ``disk`` is the size
    of the result, ``temporary`` the size of the temporary files, which need disk besides it, and
    ``memory`` the peak of memory, all in bytes.
    """

    fraction: float
    lines: int
    triples: int
    disk: int
    temporary: int
    memory: int
    seconds: float


class _Clock:
    """A progress function that records the first and the last call, and passes all on.

    ``read`` and ``size`` are the numbers of bytes that were read at the last call, and of all
    bytes, which must be known. ``share`` of the total of a call is about reading.
    """

    def __init__(self, dumps: Sequence[str], progress: Progress, share: float = 1.0) -> None:
        if "-" in dumps:
            raise WrongCallError(
                "Cannot estimate standard input: its size is unknown. Name a file or a URL."
            )
        self._progress, self._share, self._start = progress, share, time.monotonic()
        self._first: tuple[float, int] | None = None
        self.read = self.size = 0

    def __call__(self, step: str, done: int, total: int) -> None:
        if step.startswith(READING):
            self._first = self._first or (time.monotonic(), done)
            self.read, self.size = done, round(total * self._share)
        self._progress(step, done, total)

    @property
    def fraction(self) -> float:
        """The fraction of all bytes that was read."""
        return min(1.0, self.read / self.size) if self.size else 1.0

    def seconds(self, fraction: float) -> float:
        """Return the estimated seconds for all dumps, of which this fraction was read.

        The time after the first call is taken as proportional to the bytes read.
        """
        end = time.monotonic()
        if self._first is None or self.read == self._first[1]:
            return end - self._start
        first_time, first_read = self._first
        factor = (self.read / fraction - first_read) / (self.read - first_read)
        return first_time - self._start + (end - first_time) * factor


def estimate_slice(
    dumps: Sequence[str], spec: Spec, progress: Progress = no_progress
) -> tuple[Needs, Needs]:
    """Estimate the needs of cutting a slice, and then of loading it.

    Raises:
        WrongCallError: a dump's size is unknown.
        KgbuildError: the part that is read has nothing that the spec selects.
        Also the errors of ``slice.cut``.
    """
    with tempfile.TemporaryDirectory(prefix="kgbuild-") as folder:
        out = Path(folder) / "sample.nt.gz"
        clock = _Clock(dumps, progress)
        with _refusing_empty(dumps, clock):
            report = slicing.cut(dumps, out, spec, 1.0, progress=clock, sample=DumpSample())
        is_preview = spec.limit is not None and not (spec.subclasses or spec.hops)
        fraction = 1.0 if is_preview and report.chosen == spec.limit else clock.fraction
        sizes = (report.lines, report.kept, report.bytes, report.spooled)
        lines, triples, disk, temporary = (round(size / fraction) for size in sizes)
        seconds = clock.seconds(fraction)
        needs = Needs(clock.fraction, lines, triples, disk, temporary, _peak_memory(), seconds)
        load_needs = _estimate_load(
            [str(out)], spec.loading, Path(folder) / "kg", fraction, progress
        )
        return needs, load_needs._replace(fraction=clock.fraction)


def estimate_load(dumps: Sequence[str], keep: Filter, progress: Progress = no_progress) -> Needs:
    """Estimate the needs of loading dumps.

    Raises:
        WrongCallError, KgbuildError: as for a slice. Also the errors of ``load.load``.
    """
    with tempfile.TemporaryDirectory(prefix="kgbuild-") as folder:
        return _estimate_load(dumps, keep, Path(folder) / "kg", None, progress)


def _estimate_load(
    dumps: Sequence[str], keep: Filter, store: Path, fraction: float | None, progress: Progress
) -> Needs:
    """Estimate the needs of a load; ``dumps`` are the ``fraction`` of a slice if it is not None."""
    clock = _Clock(dumps, progress, READING_SHARE)
    known = space.triples_by_reports(dumps, keep) if fraction is None else None
    with _refusing_empty(dumps, clock):
        manifest = load(
            dumps, store, keep, 1.0, clock, sample=DumpSample() if fraction is None else None
        )
    if known:
        lines = triples = known  # exact, while the start of a slice differs from its rest
        fraction = min(1.0, manifest.lines / known)
    else:
        fraction = clock.fraction if fraction is None else fraction
        lines, triples = round(manifest.lines / fraction), round(manifest.triples / fraction)
    disk = space.size(triples) if fraction < 1 else space.used(store)
    temporary = max(0, space.peak(triples) - disk)
    memory = max(_peak_memory(), space.memory(triples))
    return Needs(clock.fraction, lines, triples, disk, temporary, memory, clock.seconds(fraction))


def _peak_memory() -> int:
    """Return the peak of this process's memory in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


@contextlib.contextmanager
def _refusing_empty(dumps: Sequence[str], clock: _Clock) -> Iterator[None]:
    """Turn the error that nothing is selected into one about the part that was read."""
    try:
        yield
    except NothingKeptError as error:
        if clock.fraction == 1:
            raise
        raise KgbuildError(
            f"Nothing that is selected is in the first {clock.fraction:.2%} of {', '.join(dumps)}. "
            "--dry-run reads only this part, so it cannot estimate the size. Without --dry-run, "
            "all is read."
        ) from error
