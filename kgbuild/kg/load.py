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
from kgbuild.kg import manifest, scan
from kgbuild.kg.dump import Block
from kgbuild.kg.filter import Filter, Sieve
from kgbuild.kg.intake import Batch, Intake, Progress, Sample, rejecting
from kgbuild.kg.labels import NamesWriter
from kgbuild.kg.manifest import Manifest
from kgbuild.kg.scan import Scanned
from kgbuild.kg.store import Store, StoreWriter, canonical, named
from kgbuild.kg.survey import Survey

_BEHIND = 8
"""Blocks that may wait for Oxigraph, of 16 MB each at the most."""


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


def _fill(
    intake: Intake, keep: Filter, folder: Path, progress: Callable[[Progress], None]
) -> Survey:
    """Fill a new graph and its table of names, and return the survey of its triples.

    Oxigraph loads in a thread of its own, some blocks behind the rest, so that the table of
    names is written while it still works.
    """
    survey = Survey()
    loading: deque[tuple[Batch, Future[list[tuple[int, str]]]]] = deque()

    def settle() -> None:
        batch, future = loading.popleft()
        for n, reason in future.result():
            intake.reject(batch, n, reason)

    with (
        contextlib.closing(StoreWriter(folder / manifest.GRAPH)) as writer,
        contextlib.closing(NamesWriter(folder / manifest.NAMES)) as names,
        ThreadPoolExecutor(1) as pool,
    ):
        for batch in intake.batches():
            text = named(batch.scanned)
            loading.append((batch, pool.submit(writer.add, text, not keep.everything)))
            survey.add(canonical(text, batch.scanned), batch.scanned)
            names.add(_names(text, batch.scanned))
            if len(loading) > _BEHIND:
                settle()
        progress(Progress("indexing", lines=intake.lines, kept=intake.kept))
        finishing = pool.submit(writer.finish)
        names.finish()
        while loading:
            settle()
        finishing.result()
    return _distinct(survey, folder)


def _distinct(survey: Survey, folder: Path) -> Survey:
    """Return the survey of what is in the graph, if some lines came twice or were refused."""
    graph = Store(folder / manifest.GRAPH)
    if survey.triples == len(graph):
        return survey
    survey = Survey()
    sieve = Sieve(Filter(everything=True).rules())
    graph.lines(lambda lines: survey.add(lines, _scanned(lines, sieve)))
    return survey


def _scanned(lines: Sequence[bytes], sieve: Sieve) -> Scanned:
    return sieve.sift(Block(1, b"".join(line + b"\n" for line in lines), frozenset()))


def _names(text: bytes, scanned: Scanned) -> Iterator[tuple[str, str]]:
    """Yield the labels and aliases of items among scanned lines, and their languages."""
    naming = (scanned.predicate == scan.LABEL) | (scanned.predicate == scan.ALIAS)
    lines = text.split(b"\n")
    for n in np.flatnonzero(naming & (scanned.subject > 0)).tolist():
        if match := _LITERAL.search(lines[n]):
            language = (match[2] or b"").decode().lower()  # as the store writes it
            name = match[1].decode()
            yield (_ESCAPE.sub(_unescaped, name) if "\\" in name else name), language


_LITERAL = re.compile(rb'"((?:[^"\\]|\\.)*)"(?:@([A-Za-z0-9-]+)|(?=[ \t]*\.))')
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|(.))")


def _unescaped(match: re.Match[str]) -> str:
    code = match[1] or match[2]
    return chr(int(code, 16)) if code else match[3].translate(_ECHAR)


_ECHAR = str.maketrans("tbnrf", "\t\b\n\r\f")
