"""Measure commands and calls; format the results as Markdown."""

import argparse
import contextlib
import datetime
import os
import platform
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import llvmlite.binding as llvm

VERSIONS = ("kgbuild", "pyoxigraph", "oxigraph", "duckdb", "numpy", "isal")
"""Packages whose versions are printed."""
HEADS = ("kgbuild", "plain way", "plain ÷ kgbuild")
"""Headings of a table, after that of the first column."""
START, END = "<!-- measured -->", "<!-- end -->"
"""Marks in the document; ``-o`` replaces the text between them."""
_EVERY = 0.2
"""Number of seconds between two looks at the memory of the processes of a command."""

T = TypeVar("T")


class Row(NamedTuple):
    """A row of a table: name, result of both ways, and their ratio (plain divided by kgbuild)."""

    what: str
    kgbuild: str
    plain: str
    ratio: str


class Cost(NamedTuple):
    """Cost of a command: elapsed seconds, peak memory in bytes, CPU seconds.

    For a pipe, the peak is that of its largest command. ``together`` is the peak of all processes
    of a command, on Linux: pages that they share count once, and mapped files do not count, since
    the system takes these back when it needs memory.
    """

    seconds: float
    memory: int
    cpu: float = 0.0
    together: int = 0


def tell(text: str) -> None:
    """Print progress on standard error."""
    print(text, file=sys.stderr, flush=True)


def command(*arguments: str | Path) -> Cost:
    """Run a command and return its cost.

    Until a command runs, Linux counts the memory of its parent process as its own. So measure
    memory while this process is small.

    Raises:
        RuntimeError: the command failed; the message contains its output.
    """
    with tempfile.TemporaryFile() as output:
        started = time.perf_counter()
        child = subprocess.Popen([*map(str, arguments)], stdout=output, stderr=output)
        ended, peak = threading.Event(), [0]
        watch = threading.Thread(target=_watch, args=(child.pid, ended, peak))
        watch.start()
        _, status, usage = os.wait4(child.pid, 0)
        seconds = time.perf_counter() - started
        ended.set()
        watch.join()
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            output.seek(0)
            raise RuntimeError(f"{arguments}: {output.read().decode(errors='replace')}")
    scale = 1 if sys.platform == "darwin" else 1024
    return Cost(seconds, usage.ru_maxrss * scale, usage.ru_utime + usage.ru_stime, *peak)


def _watch(pid: int, ended: threading.Event, peak: list[int]) -> None:
    """Keep the peak of the memory of a process and its children until it has ended."""
    while not ended.wait(_EVERY):
        peak[0] = max(peak[0], sum(map(_own_memory, _with_children(pid))))


def _with_children(pid: int) -> Iterator[int]:
    """Yield a process and all its children, and theirs."""
    yield pid
    with contextlib.suppress(OSError):  # it has just ended
        for children in Path(f"/proc/{pid}/task").glob("*/children"):
            for child in children.read_text().split():
                yield from _with_children(int(child))


def _own_memory(pid: int) -> int:
    """Return the memory of a process without mapped files; its share of pages that are shared."""
    with contextlib.suppress(OSError):
        sizes = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
        return 1024 * sum(int(line.split()[1]) for line in sizes if line.startswith("Pss_Anon:"))
    return 0


def interleaved(
    repeat: int, ours: Callable[[], Cost], plain: Callable[[], Cost]
) -> tuple[list[Cost], list[Cost]]:
    """Run two ways in turn, so that other work on the machine affects both equally."""
    pairs = [(ours(), plain()) for _ in range(repeat)]
    return [first for first, _ in pairs], [second for _, second in pairs]


def timed(call: Callable[[], T]) -> tuple[float, T]:
    """Return the duration of a call in seconds, and its result."""
    started = time.perf_counter()
    found = call()
    return time.perf_counter() - started, found


def compared(what: str, ours: Sequence[float], plain: Sequence[float]) -> Row:
    """Return a row of times: the medians, and the median of the ratios of each pair.

    If the plain way was measured less often, its times belong to every n-th item: see ``spread``.
    """
    pairs = zip(ours[:: spread(len(ours), len(plain))], plain, strict=True) if plain else ()
    ratios = [other / own for own, other in pairs]
    return Row(
        what,
        seconds(statistics.median(ours)),
        seconds(statistics.median(plain)) if plain else "—",
        times(statistics.median(ratios)) if ratios else "—",
    )


