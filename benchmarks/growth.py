"""Measure how every step grows with the number of people, and what that means for all of Wikidata.

Each step is a command in a process of its own. Costs are fitted as people^exponent by least
squares over the logarithms, without sizes so small that starting up counts; from the largest size,
the exponent leads to the whole of Wikidata.
"""

import argparse
import json
import math
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import NamedTuple

from benchmarks import generate, measure
from benchmarks.measure import Cost, tell
from benchmarks.run import KGBUILD, put
from benchmarks.similarity import World
from kgbuild.catalog import catalog
from kgbuild.graph.open import open_store
from kgbuild.store import manifest
from kgbuild.store.labels import lookup

START, END = "<!-- measured: growth -->", "<!-- end: growth -->"
"""What ``-o`` writes stands between these lines of the file."""
LINES, PEOPLE = 7.94e9, 12e6
"""Of the whole truthy dump of April 2025."""
CORES = {"slice": 4, "load": 2}
"""How many cores a step can use: of a slice, so many blocks are scanned at a time; of a load, so
many pieces are stored; one relation of a dataset is built by one process."""
PRICE = 0.05
"""Dollars that a core costs an hour where machines are rented, with 4 GB of memory."""
_ROWS = 5000
"""Rows that a builder makes: as many from a large store as from a small one."""
_ASKED = 500
_BUILDERS = (("syn-qa", "P26"), ("granola", "P19"), ("biokalma", "P26"))
_MOST = {"granola": 1_000_000, "biokalma": 1_000_000}
"""The most people of whom these are measured: they go through all of them, for hours."""


class Step(NamedTuple):
    """What a step took: ``work`` in seconds of all cores, memory and disk in bytes."""

    seconds: float
    work: float
    memory: int
    disk: int = 0


class Size(NamedTuple):
    """What was measured with so many people; ``asked`` are medians, in seconds."""

    people: int
    lines: int
    triples: int
    steps: Mapping[str, Step]
    asked: Mapping[str, float]


def of_size(people: int, work: Path) -> Size:
    """Measure all steps with so many people, in a folder; what was measured there is taken."""
    known = work / f"{people}.json"
    if known.exists():
        said = json.loads(known.read_text())
        steps = {name: Step(**step) for name, step in said.pop("steps").items()}
        return Size(**said, steps=steps)
    size = _measured(people, work)
    told = {name: step._asdict() for name, step in size.steps.items()}
    known.write_text(json.dumps({**size._asdict(), "steps": told}))
    return size


def _measured(people: int, work: Path) -> Size:
    dump, slice_, store, db = (
        work / f"{people}{ending}" for ending in (".nt.gz", "-slice.nt.gz", "-store", ".duckdb")
    )
    if not dump.exists():
        tell(f"writing a dump of {people:,} people")
        generate.write(dump, people, languages=1)
    steps = {}

    def run(name: str, made: Path, *arguments: str | Path) -> None:
        tell(f"{people:,} people: {name}")
        cost = measure.command(*KGBUILD, *arguments)
        size = made.stat().st_size if made.is_file() else measure.size_of(made)
        steps[name] = _step(cost, size)

    chosen = ("--instance-of", "Q5", "--hops", "1")
    run("slice", slice_, "slice", dump, "-o", slice_, *chosen, "--force")
    shutil.rmtree(store, ignore_errors=True)
    run("load", store, "load", slice_, "--store", store)
    db.unlink(missing_ok=True)
    at = ("--store", store, "--db", db)
    for dataset, pid in _BUILDERS:
        if people > _MOST.get(dataset, people):
            continue
        run(dataset, db, dataset, "--relations", pid, "--limit", str(_ROWS), *at)
    page = work / "report.html"
    run("report", page, "report", "-o", page, "--db", db)
    lines = json.loads(slice_.with_name(f"{slice_.name}.report.json").read_text())["lines"]
    tell(f"{people:,} people: asking")
    asking = (sys.executable, "-m", "benchmarks.growth", "--ask", store, "--people", people)
    asked = json.loads(_output(*asking))
    return Size(people, lines, manifest.read(store).triples, steps, asked)


def _step(cost: Cost, disk: int = 0) -> Step:
    return Step(cost.seconds, cost.cpu, cost.memory, disk)


def ask(store: Path, people: int) -> dict[str, float]:
    """Return the medians of the seconds of look-ups, subgraphs and searches in a store."""
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


def wide(people: int, work: Path) -> tuple[int, Step]:
    """Slice the statements of so many people as they are made up; return how many there were."""
    tell(f"slicing the statements of {people:,} people")
    out = work / "wide.nt.gz"
    count = 0
    started = time.perf_counter()
    command = [*KGBUILD, "slice", "-", "-o", str(out), "--instance-of", "Q5", "--force"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.DEVNULL) as child:
        assert child.stdin
        for text in World(people).texts():
            child.stdin.write(text)
            count += text.count(b"\n")
        child.stdin.close()
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise RuntimeError(f"slice ended with {child.returncode}")
    seconds = time.perf_counter() - started
    work_done = usage.ru_utime + usage.ru_stime
    size = out.stat().st_size
    out.unlink()
    return count, Step(seconds, work_done, usage.ru_maxrss * 1024, size)


