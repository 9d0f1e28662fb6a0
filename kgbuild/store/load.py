"""Load dumps into a fresh store that replaces the old one only when it is complete."""

import contextlib
import datetime
import re
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path

import numpy as np

from kgbuild import __version__
from kgbuild.dump import scanner
from kgbuild.dump.filter import Filter, scanned
from kgbuild.dump.pipeline import Batch, Intake, Progress, Sample, rejecting
from kgbuild.dump.scanner import Scanned
from kgbuild.store import manifest
from kgbuild.store.fingerprint import Survey
from kgbuild.store.labels import NamesWriter
from kgbuild.store.manifest import Manifest
from kgbuild.store.oxigraph import StoreWriter, TripleStore, canonical, named
from kgbuild.store.postings import PostingsWriter

_ENOUGH = 32 << 20
"""Bytes of lines that Oxigraph is given at a time: with fewer, it writes too many files."""
_LOADING = 2
"""How many times as much it is given at once: it uses one core for each, mostly."""
_WAITING = 2
"""How many times as much may wait for it."""


def load(
    dumps: Sequence[str],
    store: Path,
    keep: Filter,
    max_bad: float = 0.01,
    progress: Callable[[Progress], None] = lambda _: None,
    sample: Sample | None = None,
) -> Manifest:
    """Load dumps (paths; ``-`` is standard input) into the folder ``store``.

    A bad line is written to ``rejects.tsv`` in that folder with its file, number, reason and
    text, and the load goes on; if more than the fraction ``max_bad`` of all lines are bad,
    it fails at the end. Whenever it fails, the old store stays as it was. With ``sample``, no
    more of the dumps is read.

    Returns:
        The manifest of the new store.

    Raises:
        UnreadableDumpError, CorruptArchiveError, EmptyDumpError, NotADumpError,
        NothingKeptError, TooManyBadLinesError: the dumps are at fault.
        NotAStoreError, StoreBusyError, WriteError: the folder is at fault.
    """
    started = time.monotonic()
    with manifest.replacing(store) as folder, rejecting(store / manifest.REJECTS) as rejects:
        intake = Intake(dumps, keep.rules(), rejects, progress, sample)
        survey = _fill(intake, keep, folder, progress)
        intake.check(max_bad)
        made = Manifest(
            generation=folder.name,
            kgbuild_version=__version__,
            loaded_at=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
            files=tuple(intake.files),
            languages=keep.languages,
            everything=keep.everything,
            lines=intake.lines,
            bad=intake.bad,
            dropped=intake.dropped,
            triples=survey.triples,
            items=survey.items,
            properties=survey.properties,
            classes=survey.classes,
            fingerprint=survey.fingerprint,
            seconds=round(time.monotonic() - started, 1),
        )
        manifest.publish(store, made)
        rejects.keep()
        return made


class _Loader:
    """Gives lines to Oxigraph in threads of its own, some way behind the rest."""

    def __init__(self, intake: Intake, writer: StoreWriter, checked: bool):
        self._intake = intake
        self._writer = writer
        self._checked = checked
        self._pool = ThreadPoolExecutor(_LOADING)
        self._texts: list[bytes] = []
        self._batches: list[Batch] = []
        self._loading: deque[tuple[list[Batch], Future[list[tuple[int, str]]]]] = deque()

    def add(self, batch: Batch, text: bytes) -> None:
        """Add a batch's lines, whose blank nodes are named in ``text``."""
        self._batches.append(batch)
        self._texts.append(text)
        if sum(map(len, self._texts)) >= _ENOUGH:
            self._submit()
        if len(self._loading) >= _LOADING + _WAITING:
            self._settle()

    def _submit(self) -> None:
        future = self._pool.submit(self._writer.add, b"".join(self._texts), self._checked)
        self._loading.append((self._batches, future))
        self._texts, self._batches = [], []

    def _settle(self) -> None:
        """Wait for the oldest lines; set those aside that Oxigraph refuses after all."""
        batches, future = self._loading.popleft()
        refused = dict(future.result())
        places = ((batch, n) for batch in batches for n in range(len(batch.scanned.ends)))
        for number, (batch, n) in enumerate(places if refused else ()):
            if number in refused:
                self._intake.reject(batch, n, refused[number])

    def finish(self, meanwhile: Callable[[], None]) -> None:
        """Load what is left, and do something else meanwhile."""
        self._submit()
        meanwhile()
        while self._loading:
            self._settle()
        self._writer.finish()

    def close(self) -> None:
        """Wait for Oxigraph, finished or not."""
        self._pool.shutdown(cancel_futures=True)


