"""Send single requests to a server with one of OpenAI's APIs, and handle its refusals.

A *refusal* is a response with the HTTP status of a failure. A parameter that the server refuses is
left out of all further requests. The API key, passwords, and values in the query of the URL are
removed from all messages. Only they are sent: of the user's environment, the proxies count, and no
~/.netrc.
"""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable, Collection
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from kgbuild.errors import KgbuildError, WrongCallError, missing_extra, sentence
from kgbuild.models import chat_reply
from kgbuild.models.api_formats import ApiFormat
from kgbuild.models.budget import Used
from kgbuild.models.chat import Failure, Reply, Request
from kgbuild.models.refusals import Refusal, read_refusal
from kgbuild.net import urls, waits

if TYPE_CHECKING:  # an extra, and slow to import
    import aiohttp

HOSTED = "https://api.openai.com/v1"
"""The default server, for users who set a key and no server."""
_MAX_BYTES = 2**24
"""Maximum size of a response; no reply of a model is as long."""
_UNAUTHORIZED = 401
_NOT_FOUND = 404


class TryError(Exception):
    """Raised when a try of a request fails.

    Another try may succeed after ``wait`` seconds, unless the failure ``lasts``. ``is_slow`` is
    whether the server was slow, busy or broken.
    """

    def __init__(
        self,
        reason: str,
        detail: str,
        *,
        wait: float = 0.0,
        lasts: bool = False,
        is_slow: bool = False,
    ):
        super().__init__(detail)
        self.failure = Failure(reason, waits.with_pause(detail, wait))
        self.wait = wait
        self.lasts = lasts or wait > waits.LONGEST_WAIT
        self.is_slow = is_slow


