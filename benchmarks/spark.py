"""Cut the same slice with one executor and with two, and see how even their work is.

In the generated dump, more than a third of all items point to one: every person is a human. What
a cluster is to bear is that this item becomes no task of its own.
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
from kgbuild.kg import cluster, slice, spread  # noqa: A004
from kgbuild.kg.spec import Spec

SPEC = Spec(instance_of=("Q5",), hops=1)
HEADS = ("two executors", "one executor", "one ÷ two")


class Cost(NamedTuple):
    """What a slice took: seconds, the time of all tasks, and tasks of the stage that took most.

    ``longest`` is the longest of these divided by the median.
    """

    seconds: float
    work: float
    tasks: int
    longest: float


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
    """Cut a slice with so many executors of one core each."""
    tell(f"{executors} executors")
    with cluster.started(f"local-cluster[{executors},1,2048]") as session:
        session.conf.set("spark.sql.files.maxPartitionBytes", split)
        started = time.perf_counter()
        spread.cut(session, [str(dump)], str(out), SPEC, force=True)
        seconds = time.perf_counter() - started
        log = out.parent / "log" / session.sparkContext.applicationId
    stages: dict[int, list[float]] = defaultdict(list)
    for line in log.read_text(encoding="utf-8").splitlines():
        event = json.loads(line)
        if event["Event"] == "SparkListenerTaskEnd":
            took = event["Task Metrics"]["Executor Run Time"] / 1000
            stages[event["Stage ID"]].append(took)
    tasks = max(stages.values(), key=sum)
    return Cost(
        seconds=seconds,
        work=sum(map(sum, stages.values())),
        tasks=len(tasks),
        longest=max(tasks) / statistics.median(tasks),
    )


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
        Row("longest task ÷ median", f"{two.longest:.2f}", f"{one.longest:.2f}", "—"),
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
    parser.add_argument("--people", type=int, default=30_000, help="size of the made-up dump")
    parser.add_argument("--split", type=int, default=32 << 20, help="bytes of a split")
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
