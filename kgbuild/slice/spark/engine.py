"""Cut a slice out of dumps on a Spark cluster: the same one as the local engine cuts.

The dump is read in splits, each by a task that keeps what the filter keeps and notes its links;
both stay on the executors. Items are then chosen in rounds: each task goes through its links
with the sets of items found so far, as bitmaps, and the sets that come back are united. Nothing
is ever grouped by an item, so it does not matter how many others point to it. At the end each
task writes what is left of its split, and the parts are joined in the order of the dump.
"""

import contextlib
import functools
import io
import math
import pickle
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from kgbuild import __version__
from kgbuild.dump import bitmaps
from kgbuild.dump import reader as dump
from kgbuild.dump.bitmaps import Bitmap, Numbers
from kgbuild.dump.dump_file import DumpFile
from kgbuild.dump.filter import by_predicate, by_reason
from kgbuild.dump.pipeline import Progress
from kgbuild.dump.reasons import REASONS
from kgbuild.dump.rejects import Rejects, shown
from kgbuild.errors import (
    CutShortError,
    EmptyDumpError,
    NotADumpError,
    NothingChosenError,
    NothingKeptError,
    TooManyBadLinesError,
)
from kgbuild.slice.selection import Seeds
from kgbuild.slice.slice import Report, absent, choose, classes_of, listed_in
from kgbuild.slice.spark import cluster, executor
from kgbuild.slice.spark.cluster import Rows, Session
from kgbuild.slice.spark.executor import Account, Choice
from kgbuild.slice.spark.hadoop import Files, Source
from kgbuild.slice.spec import Spec

_SPLITTABLE = ("BZip2Codec", b"BZh")
"""The compressed files that Hadoop can begin to read in the middle: by name and by content."""
_BZ2_END = 0x177245385090
_WAVES = 4
"""Tasks for each core, at least, so that none is idle for long while another one is busy."""
_BATCH = 8 << 20
"""Bytes that go from Spark to Python at a time."""
_MANY = 32
"""Sets of items, each of up to 20 MB, are more than the driver should be sent at a time."""
_TOP = 10**9 - 1
"""The highest number of an item."""


def cut(
    session: Session,
    dumps: Sequence[str],
    out: str,
    spec: Spec,
    max_bad: float = 0.01,
    force: bool = False,
    progress: Callable[[Progress], None] = lambda _: None,
) -> Report:
    """Write the slice of dumps that a spec asks for to the file ``out``, on a cluster.

    Dumps and output are any paths that Spark knows. All is as with ``slice.cut``, but that the
    whole dump is read even if there is a limit, and that the SHA-256 of dumps is not told.

    Raises:
        SparkError: Spark gives up.
        UnreadableDumpError, CorruptArchiveError, EmptyDumpError, NotADumpError,
        NothingKeptError, NothingChosenError, TooManyBadLinesError: the dumps are at fault.
        ItemsFileError: the file of items is at fault.
        OutputExistsError, OutputBusyError, WriteError: the output is at fault.
    """
    files = Files(session.sparkContext)
    target = files.uri(out)
    with (
        cluster.failing(),
        files.working(target, force) as folder,
        contextlib.closing(_Job(session, progress)) as job,
    ):
        sources = [source for path in dumps for source in files.sources(path)]
        rows, told = _read(job, sources, spec)
        _check(told, dumps, max_bad, files, target)
        sliced = _choose(job, rows, told, spec) if spec.selects else _all(job, rows, told)
        report = _report(told, sliced, spec, sources)
        if not report.chosen:
            raise NothingChosenError(dumps, told.total.kept, report.absent)
        made = f"{folder}/{target.rpartition('/')[2]}"
        with job.step("writing"):
            texts = sliced.rows.select("text").where("text IS NOT NULL")
            _written(texts, f"{folder}/parts", target)
        size, digest = files.join(f"{folder}/parts", made)
        report = replace(report, bytes=size, sha256=digest)
        _publish(files, report, told, made, target)
        return report


