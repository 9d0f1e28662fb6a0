"""Load dumps into a new store, which replaces the old store when it is complete."""

import contextlib
import datetime
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from kgbuild import __version__
from kgbuild.dump.filter import Filter, scan_lines
from kgbuild.dump.pipeline import Pipeline, Sample
from kgbuild.dump.rejects import rejecting
from kgbuild.dump.scanner import Scanned
from kgbuild.rows import Progress, no_progress
from kgbuild.store import manifest, space
from kgbuild.store.columns_writer import ColumnsWriter
from kgbuild.store.entries import Entry, read_entries
from kgbuild.store.fingerprint import Survey
from kgbuild.store.loader import Loader
from kgbuild.store.manifest import Manifest
from kgbuild.store.names_writer import NamesWriter
from kgbuild.store.oxigraph import TripleStore, canonical, name_blank_nodes
from kgbuild.store.postings_writer import PostingsWriter

READING_SHARE = 0.7
"""Share of the time of a load in which it reads the dumps; in the rest, it writes indexes."""
_STEPS = 5
"""Number of steps after reading."""
_NAMES = ("labels", "aliases")
"""The columns whose texts can be looked up."""


def load(
    dumps: Sequence[str],
    store: Path,
    keep: Filter,
    max_bad: float = 0.01,
    progress: Progress = no_progress,
    warn: Callable[[int, int], None] = lambda *_: None,
    sample: Sample | None = None,
) -> Manifest:
    """Load dumps (paths; ``-`` is standard input) into the folder ``store``.

    A bad line is written to ``rejects.tsv`` in that folder with its file, number, reason and
    text, and the load continues. If more than the fraction ``max_bad`` of all lines is bad, the
    load fails at the end, and the old store stays as it was. ``keep`` selects the lines to load.
    ``warn`` is called once, with (bytes needed, bytes free), if the store is likely to fill the
    disk. ``sample`` limits how much of the dumps is read.

    Returns:
        The manifest of the new store.

    Raises:
        UnreadableDumpError, CorruptArchiveError, EmptyDumpError, NotADumpError,
        NothingKeptError, TooManyBadLinesError: the dumps are at fault.
        NotAStoreError, StoreBusyError, WriteError: the folder is at fault.
        DiskTooSmallError: all dumps are slices, and the disk cannot hold the store.
    """
    started = time.monotonic()
    if sample is None:
        space.require(dumps, store, keep)
    with manifest.replacing(store) as folder, rejecting(store / manifest.REJECTS) as rejects:
        pipeline = Pipeline(dumps, keep.rules(), rejects, _part_of(progress), sample)
        survey = _fill(pipeline, keep, folder, progress, warn)
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


def _fill(
    pipeline: Pipeline,
    keep: Filter,
    folder: Path,
    progress: Progress,
    warn: Callable[[int, int], None],
) -> Survey:
    """Write the graph, and the files beside it, of a store in a folder; return its survey."""
    is_warned = False
    language = keep.languages[0]
    survey = Survey()
    with (
        contextlib.closing(PostingsWriter(folder)) as index,
        contextlib.closing(ColumnsWriter(folder / manifest.COLUMNS, language)) as columns,
        contextlib.closing(NamesWriter(folder / manifest.NAMES)) as names,
        contextlib.closing(
            Loader(pipeline, folder / manifest.GRAPH, not keep.everything)
        ) as loader,
    ):
        for batch in pipeline.batches():
            text = name_blank_nodes(batch.scanned)
            loader.add(batch, text)
            rewritten = canonical(text, batch.scanned)
            survey.add(batch.scanned, rewritten)
            index.add(batch.scanned)
            entries = [
                *read_entries(text.split(b"\n"), batch.scanned, batch.scanned.canonical),
                *_entries_of(rewritten, scan_lines(rewritten)),
            ]
            names.add(
                (entry.text, entry.language)
                for entry in entries
                if entry.column in _NAMES and entry.key > 0
            )
            columns.add(entries)
            if not is_warned and (sizes := space.missing(pipeline, folder)):
                is_warned = True
                warn(*sizes)
        steps = _Steps(progress, pipeline.size)
        loader.finish()
        steps.next()
        with loader.compacting():
            names.finish()
            steps.next()
            index.write(folder / manifest.POSTINGS, survey.fingerprint)
            steps.next()
            columns.write(survey.fingerprint)
            steps.next()
        steps.next()
    return _distinct(survey, folder, language)


def _part_of(progress: Progress) -> Progress:
    """Return a progress function for reading, which is a part of the load."""
    return lambda step, done, total: progress(step, done, round(total / READING_SHARE))


class _Steps:
    """The steps after reading dumps of a size in bytes, which report the rest of the progress."""

    def __init__(self, progress: Progress, size: int):
        self._progress = progress
        self._size = size
        self._done = 0
        self._report()

    def next(self) -> None:
        """Report that a step is done."""
        self._done += 1
        self._report()

    def _report(self) -> None:
        total = round(self._size / READING_SHARE)
        done = self._size + (total - self._size) * self._done // (_STEPS + 1)
        self._progress("indexing", done, total)


def _distinct(survey: Survey, folder: Path, language: str) -> Survey:
    """Return the survey, which counts distinct triples.

    If lines were repeated or refused, the graph is read again, and so are the files beside it.
    """
    graph = TripleStore(folder / manifest.GRAPH)
    if survey.triples == len(graph):
        return survey
    survey = Survey()
    with (
        contextlib.closing(PostingsWriter(folder)) as index,
        contextlib.closing(ColumnsWriter(folder / manifest.COLUMNS, language)) as columns,
    ):

        def add(lines: Sequence[bytes]) -> None:
            scanned = scan_lines(lines)
            survey.add(scanned, [lines[n] for n in np.flatnonzero(~scanned.canonical).tolist()])
            index.add(scanned)
            columns.add(_entries_of(lines, scanned))

        graph.lines(add)
        index.write(folder / manifest.POSTINGS, survey.fingerprint)
        columns.write(survey.fingerprint)
    return survey


def _entries_of(lines: Sequence[bytes], scanned: Scanned) -> Iterator[Entry]:
    """Return the entries in lines that Oxigraph wrote, which are all canonical."""
    return read_entries(lines, scanned, np.ones(len(scanned.ends), np.bool_))
