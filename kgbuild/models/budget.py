"""The tokens that requests to a model use, and a limit on them."""

import asyncio
import math
from dataclasses import dataclass

from kgbuild.models.chat import Request

CHARACTERS = 4
"""Characters of a token, about, where a server does not count them."""


@dataclass
class Used:
    """Tokens, requests sent and answered, replies from the cache, and seconds.

    ``characters`` are those of the answered requests.
    """

    tokens_in: int = 0
    tokens_out: int = 0
    requests: int = 0
    answered: int = 0
    cached: int = 0
    seconds: float = 0.0
    characters: int = 0

    @property
    def tokens(self) -> int:
        """The tokens of requests and replies."""
        return self.tokens_in + self.tokens_out


class Budget:
    """A limit on tokens, None for no limit, for requests that run at once in one event loop.

    A request waits while the others may spend the rest, so one request at most exceeds the limit,
    or replies that are much longer than those before.
    """

    def __init__(self, limit: int | None, used: Used):
        self._limit = limit
        self._used = used
        self._reserved = 0
        self._changed = asyncio.Condition()

    async def reserve(self, request: Request) -> int | None:
        """Wait until a request may be sent; return its estimated tokens, None if it may not be."""
        if self._limit is None:
            return 0
        async with self._changed:
            while self._used.tokens < self._limit:
                cost = self._cost(request)
                if not self._reserved or self._used.tokens + self._reserved + cost <= self._limit:
                    self._reserved += cost
                    return cost
                await self._changed.wait()
        return None

    async def release(self, cost: int) -> None:
        """End the reservation of a request that was answered, or failed."""
        async with self._changed:
            self._reserved -= cost
            self._changed.notify_all()

    def _cost(self, request: Request) -> int:
        """Estimate the tokens of a request and its reply, from those before."""
        if not self._used.answered:
            return request.characters // CHARACTERS + request.most_tokens
        per_character = self._used.tokens_in / max(1, self._used.characters)
        tokens_out = self._used.tokens_out / self._used.answered
        return math.ceil(request.characters * per_character + tokens_out)
