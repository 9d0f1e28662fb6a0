"""Cut a slice out of dumps on a Spark cluster, with the same result as the local engine.

Spark reads a dump in parts ("splits"). A task filters the lines of a split and extracts their links
between items; both stay on the executors, the processes that run tasks. Items are then chosen in
rounds: each task applies its links to the sets of items that are chosen so far, which are bitmaps,
and the resulting sets are united. Nothing is grouped by item, so the number of links of an item
does not matter. At the end each task writes the lines of its split that are in the slice, and the
parts are joined in the order of the dump.
"""

import contextlib
import functools
import io
import pickle
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from kgbuild.dump.dump_file import DumpFile
from kgbuild.dump.reader import cut_short
from kgbuild.dump.rejects import Rejects
from kgbuild.dump.tally import Tally, nothing_kept, require_dump, too_many_bad
from kgbuild.files import compression
from kgbuild.rows import Progress, no_progress
from kgbuild.slice.report import Coverage, Report, Selected, make_report
from kgbuild.slice.selection import Seeds
from kgbuild.slice.slice import choose, nothing_chosen
from kgbuild.slice.spark import cluster, executor, inputs
from kgbuild.slice.spark.cluster import Rows, Session
from kgbuild.slice.spark.executor import Account
from kgbuild.slice.spark.hadoop import HadoopFiles, HadoopSource
from kgbuild.slice.spark.inputs import PartOfDump
from kgbuild.slice.spark.job import Job, SparkLinks, column_of
from kgbuild.slice.spec import Spec

_SPLITTABLE = ("BZip2Codec", b"BZh")
"""The codec and the first bytes of compressed files that Hadoop can split: bz2 only."""
_BZ2_END_MARK = 0x177245385090
"""The 48 bits that end a bz2 stream, before its checksum."""


def cut(
    session: Session,
    dumps: Sequence[str],
    out: str,
    spec: Spec,
    max_bad: float = 0.01,
    force: bool = False,
    progress: Progress = no_progress,
) -> Report:
    """Write the slice of dumps that a spec selects to the file ``out``.

    If ``out`` ends with a slash, it is a folder of parts (see ``part_folders``). Dumps and output
    are paths or URIs that Spark can use. The function works like ``slice.cut``, except that it
    reads whole dumps even if there is a limit, and reports no SHA-256 of dumps and folders.

    Raises:
        KgbuildError: Spark fails. Also the errors of ``slice.cut``.
    """
    files = HadoopFiles(session.sparkContext)
    target, has_parts = files.uri(out.rstrip("/")), out.endswith("/")
    with (
        cluster.failing(),
        files.working_folder(target, force and not has_parts) as folder,
        contextlib.closing(Job(session, progress)) as job,
    ):
        sources = [source for path in dumps for source in files.sources(path)]
        rows = job.keep(_sifted(job, sources, spec))
        accounts = _accounts(job, rows, "sorting lines out")
        job.parts = len(accounts)  # from now on, the job knows how many sets its tasks return
        tally, rejects = _total(sources, accounts)
        if tally.faulty > max_bad * tally.stored:
            files.write(f"{folder}/rejects.tsv", rejects)
            files.publish(f"{folder}/rejects.tsv", path := f"{target}.rejects.tsv")
            raise too_many_bad(tally, max_bad, path)
        if not tally.kept:
            raise nothing_kept(dumps, tally.dropped, tally.bad)
        if spec.selects:
            rows, selected = _select(job, rows, spec)
        else:
            coverage = _coverage(job, rows)
            selected = Selected(tally, coverage.subjects, coverage)
        dump_files = [DumpFile(source.name, source.size, "", source.modified) for source in sources]
        report = make_report(spec, dump_files, tally, selected)
        if not report.chosen:
            raise nothing_chosen(dumps, tally.kept, report.absent)
        with job.step("writing"):
            is_gzipped = has_parts or target.endswith(".gz")
            _write(column_of(rows, "text"), f"{folder}/_written", is_gzipped)
        complete = f"{folder}/{target.rpartition('/')[2]}"
        if has_parts:
            size, digest = files.collect(f"{folder}/_written", complete), ""
        else:
            size, digest = files.join(f"{folder}/_written", complete)
        report = replace(report, bytes=size, sha256=digest)
        _publish(files, report, rejects, complete, target)
        return report


def _sifted(job: Job, sources: Sequence[HadoopSource], spec: Spec) -> Rows:
    """Return the rows of ``executor.sifted`` for the splits of all dumps.

    ``executor.SCHEMA`` explains their columns: the kept lines, their links and the items that they
    choose; in the last row of a split its account, which has its counts and bad lines.
    """
    rules = job.broadcast(spec.filter.rules())
    choice = (spec, frozenset(spec.listed)) if spec.selects else None
    sifted = []
    for number, source in enumerate(sources):
        part, rows = _input(job.session, source)
        task = functools.partial(
            executor.sifted, number=number, part=part, rules=rules, choice=choice
        )
        sifted.append(rows.mapInArrow(task, executor.SCHEMA))
    return functools.reduce(lambda rows, more: rows.union(more), sifted)


