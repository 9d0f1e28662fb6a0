"""Send HTTP requests, one at a time, and repeat failed requests as ``waits`` defines."""

import contextlib
import os
import string
import time
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote, urljoin

from kgbuild import __version__
from kgbuild.net import failures, urls, waits
from kgbuild.net.failures import RefusedError, UnansweredError

if TYPE_CHECKING:  # slow to import, and most runs need none of it
    from kgbuild.net.transport import Response, Transport

SILENCE = 90.0
"""Seconds without data after which a connection is closed: public endpoints end queries at 60."""
DEADLINE = 300.0
"""Maximum number of seconds until a response is complete."""
_REDIRECTS = {301, 302, 303, 307, 308}
_SEE_OTHER = 303
_MAX_REQUESTS = 5
"""Maximum number of requests for one response: the first request and its redirects."""
_HTML_STARTS = (b"<!doctype html", b"<html")
"""The beginnings of HTML pages, in lower case."""


class HttpAnswer(NamedTuple):
    """A complete response; ``url`` is the URL after all redirects, ``media_type`` in lower case.

    ``is_framed`` is whether the server marked the end of the body, by a length or by chunks.
    Otherwise the body may be cut short without notice. ``secrets`` must not be in errors.
    """

    body: bytes
    media_type: str
    url: str
    is_framed: bool = True
    secrets: frozenset[str] = frozenset()

    @property
    def is_page(self) -> bool:
        """Whether this is an HTML page, by its first bytes or its media type.

        The media type may be wrong, and N-Triples begin with "<" as well.
        """
        start = self.body.lstrip()[: max(map(len, _HTML_STARTS))].lower()
        return start.startswith(_HTML_STARTS) or ("html" in self.media_type and start[:1] == b"<")

    def describe(self, error: Exception) -> str:
        """Return the message of an error of parsing the body, with its media type and size."""
        kind = f"{self.media_type or 'no type'}, {len(self.body):,} bytes"
        return f"{failures.server_message(urls.redact(str(error), self.secrets))} ({kind})"


