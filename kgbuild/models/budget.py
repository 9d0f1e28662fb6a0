"""The tokens that requests to a model use, and a limit on them."""

import asyncio
import math
from dataclasses import dataclass

from kgbuild.models.chat import Request

CHARACTERS = 4
"""Approximate number of characters per token, for servers that do not count tokens."""


@dataclass
class Used:
    """Numbers of tokens, of requests sent and answered, of cached replies, and of seconds.

    ``characters`` is the length of the answered requests.
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

    def count(self, tokens_in: int, tokens_out: int) -> None:
        """Add the tokens of a request and its reply."""
        self.tokens_in += tokens_in
        self.tokens_out += tokens_out


class Budget:
    """A limit on tokens (None: no limit) for requests that run concurrently in one event loop.

    A request waits while running requests may use up the limit. So at most one request exceeds the
    limit, unless replies are much longer than the replies before.
    """

    def __init__(self, limit: int | None, used: Used):
        self._limit = limit
        self._used = used
        self._reserved = 0
        self._changed = asyncio.Condition()

    async def reserve(self, request: Request) -> int | None:
        """Wait until a request may be sent; return its estimated tokens, None if it must not."""
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
        """Release the ``cost`` that ``reserve`` returned, after a reply or a failure."""
        async with self._changed:
            self._reserved -= cost
            self._changed.notify_all()

    def _cost(self, request: Request) -> int:
        """Estimate the tokens of a request and its reply, from the requests before."""
        if not self._used.answered:
            return request.characters // CHARACTERS + request.most_tokens
        per_character = self._used.tokens_in / max(1, self._used.characters)
        tokens_out = self._used.tokens_out / self._used.answered
        return math.ceil(request.characters * per_character + tokens_out)