def _input(session: Session, source: HadoopSource) -> tuple[PartOfDump, Rows]:
    """Return how tasks read their parts of a dump, and the rows from which they do."""
    is_compressed = _is_compressed(source)
    is_splittable = not is_compressed or (source.codec, source.start[:3]) == _SPLITTABLE
    if is_splittable and is_compressed and not _is_complete(source.end):
        raise cut_short(source.uri, "its last bz2 stream does not end")
    archive = functools.partial(inputs.archive, source.uri, source.size)
    part = PartOfDump(source.uri, not is_splittable, inputs.lines if is_splittable else archive)
    return part, _lines(session, source, is_splittable)


def _lines(session: Session, source: HadoopSource, is_splittable: bool) -> Rows:
    """Return the lines of a dump, with line ends, as Spark reads them.

    If Hadoop cannot split a compressed file, it passes the file on unchanged: kgbuild decompresses
    it faster than Hadoop, and recognises its format by its content.
    """
    reader = session.read.option("lineSep", "\n")
    if not is_splittable:
        codec = session.sparkContext._jvm.org.apache.hadoop.io.compress.PassthroughCodec
        reader = reader.option("io.compression.codecs", codec.CLASSNAME)
        reader = reader.option(codec.OPT_EXTENSION, "." + source.name.rpartition(".")[2])
    literal_path = re.sub(r"[\[\]{}*?\\]", r"\\\g<0>", source.uri)  # not a pattern of Hadoop
    lines = reader.text(literal_path).selectExpr("concat(cast(value AS binary), X'0A')")
    return lines if is_splittable else lines.coalesce(1)


def _is_compressed(source: HadoopSource) -> bool:
    return bool(source.codec) or compression.is_archive(source.start)


def _is_complete(end: bytes) -> bool:
    """Return whether a bz2 file with these last bytes ends with the end of a stream.

    A stream ends with a mark, a checksum of 32 bits, and padding of 0 to 7 bits. Hadoop does not
    check that, so it would not notice missing blocks.
    """
    bits, lowest_48_bits = int.from_bytes(end, "big"), (1 << 48) - 1
    marks = ((bits >> (32 + padding)) & lowest_48_bits for padding in range(8))
    return _BZ2_END_MARK in marks


def _accounts(job: Job, rows: Rows, step: str) -> list[Account]:
    return [pickle.loads(data) for data in job.collect(rows, "account", step)]  # noqa: S301 (ours)


def _total(sources: Sequence[HadoopSource], accounts: Iterable[Account]) -> tuple[Tally, str]:
    """Return the tally of all dumps, and the text of their rejects; raise the error of a dump."""
    total, text = Tally(), io.StringIO()
    rejects = Rejects(text, Path())  # the path is only for errors, which text in memory has not
    dumps = [Account(dump=number) for number in range(len(sources))]
    for account in accounts:
        if account.error:
            raise account.error
        dump = dumps[account.dump]
        # Line numbers are counted from the beginning of the dump, not of the split.
        dump.faults += [
            fault._replace(number=dump.physical_lines + fault.number) for fault in account.faults
        ]
        dump.append(account)
    for source, dump in zip(sources, dumps, strict=True):
        lacks_line_end = not _is_compressed(source) and source.end[-1:] != b"\n"
        is_cut = dump.last_line_is_bad and lacks_line_end
        first = dump.faults[0] if dump.lines and dump.bad == dump.lines else None
        require_dump(source.uri, dump.lines, is_cut, first)
        for fault in dump.faults:
            rejects.add(source.uri, *fault)
        total.unite(dump)
    return total, text.getvalue()


def _select(job: Job, rows: Rows, spec: Spec) -> tuple[Rows, Selected]:
    """Choose items, and return the rows with their lines."""
    seeds = Seeds(spec.limit, spec.sample, spec.seed)
    for data in job.collect(rows, "seeds", "choosing"):
        seeds.add(executor.numbers(data))
    links = job.keep(column_of(rows, "links"))
    # choose adds the items within the hops of the spec to the seeds.
    objects = choose(SparkLinks(job, links, spec), seeds, spec)
    filter_chosen = functools.partial(
        executor.sifted_again,
        spec=spec,
        subjects=job.broadcast_set(seeds.bits),
        objects=job.broadcast_set(objects),
    )
    selected = job.keep(column_of(rows, "text").mapInArrow(filter_chosen, executor.SCHEMA))
    tally = Tally()
    for account in _accounts(job, selected, "sorting items out"):
        tally.unite(account)
    return selected, Selected(tally, seeds.bits, _coverage(job, selected))


def _coverage(job: Job, rows: Rows) -> Coverage:
    columns = ("subjects", "objects")
    return Coverage(*(job.union(rows, column, "counting", job.parts)[0] for column in columns))


def _write(texts: Rows, folder: str, is_gzipped: bool) -> None:
    lines = texts.mapInArrow(executor.lines, executor.LINES)
    writer = lines.selectExpr("cast(text AS string)").write
    if is_gzipped:
        writer = writer.option("compression", "gzip").option("zlib.compress.level", "BEST_SPEED")
    writer.text(folder)


def _publish(files: HadoopFiles, report: Report, rejects: str, complete: str, target: str) -> None:
    if report.bad:
        files.write(f"{complete}.rejects.tsv", rejects)
        files.publish(f"{complete}.rejects.tsv", f"{target}.rejects.tsv")
    else:
        files.remove(f"{target}.rejects.tsv")  # of an older slice
    files.write(f"{complete}.report.json", report.as_json())
    files.remove(f"{target}.report.json")  # so that it is never beside another slice
    files.publish(complete, target)
    files.publish(f"{complete}.report.json", f"{target}.report.json")
