"""Send requests to language models on servers that speak OpenAI's chat protocol.

Requests go to the server's address and nowhere else, many at once. Each reply is saved when it
comes, so no request is sent, or paid for, twice. A failed request returns a failure, and the other
requests continue.
"""

import asyncio
import contextlib
import os
import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kgbuild.errors import (
    MissingExtraError,
    NoKeyError,
    RefusedRequestsError,
    UnreachableServerError,
)
from kgbuild.models import chat_reply
from kgbuild.models.budget import Budget, Used
from kgbuild.models.chat import Failure, Reply, Request
from kgbuild.models.reply_cache import ReplyCache
from kgbuild.net import urls, waits

if TYPE_CHECKING:  # an extra, and slow to import
    import openai

HOSTED = "https://api.openai.com/v1"
"""The default server, for users who set a key and no server."""
_NO_KEY = "none"
"""The key to send if the user has none: the client requires a key, local servers do not."""
_BUSY = {408, 409, 429}
"""Temporary statuses, besides those from 500: a timeout, a conflict, a rate limit."""
_UNAUTHORIZED = 401
_SETUP = {_UNAUTHORIZED, 404}
"""Statuses of a wrong key, model or address: every request would get them."""
_MOST_REFUSALS = 10
"""After this number of refusals without a reply, all requests are given up."""
_NEWER_LENGTH = "max_completion_tokens"
"""The name for ``max_tokens`` that hosted models require and local servers do not know."""


class _TryError(Exception):
    """A failed try; another one may succeed after ``wait`` seconds, unless it ``lasts``."""

    def __init__(self, reason: str, detail: str, *, wait: float = 0.0, lasts: bool = False):
        super().__init__(detail)
        self.failure = Failure(reason, waits.with_pause(detail, wait))
        self.wait = wait
        self.lasts = lasts or wait > waits.LONGEST_WAIT


