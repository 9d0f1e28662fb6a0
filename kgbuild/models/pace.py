"""How many requests to a server run at once: few at first, more while they come back faster.

A server that answers one request after the other brings no more by many at once; they would only
wait until they time out, and be sent again.
"""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

_FIRST = 4
"""Number of requests at once in the beginning."""
_GAIN = 1.2
"""Factor by which twice as many requests at once must raise the replies per second."""
_HOLD = 8
"""Number of windows before more requests at once are tried again."""


@dataclass
class Turn:
    """The turn of a request; ``is_slow`` if the server was too slow or busy for it."""

    is_slow: bool = False


class Pace:
    """A number of requests at once, of which ``most`` is the maximum.

    A window has as many replies as requests run at once. After each window the number is doubled,
    as long as the replies per second rise with it, and else halved to what it was. A time-out or
    a busy server halves it at once.
    """

    def __init__(self, most: int):
        self._most = most
        self._limit = min(_FIRST, most)
        self._running = 0
        self._changed = asyncio.Condition()
        self._rate = 0.0
        self._tried_from = 0
        self._held = 0
        self._restart()

    @asynccontextmanager
    async def turn(self) -> AsyncIterator["Turn"]:
        """Wait until one more request may run, and count it at its end."""
        turn = Turn()
        async with self._changed:
            await self._changed.wait_for(lambda: self._running < self._limit)
            self._running += 1
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
            self._tried_from, self._held = 0, _HOLD
            self._restart()
            return
        self._done += 1
        if self._done >= self._limit:
            self._adjust(self._done / max(time.monotonic() - self._since, 1e-6))

    def _adjust(self, rate: float) -> None:
        """Choose the next number of requests by the replies per second of a window."""
        if self._held:
            self._held -= 1
        elif self._tried_from and rate < _GAIN * self._rate:
            self._limit, self._tried_from, self._held = self._tried_from, 0, _HOLD
        elif self._limit < self._most:
            self._rate, self._tried_from = rate, self._limit
            self._limit = min(2 * self._limit, self._most)
        self._restart()

    def _restart(self) -> None:
        self._done, self._since = 0, time.monotonic()
