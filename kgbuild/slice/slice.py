"""Cut a slice out of dumps: the lines that a spec selects, and the names of linked items.

If a spec selects all items, the dump is read once, and the kept lines are written directly. If it
selects some items, the kept lines of all items are written to a temporary compressed file (the
spool), and their links to another file. Then items are chosen by the links, and the spool, which is
much smaller than the dump, is read again.
"""

import contextlib
import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from kgbuild.dump import bitmaps, reader
from kgbuild.dump.bitmaps import Bitmap
from kgbuild.dump.blocks import TripleBlock
from kgbuild.dump.filter import sift
from kgbuild.dump.pipeline import DumpSample, Pipeline
from kgbuild.dump.rejects import rejecting
from kgbuild.dump.scanning.rules import CandidateItems
from kgbuild.dump.scanning.scanner import Scanned
from kgbuild.dump.tally import Tally, nothing_kept
from kgbuild.errors import NothingKeptError, list_first
from kgbuild.files import atomic_files
from kgbuild.native.arrays import Positions
from kgbuild.rows import Progress, no_progress
from kgbuild.slice import selection
from kgbuild.slice.report import Coverage, Report, Selected, make_report
from kgbuild.slice.selection import ClassLinks, Seeds
from kgbuild.slice.spec import Spec

_SPOOL = "spool.gz"
_LINKS = "links"


class Chooser:
    """Chooses items while lines are read: listed items and instances of classes, or all items.

    ``seeds`` has the chosen items, from which hops start.
    """

    def __init__(self, spec: Spec, listed: Iterable[str]):
        self.seeds = Seeds(spec.limit, spec.sample, spec.seed)
        self._spec = spec
        self._listed = bitmaps.bitmap(listed)
        self._classes = bitmaps.bitmap(spec.instance_of)

    def add(self, scanned: Scanned) -> Positions:
        """Choose items from the subjects of lines, in order; return the newly chosen items."""
        if not (self._spec.items or self._spec.instance_of):
            return self.seeds.add(scanned.subject)
        are_wanted = bitmaps.has(self._listed, scanned.subject)
        if not self._spec.subclasses:
            are_instances = scanned.predicate == selection.INSTANCE_OF
            are_wanted |= are_instances & bitmaps.has(self._classes, scanned.object)
        return self.seeds.add(scanned.subject[are_wanted])


def chooses_while_reading(spec: Spec) -> bool:
    """Return whether a spec selects some items, by nothing but their own statements."""
    return bool(spec.items or spec.instance_of) and not (spec.subclasses or spec.hops)


def candidates(spec: Spec, listed: Iterable[str]) -> CandidateItems | None:
    """Return the items that a spec with ``listed`` items can choose; None if it may be all."""
    if not chooses_while_reading(spec):
        return None
    return CandidateItems(frozenset(listed), frozenset(spec.instance_of))


def beside(out: Path, name: str) -> Path:
    """Return the path of a file that belongs to a slice: people.nt.gz.NAME for people.nt.gz."""
    return out.with_name(f"{out.name}.{name}")


def cut(
    dumps: Sequence[str],
    out: Path,
    spec: Spec,
    max_bad: float = 0.01,
    force: bool = False,
    progress: Progress = no_progress,
    sample: DumpSample | None = None,
    source: str | None = None,
) -> Report:
    """Write the slice of dumps that a spec selects to the file ``out``.

    The name of the file ends with .nt, .nt.gz or .nt.zst. The report and the bad lines are written
    beside it. ``sample`` limits how much of the dumps is read. The report has ``source`` as the
    name of the dumps, if it is not None. If cutting fails, an older slice stays as it was.

    Raises:
        UnreadableDumpError, CorruptArchiveError, NothingKeptError, KgbuildError: the dumps are at
            fault.
        WrongCallError: the file of items is at fault.
        OutputExistsError, OutputBusyError, WriteError: the output is at fault.
    """
    with (
        atomic_files.working_folder(out, force) as folder,
        rejecting(beside(out, "rejects.tsv"), folder) as rejects,
    ):
        rules = spec.filter.rules()
        pipeline = Pipeline(dumps, rules, rejects, progress, sample, candidates(spec, spec.listed))
        complete = folder / out.name
        if spec.selects:
            selected = _select(pipeline, spec, folder, complete, progress)
        else:
            selected = _keep_all(pipeline, complete)
        pipeline.check(max_bad)
        with complete.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        files = [replace(file, name=source or file.name) for file in pipeline.files]
        report = replace(
            make_report(spec, files, pipeline.tally, selected),
            complete=not pipeline.stopped,
            bytes=complete.stat().st_size,
            sha256=digest,
        )
        if not report.chosen:
            if spec.selects:
                raise nothing_chosen(dumps, pipeline.tally.kept, report.absent)
            raise nothing_kept(dumps, report.dropped, report.bad)
        if report.bad:
            rejects.keep()
        else:
            rejects.path.unlink(missing_ok=True)  # that of an older slice
        atomic_files.publish_with_report(folder, out, report.as_json())
        return report


