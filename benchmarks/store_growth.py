"""Ask the questions of ``store_trial`` among many times as many people as a DuckDB file has.

The people of the file, and the statements between them, are repeated with other numbers, so their
values are as many times as frequent. Only statements between items are read.
"""

import argparse
import json
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import duckdb
import numpy as np
from kgbuild.store.postings import PostingsWriter

from benchmarks.store_answers import QUESTIONS, Arrays, Rows, Sql
from benchmarks.store_trial import now, since
from kgbuild.catalog import catalog
from kgbuild.dump.scanner import Scanned
from kgbuild.graph.knowledge import knowledge
from kgbuild.store.arrays import Array
from kgbuild.store.columns import Column, Columns
from kgbuild.store.counts import Counts
from kgbuild.store.postings import Postings, open_postings

_STEP = 2_000_000
"""Difference between the numbers of a person and of its first copy."""


def copies(path: Path, times: int) -> Iterator[tuple[Array, Array, Array]]:
    """Yield the subjects, properties and values of a file, and then those of each copy."""
    with duckdb.connect(str(path), read_only=True) as db:
        found = db.execute("FROM by_item WHERE value > 0").fetchnumpy()
    subjects, properties, values = (np.asarray(found[name]) for name in found)
    people = np.unique(subjects[(properties == 31) & (values == 5)])
    are_people, to_people = np.isin(subjects, people), np.isin(values, people)
    for n in range(times):
        chosen = are_people | (n == 0)
        yield (
            np.where(are_people, subjects + n * _STEP, subjects)[chosen],
            properties[chosen],
            np.where(to_people, values + n * _STEP, values)[chosen],
        )


def write_index(path: Path, times: int, folder: Path) -> Path:
    """Write the index of values."""
    writer = PostingsWriter(folder)
    for subjects, properties, values in copies(path, times):
        numbers = {"subject": subjects, "predicate": properties, "object": values}
        writer.add(
            cast(Scanned, SimpleNamespace(**{k: v.astype(np.int64) for k, v in numbers.items()}))
        )
    writer.write(folder / "postings", "")
    writer.close()
    return folder / "postings"


def write_tables(path: Path, times: int, folder: Path) -> Path:
    """Write the statements in both orders to a DuckDB file."""
    made = folder / "tables.duckdb"
    settings: dict[str, Any] = {
        "threads": 2,
        "memory_limit": "2GB",
        "temp_directory": str(folder / "sorting"),
    }
    with duckdb.connect(str(made), config=settings) as db:
        db.execute("CREATE TABLE statements (subject INTEGER, property INTEGER, value INTEGER)")
        for columns in copies(path, times):
            part = dict(zip(("subject", "property", "value"), columns, strict=True))  # noqa: F841
            db.execute("INSERT INTO statements FROM part")
        db.execute(
            "CREATE TABLE by_value AS"
            " SELECT DISTINCT property, value, subject FROM statements ORDER BY ALL;"
            "CREATE TABLE by_item AS SELECT subject, property, value FROM by_value ORDER BY ALL;"
            "DROP TABLE statements; CHECKPOINT"
        )
    return made


def arrays_of(index: Postings) -> Arrays:
    """Return the answers of an index, without columns."""
    empty = Column(np.empty(0, np.int64), np.zeros(1, np.int64), np.empty(0, np.uint8))
    columns, nothing = Columns._make([empty] * len(Columns._fields)), cast(Any, None)
    counts = Counts(Path("/proc/none"), "")
    return Arrays(knowledge(nothing, nothing, index, columns, counts, {}, catalog().kinds))


def main(arguments: Sequence[str] | None = None) -> None:
    """Print CPU seconds of both ways: of writing, and of the better of two answers."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.store_growth", description=__doc__)
    parser.add_argument("tables", type=Path, help="the DuckDB file of a store_trial")
    parser.add_argument("--times", type=int, default=10)
    asked = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        index, writing = timed(lambda: write_index(asked.tables, asked.times, folder))
        made, sorting = timed(lambda: write_tables(asked.tables, asked.times, folder))
        print(json.dumps({"write": [writing, sorting]}), flush=True)
        sides: list[Any] = [arrays_of(open_postings(index, "")), Sql(made)]
        for question in QUESTIONS:
            if hasattr(Sql, question) and question != "holders":  # which needs columns
                found = [[timed(getattr(side, question)) for _ in range(2)] for side in sides]
                first, second = (_sorted(answers[0][0]) for answers in found)
                assert np.array_equal(first, second), question
                best = [min(cost for _, cost in answers) for answers in found]
                print(json.dumps({question: best}), flush=True)


def timed(call: Callable[[], Any]) -> tuple[Any, float]:
    """Return the result of a call and its CPU seconds."""
    started = now()
    return call(), since(started)[0]


def _sorted(rows: Rows) -> Rows:
    return rows[np.lexsort(rows.T[::-1])]


if __name__ == "__main__":
    main()
