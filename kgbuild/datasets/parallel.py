"""Build many things on all cores. Each worker is a process that opens the store for itself."""

import contextlib
import functools
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import Future, ProcessPoolExecutor
from pathlib import Path
from typing import TypeVar

from kgbuild.catalog import catalog
from kgbuild.errors import DamagedStoreError
from kgbuild.graph.knowledge import Knowledge
from kgbuild.graph.open import open_store
from kgbuild.rows import Built, Progress

WORTH = 8
"""Of fewer things than this a worker would take longer to start than to build."""
_Thing = TypeVar("_Thing")


def build_on_all_cores(
    store: Path,
    generation: str,
    things: Mapping[str, _Thing],
    build: Callable[[Knowledge, _Thing], Built],
    progress: Progress = lambda *_: None,
) -> Iterator[Built]:
    """Build each thing, in turn, from a generation of the store in a folder.

    ``build`` and the things go to other processes, so all must be picklable. ``progress`` counts
    what is built, by name. The rows are those that one process makes.

    Raises:
        NoStoreError, DamagedStoreError: the store cannot be opened, or was replaced meanwhile.
    """
    workers = min(os.cpu_count() or 1, max(1, len(things) // WORTH))
    spawning = multiprocessing.get_context("spawn")  # what Oxigraph has open cannot be forked
    with ProcessPoolExecutor(workers, spawning, _prepare) as pool:
        futures = {
            name: pool.submit(_built, store, generation, build, thing)
            for name, thing in things.items()
        }
        for done, (name, future) in enumerate(futures.items()):
            progress(name, done, len(things))
            with _cancelling(futures.values()):
                yield future.result()


@contextlib.contextmanager
def _cancelling(futures: Iterable[Future[Built]]) -> Iterator[None]:
    """Let what has not begun be, if the user or an error ends the build."""
    try:
        yield
    except BaseException:
        for future in futures:
            future.cancel()
        raise


def _prepare() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever started the worker is told, too
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent:
        parent.join()
        os._exit(1)  # nobody will ask for anything any more


_open = contextlib.ExitStack()
"""What a worker has open, to its end."""


@functools.cache
def _knowledge(store: Path, generation: str) -> Knowledge:
    held = _open.enter_context(open_store(store))
    if held.manifest.generation != generation:
        raise DamagedStoreError(store, "another load has replaced it meanwhile; build again")
    return held.knowledge(catalog().kinds)


def _built(
    store: Path, generation: str, build: Callable[[Knowledge, _Thing], Built], thing: _Thing
) -> Built:
    return build(_knowledge(store, generation), thing)
