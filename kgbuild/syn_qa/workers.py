"""Build many paths on all cores. Each worker is a process that opens the store for itself."""

import contextlib
import functools
import multiprocessing
import os
import signal
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from pathlib import Path

from kgbuild import relations
from kgbuild.building import Built, Progress
from kgbuild.errors import DamagedStoreError
from kgbuild.kg.knowledge import Knowledge
from kgbuild.kg.reading import opened
from kgbuild.relations import catalog
from kgbuild.syn_qa.build import Options, build

WORTH = 8
"""Of fewer paths than this a worker would take longer to start than to build."""


def build_on_all_cores(
    store: Path,
    generation: str,
    paths: Sequence[relations.Path],
    options: Options,
    progress: Progress = lambda *_: None,
) -> Iterator[Built]:
    """Build the pairs of each path, in turn, from a generation of the store in a folder.

    ``progress`` counts the paths that are built. The pairs are those that one process makes.

    Raises:
        NoStoreError, DamagedStoreError: the store cannot be opened, or was replaced meanwhile.
    """
    workers = min(os.cpu_count() or 1, len(paths) // WORTH)
    spawning = multiprocessing.get_context("spawn")  # what Oxigraph has open cannot be forked
    with ProcessPoolExecutor(workers, spawning, _prepare) as pool:
        futures = [pool.submit(_built, store, generation, path, options) for path in paths]
        for done, (path, future) in enumerate(zip(paths, futures, strict=True)):
            progress(path.name, done, len(paths))
            with _cancelling(futures):
                yield future.result()


@contextlib.contextmanager
def _cancelling(futures: Sequence[Future[Built]]) -> Iterator[None]:
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
    held = _open.enter_context(opened(store))
    if held.manifest.generation != generation:
        raise DamagedStoreError(store, "another load has replaced it meanwhile; build again")
    return held.knowledge(catalog().kinds)


def _built(store: Path, generation: str, path: relations.Path, options: Options) -> Built:
    (built,) = build(_knowledge(store, generation), catalog(), [path], options)
    return built