class _Job:
    """The work that Spark does for one slice. ``parts`` counts those of the dump."""

    parts = 1

    def __init__(self, session: Session, progress: Callable[[Progress], None]):
        conf = session.conf
        conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", 1 << 20)
        conf.set("spark.sql.execution.arrow.maxBytesPerBatch", _BATCH)
        conf.set("spark.sql.execution.arrow.useLargeVarTypes", False)
        tasks = _WAVES * session.sparkContext.defaultParallelism
        conf.set("spark.sql.files.minPartitionNum", tasks)
        self.session = session
        self._progress = progress
        self._kept: list[Rows] = []

    def close(self) -> None:
        """Let go of what was kept."""
        for rows in self._kept:
            rows.unpersist()

    def kept(self, rows: Rows) -> Rows:
        """Let rows stay with the executors once they are made."""
        self._kept.append(rows.persist())
        return rows

    def step(self, name: str) -> contextlib.AbstractContextManager[None]:
        """Let Spark work on a step of the whole, and tell of it."""
        return cluster.working(
            self.session, lambda done, of: self._progress(Progress(name, done, of))
        )

    def collect(self, rows: Rows, step: str) -> list[Any]:
        """Return rows, in the order of the dump."""
        with self.step(step):
            return list(rows.collect())

    def union(self, rows: Rows, step: str) -> tuple[Bitmap, int]:
        """Return the union of packed sets, and a number that none in it exceeds.

        Of many sets, some at a time are united by tasks first.
        """
        if self.parts > _MANY:
            some = rows.repartition(math.isqrt(self.parts))
            rows = some.mapInArrow(executor.united, executor.FOUND)
        found = self.collect(rows, step)
        return bitmaps.together(bytes(row[0]) for row in found)

    def broadcast(self, value: Any) -> Any:
        """Return what hands a value to all tasks."""
        return self.session.sparkContext.broadcast(value)

    def broadcast_set(self, bits: Bitmap) -> Any:
        """Return what hands a set, packed, to all tasks."""
        return self.broadcast(_packed(bits))


class _Links:
    """Links that lie on the executors (see ``selection.Linked``)."""

    def __init__(self, job: _Job, rows: Rows, spec: Spec):
        self._job = job
        self._rows = rows
        self._spec = spec

    def step(self, sources: Bitmap, targets: Bitmap, predicates: Sequence[int] | None) -> int:
        """See ``Linked``."""
        given = self._job.broadcast_set(sources)
        found, top = self._union(executor.stepped, sources=given, predicates=predicates)
        bitmaps.unite(targets, found, top)
        return top

    def reach(self, found: Bitmap, others: Bitmap, predicates: Sequence[int]) -> None:
        """See ``Linked``."""
        given = self._job.broadcast_set(others)
        self._grow(found, executor.reached, others=given, predicates=predicates)

    def below(self, found: Bitmap) -> None:
        """See ``Linked``."""
        self._grow(found, executor.below)

    def instances(self, classes: Bitmap) -> Iterator[Numbers]:
        """See ``Linked``."""
        given = self._job.broadcast_set(classes)
        task = functools.partial(executor.instances, classes=given, spec=self._spec)
        rows = self._rows.mapInArrow(task, executor.FOUND)
        for row in self._job.collect(rows, "choosing"):
            yield executor.numbers(row[0])

    def _grow(self, found: Bitmap, task: Callable[..., Any], **given: Any) -> None:
        """Let tasks find more, until there is no more."""
        count = 1
        while count:
            known = self._job.broadcast_set(found)
            more, top = self._union(task, found=known, **given)
            bitmaps.unite(found, more, top)
            count = bitmaps.count(more, top)

    def _union(self, task: Callable[..., Any], **given: Any) -> tuple[Bitmap, int]:
        rows = self._rows.mapInArrow(functools.partial(task, **given), executor.FOUND)
        return self._job.union(rows, "choosing")


@dataclass
class _Told:
    """What the accounts of all parts, in order, come to.

    ``is_cut`` tells of a plain dump that its last line has no line end.
    ``faults`` are the first bad lines: dump, number, what is wrong, text.
    """

    names: list[str]
    is_cut: list[bool]
    dumps: list[Account]
    total: Account
    faults: list[tuple[str, int, str, bytes]]

    def rejects(self) -> str:
        """Return the bad lines as they stand in a file."""
        text = io.StringIO()
        rejects = Rejects(text, Path())
        for fault in self.faults:
            rejects.add(*fault)
        return text.getvalue()


