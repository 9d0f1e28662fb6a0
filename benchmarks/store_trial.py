"""Compare the files beside the graph of a store with one DuckDB file.

The lines of each slice are scanned, checked and surveyed as ``kgbuild load`` does it, and written
in several ways: to the files of today, to the same files by DuckDB's sorting, to a DuckDB file, and
to Oxigraph. Then the files and the DuckDB file answer the same questions about many items, each in
a process of its own, whose first answer is cold: its files are not in the cache of the system. At
last, single items are looked up.
"""

import argparse
import contextlib
import hashlib
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from benchmarks import measure
from benchmarks.measure import Cost
from benchmarks.run import KGBUILD, put
from benchmarks.store_answers import PERSON, QUESTIONS, Arrays, LookUps, Rows, Sql, in_files, in_sql
from benchmarks.store_files import FILE, WAYS, fill
from kgbuild.catalog import catalog
from kgbuild.graph.open import open_store
from kgbuild.store import manifest

START, END = "<!-- measured: store trial -->", "<!-- end: store trial -->"
"""Marks in the document; ``-o`` replaces the text between them."""
_ITEMS, _SIMILAR = 1000, 10
"""Numbers of items that are looked up, and to which similar ones are searched."""
_OURSELVES = (sys.executable, "-m", "benchmarks.store_trial")


class Asked(NamedTuple):
    """An answer: its number of rows and hash, and its (CPU, elapsed) seconds, cold and warm.

    Cold includes opening the files.
    """

    rows: int
    digest: str
    cold: tuple[float, float]
    warm: tuple[float, float]


def ask(question: str, folder: Path, side: str) -> Asked:
    """Return the answer of the arrays or the SQL to a question."""
    _evict(folder)
    started = now()
    with contextlib.ExitStack() as stack:
        answers: Sql | Arrays
        if side == "sql":
            answers = Sql(folder / FILE)
        else:
            store = stack.enter_context(open_store(folder))
            answers = Arrays(store.knowledge(catalog().kinds))
        rows: Rows = getattr(answers, question)().astype(np.int64)
        cold, started = since(started), now()
        getattr(answers, question)()
        warm = since(started)
    rows = np.ascontiguousarray(rows[np.lexsort(rows.T[::-1])])
    return Asked(len(rows), hashlib.blake2b(rows.tobytes(), digest_size=8).hexdigest(), cold, warm)


def now() -> tuple[float, float]:
    """Return the CPU time of this process and the time, in seconds."""
    return time.process_time(), time.perf_counter()


def since(started: tuple[float, float]) -> tuple[float, float]:
    """Return the CPU time and the elapsed time since ``now`` returned ``started``."""
    cpu, elapsed = now()
    return cpu - started[0], elapsed - started[1]


def _evict(folder: Path) -> None:
    """Take the files in a folder out of the cache of the operating system."""
    for path in filter(Path.is_file, folder.rglob("*")):
        with path.open("rb") as file:
            os.fsync(file)
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def look(folder: Path, drawn: Path, side: str) -> dict[str, tuple[float, float]]:
    """Return the (CPU, elapsed) seconds of each look-up."""
    items, names = json.loads(drawn.read_text())
    found = {}
    with contextlib.ExitStack() as stack:
        calls = (
            in_sql(folder / FILE)
            if side == "sql"
            else in_files(stack.enter_context(open_store(folder)))
        )
        for name, call in calls._asdict().items():
            values = names if name == "names" else items[:_SIMILAR] if name == "similar" else items
            call(values[0])  # which opens and compiles
            started = now()
            for value in values:
                call(value)
            cpu, elapsed = since(started)
            found[name] = cpu / len(values), elapsed / len(values)
    return found


def draw(store: Path) -> tuple[list[int], list[str]]:
    """Return people of a store with their names, in a seeded order."""
    with open_store(store) as held:
        people = held.knowledge({}).statements.subject_numbers(PERSON, "P31").tolist()
        chosen = random.Random(0).sample(people, min(len(people), 2 * _ITEMS))
        labels = [(item, label) for item in chosen if (label := held.labels.label(f"Q{item}"))]
    return [item for item, _ in labels[:_ITEMS]], [label for _, label in labels[:_ITEMS]]


class Record:
    """The measurements for a slice; those that the folder ``work`` has are reused."""

    def __init__(self, dump: Path, work: Path):
        self._dump, self._file = dump, work / f"{dump.name}.json"
        self._drawn = work / f"{dump.name}-items.json"
        self._store, self._beside = work / f"{dump.name}-store", work / f"{dump.name}-graph"
        self.values: dict[str, Any] = {}
        if self._file.exists():
            self.values = json.loads(self._file.read_text())

    def measure(self) -> None:
        """Measure what is not known yet."""
        load: tuple[str | Path, ...] = (*KGBUILD, "load", self._dump, "--store")
        self._keep("kgbuild load", partial(_loaded, self._store, *load))
        for way in WAYS:  # the files of the last one stay
            self._keep(way, partial(_loaded, self._beside, *_OURSELVES, "--fill", self._dump, way))
        current = manifest.read(self._store)
        paths = *(self._store / current.generation).iterdir(), self._beside / FILE
        self._keep("triples", lambda: current.triples)
        self._keep("size", lambda: {path.name: _size(path) for path in paths})
        if not self._drawn.exists():
            self._drawn.write_text(json.dumps(draw(self._store)))
        for side, answers, folder in (("arrays", Arrays, self._store), ("sql", Sql, self._beside)):
            for question in filter(partial(hasattr, answers), QUESTIONS):
                asking = partial(_output, "--ask", question, folder, side)
                self._keep(f"{question}: {side}", asking)
            self._keep(f"look: {side}", partial(_output, "--look", self._drawn, folder, side))

    def _keep(self, name: str, make: Callable[[], Any]) -> None:
        if name not in self.values:
            measure.tell(f"{self._dump.name}: {name}")
            self.values[name] = make()
            self._file.write_text(json.dumps(self.values, indent=1))