def _fill(
    intake: Intake, keep: Filter, folder: Path, progress: Callable[[Progress], None]
) -> Survey:
    """Fill a new graph, its table of names and its index, and return the survey of its triples."""
    survey, index = Survey(), PostingsWriter()

    def meanwhile() -> None:
        names.finish()
        index.write(folder / manifest.POSTINGS, survey.fingerprint)

    with (
        contextlib.closing(StoreWriter(folder / manifest.GRAPH)) as writer,
        contextlib.closing(NamesWriter(folder / manifest.NAMES)) as names,
        contextlib.closing(_Loader(intake, writer, not keep.everything)) as loader,
    ):
        for batch in intake.batches():
            text = named(batch.scanned)
            loader.add(batch, text)
            survey.add(batch.scanned, canonical(text, batch.scanned))
            index.add(batch.scanned)
            names.add(_names(text, batch.scanned))
        progress(Progress("indexing", lines=intake.lines, kept=intake.kept))
        loader.finish(meanwhile)
    return _distinct(survey, folder)


def _distinct(survey: Survey, folder: Path) -> Survey:
    """Survey what is in the graph, and index it anew, if lines came twice or were refused."""
    graph = TripleStore(folder / manifest.GRAPH)
    if survey.triples == len(graph):
        return survey
    survey, index = Survey(), PostingsWriter()

    def add(lines: Sequence[bytes]) -> None:
        found = scanned(lines)
        survey.add(found, [lines[n] for n in np.flatnonzero(~found.plain).tolist()])
        index.add(found)

    graph.lines(add)
    index.write(folder / manifest.POSTINGS, survey.fingerprint)
    return survey


def _names(text: bytes, scanned: Scanned) -> Iterator[tuple[str, str]]:
    """Yield the labels and aliases of items among scanned lines, and their languages."""
    naming = (scanned.predicate == scanner.LABEL) | (scanned.predicate == scanner.ALIAS)
    lines = text.split(b"\n")
    naming &= scanned.subject > 0
    for n in np.flatnonzero(naming & scanned.plain).tolist():
        name, tag = lines[n].decode().split('"', 1)[1].rsplit('"@', 1)
        yield name, tag[:-2]
    for n in np.flatnonzero(naming & ~scanned.plain).tolist():
        if match := _LITERAL.search(lines[n]):
            language = (match[2] or b"").decode().lower()  # as the store writes it
            # A line that nobody has checked may hold anything. Oxigraph will refuse it.
            name = match[1].decode("utf-8", "replace")
            yield (_ESCAPE.sub(_unescaped, name) if "\\" in name else name), language


_LITERAL = re.compile(rb'"((?:[^"\\]|\\.)*)"(?:@([A-Za-z0-9-]+)|(?=[ \t]*\.))')
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))")


def _unescaped(match: re.Match[str]) -> str:
    if not (digits := match[1] or match[2]):
        return match[3].translate(_ECHAR)
    code = int(digits, 16)
    return _STRANGE if code > 0x10FFFF or 0xD800 <= code <= 0xDFFF else chr(code)


_STRANGE = "\N{REPLACEMENT CHARACTER}"
_ECHAR = str.maketrans("tbnrf", "\t\b\n\r\f")