@dataclass
class _Sliced:
    """The rows of a slice, its account, and the sets of items that were chosen, or are told of."""

    rows: Rows
    account: Account
    chosen: Bitmap
    described: Bitmap
    pointed: Bitmap


def _read(job: _Job, sources: Sequence[Source], spec: Spec) -> tuple[Rows, _Told]:
    """Sort out all lines; keep the outcome on the executors."""
    rules = job.broadcast(spec.filter.rules())
    choice = None
    if spec.selects:
        listed, classes = listed_in(spec), classes_of(spec)
        choice = Choice(spec, _packed(listed), _packed(classes))
    read = []
    for number, source in enumerate(sources):
        is_whole, lines = _lines(job.session, source)
        task = functools.partial(
            executor.sifted,
            number=number,
            name=source.uri,
            size=source.size if is_whole else None,
            rules=rules,
            choice=choice,
        )
        read.append(lines.mapInArrow(task, executor.SCHEMA))
    rows = job.kept(functools.reduce(lambda one, other: one.union(other), read))
    accounts = _accounts(job, rows, "sorting lines out")
    job.parts = len(accounts)
    return rows, _told(sources, accounts)


def _lines(session: Session, source: Source) -> tuple[bool, Rows]:
    """Return the lines of a dump, with their ends, in splits or as a whole: as one or the other.

    What Hadoop cannot split it is not to decompress either: that is done by kgbuild, faster, and
    such files are told by content.
    """
    reader = session.read.option("lineSep", "\n")
    is_packed = _is_packed(source)
    is_whole = is_packed and (source.codec, source.start[:3]) != _SPLITTABLE
    if is_whole:
        codec = session.sparkContext._jvm.org.apache.hadoop.io.compress.PassthroughCodec
        reader = reader.option("io.compression.codecs", codec.CLASSNAME)
        reader = reader.option(codec.OPT_EXTENSION, "." + source.name.rpartition(".")[2])
    elif is_packed and not _ends(source.end):
        raise CutShortError(source.uri, "its last bz2 stream does not end")
    lines = reader.text(re.sub(r"[\[\]{}*?\\]", r"\\\g<0>", source.uri))
    ended = lines.selectExpr("concat(cast(value AS binary), X'0A')")
    return is_whole, ended.coalesce(1) if is_whole else ended


def _is_packed(source: Source) -> bool:
    return bool(source.codec) or dump.is_archive(source.start)


def _ends(end: bytes) -> bool:
    """Tell whether the last bytes of a bz2 file end a stream: by its mark, then 32 bits and a few.

    Hadoop does without, so it would not notice if whole blocks were missing.
    """
    bits = int.from_bytes(end, "big")
    return any(bits >> (32 + few) & (1 << 48) - 1 == _BZ2_END for few in range(8))


def _accounts(job: _Job, rows: Rows, step: str) -> list[Account]:
    told = rows.select("account").where("account IS NOT NULL")
    return [pickle.loads(row[0]) for row in job.collect(told, step)]  # noqa: S301 (our own)


def _told(sources: Sequence[Source], accounts: Sequence[Account]) -> _Told:
    dumps = [Account(number) for number in range(len(sources))]
    names = [source.uri for source in sources]
    faults: list[tuple[str, int, str, bytes]] = []
    for account in accounts:
        if account.error:
            raise account.error
        whole = dumps[account.dump]
        name = names[account.dump]
        before = whole.physical
        faults += [(name, before + n, reason, text) for n, reason, text in account.faults]
        whole.unite(account)
    total = Account(0)
    for whole in dumps:
        total.unite(whole)
    cut = [not _is_packed(source) and source.end[-1:] != b"\n" for source in sources]
    return _Told(names, cut, dumps, total, faults)


