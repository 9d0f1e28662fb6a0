"""Measure how each step grows with the number of people, up to all people of Wikidata.

Each step is a command in its own process. Costs are fitted as people^exponent by least squares over
the logarithms; the smallest sizes are left out, because starting a process dominates them. If the
largest size has fewer people than Wikidata, the fit extrapolates it. Each dump is removed when it
is sliced, and each slice when it is loaded, unless ``--keep`` is set.
"""

import argparse
import json
import math
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks import generate, measure
from benchmarks.measure import KGBUILD, Cost, put, tell
from benchmarks.speed.similarity import World
from kgbuild.catalog import catalog
from kgbuild.graph.open import open_store
from kgbuild.store import manifest
from kgbuild.store.labels import lookup

START, END = "<!-- measured: growth -->", "<!-- end: growth -->"
"""Marks in the document; ``-o`` replaces the text between them."""
LINES, PEOPLE = 7.94e9, 12e6
"""Size of the truthy dump of April 2025."""
CORES = {"slice": 4, "load": 2, "syn-qa": 2, "biokalma": 2}
"""Number of cores that a step can use: ``slice`` scans four blocks at a time, ``load`` stores two
pieces at a time. ``syn-qa`` and ``biokalma`` use all cores; more than two were not measured."""
PRICE = 0.05
"""Price of a rented core with 4 GB of memory, in dollars per hour."""
_ROWS = 5000
"""Number of rows that a builder makes, equal for all sizes of the store."""
_ASKED = 500
_BUILDERS: tuple[tuple[str, ...], ...] = (
    ("syn-qa", "P26", "--perturb", "subject"),  # so that it makes as many rows as the others
    ("granola", "P19"),
    ("biokalma", "P26"),
)
_DISK = 3600
"""Number of bytes of free disk that a load needs for each person; a slice needs fewer."""


class Step(NamedTuple):
    """Cost of a step: ``work`` is CPU time in seconds, memory and disk are in bytes.

    ``memory`` is that of the largest process, and ``together`` of all (see ``measure.Cost``).
    """

    seconds: float
    work: float
    memory: int
    disk: int = 0
    together: int = 0


class Size(NamedTuple):
    """Measurements for a number of people; ``asked`` are median times of queries, in seconds."""

    people: int
    lines: int
    triples: int
    steps: Mapping[str, Step]
    asked: Mapping[str, float]


def missing_disk(people: int, work: Path) -> str:
    """Return a sentence if the disk is too small for a number of people, else nothing."""
    needed, free = people * _DISK, shutil.disk_usage(work).free
    if (work / f"{people}.json").exists() or needed <= free:
        return ""
    sizes = f"{needed / 1e9:.0f} GB of disk, and {free / 1e9:.0f} GB are free"
    return f"{people:,} people need {sizes}; larger sizes are left out."


def of_size(people: int, work: Path, keep: bool) -> Size:
    """Measure all steps for a number of people; reuse measurements in the folder.

    Dumps, slices and stores are removed as soon as possible, unless ``keep``.
    """
    known, store = work / f"{people}.json", work / f"{people}-store"
    record: dict[str, Any] = {"lines": 0, "triples": 0, "steps": {}, "asked": {}}
    if known.exists():
        record = json.loads(known.read_text())
    if not record["asked"]:
        if "load" in record["steps"] and not store.exists():
            record["steps"] = {}
        _measure(people, work, record, keep)
    steps = {name: Step(**step) for name, step in record["steps"].items()}
    return Size(people, record["lines"], record["triples"], steps, record["asked"])


