"""Measure slices and loads of dumps of tens of millions of lines; print tables in Markdown.

Slices are compared with ``gzip -dc | grep -E | gzip``, loads with ``oxigraph load``.
"""

import argparse
import gzip
import hashlib
import itertools
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from isal import igzip

from benchmarks import generate, measure
from benchmarks.measure import Cost, Row, compared, interleaved, megabytes, tell, times
from benchmarks.speed import store as whole
from kgbuild import wikidata
from kgbuild.dump.filter import Filter
from kgbuild.dump.kinds import HIERARCHY

START, END = "<!-- measured: slices -->", "<!-- end: slices -->"
"""Marks in the document; ``-o`` replaces the text between them."""
ASKED = Filter(
    languages=("en", "de"),
    properties=("P19", "P20", "P22", "P25", "P26", "P27", "P40", "P106", "P569", "P570"),
)
"""Filter of the slices."""
LANGUAGES = ("--lang", ",".join(ASKED.languages))
OPTIONS = ("--force", *LANGUAGES, "--property", ",".join(ASKED.properties or ()))
PEOPLE = ("--instance-of", "Q5")

_GREP = 'set -o pipefail; %s -dc "$1" | LC_ALL=C grep -E "$2" | gzip -1 > "$3"'
_BZIP2 = 'set -o pipefail; gzip -dc "$1" | bzip2 > "$2"'
_INFLATERS = {".gz": "gzip", ".bz2": "bzip2"}
_ITSELF = ("first", "second", "second ÷ first")
_PROJECTED = ("estimate", "actual", "actual ÷ estimate")


class Dump(NamedTuple):
    """A dump, a quarter of it, and a seventh of it as bz2, each with its number of lines.

    ``small`` is a thousand lines of it.
    """

    name: str
    whole: tuple[Path, int]
    fourth: tuple[Path, int]
    seventh: tuple[Path, int]
    small: tuple[Path, int]


def pattern(kept: Filter) -> str:
    """Return the regular expression, for ``grep -E``, of the lines that a filter keeps."""
    entity = f"<{wikidata.ENTITY}%s{wikidata.NUMBER}>"
    ids = "|".join(dict.fromkeys(pid[1:] for pid in (*(kept.properties or ()), *HIERARCHY)))
    number = wikidata.NUMBER if kept.properties is None else f"({ids})"
    text = f'".*"@({"|".join((*kept.languages, "mul"))})(-[A-Za-z0-9-]+)?'
    kinds = {
        "item": entity % "Q",
        "property": entity % "P",
        "time": f'".*"\\^\\^<{wikidata.XSD}dateTime>',
        "quantity": f'".*"\\^\\^<{wikidata.XSD}decimal>',
        "text": text,
        "point": f'".*"\\^\\^<{wikidata.WKT}>',
        "unknown": f"(<{wikidata.UNKNOWN_VALUE}|_:).*",
        "string": '".*"',
    }
    values = "|".join(kinds[kind] for kind in kept.kinds)
    names = [wikidata.LABEL, *[wikidata.ALIAS] * kept.aliases]
    names += [wikidata.DESCRIPTION] * kept.descriptions
    triples = (
        f"<{wikidata.DIRECT}P{number}> ({values})",
        f"<({'|'.join(names)})> {text}",
        f"<{wikidata.SAME_AS}> {entity % '[QP]'}",
        f"<{wikidata.TYPE}> <{wikidata.NO_VALUE}P{number}>",
    )
    subject = f"<{wikidata.ENTITY}(Q{wikidata.NUMBER}|P{number})>"
    return f"^{subject} ({'|'.join(triples)}) \\.$"


