"""Examine the candidates of one part on all cores, ahead of its builder.

A builder tries candidates in order until it has enough rows, and its choice may depend on the rows
so far. What does not depend on them is examined by workers, a few hundred candidates ahead of the
builder::

    for candidate, examined in ahead.of(candidates, row_count, examine, examiner):
        row = examined()  # computed by a worker, or now by examine(candidate)

``examiner`` returns ``examine`` in a worker. Since ``examine`` returns the same in each process,
the rows do not depend on the number of workers.
"""

import functools
import itertools
import os
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from kgbuild.datasets import workers
from kgbuild.datasets.workers import Generation
from kgbuild.graph.open import Store
from kgbuild.rows import Rejected
from kgbuild.store.arrays import forgetting

if TYPE_CHECKING:
    from kgbuild.graph.knowledge import Knowledge  # slow to import

MIN_ROWS = 1000
"""Minimum number of wanted rows: fewer rows are built before workers have started."""
_SHARE = 32
"""Number of candidates that a worker examines at a time, whatever the number of workers."""
_WAITING = 4
"""Maximum number of shares per worker that are examined ahead of the builder."""

T = TypeVar("T")
R = TypeVar("R")
Examine: TypeAlias = Callable[[T], R]
Examiner: TypeAlias = "Callable[[Knowledge], Examine[T, R]]"


@dataclass(frozen=True)
class Ahead:
    """Examines candidates in up to ``count`` workers, which open the store of a load."""

    opened: Generation
    count: int

    def of(
        self,
        candidates: Iterable[T],
        wanted: int,
        examine: Examine[T, R],
        examiner: "Examiner[T, R]",
    ) -> Generator[tuple[T, Callable[[], R]]]:
        """Yield each candidate with a function that returns, or raises, what ``examine`` does.

        ``wanted`` is the number of rows that the builder wants; there are no workers for few rows,
        and none in a worker. ``examiner`` must be picklable. Errors other than ``Rejected`` are
        raised by the iterator. Close the iterator, so that the workers end.
        """
        if self.count < 2 or wanted < MIN_ROWS or workers.is_worker():
            yield from (
                (candidate, functools.partial(examine, candidate)) for candidate in candidates
            )
            return
        left = iter(candidates)
        shares = iter(lambda: [*itertools.islice(left, _SHARE)], [])
        prepare = functools.partial(_prepare, self.opened, examiner)
        waiting: deque[tuple[list[T], Future[list[Any]]]] = deque()
        # The workers end at once if the iterator is closed, when the builder has enough rows.
        with workers.pool(self.count, prepare) as submit:
            for share in shares:
                waiting.append((share, submit(_examine_share, share)))
                if len(waiting) == self.count * _WAITING:
                    yield from _results(*waiting.popleft())
            while waiting:
                yield from _results(*waiting.popleft())


def ahead_of(store: Store) -> Ahead:
    """Return what examines the candidates of a store on all cores."""
    return Ahead(workers.generation(store), os.cpu_count() or 1)


def _results(
    share: Sequence[T], future: "Future[list[Any]]"
) -> Iterator[tuple[T, Callable[[], Any]]]:
    for candidate, result in zip(share, future.result(), strict=True):
        yield candidate, functools.partial(_result, result)


def _result(result: Any) -> Any:
    """Return the result of a worker, or raise it if the candidate is rejected."""
    if isinstance(result, Rejected):
        raise result
    return result


_jobs: list[tuple[Generation, "Examiner[Any, Any]"]] = []
"""What a worker examines with; empty in other processes."""


def _prepare(opened: Generation, examiner: "Examiner[T, R]") -> None:
    _jobs[:] = [(opened, examiner)]


@functools.cache
def _examine() -> "Examine[Any, Any]":
    """Return the function that examines the candidates of this worker."""
    ((opened, examiner),) = _jobs
    return examiner(workers.knowledge(opened))


def _examine_share(share: Sequence[T]) -> list[Any]:
    """Return the result for each candidate, or why it is rejected."""
    results: list[Any] = []
    for candidate in forgetting(share):
        try:
            results.append(_examine()(candidate))
        except Rejected as rejected:
            results.append(rejected)
    return results