@dataclass
class Model:
    """A model on a server, with a cache of its replies.

    The server is at ``base_url``, by default OPENAI_BASE_URL of the environment or else OpenAI's
    own; the key is OPENAI_API_KEY. ``budget`` limits the tokens that are used. ``concurrency``
    requests run at once. Each has as many tries, of ``timeout`` seconds, as there are ``pauses``;
    a pause is shortened at random, by half at most, but not below what the server asks for.
    ``notice`` is called before the first pause. ``used`` counts from the start of the process.
    """

    name: str
    cache: Path
    base_url: str = ""
    budget: int | None = None
    concurrency: int = 32
    pauses: Sequence[float] = waits.PAUSES
    timeout: float = 120.0
    notice: Callable[[Failure], None] = lambda _: None
    used: Used = field(default_factory=Used, init=False)
    _length: str = field(default="max_tokens", init=False)
    _noticed: bool = field(default=False, init=False)
    _answered: bool = field(default=False, init=False)
    _refusals: int = field(default=0, init=False)

    def __post_init__(self) -> None:
        self.base_url = self.base_url or os.environ.get("OPENAI_BASE_URL") or HOSTED

    @property
    def _key(self) -> str:
        return os.environ.get("OPENAI_API_KEY", "").strip()

    def ask(
        self, requests: Sequence[Request], progress: Callable[[int, int], None] = lambda *_: None
    ) -> list[Reply | Failure]:
        """Return the reply to each request, in their order; equal requests are sent once.

        ``progress`` is called with the numbers of different requests that are done and in all.

        Raises:
            MissingExtraError: the package ``openai`` is not installed.
            NoKeyError: the server is OpenAI's own, and there is no key for it.
            UnreachableServerError: no server has answered so far.
            RefusedRequestsError: the server refuses all requests.
            ReplyCacheError: the cache cannot be read or written.
        """
        started = time.monotonic()
        keys = [request.key(self.base_url.rstrip("/"), self.name) for request in requests]
        by_key = dict(zip(keys, requests, strict=True))
        with contextlib.closing(ReplyCache(self.cache)) as cache:
            replies: dict[str, Reply | Failure] = {**cache.get(by_key)}
            self.used.cached += len(replies)
            progress(len(replies), len(by_key))

            def keep(key: str, reply: Reply | Failure) -> None:
                if isinstance(reply, Reply):
                    cache.put(key, reply)
                replies[key] = reply
                progress(len(replies), len(by_key))

            missing = {key: request for key, request in by_key.items() if key not in replies}
            try:
                if missing:
                    asyncio.run(self._ask(missing, keep))
            finally:
                self.used.seconds += time.monotonic() - started
        return [replies[key] for key in keys]

    async def _ask(
        self, missing: Mapping[str, Request], keep: Callable[[str, Reply | Failure], None]
    ) -> None:
        queue = iter(missing.items())
        budget = Budget(self.budget, self.used)

        async def work() -> None:
            for key, request in queue:  # which all workers share
                keep(key, await self._reply(client, budget, request))

        async with self._client() as client:
            count = min(self.concurrency, len(missing))
            workers = [asyncio.create_task(work()) for _ in range(count)]
            try:
                await asyncio.gather(*workers)
            finally:  # after an error or Ctrl-C they end before their connections do
                for worker in workers:
                    worker.cancel()
                await asyncio.gather(*workers, return_exceptions=True)

    def _client(self) -> "openai.AsyncOpenAI":
        self._require_setup(self._key)
        try:
            import openai
        except ImportError as error:
            raise MissingExtraError("llm", "openai") from error
        return openai.AsyncOpenAI(
            base_url=self.base_url,
            api_key=self._key or _NO_KEY,
            # This module counts tries and their time, because it checks replies, too.
            max_retries=0,
            timeout=None,
            # A redirect would send requests to another server.
            http_client=openai.DefaultAsyncHttpxClient(follow_redirects=False, timeout=None),
        )

    def _require_setup(self, key: str) -> None:
        """Raise if nothing can be sent to the address or with the key."""
        try:
            urls.parse_web(self.base_url)
        except ValueError as error:
            detail = "this is not an http or https address"
            raise UnreachableServerError(self.base_url, detail) from error
        if not key and self.base_url == HOSTED:
            raise NoKeyError(HOSTED)
        if not (key.isascii() and key.isprintable()):
            raise RefusedRequestsError(self.base_url, self.name, 401, "it has letters no key has")

    async def _reply(
        self, client: "openai.AsyncOpenAI", budget: Budget, request: Request
    ) -> Reply | Failure:
        """Return the reply to a request, after several tries if necessary."""
        for pause in (*self.pauses[1:], None):
            cost = await budget.reserve(request)
            if cost is None:
                return Failure("budget", f"{self.used.tokens:,} of {self.budget:,} tokens are used")
            try:
                return await self._send(client, request)
            except _TryError as error:
                failed = error
            finally:
                await budget.release(cost)
            if failed.lasts or pause is None:
                break
            if not self._noticed:  # nothing else explains the silence of the first pause
                self._noticed = True
                self.notice(failed.failure)
            shortened = pause * random.uniform(0.5, 1.0)  # noqa: S311
            await asyncio.sleep(max(failed.wait, shortened))
        return failed.failure

    async def _send(self, client: "openai.AsyncOpenAI", request: Request) -> Reply:
        import openai

        messages: Any = [
            {"role": message.role, "content": chat_reply.encodable(message.content)}
            for message in request.messages
        ]
        length: Any = {self._length: request.most_tokens}
        started = time.monotonic()
        self.used.requests += 1
        try:
            async with asyncio.timeout(self.timeout):
                response = await client.chat.completions.with_raw_response.create(
                    model=self.name, messages=messages, temperature=request.temperature, **length
                )
        except TimeoutError as error:
            raise _TryError("no answer", f"nothing came in {self.timeout:g} s") from error
        except openai.APIStatusError as error:
            raise self._refused(error) from error
        except openai.APIConnectionError as error:
            raise self._unreached(error) from error
        self._answered = True
        return self._read(response.text, request, time.monotonic() - started)

    def _refused(self, error: "openai.APIStatusError") -> Exception:
        """Return the error for the status of a failure: try again, give up, or stop all."""
        status, detail = error.status_code, chat_reply.refusal(error.status_code, error.body)
        if status in _BUSY or status >= 500:
            wait = waits.retry_after(error.response.headers.get("Retry-After", ""))
            return _TryError("no answer", detail, wait=wait)
        if _NEWER_LENGTH in detail and self._refusals < _MOST_REFUSALS:
            self._length = _NEWER_LENGTH  # other requests may still be on their way with the older
            return _TryError("refused", detail)
        self._refusals += 1
        if status == _UNAUTHORIZED and not self._key:
            return NoKeyError(self.base_url)
        is_setup = status in _SETUP or (self._refusals == _MOST_REFUSALS and not self.used.cached)
        if is_setup and not self._answered:
            return RefusedRequestsError(self.base_url, self.name, status, detail)
        return _TryError("refused", detail, lasts=True)

    def _unreached(self, error: "openai.APIConnectionError") -> Exception:
        cause = error.__cause__ or error
        # By name, because only the client knows its HTTP library.
        if type(cause).__name__ == "ConnectError" and not self._answered:
            return UnreachableServerError(self.base_url, str(cause))
        return _TryError("no answer", str(cause).rstrip(".") or type(cause).__name__)

    def _read(self, body: str, request: Request, seconds: float) -> Reply:
        """Return the reply in the body of a response, and count its tokens."""
        try:
            reply, is_finished = chat_reply.read(body, request, seconds)
        except ValueError as error:
            raise _TryError("nonsense", str(error)) from error
        self.used.tokens_in += reply.tokens_in
        self.used.tokens_out += reply.tokens_out
        if not reply.text.strip() and not is_finished:
            raise _TryError("nonsense", "an empty answer, which the server doesn't call finished")
        self.used.answered += 1
        self.used.characters += request.characters
        return reply