def nothing_chosen(dumps: Sequence[str], kept: int, absent: Sequence[str]) -> NothingKeptError:
    """Return the error that the dumps have lines to keep, but no selected item.

    ``absent`` are the ids of selected items that are missing.
    """
    missing = f"Missing: {list_first(absent)}. " if absent else ""
    return NothingKeptError(
        f"None of the selected items is in {', '.join(dumps)}, although the filter keeps {kept:,} "
        f"lines. {missing}See --instance-of (with --subclasses), --items, --sample."
    )


def _keep_all(pipeline: Pipeline, path: Path) -> Selected:
    """Write all kept lines of the dumps to a file."""
    coverage = Coverage()
    with atomic_files.compressed(path) as file:
        for batch in pipeline.batches():
            file.write(batch.scanned.text.data)
            coverage.add(batch.scanned)
    return Selected(pipeline.tally, coverage.subjects, coverage)


def _select(
    pipeline: Pipeline, spec: Spec, folder: Path, path: Path, progress: Progress
) -> Selected:
    """Choose items, and write the lines about them to the file ``path``."""
    links = ClassLinks(folder / _LINKS)
    seeds = _spool(pipeline, spec, folder)
    progress("choosing", 0, 0)
    objects = choose(links, seeds, spec)
    rules = spec.filter.rules((seeds.bits, objects))
    coverage, tally = Coverage(), Tally()
    with atomic_files.compressed(path) as file, reader.Dump(str(folder / _SPOOL)) as spool:
        for block in spool.blocks():
            scanned = sift(block, rules)
            file.write(scanned.text.data)
            coverage.add(scanned)
            tally.add(TripleBlock(block), scanned)
            progress("writing", block.position, spool.size or 0)
    spooled = sum((folder / name).stat().st_size for name in (_SPOOL, _LINKS))
    return Selected(tally, seeds.bits, coverage, spooled)


def choose(links: ClassLinks, seeds: Seeds, spec: Spec) -> Bitmap:
    """Add the items that links select (instances of subclasses, hops) to the chosen items.

    Returns:
        The items that the chosen items point to.
    """
    if spec.subclasses:
        classes = bitmaps.bitmap(spec.instance_of)
        links.grow(classes, [selection.SUBCLASS_OF], is_backward=True)
        for numbers in links.instances(classes):
            seeds.add(numbers)
    selection.hops(links, seeds.bits, spec.hops)
    return selection.closure(links, seeds.bits)


def _spool(pipeline: Pipeline, spec: Spec, folder: Path) -> Seeds:
    """Spool the lines that the filter keeps, and their links; return the items chosen so far.

    The lines of an item are adjacent in a dump, so with a limit, reading ends after that number of
    items, unless the spec selects instances of subclasses or neighbours, which can be anywhere.
    """
    chooser = Chooser(spec, spec.listed)
    may_stop = not (spec.subclasses or spec.hops)
    with (
        contextlib.closing(pipeline.batches()) as batches,
        atomic_files.compressed(folder / _SPOOL) as spool,
        atomic_files.create(folder / _LINKS) as links,
    ):
        for batch in batches:
            spool.write(batch.scanned.text.data)
            links.write(selection.links(batch.scanned))
            chooser.add(batch.scanned)
            if chooser.seeds.is_full and may_stop:
                pipeline.stop()
    return chooser.seeds