def _measure(people: int, work: Path, record: dict[str, Any], keep: bool) -> None:
    """Run the steps that are not in the record, and write it after each."""
    dump, slice_, store, db = (
        work / f"{people}{ending}" for ending in (".nt.gz", "-slice.nt.gz", "-store", ".duckdb")
    )
    page = work / "report.html"

    def run(name: str, made: Path, *arguments: str | Path) -> None:
        if name in record["steps"]:
            return
        tell(f"{people:,} people: {name}")
        cost = measure.command(*KGBUILD, *arguments)
        size = made.stat().st_size if made.is_file() else measure.size_of(made)
        record["steps"][name] = _step(cost, size)._asdict()
        save()

    def save() -> None:
        (work / f"{people}.json").write_text(json.dumps(record))

    if not (dump.exists() or "slice" in record["steps"]):
        tell(f"writing a dump of {people:,} people")
        generate.write(dump, people, languages=1)
    chosen = ("--instance-of", "Q5", "--hops", "1")
    run("slice", slice_, "slice", dump, "-o", slice_, *chosen, "--force")
    report = slice_.with_name(f"{slice_.name}.report.json")
    record["lines"] = json.loads(report.read_text())["lines"]
    _remove([dump], keep)
    run("load", store, "load", slice_, "--store", store)
    record["triples"] = manifest.read(store).triples
    _remove([slice_], keep)
    for dataset, pid, *more in _BUILDERS:
        options = ("--relations", pid, "--limit", str(_ROWS), "--store", store, "--db", db)
        run(dataset, db, dataset, *more, *options)
    run("report", page, "report", "-o", page, "--db", db)
    tell(f"{people:,} people: queries")
    asking = (sys.executable, "-m", "benchmarks.growth", "--ask", store, "--people", people)
    record["asked"] = json.loads(_output(*asking))
    save()
    _remove([store, db, report], keep)


def _remove(paths: Sequence[Path], keep: bool) -> None:
    """Remove files and folders, unless ``keep``."""
    for path in () if keep else paths:
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)


def _step(cost: Cost, disk: int = 0) -> Step:
    return Step(cost.seconds, cost.cpu, cost.memory, disk, cost.together)


def ask(store: Path, people: int) -> dict[str, float]:
    """Return the median times of lookups, subgraphs and similarity searches, in seconds."""
    with open_store(store) as held:
        world, rng = World(people), random.Random(0)
        drawn = [world.person(rng.randrange(people)) for _ in range(2 * _ASKED)]
        some = [qid for qid in drawn if held.labels.label(qid)][:_ASKED]
        names = [held.labels.label(qid) or "" for qid in some]
        properties = catalog().kinds["person"].similarity
        similarity = held.knowledge({}).similarity
        similarity.most_similar(some[0], properties, 1)  # which compiles
        calls: dict[str, Callable[[int], object]] = {
            "lookup": lambda n: lookup(held.graph, held.names, names[n]),
            "subgraph": lambda n: held.graph.select("one_hop", item=some[n], language="en"),
            "similar": lambda n: similarity.most_similar(some[n], properties, 10, 3),
        }
        return {
            name: statistics.median(measure.timed(partial(call, n))[0] for n in range(len(some)))
            for name, call in calls.items()
        }


def exponent(sizes: Sequence[float], values: Sequence[float]) -> float:
    """Fit values as size^exponent and return the exponent.

    Sizes below a tenth of the largest one are ignored, unless only the largest one is left.

    >>> round(exponent([1, 100, 1000], [50, 200, 2000]), 6)
    1.0
    >>> round(exponent([10, 1000], [50, 5000]), 6)
    1.0
    """
    pairs = [*zip(sizes, values, strict=True)]
    large = [pair for pair in pairs if 10 * pair[0] >= sizes[-1]]
    logarithms = ([math.log(pair[n]) for pair in (large if large[1:] else pairs)] for n in (0, 1))
    return statistics.linear_regression(*logarithms).slope