def made(people: int, work: Path) -> Dump:
    """Write a generated dump."""
    sizes = ((work / "made.nt.gz", people), (work / "made-4.nt.gz", max(1, people // 4)))
    whole, fourth = ((path, generate.write(path, n).lines) for path, n in sizes)
    part = work / "made-7.nt.gz"
    lines = generate.write(part, max(1, people // 7)).lines
    return Dump("generated dump", whole, fourth, (_bzipped(part), lines), _head(fourth[0]))


def repeated(source: Path, lines: int, work: Path) -> Dump:
    """Repeat a small dump until it has a number of lines."""
    once = source.read_bytes()
    count = gzip.decompress(once).count(b"\n")

    def often(name: str, wanted: int) -> tuple[Path, int]:
        path = work / name
        copies = -(-wanted // count)
        with path.open("wb") as file:  # members of one archive, as in the dumps of Wikidata
            file.writelines([once] * copies)
        return path, copies * count

    part, few = often("real-7.nt.gz", lines // 7)
    whole, fourth = often("real.nt.gz", lines), often("real-4.nt.gz", lines // 4)
    small = _head(fourth[0])
    return Dump("real items, repeated", whole, fourth, (_bzipped(part), few), small)


def _head(dump: Path, count: int = 1000) -> tuple[Path, int]:
    """Write the first lines of a dump to a file beside it."""
    out = dump.with_name(f"head-of-{dump.name}")
    with gzip.open(dump) as lines, gzip.open(out, "wb") as file:
        file.writelines(itertools.islice(lines, count))
    return out, count


def _bzipped(path: Path) -> Path:
    out = path.with_suffix(".bz2")
    measure.command("bash", "-c", _BZIP2, "bash", path, out)
    path.unlink()
    return out


def beside_grep(dump: Path, name: str, lines: int, out: Path, repeat: int) -> list[Row]:
    """Cut a slice both ways; the slice of kgbuild is left in ``out``.

    Raises:
        RuntimeError: the slices differ.
    """
    plain_out = out.with_name("grep.nt.gz")
    way = _GREP % _INFLATERS[dump.suffix]
    ours = partial(_slice, dump, out)
    plain = partial(measure.command, "bash", "-c", way, "bash", dump, pattern(ASKED), plain_out)
    tell(f"slicing {name}")
    costs = interleaved(repeat, ours, plain)
    if _hash(out) != _hash(plain_out):
        raise RuntimeError(f"the slices of {name} differ")
    plain_out.unlink()
    time = compared(f"{name}: time", *([cost.seconds for cost in way] for way in costs))
    rates = [
        f" ({lines / statistics.median(cost.seconds for cost in way) / 1e6:.2f} M lines/s)"
        for way in costs
    ]
    cores = [statistics.median(cost.cpu / cost.seconds for cost in way) for way in costs]
    return [
        time._replace(kgbuild=time.kgbuild + rates[0], plain=time.plain + rates[1]),
        Row(f"{name}: cores at work", f"{cores[0]:.2f}", f"{cores[1]:.2f}", "—"),
    ]


def beside_itself(dump: Dump, work: Path, repeat: int) -> list[Row]:
    """Compare slices of two sizes of a dump, and of all and of some of its items.

    The small slice comes first, so that everything is compiled when the others are timed.
    """
    tell(f"more lines and fewer items, {dump.name}")
    (whole, lines), (part, few) = dump.whole, dump.fourth
    sizes = interleaved(
        repeat,
        partial(_slice, part, work / "few.nt.gz"),
        partial(_slice, whole, work / "all.nt.gz"),
    )
    memory = [statistics.median(cost.memory for cost in costs) for costs in sizes]
    passes = interleaved(
        repeat,
        partial(_slice, whole, work / "all.nt.gz"),
        partial(_slice, whole, work / "people.nt.gz", *PEOPLE),
    )
    highest = max(cost.memory for cost in passes[1])
    seconds = ([cost.seconds for cost in way] for way in passes)
    return [
        Row(
            f"{dump.name}: peak memory, {few / 1e6:.1f} M lines and {lines / 1e6:.1f} M lines",
            megabytes(memory[0]),
            megabytes(memory[1]),
            times(memory[1] / memory[0]),
        ),
        compared(f"{dump.name}: time of all items and of `--instance-of Q5`", *seconds),
        Row(f"{dump.name}: peak memory of `--instance-of Q5`", "—", megabytes(highest), "—"),
    ]


def json_dump(path: Path, lines: int, work: Path, repeat: int) -> list[Row]:
    """Cut slices out of a JSON dump that is repeated until it makes a number of triples.

    Slices of all items and of people are compared with ``gzip -dc`` of the same file.
    """
    tell("the JSON dump")
    once = path.read_bytes()
    _slice(path, work / "json.nt.gz")
    copies = max(1, lines // int(_report(work / "json.nt.gz")["lines"]))
    many = work / "many.json.gz"
    with many.open("wb") as file:
        file.writelines([once] * copies)
    inflating = 'gzip -dc "$1" > /dev/null'
    plain = partial(measure.command, "bash", "-c", inflating, "bash", many)
    rows = []
    for name, options in (("all.nt.gz", ()), ("people.nt.gz", PEOPLE)):
        costs, inflated = interleaved(repeat, partial(_slice, many, work / name, *options), plain)
        report = _report(work / name)
        what = " ".join((f"JSON dump, {report['entities']:,} entities", *options))
        for kind in ("seconds", "cpu"):
            ways = ([getattr(cost, kind) for cost in way] for way in (costs, inflated))
            row = compared(f"{what}: {'time' if kind == 'seconds' else 'all cores'}", *ways)
            rows.append(row._replace(plain=f"`gzip -dc`: {row.plain}"))
        highest = max(cost.memory for cost in costs)
        rows.append(Row(f"{what}: peak memory", megabytes(highest), "—", "—"))
    return rows


def projecting(dump: Dump, work: Path) -> list[Row]:
    """Compare the estimates of ``slice --dry-run`` with the slice."""
    tell(f"estimates, {dump.name}")
    out = work / "projected.nt.gz"
    asked = ["slice", *map(str, (dump.whole[0], "-o", out)), *OPTIONS]
    command = [*measure.KGBUILD, *asked, "--dry-run", "--json"]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    estimate = next(needs for needs in json.loads(output) if needs["job"] == "slice")
    real = _slice(dump.whole[0], out)
    report = _report(out)
    pairs: list[tuple[str, float, float, str]] = [
        ("time", estimate["minutes"] * 60, real.seconds, "{:.1f} s"),
        ("lines kept", estimate["triples"], report["kept"], "{:,.0f}"),
        ("size", estimate["disk_mb"], report["bytes"] / 1e6, "{:.1f} MB"),
        ("peak memory", estimate["memory_mb"], real.memory / 1e6, "{:,.0f} MB"),
    ]
    return [
        Row(
            f"{dump.name}: {what}",
            shape.format(one),
            shape.format(other),
            times(other / one) if one else "—",
        )
        for what, one, other, shape in pairs
    ]


def _slice(dump: Path, out: Path, *options: str) -> Cost:
    return measure.command(*measure.KGBUILD, "slice", dump, "-o", out, *OPTIONS, *options)


def _report(out: Path) -> dict[str, float]:
    """Return the report of a slice."""
    path = out.with_name(f"{out.name}.report.json")
    found: dict[str, float] = json.loads(path.read_text(encoding="utf-8"))
    return found


def _hash(path: Path) -> str:
    """Return the hash of the decompressed content of a file."""
    digest = hashlib.sha256()
    with igzip.open(path, "rb") as file:  # type: ignore[no-untyped-call]
        while data := file.read(1 << 20):
            digest.update(data)
    return digest.hexdigest()


def measured(
    people: int, real: Path | None, entities: Path | None, clean: Path | None, repeat: int
) -> str:
    """Measure everything and return the tables in Markdown."""
    effort = whole.Effort(repeat, 0, 0)
    with tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        tell(f"writing a dump of {people:,} people")
        dumps = [made(people, work)]
        lines = dumps[0].whole[1]
        if real:
            dumps.append(repeated(real, lines, work))
        itself = [row for dump in dumps for row in beside_itself(dump, work, repeat)]
        slices: list[Row] = []
        for n, dump in enumerate(dumps):
            for path, count in (dump.whole, dump.fourth, dump.small, dump.seventh):
                name = f"{dump.name}, .nt{path.suffix}, {count / 1e6:.3g} M lines"
                out = work / (f"slice-{n}.nt.gz" if path == dump.whole[0] else "part.nt.gz")
                slices += beside_grep(path, name, count, out, repeat)
        if entities:
            slices += json_dump(entities, lines // 7, work, repeat)
        projected = [row for dump in dumps for row in projecting(dump, work)]
        (part, few), store = dumps[0].fourth, work / "store"
        loads = whole.loading(part, f"generated dump, {few / 1e6:.1f} M lines", store, effort)
        name = "slice of the generated dump"
        loads += whole.loading(work / "slice-0.nt.gz", name, store, effort, *LANGUAGES)
        if clean:
            loads += whole.loading(clean, "clean slice of real items", store, effort)
        shutil.rmtree(store)
    grep = "`gzip -dc | LC_ALL=C grep -E | gzip -1`, or `bzip2 -dc | …`"
    return "\n\n".join(
        (
            measure.machine(),
            measure.table(f"Slicing (plain way: {grep})", slices),
            measure.table("Slicing: more lines, fewer items", itself, _ITSELF),
            measure.table("Estimates of `slice --dry-run`", projected, _PROJECTED),
            measure.table(f"Loading (plain way: {whole.plain_loader()})", loads),
        )
    )


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed.slicing", description=__doc__)
    parser.add_argument("--people", type=int, default=100_000, help="number of generated people")
    parser.add_argument("--real", type=Path, help="small .nt.gz of real items, which is repeated")
    parser.add_argument("--json", type=Path, help="the same items in JSON, .json.gz")
    parser.add_argument("--clean", type=Path, help="real slice to load as well")
    parser.add_argument("--repeat", type=int, default=3, help="runs of each command")
    parser.add_argument("-o", "--output", type=Path, help="document to update")
    asked = parser.parse_args(arguments)
    if min(asked.people, asked.repeat) < 1:
        parser.error("--people and --repeat are at least 1")
    for path in (asked.real, asked.json, asked.clean):
        if path and not path.is_file():
            parser.error(f"there is no file {path}")
    tables = measured(asked.people, asked.real, asked.json, asked.clean, asked.repeat)
    print(tables)
    if asked.output:
        measure.put(asked.output, tables, START, END)


if __name__ == "__main__":
    main(sys.argv[1:])
