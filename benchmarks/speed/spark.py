"""Cut the same slice with one Spark executor and with two; measure how evenly tasks are spread.

In the generated dump, more than a third of all items point to one item: human. The benchmark shows
that this item does not make one task longer than the others.

Each executor is bound to one processor, because its two processes, Java and Python, would
otherwise use two. A small slice is cut first, so that the start of Java and Python is not measured.
The lines per second of a core are those of all processor time of the executors, or of the local
engine, so other work on the machine hardly changes them.
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
    """Cost of a slice: elapsed seconds, seconds of all tasks, and number of tasks that read.

    ``processors`` is the number of seconds of processor time of all executors. ``longest`` is the
    longest reading task divided by the median; ``rest`` is the largest such ratio among the other
    stages.
    """

    seconds: float
    work: float
    processors: float
    tasks: int
    longest: float
    rest: float


def log_into(folder: Path) -> None:
    """Configure Spark to log the duration of each task in a folder."""
    (folder / "conf").mkdir()
    (folder / "log").mkdir()
    (folder / "conf" / "spark-defaults.conf").write_text(
        f"spark.eventLog.enabled true\nspark.eventLog.dir file://{folder}/log\n"
        "spark.eventLog.rolling.enabled false\nspark.eventLog.compress false\n"
    )
    os.environ["SPARK_CONF_DIR"] = str(folder / "conf")


def cut(dump: Path, out: Path, executors: int, split: int) -> Cost:
    """Cut a slice with a number of executors, each bound to one processor."""
    tell(f"{executors} executors")
    with cluster.started(f"local-cluster[{executors},1,2048]") as session:
        processes = hold(executors)
        small = out.with_name(f"small-{out.name}")
        session.conf.set("spark.sql.files.maxPartitionBytes", 1 << 20)
        engine.cut(session, [str(SAMPLE)], str(small), SPEC)
        session.conf.set("spark.sql.files.maxPartitionBytes", split)
        began, started = time.time() * 1000, time.perf_counter()
        before = sum(map(processor_seconds, processes))
        engine.cut(session, [str(dump)], str(out), SPEC)
        seconds = time.perf_counter() - started
        processors = sum(map(processor_seconds, processes)) - before
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
        processors=processors,
        tasks=len(reading),
        longest=max(reading) / statistics.median(reading),
        rest=max(max(tasks) / statistics.median(tasks) for tasks in others if sum(tasks) > 1),
    )


def hold(executors: int) -> list[int]:
    """Bind each executor and its child processes to a processor; return the executors."""
    processors = sorted(os.sched_getaffinity(0))
    if len(processors) < executors:
        raise RuntimeError(f"needs {executors} processors")
    found: list[int] = []
    while len(found) < executors:
        found = [process for process in below(os.getpid()) if b"CoarseGrained" in command(process)]
    for process, processor in zip(found, processors, strict=False):
        for thread in Path("/proc", str(process), "task").iterdir():
            os.sched_setaffinity(int(thread.name), {processor})
    return found


def processor_seconds(process: int) -> float:
    """Return the processor time of a process and its descendants, also of those that ended."""
    seconds = 0.0
    for each in (process, *below(process)):
        fields = Path("/proc", str(each), "stat").read_text().rpartition(")")[2].split()
        seconds += sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    return seconds


def below(process: int) -> list[int]:
    """Return all descendants of a process."""
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
    started, before = time.perf_counter(), time.process_time()
    slice.cut([str(dump)], work / "local.nt", SPEC)
    local, local_processors = time.perf_counter() - started, time.process_time() - before
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
        Row(
            "lines a second of processor time",
            f"{lines / two.processors / 1e6:.2f} M",
            f"{lines / one.processors / 1e6:.2f} M",
            ratio(two.processors, one.processors),
        ),
        Row("reading: longest task ÷ median", f"{two.longest:.2f}", f"{one.longest:.2f}", "—"),
        Row("longest task ÷ median, worst other stage", f"{two.rest:.2f}", f"{one.rest:.2f}", "—"),
    ]
    name = f"{dump.name}, {lines / 1e6:.1f} M lines in {two.tasks} splits"
    load = ", ".join(f"{number:.1f}" for number in os.getloadavg())
    return "\n\n".join(
        (
            machine(),
            table(f"Slicing on Spark: {name}", rows, HEADS),
            f"The local engine takes {local:.1f} s, and filters "
            f"{lines / local_processors / 1e6:.2f} M lines a second of processor time; an executor "
            f"does {local_processors / one.processors:.2f} of that. Load of the machine at the "
            f"end: {load}.",
        )
    )


def ratio(one: float, other: float) -> str:
    """Format a ratio."""
    return f"{one / other:.2f}×"


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.speed.spark", description=__doc__)
    parser.add_argument("--dump", type=Path, help="existing dump, instead of a generated one")
    parser.add_argument("--people", type=int, default=90_000, help="number of generated people")
    parser.add_argument("--split", type=int, default=128 << 20, help="size of a split in bytes")
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