def spread(many: int, few: int) -> int:
    """Return the step that selects at most ``few`` of ``many`` items.

    >>> spread(200, 20), len(range(200)[:: spread(200, 20)])
    (10, 20)
    """
    return max(1, -(-many // few))


def percentile95(values: Sequence[float]) -> float:
    """Return the value that 95 % of the values do not exceed."""
    return sorted(values)[max(0, -(-95 * len(values) // 100) - 1)]


def seconds(value: float) -> str:
    """Format a time with a suitable unit.

    >>> seconds(0.0123)
    '12.3 ms'
    """
    return f"{value:,.2f} s" if value >= 1 else f"{value * 1000:,.3g} ms"


def times(ratio: float) -> str:
    """Format a ratio.

    >>> times(0.5)
    '0.50 ×'
    """
    return f"{ratio:,.0f} ×" if ratio >= 10 else f"{ratio:.2f} ×"


def megabytes(size: float) -> str:
    """Format a size in megabytes."""
    return f"{size / 1e6:,.0f} MB"


def size_of(folder: Path) -> int:
    """Return the bytes of all files in a folder."""
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


def tool(name: str) -> str | None:
    """Return the path of a command beside this Python or on the search path, or None."""
    beside = Path(sys.executable).parent / name
    return str(beside) if beside.exists() else shutil.which(name)


LOADER = tool("oxigraph")
KGBUILD = [_KGBUILD] if (_KGBUILD := tool("kgbuild")) else [sys.executable, "-m", "kgbuild"]


def table(title: str, rows: Sequence[Row], heads: Sequence[str] = HEADS) -> str:
    """Return rows as a table in Markdown under a heading."""
    lines = ["| " + " | ".join(("what", *heads)) + " |", "| --- | --: | --: | --: |"]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join([f"### {title}", "", *lines])


def machine() -> str:
    """Return a line with the date, processor, load, memory and versions.

    The load is the mean number of processes at work in the last 15 minutes: on an idle machine, not
    more than the commands of the benchmark themselves.
    """
    cores = len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count()
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    versions = [f"{name} {version}" for name in VERSIONS if (version := _version(name))]
    today = datetime.datetime.now(datetime.UTC).date()
    return (
        f"{today}: {cores} cores ({_processor()}) with a load of {os.getloadavg()[2]:.1f}, "
        f"{memory:.0f} GiB of memory, {platform.system()}, "
        f"Python {platform.python_version()}, {', '.join(versions)}."
    )


def _processor() -> str:
    """Return the name that LLVM has for the processor, for which kernels are compiled."""
    return str(llvm.get_host_cpu_name())


def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None


def both(
    items: Sequence[str],
    slow: int,
    ours: Callable[[str], T],
    plain: Callable[[str], Any],
    same: Callable[[T, Any], bool],
) -> tuple[list[float], list[float]]:
    """Time both ways item by item, the plain one for only ``slow`` of the items.

    The ways take turns in going first, because the second one finds the item in memory.

    Raises:
        RuntimeError: the results differ.
    """
    taken: tuple[list[float], list[float]] = ([], [])
    step = spread(len(items), slow)
    for n, item in enumerate(items):
        ways = [(0, partial(ours, item)), (1, partial(plain, item))]
        asked = ways[:: 1 - 2 * (n // step % 2)] if n % step == 0 else ways[:1]
        answers: dict[int, Any] = {}
        for way, call in asked:
            elapsed, answers[way] = timed(call)
            taken[way].append(elapsed)
        if len(answers) == 2 and not same(answers[0], answers[1]):
            raise RuntimeError(f"the answers for {item!r} differ")
    return taken


def sampled(found: Sequence[T], size: int) -> list[T]:
    """Return a sample that is the same in every run."""
    return random.Random(0).sample(found, min(size, len(found)))


def put(document: Path, tables: str, start: str = START, end: str = END) -> None:
    """Replace the text between two marks of a document."""
    text = document.read_text(encoding="utf-8") if document.exists() else ""
    before, _, rest = text.partition(start)
    after = rest.partition(end)[2]
    document.write_text(f"{before}{start}\n{tables}\n{end}{after or chr(10)}", encoding="utf-8")


def of_slice(
    name: str, about: str | None, measured: Callable[[Path], str], start: str, end: str
) -> None:
    """Run a benchmark on the slice that the command line names."""
    parser = argparse.ArgumentParser(prog=f"python -m benchmarks.{name}", description=about)
    parser.add_argument("source", type=Path, help="a clean slice, .nt.gz")
    parser.add_argument("-o", "--output", type=Path, help="document to update")
    asked_for = parser.parse_args()
    if not asked_for.source.is_file():
        parser.error(f"there is no file {asked_for.source}")
    text = measured(asked_for.source)
    print(text)
    if asked_for.output:
        put(asked_for.output, text, start, end)
