"""The processes of a build, each of which opens the store for itself."""

import atexit
import contextlib
import functools
import gc
import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing.connection import Connection
from multiprocessing.context import SpawnContext, SpawnProcess
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from kgbuild.catalog import catalog
from kgbuild.dump.child_processes import uninterrupted
from kgbuild.errors import DamagedStoreError, WorkerEndedError
from kgbuild.graph.open import Store, open_store

if TYPE_CHECKING:
    from kgbuild.graph.knowledge import Knowledge  # slow to import

_COLLECTION_THRESHOLD = 1_000_000
"""Number of new objects between two garbage collections in a worker.

Python's default is far lower, but rows and rejections have no reference cycles to collect."""


class Generation(NamedTuple):
    """A load of the store in a folder, by which a worker opens the same store."""

    folder: Path
    name: str


def generation(store: Store) -> Generation:
    """Return the load that a store is from."""
    return Generation(store.folder.parent, store.manifest.generation)


class _Worker(SpawnProcess):
    """A worker, which Ctrl-C does not reach."""

    def start(self) -> None:
        with uninterrupted():
            super().start()


class _Spawn(SpawnContext):
    """Starts workers anew: an open Oxigraph store cannot be forked."""

    Process = _Worker


@contextlib.contextmanager
def pool(count: int, prepare: Callable[[], None] | None = None) -> Iterator[ProcessPoolExecutor]:
    """Yield workers, each of which calls ``prepare`` first.

    They end with this process, and at once if an exception leaves the context, such as Ctrl-C.
    """
    spawn = _Spawn()
    alive, end = spawn.Pipe(duplex=False)
    workers = ProcessPoolExecutor(count, spawn, _start, (prepare, alive))
    try:
        yield workers
    except BaseException:
        end.close()
        raise
    finally:
        workers.shutdown(cancel_futures=True)
        end.close()
        alive.close()


def is_worker() -> bool:
    """Return whether this process is a worker, which starts no further ones."""
    return _started.is_set()


@contextlib.contextmanager
def worker_errors() -> Iterator[None]:
    """Turn the end of a worker that was killed into an error of kgbuild.

    Raises:
        WorkerEndedError: a worker ended.
    """
    try:
        yield
    except BrokenProcessPool as error:
        raise WorkerEndedError from error


_started = threading.Event()
"""Set in a worker. A process that another program has started is none."""


def _start(prepare: Callable[[], None] | None, alive: Connection) -> None:
    _started.set()
    gc.set_threshold(_COLLECTION_THRESHOLD)
    threading.Thread(target=_end_with_pool, args=(alive,), daemon=True).start()
    # As a forked process ends: Python would first collect and free millions of objects.
    atexit.register(os._exit, 0)
    if prepare:
        prepare()


def _end_with_pool(alive: Connection) -> None:
    """Wait until the other end of a pipe is closed, also by kill -9, and then end this process."""
    with contextlib.suppress(EOFError, OSError):
        alive.recv_bytes()
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
