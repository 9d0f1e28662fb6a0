"""Choose the number of concurrent requests: few at first, more while the rate of replies rises.

If a server handles requests one by one, more concurrent requests do not raise the rate. They would
only wait, time out, and be sent again.
"""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

_MIN_GAIN = 1.2
"""Minimum factor by which doubling the concurrent requests must raise the replies per second."""
_HOLD = 8
"""Number of windows without an increase after the number was halved."""


@dataclass
class Turn:
    """The permission to send a request at the time ``since``.

    ``is_slow`` is set if the server was too slow or busy.
    """

    since: float
    is_slow: bool = False


class Pace:
    """A limit on the number of concurrent requests, between 1 and ``maximum``.

    A window ends after as many replies as the limit, to requests that were sent in it. After each
    window the limit is doubled, as long as this raises the replies per second; otherwise it returns
    to its last value. A time-out or a busy server halves it at once.

    The replies per second are the limit divided by the mean duration of a request (Little's law),
    which few replies estimate better than a count of replies in a short time.
    """

    def __init__(self, maximum: int):
        self._maximum = maximum
        self._limit = min(4, maximum)
        self._running = 0
        self._changed = asyncio.Condition()
        self._rate = 0.0  # replies per second before the last increase
        self._previous_limit = 0  # before the last increase; 0 without one
        self._windows_to_hold = 0
        self._restart()

    @asynccontextmanager
    async def turn(self) -> AsyncIterator["Turn"]:
        """Wait until one more request may run; count it when the block ends."""
        async with self._changed:
            await self._changed.wait_for(lambda: self._running < self._limit)
            self._running += 1
        turn = Turn(time.monotonic())
        try:
            yield turn
        finally:
            async with self._changed:
                self._running -= 1
                self._count(turn)
                self._changed.notify(max(1, self._limit - self._running))

    def _count(self, turn: "Turn") -> None:
        if turn.is_slow:
            self._limit = max(1, self._limit // 2)
            self._previous_limit, self._windows_to_hold = 0, _HOLD
            self._restart()
            return
        if turn.since < self._since:  # other numbers of requests ran beside it
            return
        self._done += 1
        self._seconds += time.monotonic() - turn.since
        if self._done >= self._limit:
            self._adjust(self._limit * self._done / max(self._seconds, 1e-6))

    def _adjust(self, rate: float) -> None:
        """Choose the next limit by ``rate``, the replies per second of a window."""
        if self._windows_to_hold:
            self._windows_to_hold -= 1
        elif self._previous_limit and rate < _MIN_GAIN * self._rate:
            self._limit = self._previous_limit
            self._previous_limit, self._windows_to_hold = 0, _HOLD
        elif self._limit < self._maximum:
            self._rate, self._previous_limit = rate, self._limit
            self._limit = min(2 * self._limit, self._maximum)
        self._restart()

    def _restart(self) -> None:
        self._done, self._seconds, self._since = 0, 0.0, time.monotonic()
