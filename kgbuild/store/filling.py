"""Fill the folder of a generation from batches of lines; continue what a killed load has begun."""

import contextlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from kgbuild.dump.atomic_files import create
from kgbuild.dump.filter import Filter, scan_lines
from kgbuild.dump.pipeline import Batch, Pipeline
from kgbuild.dump.scanner import Scanned
from kgbuild.rows import Progress
from kgbuild.store import manifest
from kgbuild.store.checkpoint import Checkpoint
from kgbuild.store.columns_writer import ColumnsWriter
from kgbuild.store.entries import Entry, read_entries
from kgbuild.store.fingerprint import Survey
from kgbuild.store.loader import Loader
from kgbuild.store.names_writer import NamesWriter
from kgbuild.store.oxigraph import TripleStore, canonical, name_blank_nodes
from kgbuild.store.postings_writer import PostingsWriter
from kgbuild.store.repeats import Repeats

_NAMES = ("labels", "aliases")
"""The columns whose texts can be looked up."""
_EVERY = 10_000_000
"""Number of lines between two checkpoints, which are loaded in about a minute."""
_DONE = ".done"


class Filling:
    """Writes the graph, and the files beside it, into the folder of a generation.

    Temporary files are in the folder ``unfinished``; ``begun`` is the checkpoint of a load that
    has begun to write both folders.
    """

    def __init__(
        self, pipeline: Pipeline, keep: Filter, folder: Path, unfinished: Path, begun: Checkpoint
    ):
        self.folder, self._unfinished = folder, unfinished
        self._begun = begun
        self._language = keep.languages[0]
        self._batches = self._lines = 0
        self._saved = begun.lines
        self._survey = begun.survey
        self._repeats = Repeats()
        self._index = PostingsWriter(unfinished, begun.sizes)
        path = folder / manifest.COLUMNS
        self._columns = ColumnsWriter(path, self._language, unfinished, begun.sizes)
        self._names = NamesWriter(folder / manifest.NAMES, unfinished)
        graph = folder / manifest.GRAPH
        self._loader = Loader(pipeline, graph, not keep.everything, begun.loaded)

    def add(self, batch: Batch) -> None:
        """Add a batch, or as much of it as is not written yet."""
        self._batches += 1
        self._lines += len(batch.scanned.ends)
        distinct = self._repeats.without(batch.scanned)
        if self._batches <= self._begun.loaded.batches:
            self._loader.skip(batch)
            return
        text = name_blank_nodes(batch.scanned)
        self._loader.add(batch, text)
        if self._batches > self._begun.batches:
            is_whole = distinct is batch.scanned
            self._collect(distinct, text if is_whole else name_blank_nodes(distinct))

    @property
    def is_repeating(self) -> bool:
        """Whether the next batch is in the checkpoint."""
        return self._batches < self._begun.batches

    def _collect(self, scanned: Scanned, text: bytes) -> None:
        """Add lines to the files beside the graph; ``text`` has no blank nodes."""
        rewritten = canonical(text, scanned)
        self._survey.add(scanned, rewritten)
        self._index.add(scanned)
        entries = [
            *read_entries(text.split(b"\n"), scanned, scanned.canonical),
            *_entries_of(rewritten, scan_lines(rewritten)),
        ]
        self._names.add(
            (entry.text, entry.language)
            for entry in entries
            if entry.column in _NAMES and entry.key > 0
        )
        self._columns.add(entries)

    def checkpoint(self) -> Checkpoint | None:
        """Return a checkpoint, if it is time for one."""
        return self._checkpoint() if self._lines - self._saved >= _EVERY else None

    def load_all(self) -> Checkpoint:
        """Complete the graph; return the checkpoint after all batches."""
        self._loader.finish()
        return self._checkpoint()

    def _checkpoint(self) -> Checkpoint:
        self._saved = self._lines
        return Checkpoint(
            self._batches,
            self._lines,
            self._loader.loaded,
            self._survey,
            self._index.spills.flush() | self._columns.spills.flush(),
        )

    def finish(self, report: Callable[[], None]) -> None:
        """Write the files beside the graph, and compact it; call ``report`` after each step."""
        index, columns, names = self._index, self._columns, self._names
        fingerprint = self._survey.fingerprint
        with self._loader.compacting():
            self._once("names", names.finish)
            names.remove()
            report()
            path = self.folder / manifest.POSTINGS
            self._once("postings", lambda: index.write(path, fingerprint))
            index.spills.remove()
            report()
            self._once("columns", lambda: columns.write(fingerprint))
            columns.spills.remove()
            report()
        report()

    def _once(self, step: str, action: Callable[[], None]) -> None:
        """Do an action, unless a load that was killed has completed it."""
        mark = self._unfinished / f"{step}{_DONE}"
        if not mark.exists():
            action()
            create(mark).close()

    def distinct(self, progress: Progress) -> Survey:
        """Return the survey, which counts distinct triples.

        If lines were refused, or repeated far from each other, the graph is read again, and the
        files beside it are written again; ``progress`` receives the number of triples.
        """
        graph = TripleStore(self.folder / manifest.GRAPH)
        count = len(graph)
        if self._survey.triples == count:
            return self._survey
        survey = Survey()
        path = self.folder / manifest.COLUMNS
        with (
            contextlib.closing(PostingsWriter(self._unfinished)) as index,
            contextlib.closing(ColumnsWriter(path, self._language, self._unfinished)) as columns,
        ):

            def add(lines: Sequence[bytes]) -> None:
                progress("reading the graph again", survey.triples, count)
                scanned = scan_lines(lines)
                survey.add(scanned, [lines[n] for n in np.flatnonzero(~scanned.canonical).tolist()])
                index.add(scanned)
                columns.add(_entries_of(lines, scanned))

            graph.lines(add)
            index.write(self.folder / manifest.POSTINGS, survey.fingerprint)
            columns.write(survey.fingerprint)
        return survey

    def close(self) -> None:
        """Stop all threads, and close all files."""
        self._loader.close()
        self._names.close()
        self._columns.close()
        self._index.close()


def _entries_of(lines: Sequence[bytes], scanned: Scanned) -> Iterator[Entry]:
    """Return the entries in lines that Oxigraph wrote, which are all canonical."""
    return read_entries(lines, scanned, np.ones(len(scanned.ends), np.bool_))
