"""Load dumps into a fresh store that replaces the old one only when it is complete."""

import contextlib
import datetime
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO

from kgbuild import __version__
from kgbuild.errors import (
    EmptyDumpError,
    NotADumpError,
    NothingKeptError,
    TooManyBadLinesError,
    WriteError,
)
from kgbuild.kg import dump, labels, manifest
from kgbuild.kg.manifest import DumpFile, Manifest
from kgbuild.kg.slice import Filter
from kgbuild.kg.store import Store, StoreWriter
from kgbuild.kg.survey import Survey

SHOWN = 200
"""Bytes of a bad line that the rejects file shows."""
_HOPELESS = 1000
"""A dump whose first so many lines are all bad is no dump."""


@dataclass
class Progress:
    """How far a load is: ``step`` names what is done now, sizes are bytes as stored."""

    step: str = "reading"
    file: str = ""
    read: int = 0
    size: int | None = None
    lines: int = 0
    kept: int = 0


@dataclass
class _Tally:
    lines: int = 0
    kept: int = 0
    bad: int = 0
    first_bad: tuple[int, str] | None = None
    dropped: Counter[str] = field(default_factory=Counter)
    survey: Survey = field(default_factory=Survey)
    files: list[DumpFile] = field(default_factory=list)


def load(
    dumps: Sequence[str],
    store: Path,
    keep: Filter,
    max_bad: float = 0.01,
    progress: Callable[[Progress], None] = lambda _: None,
) -> Manifest:
    """Load dumps (paths; ``-`` is standard input) into the folder ``store``.

    A bad line is written to ``rejects.tsv`` in that folder with its file, number, reason and
    text, and the load goes on; if more than the fraction ``max_bad`` of all lines are bad,
    it fails at the end. Whenever it fails, the old store stays as it was.

    Returns:
        The manifest of the new store.

    Raises:
        UnreadableDumpError, CorruptArchiveError, EmptyDumpError, NotADumpError,
        NothingKeptError, TooManyBadLinesError: the dumps are at fault.
        NotAStoreError, StoreBusyError, WriteError: the folder is at fault.
    """
    started = time.monotonic()
    for path in dumps:
        dump.require(path)  # before hours are spent on the one before it
    with manifest.replacing(store) as folder, _rejects(store) as (rejects, keep_rejects):
        with contextlib.closing(StoreWriter(folder / manifest.GRAPH)) as writer:
            tally = _fill(dumps, writer, keep, rejects, progress)
        if tally.bad > max_bad * tally.lines:
            keep_rejects()
            raise TooManyBadLinesError(tally.bad, tally.lines, max_bad, store / manifest.REJECTS)
        if not tally.kept:
            raise NothingKeptError(dumps, tally.dropped)
        progress(Progress("indexing", lines=tally.lines, kept=tally.kept))
        graph = Store(folder / manifest.GRAPH)
        survey = tally.survey
        if survey.triples != len(graph):  # some lines came twice
            survey = Survey()
            graph.lines(survey.add)
        labels.write(folder / manifest.NAMES, (row[0] for row in graph.select("names")))
        made = Manifest(
            generation=folder.name,
            kgbuild_version=__version__,
            loaded_at=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
            files=tuple(tally.files),
            languages=keep.languages,
            everything=keep.everything,
            lines=tally.lines,
            bad=tally.bad,
            dropped=dict(sorted(tally.dropped.items())),
            triples=survey.triples,
            items=survey.items,
            properties=survey.properties,
            classes=survey.classes,
            fingerprint=survey.fingerprint,
            seconds=round(time.monotonic() - started, 1),
        )
        manifest.publish(store, made)
        keep_rejects()
        return made


def _fill(
    dumps: Sequence[str],
    writer: StoreWriter,
    keep: Filter,
    rejects: IO[str],
    progress: Callable[[Progress], None],
) -> _Tally:
    tally = _Tally()
    for path in dumps:
        before = replace(tally, first_bad=None)
        tally.first_bad = None
        with dump.opened(path) as opened:
            for block in opened.blocks():
                _add(block, opened.name, keep, writer, tally, rejects)
                progress(
                    Progress(
                        "reading",
                        opened.name,
                        opened.position,
                        opened.size,
                        tally.lines,
                        tally.kept,
                    )
                )
            if tally.lines == before.lines:  # a download or a pipe that failed
                raise EmptyDumpError([opened.name])
            if tally.bad - before.bad == tally.lines - before.lines and tally.first_bad:
                raise NotADumpError(opened.name, *tally.first_bad)
            tally.files.append(_described(path, opened))
    writer.finish()
    return tally


def _add(
    block: dump.Block, name: str, keep: Filter, writer: StoreWriter, tally: _Tally, rejects: IO[str]
) -> None:
    """Add a block's kept lines to the store, its bad lines to the rejects, and all to the tally."""
    sliced = keep.slice(block.text, block.first)
    bad = [(number, "not an N-Triples line", text) for number, text in sliced.bad]
    triples = len(sliced.kept) + sum(sliced.dropped.values()) - sliced.dropped["not_triple"]
    if len(bad) >= _HOPELESS and not triples and block.first == 1:
        raise NotADumpError(name, bad[0][0], _shown(bad[0][2]))
    added, faults = writer.add(sliced.kept)
    tally.survey.add(added)
    bad += [(sliced.numbers[n], reason, sliced.kept[n].rstrip()) for n, reason in faults]
    for number, reason, text in sorted(bad):
        if number in block.overlong:
            reason = f"longer than {dump.LONGEST_LINE} bytes"
        rejects.write(f"{name}\t{number}\t{reason}\t{_shown(text)}\n")
    if bad and tally.first_bad is None:
        number, _, text = min(bad)
        tally.first_bad = (number, _shown(text))
    tally.bad += len(bad)
    tally.kept += len(sliced.kept) - len(faults)
    tally.dropped += sliced.dropped
    tally.lines += len(sliced.kept) + len(sliced.bad) + sum(sliced.dropped.values())


def _shown(text: bytes) -> str:
    return ascii(text[:SHOWN].decode("utf-8", "backslashreplace"))[1:-1]


def _described(path: str, opened: dump.Dump) -> DumpFile:
    """Describe a dump that was read to its end. The date of the file stands for the dump's."""
    modified = ""
    if opened.size is not None:
        when = datetime.datetime.fromtimestamp(Path(path).stat().st_mtime, datetime.UTC)
        modified = when.date().isoformat()
    return DumpFile(Path(opened.name).name, opened.position, opened.digest, modified)


@contextlib.contextmanager
def _rejects(store: Path) -> Iterator[tuple[IO[str], Callable[[], None]]]:
    """Open a new file of rejected lines; give it and what puts it in the place of the old one.

    It is kept if it tells of the store that counts, or why a load was refused.
    """
    path = store / manifest.REJECTS
    partial = path.with_name(f"{path.name}.new")

    def keep() -> None:
        file.flush()
        partial.replace(path)

    try:
        with partial.open("w", encoding="utf-8") as file:
            file.write("file\tline\treason\ttext\n")
            yield file, keep
    except OSError as error:
        raise WriteError(path, error.strerror or str(error)) from error
    finally:
        partial.unlink(missing_ok=True)
