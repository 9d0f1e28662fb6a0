"""Read the next part of a dump while the program works on the one before."""

import threading
from collections.abc import Generator, Iterator
from concurrent.futures import Future
from typing import TypeVar

T = TypeVar("T")


def read_ahead(parts: Iterator[T]) -> Generator[T, None, None]:
    """Yield parts, while a thread already makes the next one."""
    following = _next(parts)
    while (part := following.result()) is not None:
        following = _next(parts)
        yield part


def _next(parts: Iterator[T]) -> "Future[T | None]":
    future: Future[T | None] = Future()

    def make() -> None:
        try:
            future.set_result(next(parts, None))
        except BaseException as error:  # noqa: BLE001 (it is raised where the part is used)
            future.set_exception(error)

    # A daemon: a thread that waits for a pipe must not keep the program from ending.
    threading.Thread(target=make, daemon=True).start()
    return future
