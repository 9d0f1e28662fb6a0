"""Cut a slice out of dumps: what a spec asks for, and what is needed to understand it.

Where every item is wanted, the dump is read once and what is kept goes straight out. Where
some are chosen, the dump is read once too: what the filter keeps of all items is spooled,
compressed, and their links noted; items are chosen by the links; the spool, a small part of
the dump, is read again.
"""

import contextlib
import dataclasses
import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from kgbuild import __version__, wikidata
from kgbuild.dump import atomic_files, bitmaps, reader
from kgbuild.dump.bitmaps import Bitmap
from kgbuild.dump.dump_file import DumpFile
from kgbuild.dump.filter import Sieve, by_predicate, by_reason
from kgbuild.dump.pipeline import Intake, Progress, Sample
from kgbuild.dump.reasons import REASONS
from kgbuild.dump.rejects import Rejects, rejecting
from kgbuild.dump.scanner import Scanned
from kgbuild.errors import NothingChosenError, NothingKeptError
from kgbuild.slice import selection
from kgbuild.slice.selection import Linked, Links, Seeds
from kgbuild.slice.spec import Spec, read_items

_SPOOL = "spool.gz"
_LINKS = "links"


@dataclass(frozen=True)
class Report:
    """What became of every line.

    ``lines`` = ``kept`` + ``bad`` + all of ``dropped`` (see ``Intake.lines``). ``items`` are
    described by the slice, ``chosen`` of them were asked for; ``leaving`` items are pointed to,
    but not described; ``absent`` are ids of the file of items that the dumps don't describe.
    ``complete`` is false if a limit ended the reading. ``bytes`` are the slice's, ``spooled``
    those that were needed beside it meanwhile.
    """

    kgbuild_version: str
    files: tuple[DumpFile, ...]
    spec: dict[str, Any]
    complete: bool
    lines: int
    entities: int
    kept: int
    bad: int
    dropped: dict[str, int]
    predicates: dict[str, dict[str, int]]
    items: int
    chosen: int
    leaving: int
    absent: tuple[str, ...]
    bytes: int
    sha256: str
    spooled: int

    def as_json(self) -> str:
        """Return the report as it stands in a file."""
        return json.dumps(dataclasses.asdict(self), indent=1, ensure_ascii=False) + "\n"


class Traces:
    """Which items have lines in a slice, and which are pointed to there."""

    def __init__(self) -> None:
        self.described = bitmaps.bitmap()
        self.pointed = bitmaps.bitmap()
        self.highest = 0

    def add(self, scanned: Scanned) -> None:
        """Note the items of kept lines."""
        bitmaps.add(self.described, scanned.subject)
        bitmaps.add(self.pointed, scanned.object)
        for numbers in (scanned.subject, scanned.object):
            self.highest = max(self.highest, bitmaps.highest(numbers))


def beside(out: Path, name: str) -> Path:
    """Return the path of a file that goes with a slice: of people.nt.gz, people.nt.gz.NAME."""
    return out.with_name(f"{out.name}.{name}")


def cut(
    dumps: Sequence[str],
    out: Path,
    spec: Spec,
    max_bad: float = 0.01,
    force: bool = False,
    progress: Callable[[Progress], None] = lambda _: None,
    sample: Sample | None = None,
    source: str | None = None,
) -> Report:
    """Write the slice of dumps that a spec asks for to the file ``out``.

    Its name ends with .nt, .nt.gz or .nt.zst. Beside it stand the report, and the bad lines.
    With ``sample``, no more of the dumps is read. ``source`` is what the report names instead.
    Whenever it fails, what was there before stays as it was.

    Raises:
        UnreadableDumpError, CorruptArchiveError, EmptyDumpError, NotADumpError,
        NothingKeptError, NothingChosenError, TooManyBadLinesError: the dumps are at fault.
        ItemsFileError: the file of items is at fault.
        OutputExistsError, OutputBusyError, WriteError: the output is at fault.
    """
    with (
        atomic_files.working(out, force) as folder,
        rejecting(beside(out, "rejects.tsv")) as rejects,
    ):
        intake = Intake(dumps, spec.filter.rules(), rejects, progress, sample)
        made = folder / out.name
        sliced = _spool_and_choose(intake, spec, folder, made, progress) if spec.selects else None
        if sliced is None:
            sliced = _keep_all(intake, made)
        intake.check(max_bad)
        report = _report(intake, spec, sliced, made)
        if source:
            named = tuple(replace(file, name=source) for file in report.files)
            report = replace(report, files=named)
        if not report.chosen:
            if spec.selects:
                raise NothingChosenError(dumps, intake.kept, report.absent)
            raise NothingKeptError(dumps, report.dropped, REASONS)
        _publish(report, rejects, made, out)
        return report


@dataclass
class _Sliced:
    traces: Traces
    chosen: Bitmap
    left: Sieve | None = None
    kept: int | None = None
    spooled: int = 0


def _keep_all(intake: Intake, made: Path) -> _Sliced:
    traces = Traces()
    with atomic_files.compressed(made) as file:
        for batch in intake.batches():
            file.write(batch.scanned.text.data)
            traces.add(batch.scanned)
    return _Sliced(traces, traces.described)