class Client:
    """Sends requests, with at least ``pace`` seconds from one request to the next.

    ``notice`` is called with a message before each pause after a failed try. A connection is closed
    after ``silence`` seconds without data. ``limit`` is the maximum number of seconds for a
    response with all tries and pauses; without it, each try has ``DEADLINE`` seconds.
    """

    def __init__(
        self,
        pace: float = 0.0,
        notice: Callable[[str], None] = lambda _: None,
        silence: float | None = None,
        limit: float | None = None,
    ):
        self._pace = pace
        self._notice = notice
        self._silence = SILENCE if silence is None else silence
        self._limit = limit
        self._next = 0.0  # the earliest time of the next request
        self._transport: Transport | None = None

    def ask(self, url: str, headers: Mapping[str, str], body: bytes | None = None) -> HttpAnswer:
        """Send a GET request, or a POST request with a body, and return the complete response.

        If the server is busy or the connection breaks, the request is repeated after growing
        pauses, up to ``waits.TRIES`` tries. A server may request longer pauses. There is no pause
        beyond the limit of time.

        Raises:
            ValueError: the URL is invalid.
            UnansweredError: no try got a complete response.
            RefusedError: the server responds with the status of a failure.
        """
        end = None if self._limit is None else time.monotonic() + self._limit
        for tries in range(1, waits.TRIES + 1):
            last = time.monotonic() + DEADLINE if end is None else end
            try:
                return self._answer(url, {"Accept-Encoding": "gzip", **headers}, body, last)
            except UnansweredError as error:
                pause = max(waits.PAUSES[min(tries, waits.TRIES - 1)], error.wait)
                lasts = error.lasts or error.wait > waits.LONGEST_WAIT
                is_late = end is not None and time.monotonic() + pause >= end
                if lasts or is_late or tries == waits.TRIES:
                    suffix = f" ({tries} tries in a row)" if tries > 1 else ""
                    detail = waits.with_pause(error.detail, error.wait) + suffix
                    raise UnansweredError(detail, error.wait, lasts, error.status) from error
                self._notice(f"{urls.public(url)}: {error.detail}; asking again in {pause:.0f} s.")
                time.sleep(pause)
        raise AssertionError("the last try returns or raises")

    def open(self, url: str, headers: Mapping[str, str]) -> "Response":
        """Send a GET request once; return the response before its body is read. Errors: ``ask``."""
        with _redacting(url):
            return self._follow(url, headers, None, time.monotonic() + DEADLINE)

    def close(self) -> None:
        """Close the connections."""
        if self._transport:
            self._transport.close()

    def _answer(
        self, url: str, headers: Mapping[str, str], body: bytes | None, end: float
    ) -> HttpAnswer:
        with _redacting(url):
            response = self._follow(url, headers, body, end)
            content = response.body()
        if "X-SQL-State" in response.headers:  # a header of the SPARQL engine Virtuoso
            raise RefusedError(response.status, "the query timed out, so the answer is incomplete")
        secrets = frozenset(urls.sent_secrets(url))
        media_type = urls.redact(response.headers.get("Content-Type", ""), secrets)
        media_type = media_type.partition(";")[0].strip().lower()
        return HttpAnswer(content, media_type, response.url, response.is_framed, secrets)

    def _follow(
        self, url: str, headers: Mapping[str, str], body: bytes | None, end: float
    ) -> "Response":
        """Send a request and follow redirects; only the first server gets the credentials."""
        address, secret = urls.split_credentials(url)
        urls.parse(address)
        first_origin = urls.origin(address)
        for _ in range(_MAX_REQUESTS):
            is_first_server = urls.origin(address) == first_origin
            credentials = {"Authorization": secret} if secret and is_first_server else {}
            try:
                response = self._send(address, {**headers, **credentials}, body, end)
                if response.status not in _REDIRECTS:
                    return _require_success(response, "Range" in headers)
                response.body()  # so that the connection stays open
            except UnansweredError as error:
                if not is_first_server:
                    error.detail += f" (after a redirect to {urls.server(address)})"
                raise
            if response.status == _SEE_OTHER and body is not None:
                body = None
                headers = {name: headers[name] for name in headers if name != "Content-Type"}
            if not (address := _target(response)):
                break
        raise RefusedError(response.status, failures.describe_status(response.status, ""))

    def _send(
        self, url: str, headers: Mapping[str, str], body: bytes | None, end: float
    ) -> "Response":
        if self._pace:
            time.sleep(max(0.0, self._next - time.monotonic()))
            self._next = time.monotonic() + self._pace
        from kgbuild.net.transport import Transport

        self._transport = self._transport or Transport(self._silence)
        method = "GET" if body is None else "POST"
        return self._transport.send(method, url, {"User-Agent": agent(), **headers}, body, end)


@contextlib.contextmanager
def _redacting(url: str) -> Iterator[None]:
    """Remove the user's secrets for a URL from all errors of a request."""
    try:
        yield
    except failures.RequestError as error:
        error.redact(url)
        raise


def agent() -> str:
    """Return the header User-Agent, with the user's contact from KGBUILD_CONTACT.

    Wikimedia requires it: https://foundation.wikimedia.org/wiki/Policy:User-Agent_policy
    """
    contact = os.environ.get("KGBUILD_CONTACT", "")
    about = f"; {contact}" if contact.isprintable() and contact.isascii() and contact else ""
    return f"kgbuild/{__version__} (evaluation datasets from Wikidata{about})"


def _require_success(response: "Response", is_range: bool) -> "Response":
    """Return the response, or raise an error; 206 (a part) must answer a range request."""
    if response.status == 200 or (response.status == 206 and is_range):
        return response
    body = response.body()
    detail = failures.describe_status(response.status, response.reason)
    if response.status in waits.BUSY:
        wait = waits.retry_after(response.headers.get("Retry-After", ""))
        raise UnansweredError(detail, wait, status=response.status)
    raise RefusedError(response.status, detail, body.decode("utf-8", "replace"))


def _target(response: "Response") -> str:
    """Return the URL that a redirect leads to, or "" if it is not an http or https URL."""
    location = quote(response.headers.get("Location", ""), string.punctuation, "iso-8859-1")
    try:
        target = urljoin(response.url, location)
        urls.parse_web(target)
    except ValueError:
        return ""
    return urls.without_credentials(target)
