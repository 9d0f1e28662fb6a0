"""The one door to language models: servers that speak OpenAI's chat protocol.

Requests go to the server's address and nowhere else, many at once. Each answer is kept in a file
as it comes, so what was answered once is never sent, or paid for, again. What gets no answer
becomes a value, not an error: the work goes on without it.
"""

import asyncio
import contextlib
import json
import math
import os
import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from kgbuild.errors import (
    MissingExtraError,
    NoKeyError,
    RefusedRequestsError,
    UnreachableServerError,
)
from kgbuild.models.chat import Failure, Reply, Request
from kgbuild.models.reply_cache import ReplyCache
from kgbuild.net.waits import retry_after

if TYPE_CHECKING:  # an extra, and slow to import
    import openai

HOSTED = "https://api.openai.com/v1"
"""The server that is asked where none is named but a key is there."""
LONGEST_WAIT = 120.0
"""Seconds that a busy server can make a request wait; if it asks for more, it gets no other try."""
_SLOWEST = 30.0
"""Seconds up to which the pauses between tries grow."""
_NO_KEY = "none"
"""Sent where there is no key: the protocol asks for one, but a local server doesn't."""
_BUSY = {408, 409, 429}
"""What may pass, like all from 500 on: a timeout, a conflict, a rate limit."""
_NO_ENTRY = 401
_SETUP = {_NO_ENTRY, 404}
"""What every request would get: a wrong key, an unknown model or address."""
_TOO_MANY = 10
"""So many refusals, and never an answer, are no fault of the requests."""
_TOKEN = 4
"""Bytes of a token, about, where a server doesn't count them."""
_MOST_TOKENS = 2**31
"""No server counts as many."""
_NEWER_LENGTH = "max_completion_tokens"
"""What hosted models want in the place of ``max_tokens``, which local servers know alone."""
_SHOWN = 200
"""Letters that are passed on of what a server says."""


@dataclass
class Used:
    """What was used: tokens, requests sent and answered, answers from the cache, and seconds."""

    tokens_in: int = 0
    tokens_out: int = 0
    requests: int = 0
    answered: int = 0
    cached: int = 0
    seconds: float = 0.0

    @property
    def tokens(self) -> int:
        """The tokens of requests and answers."""
        return self.tokens_in + self.tokens_out


class _Trouble(Exception):  # noqa: N818
    """A try brought no answer. Unless that lasts, another one may, ``wait`` seconds later."""

    def __init__(self, reason: str, detail: str, *, wait: float = 0.0, lasts: bool = False):
        super().__init__(detail)
        self.failure = Failure(reason, detail)
        self.wait = wait
        self.lasts = lasts or wait > LONGEST_WAIT


