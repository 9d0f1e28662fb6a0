"""Cut the same slice with one executor and with two, and see how even their work is.

In the generated dump, more than a third of all items point to one: every person is a human. What
a cluster is to bear is that this item becomes no task of its own.

Each executor is held to one processor: with its two processes, Java's and Python's, it would
else use two, and one executor would have all that a small machine has. Before anything is
measured, a small slice is cut, so that what is compared is the work, not how Java and Python
start.
"""

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks import generate
from benchmarks.measure import Row, machine, table, tell
from kgbuild.slice import slice  # noqa: A004
from kgbuild.slice.spark import cluster, engine
from kgbuild.slice.spec import Spec

SPEC = Spec(instance_of=("Q5",), hops=1)
SAMPLE = Path(__file__).parent.parent / "dumps" / "sample.nt"
HEADS = ("two executors", "one executor", "one ÷ two")


class Cost(NamedTuple):
    """What a slice took: seconds; the time of all tasks; and of reading, which takes most of it.

    ``longest`` is the longest task of reading divided by the median; ``rest`` is that of the stage
    in which this is worst among the others.
    """

    seconds: float
    work: float
    tasks: int
    longest: float
    rest: float


def log_into(folder: Path) -> None:
    """Let Spark write down in a folder how long each task took."""
    (folder / "conf").mkdir()
    (folder / "log").mkdir()
    (folder / "conf" / "spark-defaults.conf").write_text(
        f"spark.eventLog.enabled true\nspark.eventLog.dir file://{folder}/log\n"
        "spark.eventLog.rolling.enabled false\nspark.eventLog.compress false\n"
    )
    os.environ["SPARK_CONF_DIR"] = str(folder / "conf")


def cut(dump: Path, out: Path, executors: int, split: int) -> Cost:
    """Cut a slice with so many executors of one core each, held to a processor each."""
    tell(f"{executors} executors")
    with cluster.started(f"local-cluster[{executors},1,2048]") as session:
        hold(executors)
        small = out.with_name(f"small-{out.name}")
        session.conf.set("spark.sql.files.maxPartitionBytes", 1 << 20)
        engine.cut(session, [str(SAMPLE)], str(small), SPEC)
        session.conf.set("spark.sql.files.maxPartitionBytes", split)
        began, started = time.time() * 1000, time.perf_counter()
        engine.cut(session, [str(dump)], str(out), SPEC)
        seconds = time.perf_counter() - started
        log = out.parent / "log" / session.sparkContext.applicationId
    stages: dict[int, list[float]] = defaultdict(list)
    for line in log.read_text(encoding="utf-8").splitlines():
        event = json.loads(line)
        if event["Event"] == "SparkListenerTaskEnd" and event["Task Info"]["Launch Time"] > began:
            took = event["Task Metrics"]["Executor Run Time"] / 1000
            stages[event["Stage ID"]].append(took)
    reading, *others = sorted(stages.values(), key=sum, reverse=True)
    return Cost(
        seconds=seconds,
        work=sum(map(sum, stages.values())),
        tasks=len(reading),
        longest=max(reading) / statistics.median(reading),
        rest=max(max(tasks) / statistics.median(tasks) for tasks in others if sum(tasks) > 1),
    )


def hold(executors: int) -> None:
    """Hold each executor, and what it starts, to a processor of its own."""
    processors = sorted(os.sched_getaffinity(0))
    if len(processors) < executors:
        raise RuntimeError(f"needs {executors} processors")
    found: list[int] = []
    while len(found) < executors:
        found = [process for process in below(os.getpid()) if b"CoarseGrained" in command(process)]
    for process, processor in zip(found, processors, strict=False):
        for thread in Path("/proc", str(process), "task").iterdir():
            os.sched_setaffinity(int(thread.name), {processor})


def below(process: int) -> list[int]:
    """Return all processes that one has started, and those that they have."""
    found = []
    for thread in Path("/proc", str(process), "task").iterdir():
        for child in map(int, (thread / "children").read_text().split()):
            found += [child, *below(child)]
    return found


def command(process: int) -> bytes:
    """Return the command line of a process."""
    return Path("/proc", str(process), "cmdline").read_bytes()


def measured(dump: Path, lines: int, split: int, work: Path) -> str:
    """Measure and return a table in Markdown."""
    log_into(work)
    two, one = (cut(dump, work / f"{count}.nt", count, split) for count in (2, 1))
    started = time.perf_counter()
    slice.cut([str(dump)], work / "local.nt", SPEC)
    local = time.perf_counter() - started
    same = {(work / f"{name}.nt").read_bytes() for name in ("local", "1", "2")}
    if len(same) > 1:
        raise RuntimeError("the slices differ")
    rows = [
        Row(
            "time", f"{two.seconds:.0f} s", f"{one.seconds:.0f} s", ratio(one.seconds, two.seconds)
        ),
        Row(
            "time of all tasks", f"{two.work:.0f} s", f"{one.work:.0f} s", ratio(one.work, two.work)
        ),
        Row("reading: longest task ÷ median", f"{two.longest:.2f}", f"{one.longest:.2f}", "—"),
        Row("the same, worst other stage", f"{two.rest:.2f}", f"{one.rest:.2f}", "—"),
    ]
    name = f"{dump.name}, {lines / 1e6:.1f} M lines in {two.tasks} splits"
    load = ", ".join(f"{number:.1f}" for number in os.getloadavg())
    return "\n\n".join(
        (
            machine(),
            table(f"Slicing on Spark: {name}", rows, HEADS),
            f"The local engine takes {local:.1f} s. Load of the machine at the end: {load}.",
        )
    )


def ratio(one: float, other: float) -> str:
    """Return how many times as much one is."""
    return f"{one / other:.2f}×"


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure as the command line asks."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.spark", description=__doc__)
    parser.add_argument("--dump", type=Path, help="a dump that is there, instead of a new one")
    parser.add_argument("--people", type=int, default=90_000, help="size of the made-up dump")
    parser.add_argument("--split", type=int, default=128 << 20, help="bytes of a split")
    asked = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        dump = asked.dump or Path(folder) / "made.nt"
        if not asked.dump:
            tell(f"writing a dump of {asked.people:,} people")
            generate.write(dump, asked.people)
        with dump.open("rb") as file:
            lines = sum(1 for _ in file)
        print(measured(dump, lines, asked.split, Path(folder)))


if __name__ == "__main__":
    main(sys.argv[1:])