def exponent(sizes: Sequence[float], values: Sequence[float]) -> float:
    """Return the exponent of the power of the size that is nearest to some values.

    Sizes below a tenth of the largest one are passed over.

    >>> round(exponent([1, 100, 1000], [50, 200, 2000]), 6)
    1.0
    """
    large = [pair for pair in zip(sizes, values, strict=True) if 10 * pair[0] >= sizes[-1]]
    logarithms = ([math.log(pair[n]) for pair in large] for n in (0, 1))
    return statistics.linear_regression(*logarithms).slope


def tables(sizes: Sequence[Size], widths: Mapping[int, tuple[int, Step]]) -> Iterator[str]:
    """Yield the tables: steps, questions, wide slices."""
    people = [size.people for size in sizes]
    heads = [f"{n:,} people" for n in people]
    names = list(sizes[0].steps)

    def row(what: str, shown: Callable[[float], str], values: Sequence[float]) -> list[str]:
        found, whole = _extrapolated(people, values)
        cells = [*map(shown, values), *["—"] * (len(people) - len(values))]
        return [what, *cells, f"{found:.2f}", shown(whole)]

    def of(name: str, part: str) -> list[float]:
        return [getattr(size.steps[name], part) for size in sizes if name in size.steps]

    yield _table(
        "Work, in seconds of all cores",
        ["step", *heads, "people^", "12 million"],
        [
            ["lines of the dump", *(f"{size.lines / 1e6:,.1f} M" for size in sizes), "", ""],
            ["triples of the store", *(f"{size.triples / 1e6:,.1f} M" for size in sizes), "", ""],
            *(row(name, _seconds, of(name, "work")) for name in names),
        ],
    )
    yield _table(
        "Peak of memory",
        ["step", *heads, "people^", "12 million"],
        [row(name, _gigabytes, of(name, "memory")) for name in names],
    )
    yield _table(
        "On disk",
        ["what", *heads, "people^", "12 million"],
        [row(name, _gigabytes, of(name, "disk")) for name in ("slice", "load")],
    )
    yield _table(
        f"Asking a store: medians of {_ASKED}",
        ["question", *heads, "people^", "12 million"],
        [
            row(name, measure.seconds, [size.asked[name] for size in sizes])
            for name in sizes[0].asked
        ],
    )
    yield _table(
        "All of Wikidata, as it would be on so many cores",
        ["step", "work", "cores it can use", "1 core", "16 cores", "256 cores", "cost"],
        [_projected(name, work) for name, work in _whole(sizes)],
    )
    if widths:
        many = sorted(widths)
        lines = [widths[n][0] for n in many]
        yield _table(
            "Slicing statements as they are made up",
            ["what", *(f"{n:,} people" for n in many), "people^"],
            [
                ["lines", *(f"{n / 1e6:,.1f} M" for n in lines), ""],
                _plain("work", _seconds, many, [widths[n][1].work for n in many]),
                _plain("memory", _gigabytes, many, [widths[n][1].memory for n in many]),
            ],
        )


def _extrapolated(people: Sequence[int], values: Sequence[float]) -> tuple[float, float]:
    """Return the exponent by which values grow, and what they come to for all of Wikidata."""
    measured = people[: len(values)]  # of the largest sizes, some steps are not
    found = exponent(measured, values)
    return found, values[-1] * (PEOPLE / measured[-1]) ** found


def _whole(sizes: Sequence[Size]) -> Iterator[tuple[str, float]]:
    """Yield each step with its work for all of Wikidata, in seconds of all cores."""
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


def _plain(
    what: str, shown: Callable[[float], str], sizes: Sequence[float], values: Sequence[float]
) -> list[str]:
    return [what, *map(shown, values), f"{exponent(sizes, values):.2f}"]


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
    """Measure as the command line asks."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.growth", description=__doc__)
    sizes = [100_000, 300_000, 1_000_000, 3_000_000]
    parser.add_argument("--people", type=int, nargs="+", default=sizes, help="made up, all steps")
    parser.add_argument("--wide", type=int, nargs="*", default=[], help="made up, slices only")
    parser.add_argument(
        "--work", type=Path, help="a folder that keeps dumps, stores and measurements"
    )
    parser.add_argument("--ask", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("-o", "--output", type=Path, help="a document to put the tables into")
    asked = parser.parse_args(arguments)
    if asked.ask:
        print(json.dumps(ask(asked.ask, *asked.people)))
        return
    with tempfile.TemporaryDirectory() as folder:
        work = asked.work or Path(folder)
        widths = {people: wide(people, work) for people in asked.wide}
        found = [of_size(people, work) for people in asked.people]
        text = "\n\n".join((measure.machine(), *tables(found, widths)))
    print(text)
    if asked.output:
        put(asked.output, text, START, END)


if __name__ == "__main__":
    main()