def _loaded(folder: Path, *command: str | Path) -> Cost:
    """Return the cost of a command that writes a new folder, its last argument."""
    if folder.exists():
        shutil.rmtree(folder)
    return measure.command(*command, folder)


def _output(*arguments: str | Path) -> Any:
    """Return what another process of this module prints."""
    return json.loads(subprocess.check_output([*map(str, (*_OURSELVES, *arguments))]))


def _size(path: Path) -> int:
    return measure.size_of(path) if path.is_dir() else path.stat().st_size


def tables(records: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    """Yield the tables of measurements."""
    heads = [f"{record['triples'] / 1e6:.1f} M triples" for record in records]
    costs = {way: [Cost(*record[way]) for record in records] for way in ("kgbuild load", *WAYS)}
    yield _table(
        "Loads: CPU time, elapsed time, peak memory",
        ["way", *heads],
        (
            [way, *(f"{c.cpu:.1f} s, {c.seconds:.0f} s, {c.memory / 1e9:.2f} GB" for c in of_way)]
            for way, of_way in costs.items()
        ),
    )
    files = (manifest.GRAPH, manifest.COLUMNS, manifest.POSTINGS, manifest.NAMES, FILE)
    yield _table(
        "Size on disk",
        ["file", *heads],
        ([name, *(measure.megabytes(each["size"][name]) for each in records)] for name in files),
    )
    yield _table(
        "Questions: CPU time of arrays, of SQL, and their ratio (elapsed times)",
        ["question", "", *heads],
        (
            [
                question.replace("_", " "),
                heat,
                *(_compared(each, question, heat) for each in records),
            ]
            for question in QUESTIONS
            for heat in ("cold", "warm")
        ),
    )
    yield _table(
        "Looking up one item: CPU time in arrays or SQLite, in DuckDB, and their ratio",
        ["what", *heads],
        (
            [
                name.replace("_", " "),
                *(
                    _ratio(*(each[f"look: {side}"][name][0] for side in ("arrays", "sql")))
                    for each in records
                ),
            ]
            for name in LookUps._fields
        ),
    )


def _compared(record: Mapping[str, Any], question: str, heat: str) -> str:
    """Return the times of both sides for a question, of which SQL may have no version."""
    sides = [
        Asked(*record[name])
        for side in ("arrays", "sql")
        if (name := f"{question}: {side}") in record
    ]
    cpu, elapsed = zip(*(getattr(side, heat) for side in sides), strict=True)
    mark = ", another answer" if len({(side.rows, side.digest) for side in sides}) > 1 else ""
    return f"{_ratio(*cpu)} ({', '.join(map(measure.seconds, elapsed))}){mark}"


def _ratio(arrays: float, sql: float | None = None) -> str:
    """Return both times and their ratio."""
    if sql is None:
        return measure.seconds(arrays)
    return f"{measure.seconds(arrays)}, {measure.seconds(sql)}, {measure.times(sql / arrays)}"


def _table(title: str, heads: Sequence[str], rows: Iterator[Sequence[str]]) -> str:
    """Return a table in Markdown under a heading."""
    lines = [heads, ["---", *["--:"] * (len(heads) - 1)], *rows]
    return "\n".join([f"### {title}", "", *(f"| {' | '.join(line)} |" for line in lines)])


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the benchmark."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.store_trial", description=__doc__)
    parser.add_argument("slices", nargs="*", type=Path, help="slices to load")
    parser.add_argument("--work", type=Path, help="folder for stores and measurements, reused")
    parser.add_argument("-o", "--output", type=Path, help="document to update")
    for name in ("--fill", "--ask", "--look"):
        parser.add_argument(name, nargs=3, help=argparse.SUPPRESS)
    asked = parser.parse_args(arguments)
    if asked.fill:
        dump, way, folder = asked.fill
        fill(dump, Path(folder), way)
    elif asked.ask:
        question, folder, side = asked.ask
        print(json.dumps(ask(question, Path(folder), side)))
    elif asked.look:
        drawn, folder, side = asked.look
        print(json.dumps(look(Path(folder), Path(drawn), side)))
    else:
        with tempfile.TemporaryDirectory() as folder:
            work = asked.work or Path(folder)
            records = [Record(dump, work) for dump in asked.slices]
            for record in records:
                record.measure()
        text = "\n\n".join((measure.machine(), *tables([record.values for record in records])))
        print(text)
        if asked.output:
            put(asked.output, text, START, END)


if __name__ == "__main__":
    main()