def _check(told: _Told, paths: Sequence[str], max_bad: float, files: Files, target: str) -> None:
    """Raise if a dump is none, if too many lines are bad, or if none is kept."""
    for number, whole in enumerate(told.dumps):
        faults = [fault for fault in told.faults if fault[0] == told.names[number]]
        if not whole.lines:
            raise EmptyDumpError([told.names[number]])
        if whole.ends_badly and told.is_cut[number]:
            raise CutShortError(told.names[number], "the last line is no whole one")
        if whole.bad == whole.lines:
            raise NotADumpError(told.names[number], faults[0][1], shown(faults[0][3]))
    total = told.total
    if total.faulty > max_bad * total.held:
        rejects = f"{target}.rejects.tsv"
        files.write(rejects, told.rejects())
        raise TooManyBadLinesError(total.faulty, total.held, max_bad, rejects)
    if not total.kept:
        raise NothingKeptError(paths, _dropped(total, total.counts), REASONS)


def _all(job: _Job, rows: Rows, told: _Told) -> _Sliced:
    """Take all that the filter keeps."""
    described, pointed = _traces(job, rows)
    return _Sliced(rows, told.total, described, described, pointed)


def _choose(job: _Job, rows: Rows, told: _Told, spec: Spec) -> _Sliced:
    """Take what is wanted of what the filter keeps, and what that points to."""
    seeds = Seeds(spec.limit, spec.sample, spec.seed)
    chosen = rows.select("seeds").where("seeds IS NOT NULL")
    for row in job.collect(chosen, "choosing"):
        seeds.add(executor.numbers(row[0]))
    links = job.kept(rows.select("links").where("links IS NOT NULL"))
    pointed = choose(_Links(job, links, spec), seeds, spec)
    texts = rows.select("text").where("text IS NOT NULL")
    again = functools.partial(
        executor.sifted_again,
        spec=spec,
        chosen=job.broadcast_set(seeds.bits),
        pointed=job.broadcast_set(pointed),
    )
    left = job.kept(texts.mapInArrow(again, executor.SCHEMA))
    account = Account(0)
    for one in _accounts(job, left, "sorting items out"):
        account.unite(one)
    return _Sliced(left, account, seeds.bits, *_traces(job, left))


def _traces(job: _Job, rows: Rows) -> tuple[Bitmap, Bitmap]:
    (described, _), (pointed, _) = (
        job.union(rows.select(name).where(f"{name} IS NOT NULL"), "counting")
        for name in ("described", "pointed")
    )
    return described, pointed


def _packed(bits: Bitmap) -> bytes:
    return bitmaps.packed(bits, bitmaps.top(bits))


def _written(texts: Rows, folder: str, target: str) -> None:
    """Write the lines of each part into a file of its own."""
    writer = texts.write
    if target.endswith(".gz"):
        writer = writer.option("compression", "gzip").option("zlib.compress.level", "BEST_SPEED")
    writer.text(folder)


def _report(told: _Told, sliced: _Sliced, spec: Spec, sources: Sequence[Source]) -> Report:
    first, described = told.total, sliced.described
    counts = Counter({**first.counts, **sliced.account.counts})
    return Report(
        kgbuild_version=__version__,
        files=tuple(DumpFile(source.name, source.size, "", source.modified) for source in sources),
        spec=spec.keys,
        complete=True,
        lines=first.lines,
        entities=first.entities,
        kept=sliced.account.kept,
        bad=first.bad,
        dropped=_dropped(first, counts),
        predicates=by_predicate(counts),
        items=bitmaps.count(described, _TOP),
        chosen=bitmaps.count_common(described, sliced.chosen, _TOP),
        leaving=bitmaps.count_without(sliced.pointed, described, _TOP),
        absent=absent(spec, described),
        bytes=0,
        sha256="",
        spooled=0,
    )


def _dropped(first: Account, counts: Counter[tuple[str, str]]) -> dict[str, int]:
    dropped = by_reason(counts)
    dropped["not_triple"] += first.empty
    return dict(sorted((+dropped).items()))


def _publish(files: Files, report: Report, told: _Told, made: str, target: str) -> None:
    """Give the slice, and what goes with it, their names."""
    if report.bad:
        files.write(f"{made}.rejects.tsv", told.rejects())
        files.publish(f"{made}.rejects.tsv", f"{target}.rejects.tsv")
    else:
        files.remove(f"{target}.rejects.tsv")  # of the slice before
    files.write(f"{made}.report.json", report.as_json())
    files.publish(f"{made}.report.json", f"{target}.report.json")
    files.publish(made, target)