def _spool_and_choose(
    intake: Intake, spec: Spec, folder: Path, made: Path, progress: Callable[[Progress], None]
) -> _Sliced:
    links = Links(folder / _LINKS)
    seeds = _spool(intake, spec, folder)
    progress(Progress("choosing", lines=intake.lines, kept=intake.kept))
    pointed = choose(links, seeds, spec)
    sieve = Sieve(spec.filter.rules(seeds.bits, pointed))
    traces, kept = Traces(), 0
    with atomic_files.compressed(made) as file:
        for scanned in _again(folder / _SPOOL, sieve, intake.kept, progress):
            file.write(scanned.text.data)
            traces.add(scanned)
            kept += len(scanned.ends)
    spooled = sum((folder / name).stat().st_size for name in (_SPOOL, _LINKS))
    return _Sliced(traces, seeds.bits, sieve, kept, spooled)


def choose(links: Linked, seeds: Seeds, spec: Spec) -> Bitmap:
    """Add to the items that are chosen by their lines those that are chosen by links.

    Return what all of them point to.
    """
    if spec.subclasses:
        classes = classes_of(spec)
        links.below(classes)
        for numbers in links.instances(classes):
            seeds.add(numbers)
    selection.hops(links, seeds.bits, spec.hops)
    return selection.closure(links, seeds.bits)


def _spool(intake: Intake, spec: Spec, folder: Path) -> Seeds:
    """Spool what the filter keeps, note the links; return the items chosen so far.

    With a limit, reading ends when so many items have come with all their lines, which stand
    together in a dump; but subclasses and neighbours can be anywhere.
    """
    seeds = Seeds(spec.limit, spec.sample, spec.seed)
    listed, classes = listed_in(spec), classes_of(spec)
    may_end = not (spec.subclasses or spec.hops)
    batches = intake.batches()
    with (
        contextlib.closing(batches),
        atomic_files.compressed(folder / _SPOOL) as spool,
        (folder / _LINKS).open("wb") as links,
    ):
        for batch in batches:
            scanned = batch.scanned
            spool.write(scanned.text.data)
            links.write(selection.links(scanned))
            seeds.add(wanted(scanned, spec, listed, classes))
            if seeds.full and may_end:
                intake.stop()
    return seeds


def wanted(scanned: Scanned, spec: Spec, listed: Bitmap, classes: Bitmap) -> bitmaps.Numbers:
    """Return the subjects, in order, that a spec asks for, as far as their line tells."""
    if not (spec.items or spec.instance_of):
        return scanned.subject
    asked = bitmaps.has(listed, scanned.subject)
    if not spec.subclasses:
        instance = scanned.predicate == selection.INSTANCE_OF
        asked |= instance & bitmaps.has(classes, scanned.object)
    found: bitmaps.Numbers = scanned.subject[asked]
    return found


def _again(
    spool: Path, sieve: Sieve, lines: int, progress: Callable[[Progress], None]
) -> Iterator[Scanned]:
    with reader.opened(str(spool)) as opened:
        done = 0
        for block in opened.blocks():
            scanned = sieve.sift(block)
            yield scanned
            done += scanned.lines
            progress(Progress("writing", opened.position, opened.size, done, lines))


def listed_in(spec: Spec) -> Bitmap:
    """Return the items of a spec's file.

    Raises:
        UnreadableDumpError, ItemsFileError: the file is at fault.
    """
    return bitmaps.bitmap(_numbers(read_items(spec.items) if spec.items else ()))


def classes_of(spec: Spec) -> Bitmap:
    """Return the classes of which a spec asks for the instances."""
    return bitmaps.bitmap(_numbers(spec.instance_of))


def _numbers(ids: Sequence[str]) -> bitmaps.Numbers:
    return bitmaps.numbers(map(wikidata.number, ids))


def _report(intake: Intake, spec: Spec, sliced: _Sliced, made: Path) -> Report:
    dropped, predicates = intake.dropped, intake.predicates
    if sliced.left is not None:
        left = sliced.left.counts
        dropped = dict(sorted({**dropped, **by_reason(left)}.items()))
        predicates = dict(sorted({**predicates, **by_predicate(left)}.items()))
    with made.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    traces = sliced.traces
    return Report(
        kgbuild_version=__version__,
        files=tuple(intake.files),
        spec=spec.keys,
        complete=not intake.stopped,
        lines=intake.lines,
        entities=intake.entities,
        kept=intake.kept if sliced.kept is None else sliced.kept,
        bad=intake.bad,
        dropped=dropped,
        predicates=predicates,
        items=bitmaps.count(traces.described, traces.highest),
        chosen=bitmaps.count_common(traces.described, sliced.chosen, traces.highest),
        leaving=bitmaps.count_without(traces.pointed, traces.described, traces.highest),
        absent=absent(spec, traces.described),
        bytes=made.stat().st_size,
        sha256=digest,
        spooled=sliced.spooled,
    )


def absent(spec: Spec, described: Bitmap) -> tuple[str, ...]:
    """Return the listed ids that have no line, unless the slice is to have only some of them."""
    if spec.items is None or spec.limit is not None or spec.sample is not None:
        return ()
    listed = list(dict.fromkeys(read_items(spec.items)))
    found = bitmaps.has(described, _numbers(listed)).tolist()
    return tuple(qid for qid, there in zip(listed, found, strict=True) if not there)


def _publish(report: Report, rejects: Rejects, made: Path, out: Path) -> None:
    written = made.with_name("report")
    written.write_text(report.as_json(), encoding="utf-8")
    if report.bad:
        rejects.keep()
    else:
        rejects.path.unlink(missing_ok=True)  # of the slice before
    atomic_files.publish(written, beside(out, "report.json"))
    atomic_files.publish(made, out)
