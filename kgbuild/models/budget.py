"""Count the tokens that requests to a model use, limit them by a budget, and tell their cost."""

import math
from dataclasses import dataclass
from typing import NamedTuple

from kgbuild.models.chat import Request

CHARACTERS_PER_TOKEN = 4
"""Approximate number of characters per token, for servers that do not count tokens."""


@dataclass
class Used:
    """The use of a model: tokens, requests that were sent and answered, cached replies.

    ``characters`` is the total length of the answered requests.
    """

    tokens_in: int = 0
    tokens_out: int = 0
    requests: int = 0
    answered: int = 0
    cached: int = 0
    characters: int = 0

    @property
    def tokens(self) -> int:
        """The number of tokens of all requests and replies."""
        return self.tokens_in + self.tokens_out

    def count(self, tokens_in: int, tokens_out: int) -> None:
        """Add the tokens of a request and its reply."""
        self.tokens_in += tokens_in
        self.tokens_out += tokens_out


class Budget:
    """A limit on tokens (None: no limit) for requests that run concurrently in one event loop.

    A request waits as long as the running requests might reach the limit. So at most one request
    exceeds the limit, unless replies become much longer than earlier replies.
    """

    def __init__(self, limit: int | None, used: Used):
        import asyncio  # slow to import, and only requests need it

        self._limit = limit
        self._used = used
        self._reserved = 0
        self._changed = asyncio.Condition()

    async def reserve(self, request: Request) -> int | None:
        """Wait until a request may be sent; return its estimated tokens, or None if it must not."""
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
        """Give back the ``cost`` that ``reserve`` returned, after a reply or a failure."""
        async with self._changed:
            self._reserved -= cost
            self._changed.notify_all()

    def _cost(self, request: Request) -> int:
        """Estimate the tokens of a request and its reply from earlier requests."""
        if not self._used.answered:
            return request.characters // CHARACTERS_PER_TOKEN + request.max_tokens
        per_character = self._used.tokens_in / max(1, self._used.characters)
        tokens_out = self._used.tokens_out / self._used.answered
        return math.ceil(request.characters * per_character + tokens_out)


class Prices(NamedTuple):
    """The prices of a million tokens of requests and of replies, in any currency."""

    tokens_in: float
    tokens_out: float

    def cost(self, tokens_in: float, tokens_out: float) -> float:
        """Return the cost of numbers of tokens, in the currency of the prices.

        >>> Prices(2.5, 10).cost(1_000_000, 200_000)
        4.5
        """
        return (self.tokens_in * tokens_in + self.tokens_out * tokens_out) / 1_000_000

    @classmethod
    def parse(cls, text: str) -> "Prices":
        """Return the prices in a text such as "2.5,10".

        Raises:
            ValueError: the text is not two numbers from 0.
        """
        tokens_in, tokens_out = map(float, text.split(","))
        if not (0 <= tokens_in < float("inf") and 0 <= tokens_out < float("inf")):
            raise ValueError(text)
        return cls(tokens_in, tokens_out)
