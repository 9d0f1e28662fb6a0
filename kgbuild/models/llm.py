"""Send many requests to a language model concurrently, and cache its replies.

Requests go to the URL of the server and nowhere else. Each reply is saved when it arrives, so no
request is sent, or paid for, twice. A failed request returns a failure, and the other requests
continue.
"""

import asyncio
import contextlib
import os
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from kgbuild.models import batch
from kgbuild.models.api_formats import API_FORMATS, ApiFormat
from kgbuild.models.budget import Budget, Used
from kgbuild.models.chat import Failure, Reply, Request, better
from kgbuild.models.connection import HOSTED, Connection, TryError
from kgbuild.models.pace import Pace
from kgbuild.models.reply_cache import ReplyCache, complete, without_reply
from kgbuild.models.settings import CONCURRENCY, TIMEOUT, Settings
from kgbuild.net import waits


@dataclass
class Model:
    """A model on a server, with a cache of its replies.

    The server is at ``base_url``, by default at the URL in OPENAI_BASE_URL, or else OpenAI's; the
    key is OPENAI_API_KEY. ``budget`` is the maximum number of tokens. At most ``concurrency``
    requests run at once. ``pauses`` has the pause in seconds before each try of a request; a pause
    is shortened by a random share of up to half, but never below the wait that the server requests.
    A try takes at most ``timeout`` seconds. ``settings`` apply to all requests. ``cache_key``
    distinguishes models of the same name in the cache. ``api`` is "chat" or "responses".
    ``notice`` is called before the first pause, and when a parameter is left out. ``used`` counts
    tokens from the start of the process.
    """

    name: str
    cache: Path
    base_url: str = ""
    budget: int | None = None
    concurrency: int = CONCURRENCY
    pauses: Sequence[float] = waits.PAUSES
    timeout: float = TIMEOUT
    settings: Settings = field(default_factory=Settings)
    cache_key: str = ""
    api: str = "chat"
    notice: Callable[[Failure], None] = lambda _: None
    used: Used = field(default_factory=Used, init=False)
    _noticed: bool = field(default=False, init=False)
    _connection: Connection | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        self.base_url = self.base_url or os.environ.get("OPENAI_BASE_URL") or HOSTED

    @property
    def _api(self) -> ApiFormat:
        return API_FORMATS[self.api].at(self.base_url)

    def ask(
        self, requests: Sequence[Request], progress: Callable[[int, int], None] = lambda *_: None
    ) -> list[Reply | Failure]:
        """Return the reply to each request, in order; equal requests are sent once.

        ``progress`` is called with the number of distinct requests that are done, and of all.

        Raises:
            KgbuildError: the package ``aiohttp`` or the key is missing; no server has answered so
                far; the server refuses all requests; the cache cannot be read or written.
        """
        keys, requests_by_key = self.settings.by_key(requests, self.name, self.cache_key)
        replies = complete(
            self.cache,
            requests_by_key,
            self.used,
            lambda missing, keep: asyncio.run(self._ask(missing, keep)),
            progress,
        )
        return [replies[key] for key in keys]

    def batch(self, requests: Sequence[Request]) -> Iterator[str]:
        """Yield the lines of a batch file, with the requests whose replies are not cached."""
        _, requests_by_key = self.settings.by_key(requests, self.name, self.cache_key)
        missing = without_reply(self.cache, requests_by_key)
        return batch.lines(missing, self.name, self._api)

    def read_batch(
        self, path: Path, requests: Sequence[Request], tell: Callable[[str], None] = lambda _: None
    ) -> list[Reply | Failure]:
        """Cache the replies in the file ``path`` of a batch; return those to each request.

        A cached reply stays unless that of the file is better: the file may be older than the
        cache. A request without a reply in the cache or in the file has a failure. ``tell`` is
        called if lines of the file repeat a request.

        Raises:
            TableFileError: the file is not the result of a batch.
            KgbuildError: the cache cannot be read or written.
        """
        keys, requests_by_key = self.settings.by_key(requests, self.name, self.cache_key)
        results: dict[str, Reply | Failure] = {}
        repeated = 0
        for key, result in batch.read(path, requests_by_key, self._api):
            repeated += key in results
            results[key] = better(results.get(key), result)
        with contextlib.closing(ReplyCache(self.cache)) as cache:
            cached = cache.get(requests_by_key)
            new = {
                key: result
                for key, result in results.items()
                if better(cached.get(key), result) is result
            }
            for key, result in new.items():
                if isinstance(result, Reply):
                    cache.put(key, result)
                    self.used.count(result.tokens_in, result.tokens_out)
        if repeated:
            tell(f"{path}: {repeated:,} lines repeat a request; its best reply is kept.")
        self.used.cached += len(cached.keys() - new.keys())
        self.used.requests += len(new)
        replies = {**cached, **new}
        missing = Failure("no answer", f"{path} has no reply to it")
        return [replies.get(key, missing) for key in keys]

    async def _ask(
        self, missing: Mapping[str, Request], keep: Callable[[str, Reply | Failure], None]
    ) -> None:
        """Send the requests in concurrent workers, and pass each reply to ``keep``."""
        queue = iter(missing.items())  # all workers share it
        connection = self._connect()
        budget, pace = Budget(self.budget, self.used), Pace(self.concurrency)

        async def work() -> None:
            for key, request in queue:
                keep(key, await self._reply(connection, budget, pace, request))

        async with connection.open():
            count = min(self.concurrency, len(missing))
            workers = [asyncio.create_task(work()) for _ in range(count)]
            try:
                await asyncio.gather(*workers)
            finally:  # after an error or Ctrl-C, end the workers before their connections
                for worker in workers:
                    worker.cancel()
                await asyncio.gather(*workers, return_exceptions=True)

    def _connect(self) -> Connection:
        """Return the connection. It is reused, as it knows which parameters the server refuses."""
        if self._connection is None:
            key = os.environ.get("OPENAI_API_KEY", "").strip()
            self._connection = Connection(
                self.base_url, self.name, key, self.used, self.notice, self._api
            )
        self._connection.timeout = self.timeout
        self._connection.worked_before = bool(self.used.cached)
        if self._connection.seems_dead:  # it may be alive again
            self._connection.ended = None
        return self._connection

    async def _reply(
        self, connection: Connection, budget: Budget, pace: Pace, request: Request
    ) -> Reply | Failure:
        """Return the reply to a request, after several tries if necessary.

        If all fail, and so did all tries of other requests lately, no further request is sent.
        """
        for pause in (*self.pauses[1:], None):
            cost = await budget.reserve(request)
            if cost is None:
                return Failure("budget", f"{self.used.tokens:,} of {self.budget:,} tokens are used")
            try:
                async with pace.turn() as turn:
                    # It may have ended while the request waited for its turn.
                    if connection.ended:
                        return connection.ended
                    try:
                        return await connection.send(request)
                    except TryError as error:
                        turn.is_slow, try_error = error.is_slow, error
            finally:
                await budget.release(cost)
            if try_error.lasts or pause is None:
                break
            if not self._noticed:  # explain the first pause to the user
                self._noticed = True
                self.notice(try_error.failure)
            shortened = pause * random.uniform(0.5, 1.0)  # noqa: S311
            await asyncio.sleep(max(try_error.wait, shortened))
        if connection.seems_dead:
            connection.ended = try_error.failure
        return try_error.failure
