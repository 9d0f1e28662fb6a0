"""Read the next part of a dump while the one before is worked on."""

import threading
from collections.abc import Generator, Iterator
from typing import Generic, TypeVar

T = TypeVar("T")


class _NextPart(threading.Thread, Generic[T]):
    """Makes the next of some parts in a thread.

    A daemon: one that waits for a pipe must not hold up whoever gives up.
    """

    def __init__(self, parts: Iterator[T]):
        super().__init__(daemon=True)
        self._parts = parts
        self._part: T | None = None
        self._error: BaseException | None = None
        self.start()

    def run(self) -> None:
        try:
            self._part = next(self._parts, None)
        except BaseException as error:  # noqa: BLE001 (it is raised where the part is used)
            self._error = error

    def result(self) -> T | None:
        """Wait for the part; None if there is no more."""
        self.join()
        if self._error is not None:
            raise self._error
        return self._part


def read_ahead(parts: Iterator[T]) -> Generator[T, None, None]:
    """Yield the parts, while a thread already makes the next one."""
    following = _NextPart(parts)
    while (part := following.result()) is not None:
        following = _NextPart(parts)
        yield part