@dataclass
class Model:
    """A model behind a server, with a cache of its answers.

    The server is at ``base_url``, by default OPENAI_BASE_URL of the environment or else OpenAI's
    own; the key is OPENAI_API_KEY. ``budget`` is the number of tokens that may be used: a request
    waits while what is on its way may spend the rest, so it is exceeded by one request at most,
    or by answers that are much longer than those before. ``concurrency`` requests are on their
    way at once. Each has ``tries``, of ``timeout`` seconds; the pause between two is ``pause``
    seconds, doubled each time, less up to a half by chance, but no shorter than what the server
    asks for. ``notice`` is told of the first pause. ``used`` counts from the start of the process.
    """

    name: str
    cache: Path
    base_url: str = ""
    budget: int | None = None
    concurrency: int = 32
    tries: int = 5
    pause: float = 0.5
    timeout: float = 120.0
    notice: Callable[[Failure], None] = lambda _: None
    used: Used = field(default_factory=Used, init=False)
    _letters: int = field(default=0, init=False)
    _promised: int = field(default=0, init=False)
    _settled: asyncio.Condition = field(init=False)
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
        self,
        requests: Sequence[Request],
        progress: Callable[[int, int], None] = lambda *_: None,
    ) -> list[Reply | Failure]:
        """Return the answer to each request, in their order; equal requests are sent once.

        ``progress`` is told how many different requests are done, and how many there are.

        Raises:
            MissingExtraError: the package ``openai`` is not installed.
            NoKeyError: OpenAI's own server is to be asked, and there is no key for it.
            UnreachableServerError: there is no server, and was none before.
            RefusedRequestsError: the server takes no request at all.
            ReplyCacheError: the cache cannot be read or written.
        """
        started = time.monotonic()
        keys = [request.key(self.base_url.rstrip("/"), self.name) for request in requests]
        asked = dict(zip(keys, requests, strict=True))
        with contextlib.closing(ReplyCache(self.cache)) as cache:
            found: dict[str, Reply | Failure] = {**cache.get(asked)}
            self.used.cached += len(found)
            progress(len(found), len(asked))

            def keep(key: str, answer: Reply | Failure) -> None:
                if isinstance(answer, Reply):
                    cache.put(key, answer)
                found[key] = answer
                progress(len(found), len(asked))

            missing = {key: request for key, request in asked.items() if key not in found}
            try:
                if missing:
                    asyncio.run(self._ask(missing, keep))
            finally:
                self.used.seconds += time.monotonic() - started
        return [found[key] for key in keys]

    async def _ask(
        self, missing: Mapping[str, Request], keep: Callable[[str, Reply | Failure], None]
    ) -> None:
        ahead = iter(missing.items())
        self._settled = asyncio.Condition()  # each run has a loop of its own, which it belongs to

        async def work() -> None:
            for key, request in ahead:  # which all workers take from
                keep(key, await self._answer(client, request))

        async with self._client() as client:
            count = min(self.concurrency, len(missing))
            workers = [asyncio.create_task(work()) for _ in range(count)]
            try:
                await asyncio.gather(*workers)
            finally:  # at an error or Ctrl-C they end before their connections do
                for worker in workers:
                    worker.cancel()
                await asyncio.gather(*workers, return_exceptions=True)

    def _client(self) -> "openai.AsyncOpenAI":
        key = self._key
        self._require_sound(key)
        try:
            import openai
        except ImportError as error:
            raise MissingExtraError("llm", "openai") from error
        return openai.AsyncOpenAI(
            base_url=self.base_url,
            api_key=key or _NO_KEY,
            # Tries and their time are counted here, where what came can be judged as well.
            max_retries=0,
            timeout=None,
            # A redirect would lead to where nobody asked to send anything.
            http_client=openai.DefaultAsyncHttpxClient(follow_redirects=False, timeout=None),
        )

    def _require_sound(self, key: str) -> None:
        """Raise if nothing can be sent to that address or with that key."""
        try:
            parts = urlsplit(self.base_url)
            is_address = parts.scheme in ("http", "https") and bool(parts.hostname)
            _ = parts.port  # raises if it is no number, or none of a port
        except ValueError:
            is_address = False
        if not is_address:
            raise UnreachableServerError(self.base_url, "this is no http or https address")
        if not key and self.base_url == HOSTED:
            raise NoKeyError(HOSTED)
        if not (key.isascii() and key.isprintable()):
            raise RefusedRequestsError(self.base_url, self.name, 401, "it has letters no key has")

    async def _answer(self, client: "openai.AsyncOpenAI", request: Request) -> Reply | Failure:
        """Return the answer to a request, in as many tries as it takes."""
        for tried in range(self.tries):
            cost = await self._granted(request)
            if cost is None:
                return Failure("budget", f"{self.used.tokens:,} of {self.budget:,} tokens are used")
            try:
                return await self._send(client, request)
            except _Trouble as caught:
                trouble = caught
            finally:
                await self._settle(cost)
            if trouble.lasts or tried == self.tries - 1:
                break
            self._notify(trouble.failure)
            pause = min(self.pause * 2**tried, _SLOWEST) * random.uniform(0.5, 1.0)  # noqa: S311
            await asyncio.sleep(max(trouble.wait, pause))
        return trouble.failure

    async def _granted(self, request: Request) -> int | None:
        """Wait until the budget allows a request, and return what it may cost; None if it won't."""
        if self.budget is None:
            return 0
        async with self._settled:
            while self.used.tokens < self.budget:
                cost = self._cost(request)
                if not self._promised or self.used.tokens + self._promised + cost <= self.budget:
                    self._promised += cost
                    return cost
                await self._settled.wait()
        return None

    def _cost(self, request: Request) -> int:
        """Return how many tokens a request may take, by its length and what others took."""
        length = _length(request)
        if not self.used.answered:
            return length // _TOKEN + request.most_tokens
        used_in = length * self.used.tokens_in / max(1, self._letters)
        return math.ceil(used_in + self.used.tokens_out / self.used.answered)

    async def _settle(self, cost: int) -> None:
        async with self._settled:
            self._promised -= cost
            self._settled.notify_all()

    def _notify(self, failure: Failure) -> None:
        """Tell of the first trouble that has another try: what waits for it is silent else."""
        if not self._noticed:
            self._noticed = True
            self.notice(failure)

    async def _send(self, client: "openai.AsyncOpenAI", request: Request) -> Reply:
        import openai

        messages: Any = [
            {"role": message.role, "content": _sound(message.content)}
            for message in request.messages
        ]
        length: Any = {self._length: request.most_tokens}
        started = time.monotonic()
        self.used.requests += 1
        try:
            async with asyncio.timeout(self.timeout):
                response = await client.chat.completions.with_raw_response.create(
                    model=self.name,
                    messages=messages,
                    temperature=request.temperature,
                    **length,
                )
        except TimeoutError as error:
            raise _Trouble("no answer", f"nothing came in {self.timeout:g} s") from error
        except openai.APIStatusError as error:
            raise self._refused(error) from error
        except openai.APIConnectionError as error:
            raise self._unreached(error) from error
        self._answered = True
        return self._read(response.text, request, time.monotonic() - started)

    def _refused(self, error: "openai.APIStatusError") -> Exception:
        """Return what a status that is no success means: try again, leave it, or stop."""
        status, detail = error.status_code, _said(error)
        if status in _BUSY or status >= 500:
            wait = retry_after(error.response.headers.get("Retry-After", ""))
            if wait > LONGEST_WAIT:
                detail += f", and it asks for a pause of {wait:,.0f} s"
            return _Trouble("no answer", detail, wait=wait)
        if _NEWER_LENGTH in detail and self._refusals < _TOO_MANY:
            self._length = _NEWER_LENGTH  # several requests may be on their way with the older one
            return _Trouble("refused", detail)
        self._refusals += 1
        if status == _NO_ENTRY and not self._key:
            return NoKeyError(self.base_url)
        is_setup = status in _SETUP or (self._refusals == _TOO_MANY and not self.used.cached)
        if is_setup and not self._answered:
            return RefusedRequestsError(self.base_url, self.name, status, detail)
        return _Trouble("refused", detail, lasts=True)

    def _unreached(self, error: "openai.APIConnectionError") -> Exception:
        cause = error.__cause__ or error
        # By name, since it is of a library that is the client's own business.
        if type(cause).__name__ == "ConnectError" and not self._answered:
            return UnreachableServerError(self.base_url, str(cause))
        return _Trouble("no answer", str(cause).rstrip(".") or type(cause).__name__)

    def _read(self, body: str, request: Request, seconds: float) -> Reply:
        """Return the answer in the body of a response, and count its tokens."""
        try:
            told = json.loads(body)
            choice = told["choices"][0]
            content = choice["message"]["content"]
            finished = choice.get("finish_reason")
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
            detail = f"this is no answer of the chat protocol: {_short(body)}"
            raise _Trouble("nonsense", detail) from error
        sent = "".join(message.content for message in request.messages)
        said = _sound(content) if isinstance(content, str) else ""
        reply = Reply(
            text=said,
            was_cut=finished == "length",
            tokens_in=_tokens(told, "prompt_tokens", sent),
            tokens_out=_tokens(told, "completion_tokens", said),
            seconds=seconds,
        )
        self.used.tokens_in += reply.tokens_in
        self.used.tokens_out += reply.tokens_out
        if not reply.text.strip() and not isinstance(finished, str):
            raise _Trouble("nonsense", "an empty answer, which the server doesn't call finished")
        self.used.answered += 1
        self._letters += _length(request)
        return reply


def _length(request: Request) -> int:
    return sum(len(message.content) for message in request.messages)


def _tokens(told: Mapping[str, Any], name: str, text: str) -> int:
    """Return a count of the server's, or a guess from the text that was to be counted."""
    usage = told.get("usage")
    count = usage.get(name) if isinstance(usage, dict) else None
    if isinstance(count, int) and 0 <= count < _MOST_TOKENS:
        return int(count)
    return -(-len(text.encode("utf-8", "replace")) // _TOKEN)


def _said(error: "openai.APIStatusError") -> str:
    """Return what a server says about its refusal."""
    body = error.body
    told = (body.get("message") or body.get("detail")) if isinstance(body, dict) else body
    is_said = isinstance(told, str) and not told.lstrip().startswith("<")  # not a page for people
    return f"HTTP {error.status_code}" + is_said * f": {_short(str(told)).rstrip('.')}"


def _short(text: str) -> str:
    plain = " ".join(_sound(text).split())
    return f"{plain[:_SHOWN]}…" if len(plain) > _SHOWN else plain


def _sound(text: str) -> str:
    """Return a text without the halves of letters that JSON may hold and UTF-8 may not."""
    return text.encode("utf-8", "replace").decode()