def tables(sizes: Sequence[Size]) -> Iterator[str]:
    """Yield the tables: steps, queries, all of Wikidata."""
    people = [size.people for size in sizes]
    heads = [f"{n:,} people" for n in people]
    names = list(sizes[0].steps)

    whole_heads = ["exponent"] if people[-1] >= PEOPLE else ["exponent", "12 million"]

    def row(what: str, shown: Callable[[float], str], values: Sequence[float]) -> list[str]:
        found, whole = _extrapolated(people, values)
        cells = [*map(shown, values), *["—"] * (len(people) - len(values)), f"{found:.2f}"]
        return [what, *cells, shown(whole)][: 1 + len(people) + len(whole_heads)]

    blanks = [""] * len(whole_heads)

    def of(name: str, part: str) -> list[float]:
        return [getattr(size.steps[name], part) for size in sizes if name in size.steps]

    yield _table(
        "CPU time",
        ["step", *heads, *whole_heads],
        [
            ["lines of the dump", *(f"{size.lines / 1e6:,.1f} M" for size in sizes), *blanks],
            ["triples of the store", *(f"{size.triples / 1e6:,.1f} M" for size in sizes), *blanks],
            *(row(name, _seconds, of(name, "work")) for name in names),
        ],
    )
    for title, part in (
        ("Peak memory of the largest process", "memory"),
        ("Peak memory of all processes, without mapped files", "together"),
    ):
        yield _table(
            title,
            ["step", *heads, *whole_heads],
            [row(name, _gigabytes, of(name, part)) for name in names if all(of(name, part))],
        )
    yield _table(
        "Size on disk",
        ["step", *heads, *whole_heads],
        [row(name, _gigabytes, of(name, "disk")) for name in ("slice", "load")],
    )
    yield _table(
        f"Queries on a store: median of {_ASKED}",
        ["query", *heads, *whole_heads],
        [
            row(name, measure.seconds, [size.asked[name] for size in sizes])
            for name in sizes[0].asked
        ],
    )
    yield _table(
        "All of Wikidata, by number of cores",
        ["step", "CPU time", "cores it can use", "1 core", "16 cores", "256 cores", "cost"],
        [_projected(name, work) for name, work in _whole(sizes)],
    )


def _extrapolated(people: Sequence[int], values: Sequence[float]) -> tuple[float, float]:
    """Return the exponent of the growth, and the value extrapolated to all of Wikidata."""
    measured = people[: len(values)]  # some steps are not measured for the largest sizes
    found = exponent(measured, values)
    return found, values[-1] * (PEOPLE / measured[-1]) ** found


def _whole(sizes: Sequence[Size]) -> Iterator[tuple[str, float]]:
    """Yield each step with its CPU time for all of Wikidata, in seconds."""
    people = [size.people for size in sizes]
    for name in sizes[0].steps:
        measured = [size for size in sizes if name in size.steps]
        if name == "slice":
            yield name, measured[-1].steps[name].work / measured[-1].lines * LINES
        else:
            yield name, _extrapolated(people, [size.steps[name].work for size in measured])[1]


def _projected(name: str, work: float) -> list[str]:
    most = CORES.get(name, 1)
    times = [work / min(cores, most) for cores in (1, 16, 256)]
    cost = PRICE * work / 3600
    return [name, _seconds(work), str(most), *map(_seconds, times), f"${cost:,.2f}"]


def _seconds(value: float) -> str:
    return f"{value:,.1f} s" if value < 3600 else f"{value / 3600:,.1f} h"


def _gigabytes(value: float) -> str:
    return f"{value / 1e9:,.2f} GB"


def _table(title: str, heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    lines = [
        f"### {title}",
        "",
        f"| {' | '.join(heads)} |",
        f"| --- |{' --: |' * (len(heads) - 1)}",
    ]
    return "\n".join([*lines, *(f"| {' | '.join(row)} |" for row in rows)])


def _output(*command: object) -> str:
    done = subprocess.run([*map(str, command)], check=True, stdout=subprocess.PIPE, text=True)
    return done.stdout


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.growth", description=__doc__)
    sizes = [100_000, 300_000, 1_000_000, 3_000_000, 12_000_000]
    parser.add_argument("--people", type=int, nargs="+", default=sizes, help="sizes for all steps")
    parser.add_argument(
        "--work", type=Path, help="folder for dumps, stores and measurements, which are reused"
    )
    parser.add_argument("--keep", action="store_true", help="keep dumps, slices and stores")
    parser.add_argument("--ask", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("-o", "--output", type=Path, help="document to update")
    asked = parser.parse_args(arguments)
    if asked.ask:
        print(json.dumps(ask(asked.ask, *asked.people)))
        return
    with tempfile.TemporaryDirectory() as folder:
        work = asked.work or Path(folder)
        found = []
        for people in asked.people:
            if message := missing_disk(people, work):
                tell(message)
                break
            found.append(of_size(people, work, asked.keep))
        text = "\n\n".join((measure.machine(), *tables(found)))
    print(text)
    if asked.output:
        put(asked.output, text, START, END)


if __name__ == "__main__":
    main()
