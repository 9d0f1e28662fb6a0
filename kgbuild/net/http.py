"""Send requests over HTTP, one at a time, with the pauses that servers ask for."""

import os
import string
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote, urljoin

from kgbuild import __version__
from kgbuild.net import urls, waits
from kgbuild.net.failures import RefusedError, UnansweredError, describe_status, server_message

if TYPE_CHECKING:  # slow to import, and most runs need none of it
    from kgbuild.net.transport import Response, Transport

SILENCE = 90.0
"""Seconds without a byte after which a connection ends: public services end queries after 60."""
SLOWEST = 300.0
"""Seconds in which an answer must be complete."""
_REDIRECTS = {301, 302, 303, 307, 308}
_SEE_OTHER = 303
_MOST_REQUESTS = 5
"""For one answer, the redirects included."""
_PAGE = (b"<!doctype html", b"<html")


class Answer(NamedTuple):
    """A complete response; ``media_type`` is in lower case, ``url`` is that after redirects.

    If it is not ``is_framed`` by a length or in chunks, it may be cut short.
    """

    body: bytes
    media_type: str
    url: str
    is_framed: bool = True

    @property
    def is_page(self) -> bool:
        """Whether this is an HTML page: by its beginning, or its type.

        The type may be wrong, and N-Triples begin with "<" as well.
        """
        start = self.body.lstrip()[: max(map(len, _PAGE))].lower()
        return start.startswith(_PAGE) or ("html" in self.media_type and start[:1] == b"<")

    def describe(self, error: Exception) -> str:
        """Return the error of the body's parser, with the type and size of the body."""
        kind = f"{self.media_type or 'no type'}, {len(self.body):,} bytes"
        return f"{server_message(str(error))} ({kind})"


class Client:
    """Sends requests, with at least ``pace`` seconds from one to the next.

    ``notice`` is called with a message before each pause after a failed try. A connection ends
    after ``silence`` seconds without a byte.
    """

    def __init__(
        self,
        pace: float = 0.0,
        notice: Callable[[str], None] = lambda _: None,
        silence: float | None = None,
    ):
        self._pace = pace
        self._notice = notice
        self._silence = SILENCE if silence is None else silence
        self._next = 0.0
        self._transport: Transport | None = None

    def ask(self, url: str, headers: Mapping[str, str], body: bytes | None = None) -> Answer:
        """Return the answer to a GET, or to a POST if there is a body.

        A busy server and a broken connection get another try, after growing pauses that are no
        shorter than the server asks for.

        Raises:
            ValueError: the URL is invalid.
            UnansweredError: no complete answer came in any try.
            RefusedError: the server answers with a status that is no success.
        """
        tries = len(waits.PAUSES)
        for tried in range(1, tries + 1):
            try:
                return self._answer(url, {"Accept-Encoding": "gzip", **headers}, body)
            except UnansweredError as error:
                lasts = error.lasts or error.wait > waits.LONGEST_WAIT
                if lasts or tried == tries:
                    suffix = f" ({tried} tries in a row)" if tried > 1 else ""
                    detail = waits.with_pause(error.detail, error.wait) + suffix
                    raise UnansweredError(detail, error.wait, lasts, error.status) from error
                pause = max(waits.PAUSES[tried], error.wait)
                self._notice(f"{urls.public(url)}: {error.detail}; asking again in {pause:.0f} s.")
                time.sleep(pause)
        raise AssertionError("the last try returns or raises")

    def open(self, url: str, headers: Mapping[str, str]) -> "Response":
        """Send a GET once, and return the response with an unread body; errors as in ``ask``."""
        with self._connected().deadline(SLOWEST):
            return self._follow(url, headers, None)

    def close(self) -> None:
        """Close the connections."""
        if self._transport:
            self._transport.close()

    def _answer(self, url: str, headers: Mapping[str, str], body: bytes | None) -> Answer:
        with self._connected().deadline(SLOWEST):
            response = self._follow(url, headers, body)
            content = response.body()
        if "X-SQL-State" in response.headers:  # of Virtuoso
            raise RefusedError(response.status, "it gives a part only, since its time was up")
        media_type = response.headers.get("Content-Type", "").partition(";")[0].strip().lower()
        return Answer(content, media_type, response.url, response.is_framed)

    def _follow(self, url: str, headers: Mapping[str, str], body: bytes | None) -> "Response":
        """Send a request, and follow redirects; name and password go to their server only."""
        address, secret = urls.split_credentials(url)
        urls.parse(address)
        home = urls.origin(address)
        for _ in range(_MOST_REQUESTS):
            is_home = urls.origin(address) == home
            own = {"Authorization": secret} if secret and is_home else {}
            try:
                response = self._send(address, {**headers, **own}, body)
                if response.status not in _REDIRECTS:
                    return _successful(response, "Range" in headers)
                response.body()  # so that the connection stays open
            except UnansweredError as error:
                if not is_home:
                    error.detail += f" (by {urls.server(address)}, where it sends us)"
                raise
            body = None if response.status == _SEE_OTHER else body
            if not (address := _target(response)):
                break
        raise RefusedError(response.status, describe_status(response.status, ""))

    def _send(self, url: str, headers: Mapping[str, str], body: bytes | None) -> "Response":
        if self._pace:
            time.sleep(max(0.0, self._next - time.monotonic()))
            self._next = time.monotonic() + self._pace
        method = "GET" if body is None else "POST"
        return self._connected().send(method, url, {"User-Agent": agent(), **headers}, body)

    def _connected(self) -> "Transport":
        from kgbuild.net.transport import Transport

        self._transport = self._transport or Transport(self._silence)
        return self._transport


def agent() -> str:
    """Return the name of this program in requests, with the contact that the user names.

    Wikimedia requires it: https://foundation.wikimedia.org/wiki/Policy:User-Agent_policy
    """
    contact = os.environ.get("KGBUILD_CONTACT", "")
    about = f"; {contact}" if contact.isprintable() and contact.isascii() and contact else ""
    return f"kgbuild/{__version__} (evaluation datasets from Wikidata{about})"


def _successful(response: "Response", takes_part: bool) -> "Response":
    if response.status == 200 or (response.status == 206 and takes_part):
        return response
    body = response.body()
    detail = describe_status(response.status, response.reason)
    if response.status in waits.BUSY:
        wait = waits.retry_after(response.headers.get("Retry-After", ""))
        raise UnansweredError(detail, wait, status=response.status)
    raise RefusedError(response.status, detail, body)


def _target(response: "Response") -> str:
    """Return the target of a redirect, or nothing if it is no web address."""
    location = quote(response.headers.get("Location", ""), string.punctuation, "iso-8859-1")
    try:
        target = urljoin(response.url, location)
        urls.parse_web(target)
    except ValueError:
        return ""
    return urls.public(target)
