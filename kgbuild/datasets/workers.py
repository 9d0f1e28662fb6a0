"""The processes of a build, each of which opens the store for itself."""

import contextlib
import functools
import gc
import multiprocessing
import os
import pickle
import queue
import threading
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias, TypeVar

from kgbuild.catalog import catalog
from kgbuild.dump.child_processes import uninterrupted
from kgbuild.errors import DamagedStoreError, KgbuildError
from kgbuild.graph.open import Store, open_store

if TYPE_CHECKING:
    from kgbuild.graph.knowledge import Knowledge  # slow to import

T = TypeVar("T")


class Generation(NamedTuple):
    """A load of the store in a folder, by which a worker opens the same store."""

    folder: Path
    name: str


def generation(store: Store) -> Generation:
    """Return the load that a store is from."""
    return Generation(store.folder.parent, store.manifest.generation)


Submit: TypeAlias = Callable[..., "Future[Any]"]
"""Calls a function with arguments in a worker, and returns its future result."""


class _Worker:
    """A process that calls functions, one at a time, and its two pipes.

    Each worker has pipes of its own: if it is killed while it sends a result, the pipe ends, and
    nobody waits for the rest. In a ``ProcessPoolExecutor`` all share one, whose reader then hangs.
    """

    def __init__(self, prepare: Callable[[], None] | None) -> None:
        spawn = multiprocessing.get_context("spawn")  # an open Oxigraph store cannot be forked
        calls, self._calls = spawn.Pipe(duplex=False)
        self._results, results = spawn.Pipe(duplex=False)
        self._process = spawn.Process(target=_work, args=(prepare, calls, results), daemon=True)
        resource_tracker.ensure_running()  # the first worker's start would, and unblock Ctrl-C
        with calls, results, uninterrupted():  # Ctrl-C does not reach a worker
            self._process.start()

    def call(self, function: Callable[..., T], *arguments: Any) -> T:
        """Return, or raise, what a function does in the worker.

        Raises:
            KgbuildError: the worker was killed.
        """
        try:
            self._calls.send((function, arguments))
            is_returned, result = self._results.recv()
        except (EOFError, OSError) as error:
            self._process.join(10)  # it has closed its pipes
            if self._process.exitcode == 1:  # of Python, after an error; a signal's is negative
                raise KgbuildError(
                    "A process of the build could not begin: it imports the main module, which "
                    "ended in an error there. In a script, build in a function that is called "
                    "under 'if __name__ == \"__main__\":'."
                ) from error
            raise KgbuildError(
                "A process of the build ended, perhaps because memory was full. What was there "
                "before is unchanged; run the command again with more memory, or build fewer "
                "relations at a time."
            ) from error
        if not is_returned:
            raise result
        return result  # type: ignore[no-any-return]  # what the function returns

    def end(self) -> None:
        """End the process at once; a call that waits for it raises an error."""
        self._process.kill()
        self._process.join()


@contextlib.contextmanager
def pool(count: int, prepare: Callable[[], None] | None = None) -> Iterator[Submit]:
    """Yield what calls functions in workers, each of which calls ``prepare`` first.

    The workers end with the context, and with this process. What they still work at then is lost.
    """
    with contextlib.ExitStack() as ends, ThreadPoolExecutor(count) as threads:
        free: queue.SimpleQueue[_Worker] = queue.SimpleQueue()

        def call(function: Callable[..., Any], *arguments: Any) -> Any:
            worker = free.get()  # there are as many as threads
            try:
                return worker.call(function, *arguments)
            finally:
                free.put(worker)

        try:
            for _ in range(count):
                worker = _Worker(prepare)
                ends.callback(worker.end)
                free.put(worker)
            yield lambda function, *arguments: threads.submit(call, function, *arguments)
        finally:
            threads.shutdown(wait=False, cancel_futures=True)
            ends.close()


def is_worker() -> bool:
    """Return whether this process is a worker, which starts no further ones."""
    return _started.is_set()


_started = threading.Event()
"""Set in a worker. A process that another program has started is none."""


def _work(prepare: Callable[[], None] | None, received: Connection, results: Connection) -> None:
    """Call the functions that a pipe names, and send what each returns or raises."""
    _started.set()
    gc.set_threshold(1_000_000)  # rows and rejections have no reference cycles to collect
    calls: queue.SimpleQueue[tuple[Callable[..., Any], tuple[Any, ...]]] = queue.SimpleQueue()
    threading.Thread(target=_receive, args=(received, calls), daemon=True).start()
    if prepare:
        prepare()
    while True:
        function, arguments = calls.get()
        try:
            result = pickle.dumps((True, function(*arguments)))
        except Exception as error:  # noqa: BLE001  # the caller raises it
            error.add_note(traceback.format_exc())
            result = pickle.dumps((False, error))
        results.send_bytes(result)


def _receive(received: Connection, calls: "queue.SimpleQueue[Any]") -> None:
    """Pass on calls until the other end of their pipe is closed, also by kill -9; then end."""
    with contextlib.suppress(EOFError, OSError):
        while True:
            calls.put(received.recv())
    os._exit(1)


_open_stores = contextlib.ExitStack()
"""The stores that a worker keeps open until it ends."""


@functools.cache
def knowledge(opened: Generation) -> "Knowledge":
    """Return the knowledge of the store, which a worker opens once.

    Raises:
        DamagedStoreError: the store cannot be opened, or another load has replaced it.
    """
    store = _open_stores.enter_context(open_store(opened.folder))
    if store.manifest.generation != opened.name:
        raise DamagedStoreError(
            opened.folder, "another load has replaced it meanwhile; build again"
        )
    return store.knowledge(catalog().kinds)