class Connection:
    """The connection to the server of ``model`` at ``url``.

    ``timeout`` is the maximum number of seconds for a reply. ``worked_before`` is whether replies
    of the model are cached, so its key and URL were right before. ``api`` is the format of requests
    and replies. ``dropped`` maps each parameter that the server refuses to the server's message;
    ``notice`` is called for each. ``ended`` is None, or after the user's quota is spent, or the
    server is dead, the failure of all further requests.
    """

    def __init__(
        self,
        url: str,
        model: str,
        key: str,
        used: Used,
        notice: Callable[[Failure], None],
        api: ApiFormat,
    ):
        self.timeout = 0.0
        self._session: aiohttp.ClientSession
        self.worked_before = False
        self.dropped: dict[str, str] = {}
        self.ended: Failure | None = None
        self._failures = 0
        self._url = urls.public(url)  # for messages
        self._address, self._password = urls.split_credentials(url)
        self._model = model
        self._key = key
        self._secrets = {key} | urls.sent_secrets(url)
        self._used = used
        self._notice = notice
        self._api = api
        self._names: dict[str, str] = dict(api.names)
        self._older: set[str] = set()  # parameters whose older value the server takes
        self._answered = False
        self._refusals = 0

    @asynccontextmanager
    async def open(self) -> AsyncIterator[None]:
        """Open the connection, and close it after the requests.

        Raises:
            KgbuildError: the package ``aiohttp`` is not installed, or the URL or the key is missing
                or invalid.
        """
        try:
            urls.parse_web(self._address)
            self._proxy = urls.proxy(self._address)
        except ValueError as error:
            detail = "this is not an http or https address"
            raise self._absence(detail, WrongCallError) from error
        if not self._key and self._address == HOSTED:
            raise WrongCallError(
                "Set OPENAI_BASE_URL to the server of the model, such as http://localhost:8000/v1, "
                f"or set OPENAI_API_KEY to use {HOSTED}."
            )
        if not (self._key.isascii() and self._key.isprintable()):
            raise self._refusal(_UNAUTHORIZED, "it has characters that no key has")
        try:
            import aiohttp
        except ImportError as error:
            raise missing_extra("llm", "aiohttp") from error
        self._session = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0),  # ``Pace`` limits the number of requests
            headers=self._headers(),
            timeout=aiohttp.ClientTimeout(total=None, sock_connect=None),
        )
        async with self._session:
            yield

    def _headers(self) -> dict[str, str]:
        """Return the header Authorization: of the URL, which the user wrote for it, or the key."""
        authorization = self._password or (f"Bearer {self._key}" if self._key else "")
        return {"Authorization": authorization} if authorization else {}

    @property
    def seems_dead(self) -> bool:
        """Whether the last eight tries failed; a server that refuses a request is alive."""
        return self._failures >= 8

    async def send(self, request: Request) -> Reply:
        """Return the reply to a request.

        Raises:
            TryError: there is no reply.
            WrongCallError, KgbuildError: no request can succeed.
        """
        try:
            reply = await self._send_accepted(request)
        except TryError as error:
            self._failures = 0 if error.failure.reason == "refused" else self._failures + 1
            raise
        self._failures = 0
        return reply

    async def _send_accepted(self, request: Request) -> Reply:
        """Return the reply to a request; if a parameter is refused, send it again without it."""
        too_large: set[str] = set()  # parameters to drop from this request only
        while True:
            older = frozenset(self._older)
            parameters = {
                self._names.get(name, name): self._api.older_values[name](value)
                if name in older
                else value
                for name, value in request.parameters.items()
                if name not in self.dropped and self._names.get(name, name) not in too_large
            }
            result = await self._send(request, parameters)
            if isinstance(result, Reply):
                return result
            if result.parameter and result.is_too_large:
                too_large.add(result.parameter)
            elif not self._drop_parameter(result, older):
                raise self._error_for(result)

    async def _send(self, request: Request, parameters: dict[str, Any]) -> Reply | Refusal:
        import aiohttp

        started = time.monotonic()
        self._used.requests += 1
        try:
            async with asyncio.timeout(self.timeout):
                async with self._session.post(
                    self._api.url(self._address),
                    json=self._api.body(self._model, request, parameters),
                    allow_redirects=False,  # to another server
                    proxy=self._proxy or None,
                ) as response:
                    text = await _read_text(response.content)
        except TimeoutError as error:
            detail = f"no response in {self.timeout:g} s"
            raise TryError("no answer", detail, is_slow=True) from error
        except (aiohttp.ClientError, OSError) as error:
            raise self._connection_error(error) from error
        if response.status >= 300:  # a redirect would lead to another server
            body = urls.redact(text, self._secrets)
            wait = waits.retry_after(response.headers.get("Retry-After", ""))
            return read_refusal(response.status, body, parameters, wait)
        self._answered = True
        # Shorter keys are placeholders, such as "none". They may be words of a reply, and stay.
        body = urls.redact(text, self._secrets, 8)
        return self._read(body, request, time.monotonic() - started, parameters)

    def _drop_parameter(self, refusal: Refusal, older: Collection[str]) -> bool:
        """Rename a parameter that the server refuses, take its older value, or leave it out.

        ``older`` are the parameters that the refused request had with their older value. Returns
        whether the request can be sent again: False if the refusal is not of a parameter.
        """
        older_names = {newer: older for older, newer in self._names.items()}
        name = older_names.get(refusal.parameter, refusal.parameter)
        current_name = self._names.get(name, name)
        if name in self._api.newer_names and name not in self._names:
            self._names[name] = self._api.newer_names[name]
        elif name in self._api.older_values and name not in older:
            self._older.add(name)
        # A concurrent request may have been sent before the parameter was renamed or dropped.
        elif name not in self.dropped and refusal.parameter == current_name != "":
            self.dropped[name] = refusal.detail
            self._notice(Failure("refused", f"{refusal.detail}; {name} is left out"))
        return bool(name)

    def _error_for(self, refusal: Refusal) -> Exception:
        """Return the error for a refusal: of this try, of the request, or of all requests."""
        status, detail = refusal.status, refusal.detail
        if refusal.is_quota:
            self.ended = Failure("quota", detail)
            return TryError(*self.ended, lasts=True)
        if status in (408, 409, 429) or status >= 500:  # timeout, conflict, rate limit
            return TryError("no answer", detail, wait=refusal.wait, is_slow=True)
        self._refusals += 1
        if status == _UNAUTHORIZED and not self._headers():
            return WrongCallError(
                f"{self._url} wants a key: {sentence(detail)} Set OPENAI_API_KEY."
            )
        # Every request would get a wrong key, model or URL, and perhaps what the first ten got.
        is_setup = status in (_UNAUTHORIZED, _NOT_FOUND) or (
            self._refusals == 10 and not self.worked_before
        )
        if is_setup and not self._answered:
            return self._refusal(status, detail)
        return TryError("refused", detail, lasts=True)

    def _absence(self, detail: str, kind: type[KgbuildError] = KgbuildError) -> KgbuildError:
        return kind(
            f"No server at {self._url}: {detail}. "
            "Start it, or name another with --base-url or OPENAI_BASE_URL."
        )

    def _refusal(self, status: int, detail: str) -> KgbuildError:
        """Return the error that the server refuses all requests with an HTTP status."""
        fault = f"{self._url} refuses the requests to '{self._model}'"
        if status == _UNAUTHORIZED:
            fault = f"{self._url} does not accept the key in OPENAI_API_KEY"
        elif status == _NOT_FOUND:
            fault = (
                f"{self._url} has no model '{self._model}', or the URL is wrong (most end in /v1)"
            )
        return KgbuildError(f"{fault}: {detail}.")

    def _connection_error(self, error: Exception) -> Exception:
        """Return the error for a broken connection; a server that never answered is unreachable."""
        import aiohttp

        no_connection = isinstance(error, aiohttp.ClientConnectorError | aiohttp.InvalidURL)
        if no_connection and not self._answered:
            return self._absence(urls.redact(str(error), self._secrets))
        if isinstance(error, aiohttp.ClientPayloadError):
            detail = "the server closed the connection before the end of the response"
        else:
            detail = urls.redact(str(error), self._secrets).rstrip(".") or type(error).__name__
        return TryError("no answer", detail, is_slow=True)

    def _read(
        self, body: str, request: Request, seconds: float, parameters: dict[str, Any]
    ) -> Reply:
        """Return the reply in the body of a response, and count its tokens."""
        try:
            reply = self._api.read(body, request, seconds)
        except ValueError as error:
            self._used.count(*chat_reply.tokens(body, self._api.usage))
            raise TryError("nonsense", str(error)) from error
        self._used.count(reply.tokens_in, reply.tokens_out)
        self._used.answered += 1
        self._used.characters += request.characters
        return reply._replace(parameters=json.dumps(parameters, sort_keys=True))


async def _read_text(content: "aiohttp.StreamReader") -> str:
    """Return the body of a response as a text."""
    chunks, size = [], 0
    async for chunk in content.iter_any():
        chunks.append(chunk)
        size += len(chunk)
        if size > _MAX_BYTES:
            raise TryError("nonsense", f"the response is larger than {_MAX_BYTES >> 20} MiB")
    return b"".join(chunks).decode("utf-8-sig", "replace")
