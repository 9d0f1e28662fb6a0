"""Run the tasks of a slice on Spark, and choose items by links that stay on the executors.

Executors are the processes that run tasks; sets of items are sent to them packed (see ``bitmaps``).
"""

import functools
import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import Any

from kgbuild.dump import bitmaps
from kgbuild.dump.bitmaps import Bitmap
from kgbuild.native.arrays import Positions
from kgbuild.rows import Progress
from kgbuild.slice import selection
from kgbuild.slice.spark import cluster, executor
from kgbuild.slice.spark.cluster import Rows, Session
from kgbuild.slice.spec import Spec

_TASKS_PER_CORE = 4
"""Minimum number of tasks per core, so that no core is idle for long while others are busy."""
_GROUPS_PER_CORE = 2
"""Number of tasks per core in a round of choosing: to start a task takes longer than its work."""
_BATCH_BYTES = 8 << 20
"""Number of bytes that go from Spark to Python at a time."""
_MAX_SETS = 32
"""Maximum number of sets of items (up to 20 MB each) that the driver, this process, receives."""


class Job:
    """Runs Spark's work for one slice. ``parts`` is the number of parts of the dumps."""

    parts = 1

    def __init__(self, session: Session, progress: Progress):
        conf = session.conf
        conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", 1 << 20)
        conf.set("spark.sql.execution.arrow.maxBytesPerBatch", _BATCH_BYTES)
        conf.set("spark.sql.execution.arrow.useLargeVarTypes", False)
        # Rows are few and large: Spark would search all of their bytes for repetitions.
        conf.set("spark.sql.inMemoryColumnarStorage.compressed", False)
        # Else it would copy the rows before into a longer array for each row.
        conf.set("spark.sql.inMemoryColumnarStorage.batchSize", 1)
        tasks = _TASKS_PER_CORE * session.sparkContext.defaultParallelism
        conf.set("spark.sql.files.minPartitionNum", tasks)
        self.session = session
        self._progress = progress
        self._kept: list[Rows] = []

    def close(self) -> None:
        """Remove the rows that are kept on the executors."""
        for rows in self._kept:
            rows.unpersist()

    def keep(self, rows: Rows) -> Rows:
        """Return the rows; they stay on the executors after they are computed."""
        self._kept.append(rows.persist())
        return rows

    def step(self, name: str) -> AbstractContextManager[None]:
        """Report the progress of the tasks that Spark runs within the block."""
        return cluster.reporting(self.session, functools.partial(self._progress, name))

    def collect(self, rows: Rows, column: str, step: str) -> list[Any]:
        """Return the values of a column that are not null, in the order of the dump."""
        with self.step(step):
            return [row[0] for row in column_of(rows, column).collect()]

    def union(self, rows: Rows, column: str, step: str, count: int) -> tuple[Bitmap, int]:
        """Return the union of ``count`` packed sets, and an upper bound of its numbers.

        If there are many sets, tasks unite groups of them first.
        """
        sets = column_of(rows, column)
        if count > _MAX_SETS:
            groups = sets.repartition(math.isqrt(count))
            sets, column = groups.mapInArrow(executor.united, executor.ITEMS), "items"
        return bitmaps.union(map(bytes, self.collect(sets, column, step)))

    def broadcast(self, value: Any) -> Any:
        """Send a value to all tasks."""
        return self.session.sparkContext.broadcast(value)

    def broadcast_set(self, bits: Bitmap) -> Any:
        """Send a set to all tasks, packed."""
        return self.broadcast(bitmaps.packed(bits))


class SparkLinks(selection.ClassLinks):
    """Links that stay on the executors. The methods do the same as those of ``Links``."""

    def __init__(self, job: Job, rows: Rows, spec: Spec):
        self._job = job
        self._rows = rows
        self._spec = spec
        cores = job.session.sparkContext.defaultParallelism
        self._tasks = min(job.parts, _GROUPS_PER_CORE * cores)

    def step(self, sources: Bitmap, targets: Bitmap) -> None:  # noqa: D102
        members, top = self._union(executor.stepped, sources=self._job.broadcast_set(sources))
        bitmaps.unite(targets, members, top)

    def grow(  # noqa: D102
        self, members: Bitmap, predicates: Sequence[int], is_backward: bool = False
    ) -> None:
        count = 1
        while count:
            before = self._job.broadcast_set(members)
            added, top = self._union(
                executor.grown, before=before, predicates=predicates, is_backward=is_backward
            )
            bitmaps.unite(members, added, top)
            count = bitmaps.count(added, top)

    def instances(self, classes: Bitmap) -> Iterator[Positions]:  # noqa: D102
        broadcast = self._job.broadcast_set(classes)
        task = functools.partial(executor.instances, classes=broadcast, spec=self._spec)
        rows = self._rows.mapInArrow(task, executor.ITEMS)
        return map(executor.numbers, self._job.collect(rows, "items", "choosing"))

    def _union(self, task: Callable[..., Any], **arguments: Any) -> tuple[Bitmap, int]:
        groups = self._rows.coalesce(self._tasks)  # of parts on the same executor, in any order
        rows = groups.mapInArrow(functools.partial(task, **arguments), executor.ITEMS)
        return self._job.union(rows, "items", "choosing", self._tasks)


def column_of(rows: Rows, column: str) -> Rows:
    """Return the rows that have a value in a column, with that column only."""
    return rows.select(column).where(f"{column} IS NOT NULL")
