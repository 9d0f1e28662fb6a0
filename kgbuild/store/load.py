"""Load dumps into a new store, which replaces the old store when it is complete."""

import contextlib
import datetime
import itertools
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from kgbuild import __version__
from kgbuild.dump.filter import Filter, scan_lines
from kgbuild.dump.pipeline import DumpSample, Pipeline
from kgbuild.dump.rejects import rejecting
from kgbuild.dump.scanning.scanner import Scanned
from kgbuild.rows import Progress, no_progress
from kgbuild.store import manifest, space
from kgbuild.store.columns import ColumnsWriter
from kgbuild.store.fingerprint import Survey
from kgbuild.store.graph_loader import Checkpoints, Loader, origin
from kgbuild.store.lines import canonical, read_entries
from kgbuild.store.manifest import Manifest
from kgbuild.store.names_writer import NamesWriter
from kgbuild.store.oxigraph import TripleStore
from kgbuild.store.postings import PostingsWriter

READING_SHARE = 0.7
"""Share of the time of a load in which it reads the dumps; in the rest, it writes indexes."""
_STEPS = 5
"""Number of steps after reading."""


class StoreFiles(contextlib.ExitStack):
    """Collects distinct lines, in the form that Oxigraph writes, and writes the files.

    ``language`` is that of the labels. Temporary files are in the folder ``unfinished``; errors as
    of ``Spill``.
    """

    def __init__(self, folder: Path, unfinished: Path, language: str):
        super().__init__()
        self.survey = Survey()
        new = self.enter_context
        self._names = new(NamesWriter(folder / manifest.NAMES, unfinished))
        self._index = new(PostingsWriter(folder / manifest.POSTINGS, unfinished))
        self._columns = new(ColumnsWriter(folder / manifest.COLUMNS, language, unfinished))

    def add(self, lines: Scanned) -> None:
        """Add lines; repeated ones count once."""
        lines = self.survey.add(lines)
        self._index.add(lines)
        for entries in read_entries(lines):
            self._columns.add(entries)
            self._names.add(entries)

    def write(self, report: Callable[[], None]) -> None:
        """Write the files; call ``report`` after each."""
        for writer in (self._names, self._index, self._columns):
            writer.write(self.survey.fingerprint)
            report()


def load(
    dumps: Sequence[str],
    store: Path,
    keep: Filter,
    max_bad: float = 0.01,
    progress: Progress = no_progress,
    warn: Callable[[int, int], None] | None = None,
    sample: DumpSample | None = None,
    continued: Callable[[int], None] = lambda _: None,
) -> Manifest:
    """Load dumps (paths; ``-`` is standard input) into the folder ``store``.

    A bad line is written to ``rejects.tsv`` in that folder with its file, number, reason and
    text, and the load continues. If more than the fraction ``max_bad`` of all lines is bad, the
    load fails at the end, and the old store stays as it was. ``keep`` selects the lines to load.
    ``warn`` is called once, with (bytes needed, bytes free), if the store is likely to fill the
    disk. ``sample`` limits how much of the dumps is read.

    If an earlier load of the same dumps was killed, this one continues it, and calls ``continued``
    with the number of lines that it need not write again.

    Returns:
        The manifest of the new store.

    Raises:
        UnreadableDumpError, CorruptArchiveError, NothingKeptError, KgbuildError: the dumps are at
            fault.
        WrongCallError, KgbuildError, WriteError: the folder is at fault, or all dumps are
            slices and the disk cannot hold the store.
    """
    started = time.monotonic()
    checkpoints = Checkpoints(origin(dumps, keep) if sample is None else "")
    if sample is None:
        begun_folder = manifest.unfinished(store, checkpoints.can_continue)
        folders = (begun_folder, store / manifest.UNFINISHED) if begun_folder else ()
        if space.require(dumps, store, keep, sum(map(space.used, folders))):
            warn = None  # the size is known, and the disk can hold it
    with (
        manifest.replacing(store, checkpoints.can_continue) as folder,
        rejecting(store / manifest.REJECTS, store / manifest.UNFINISHED) as rejects,
    ):
        unfinished = store / manifest.UNFINISHED
        pipeline = Pipeline(dumps, keep.rules(), rejects, _part_of(progress), sample)
        loader = Loader(pipeline, folder, not keep.everything, checkpoints)
        if loader.begun.lines:
            continued(loader.begun.lines)
        new_files = partial(StoreFiles, folder, unfinished, keep.languages[0])
        with contextlib.closing(loader), new_files() as files:
            for batch in pipeline.batches():
                loader.add(batch)
                files.add(canonical(batch.scanned))
                if warn and (sizes := space.missing(pipeline, folder)):
                    warn(*sizes)
                    warn = None
            report = _indexing(progress, pipeline.size)
            with loader.completing():
                report()
                files.write(report)
            report()
        survey = _distinct(files.survey, new_files, folder, progress)
        pipeline.check(max_bad)
        tally = pipeline.tally
        new_manifest = Manifest(
            generation=folder.name,
            kgbuild_version=__version__,
            loaded_at=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
            files=tuple(pipeline.files),
            languages=keep.languages,
            everything=keep.everything,
            lines=tally.lines,
            bad=tally.bad,
            dropped=tally.dropped,
            triples=survey.triples,
            items=survey.items,
            properties=survey.properties,
            classes=survey.classes,
            fingerprint=survey.fingerprint,
            seconds=round(time.monotonic() - started, 1),
        )
        manifest.publish(store, new_manifest)
        rejects.keep()
        return new_manifest


def can_continue(dumps: Sequence[str], store: Path, keep: Filter) -> bool:
    """Return whether a load of these dumps would continue one that was interrupted."""
    checkpoints = Checkpoints(origin(dumps, keep))
    return manifest.unfinished(store, checkpoints.can_continue) is not None


def _distinct(
    survey: Survey, new_files: Callable[[], StoreFiles], folder: Path, progress: Progress
) -> Survey:
    """Return the survey of distinct triples.

    If lines were refused, or repeated far from each other, the graph is read again, and the files
    beside it are written again; ``progress`` receives the number of triples.
    """
    graph = TripleStore(folder / manifest.GRAPH)
    count = len(graph)
    if survey.triples == count:
        return survey
    with new_files() as again:

        def add(lines: Sequence[bytes]) -> None:
            progress("reading the graph again", again.survey.triples, count)
            again.add(scan_lines(lines))

        graph.lines(add)
        again.write(lambda: None)
        return again.survey


def _part_of(progress: Progress) -> Progress:
    """Return a progress function for reading, which is a part of the load."""
    return lambda step, done, total: progress(step, done, round(total / READING_SHARE))


def _indexing(progress: Progress, size: int) -> Callable[[], None]:
    """Return a function that reports the next step after reading dumps of a size in bytes."""
    total = round(size / READING_SHARE)
    steps = itertools.count()

    def report() -> None:
        done = size + (total - size) * next(steps) // (_STEPS + 1)
        progress("indexing", done, total)

    report()
    return report
