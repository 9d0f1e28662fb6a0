"""Ask servers over HTTP, and politely: one request at a time, pauses as long as they ask for.

What reads a dump at a URL (``remote.py``) and what asks models (``llm.py``) say and wait by the
same rules.
"""

import contextlib
import math
import os
import re
import time
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from kgbuild import __version__

if TYPE_CHECKING:  # what speaks HTTP is slow to import, and most runs need none of it
    from http.client import HTTPConnection, HTTPResponse
    from urllib.parse import SplitResult

AGENT = f"kgbuild/{__version__}"
"""What every request names itself."""
PAUSES = (1.0, 4.0, 15.0, 30.0, 60.0)
"""Seconds before each try in a row; after as many without an answer, there is no other."""
LONGEST_WAIT = 120.0
"""Seconds that a busy server can make us wait; if it asks for more, there is no other try."""
PACE = 0.3
"""Seconds from one request to the next where there are many."""
_SILENCE = 90.0
"""Seconds without a byte after which nothing will come: public services end queries after 60."""
_SLOWEST = 300.0
"""Seconds in which an answer is to be complete."""
_BUSY = {429, 502, 503}
"""Not 504, which tells of a query that took too long: it would so again."""
_MOVED = {301, 302, 303, 307, 308}
_SEE_OTHER = 303
_MOST_REDIRECTS = 5
_USER = re.compile(r"^([^:/?#]*://)([^/?#]*)@")
_NOT_IN_URLS = re.compile(r"[^!-~]")
_PART = 1 << 16
_SAID = 200
"""Letters that are passed on of what a server says."""
_PAGE = (b"<!doctype html", b"<html")


class UnansweredError(Exception):
    """No answer came, or only a part of one; ``detail`` says why.

    ``status`` is that of a busy server, or 0; ``lasts`` tells that it is of no use to ask again.
    """

    def __init__(self, detail: str, wait: float = 0.0, lasts: bool = False, status: int = 0):
        super().__init__(detail)
        self.detail = harmless(detail)
        self.wait = wait
        self.lasts = lasts or wait > LONGEST_WAIT
        self.status = status


class RefusedError(Exception):
    """The server answers with a status that is no success, and with ``body``."""

    def __init__(self, status: int, detail: str, body: bytes):
        super().__init__(detail)
        self.status = status
        self.detail = harmless(detail)
        self.body = body


class _SlowError(TimeoutError):
    """Something comes all the time, but too little."""

    def __init__(self) -> None:
        super().__init__(f"it was not complete after {_SLOWEST:g} s")


class Answer(NamedTuple):
    """What a server sent; ``media_type`` is in small letters, ``url`` where it was in the end.

    Unless it ``is_framed`` by a length or in chunks, it may be cut short, and nobody can tell.
    """

    body: bytes
    media_type: str
    url: str
    is_framed: bool = True


class Client:
    """Asks servers, over connections that stay open.

    What a busy server or a broken connection leaves without an answer is asked again, after
    growing pauses, no shorter than what the server asks for. From one request to the next it
    takes at least ``pace`` seconds. ``notice`` is told of each pause before another try.
    """

    def __init__(self, pace: float = 0.0, notice: Callable[[str], None] = lambda _: None):
        self._pace = pace
        self._notice = notice
        self._next = 0.0
        self._connections: dict[tuple[str, str], HTTPConnection] = {}
        self._reached: set[str] = set()

    def ask(self, url: str, headers: Mapping[str, str], body: bytes | None = None) -> Answer:
        """Return the answer to a GET, or to a POST if there is a body.

        Raises:
            ValueError: this is no URL of a server.
            UnansweredError, RefusedError: nothing came of it.
        """
        for tried, pause in enumerate((*PAUSES[1:], 0.0), 1):
            try:
                return self._follow(url, headers, body)
            except UnansweredError as error:
                if error.lasts or tried == len(PAUSES):
                    tries = f" ({tried} tries in a row)" if tried > 1 else ""
                    told = f"{error.detail}{tries}"
                    raise UnansweredError(told, error.wait, error.lasts, error.status) from error
                wait = max(pause, error.wait)
                self._notice(f"{public(url)}: {error.detail}; asking again in {wait:.0f} s.")
                time.sleep(wait)
        raise AssertionError("the last try returns or raises")

    def close(self) -> None:
        """Close the connections."""
        for connection in self._connections.values():
            connection.close()
        self._connections.clear()

    def _follow(self, url: str, headers: Mapping[str, str], body: bytes | None) -> Answer:
        """Ask, and go where the server sends us, with the user's name only while it is the same."""
        own = {"User-Agent": _agent(), "Accept-Encoding": "gzip", **headers}
        address, secret = credentials(url)
        home = _origin(address)
        for _ in range(_MOST_REDIRECTS):
            kept = {"Authorization": secret} if secret and _origin(address) == home else {}
            try:
                response, sent = self._send(address, {**own, **kept}, body)
                if response.status not in _MOVED:
                    return _answer(response, sent, address)
            except UnansweredError as error:
                if _origin(address) != home:
                    error.detail += f" (by {host(address)}, where it sends us)"
                raise
            from urllib.parse import urljoin

            address = urljoin(address, response.headers.get("Location", ""))
            body = None if response.status == _SEE_OTHER else body
            if not address.startswith(("http://", "https://")):
                break
        raise RefusedError(response.status, status(response.status, ""), b"")

    def _send(
        self, url: str, headers: Mapping[str, str], body: bytes | None
    ) -> tuple["HTTPResponse", bytes]:
        import http.client

        if self._pace:
            time.sleep(max(0.0, self._next - time.monotonic()))
            self._next = time.monotonic() + self._pace
        parts = require_sound(url)
        place = (parts.scheme, parts.netloc)
        method = "GET" if body is None else "POST"
        is_old = place in self._connections
        end = time.monotonic() + _SLOWEST
        try:
            connection = self._connections.get(place) or self._connect(parts)
            # A proxy is told the whole URL; behind a tunnel is the server itself.
            is_whole = parts.scheme == "http" and connection.host != parts.hostname
            with _ending(connection):
                connection.request(method, url if is_whole else _target(parts), body, dict(headers))
                response = connection.getresponse()
            self._reached.add(parts.netloc)
            sent = _read(response, end)
        except (OSError, http.client.HTTPException) as error:
            self._forget(place)
            if is_old and isinstance(error, ConnectionError):
                return self._send(url, headers, body)  # the server has closed it meanwhile
            is_first = parts.netloc not in self._reached
            is_silent = isinstance(error, TimeoutError) and not isinstance(error, _SlowError)
            detail = f"nothing came in {_SILENCE:g} s" if is_silent else worded(error)
            raise UnansweredError(detail, lasts=_lasts(error, is_first)) from error
        if response.will_close:
            self._forget(place)
        return response, sent

    def _connect(self, parts: "SplitResult") -> "HTTPConnection":
        import http.client
        from urllib.parse import urlsplit

        is_safe = parts.scheme == "https"
        proxy = urlsplit(_proxy(parts) or parts.geturl())
        make = http.client.HTTPSConnection if is_safe else http.client.HTTPConnection
        connection = make(str(proxy.hostname), proxy.port, timeout=_SILENCE)
        if is_safe and proxy.netloc != parts.netloc:
            connection.set_tunnel(str(parts.hostname), parts.port)
        self._connections[parts.scheme, parts.netloc] = connection
        return connection

    def _forget(self, place: tuple[str, str]) -> None:
        connection = self._connections.pop(place, None)
        if connection:
            connection.close()


@contextlib.contextmanager
def _ending(connection: "HTTPConnection") -> Iterator[None]:
    """Let a server answer, but not for longer than an answer is to take.

    The head of an answer is read in one go, so what comes drop by drop is ended from outside.
    """
    import socket
    import threading

    ended = threading.Event()

    def end() -> None:
        ended.set()
        with contextlib.suppress(OSError):
            if connection.sock:
                connection.sock.shutdown(socket.SHUT_RDWR)

    timer = threading.Timer(_SLOWEST, end)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        if ended.is_set():
            raise _SlowError


def _read(response: "HTTPResponse", end: float) -> bytes:
    """Return the body of a response, which is to come to its end by a time."""
    import gzip
    import http.client
    import zlib

    parts: list[bytes] = []
    while part := response.read1(_PART):
        parts.append(part)
        if time.monotonic() > end:
            raise _SlowError
    if response.length:
        raise http.client.IncompleteRead(b"")
    response.close()  # or the connection would take it for unread
    body = b"".join(parts)
    if response.headers.get("Content-Encoding", "").lower() != "gzip":
        return body
    try:
        return gzip.decompress(body)
    except EOFError as error:
        raise http.client.IncompleteRead(b"") from error
    except (OSError, zlib.error) as error:
        raise http.client.HTTPException("it is said to be gzip, and is not") from error


def _answer(response: "HTTPResponse", body: bytes, url: str) -> Answer:
    detail = status(response.status, response.reason)
    if response.status in _BUSY:
        wait = retry_after(response.headers.get("Retry-After", ""))
        if wait > LONGEST_WAIT:
            detail += f", and it asks for a pause of {wait:,.0f} s"
        raise UnansweredError(detail, wait, status=response.status)
    if response.status != 200:
        raise RefusedError(response.status, detail, body)
    if "X-SQL-State" in response.headers:  # Virtuoso's way to say that its time was up
        raise RefusedError(response.status, "it gives a part only, since its time was up", b"")
    media_type = response.headers.get("Content-Type", "").partition(";")[0].strip().lower()
    is_framed = response.chunked or "Content-Length" in response.headers
    return Answer(body, media_type, url, is_framed)


def _lasts(error: Exception, is_first: bool) -> bool:
    """Tell whether it is of no use to ask again.

    Before the first answer, a name that does not resolve or a port where nobody listens is more
    likely a slip than a passing trouble. What was slow once is slow again, and no less work for
    the server.
    """
    return isinstance(error, TimeoutError) or (is_first and not isinstance(error, _PASSING))


_PASSING = (ConnectionResetError, ConnectionAbortedError, BrokenPipeError)


def _agent() -> str:
    """Return what a request names itself, with whom to tell of trouble if the user says so.

    Wikimedia asks for it: https://foundation.wikimedia.org/wiki/Policy:User-Agent_policy
    """
    contact = os.environ.get("KGBUILD_CONTACT", "")
    about = f"; {contact}" if contact.isprintable() and contact.isascii() and contact else ""
    return f"{AGENT} (evaluation datasets from Wikidata{about})"


def _proxy(parts: "SplitResult") -> str:
    from urllib.request import getproxies, proxy_bypass

    found = getproxies().get(parts.scheme, "")
    return "" if not found or proxy_bypass(str(parts.hostname)) else found


def _target(parts: "SplitResult") -> str:
    return f"{parts.path or '/'}{'?' * bool(parts.query)}{parts.query}"


def _origin(url: str) -> tuple[str, str]:
    from urllib.parse import urlsplit

    parts = urlsplit(url)
    return parts.scheme, parts.netloc


def host(url: str) -> str:
    """Return the name and port of a URL's server."""
    return _origin(url)[1]


def is_here(url: str) -> bool:
    """Tell whether a URL's server is on this machine: then there is no need to be polite."""
    try:
        name = require_sound(public(url)).hostname or ""
    except ValueError:
        return False
    return re.fullmatch(r"localhost|127\.[\d.]+|::1", name) is not None


def credentials(url: str) -> tuple[str, str]:
    """Return a URL without a user's name and password, and these as a header, or nothing."""
    import base64
    import urllib.parse

    found = _USER.match(url)
    if not found:
        return url, ""
    user, _, password = found[2].partition(":")
    secret = base64.b64encode(urllib.parse.unquote_to_bytes(f"{user}:{password}"))
    return public(url), f"Basic {secret.decode()}"


def public(url: str) -> str:
    """Return a URL as it may be shown: without a user's name and password.

    Whoever did not percent-encode a password is not to read it either.
    """
    shown = _USER.sub(r"\1", url)
    try:
        require_sound(shown)
    except ValueError:
        scheme, _, rest = shown.rpartition("://")
        return f"{scheme}://{rest.rpartition('@')[2]}" if scheme else rest.rpartition("@")[2]
    return shown


def require_sound(url: str) -> "SplitResult":
    """Return the parts of a URL, or raise a ValueError that says what is wrong with it."""
    import urllib.parse

    if _NOT_IN_URLS.search(url):
        raise ValueError("a URL holds neither spaces nor letters beyond ASCII; percent-encode them")
    parts = urllib.parse.urlsplit(url)
    if not parts.hostname:
        raise ValueError("the URL names no host")
    try:
        _ = parts.port
    except ValueError as error:  # which would show a part of a password
        raise ValueError("its port is none; percent-encode a password that is in a URL") from error
    return parts


def require_http(url: str) -> "SplitResult":
    """Return the parts of a URL of the web, or raise a ValueError that says what is wrong."""
    parts = require_sound(url)
    if parts.scheme not in ("http", "https"):
        raise ValueError("URLs are to begin with http:// or https://")
    return parts


def retry_after(told: str) -> float:
    """Return the seconds that the header Retry-After tells, as a number or a date; 0 if none."""
    from email.utils import parsedate_to_datetime

    try:
        seconds = float(told)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(told).timestamp() - time.time()
        except (ValueError, OverflowError, OSError):
            return 0.0
    return max(0.0, 0.0 if math.isnan(seconds) else seconds)


def status(code: int, reason: str) -> str:
    """Return what is said of a status."""
    if 300 <= code < 400:  # the reason would be urllib's, in several lines
        return f"HTTP {code}, a redirect that leads nowhere"
    return f"HTTP {code} {reason}".rstrip()


def worded(error: BaseException) -> str:
    """Return what is said of a failure of the network."""
    import http.client
    import urllib.error

    if isinstance(error, urllib.error.URLError):
        if isinstance(error.reason, str):
            return error.reason
        error = error.reason
    if isinstance(error, http.client.IncompleteRead):
        return "it ended too early"
    if isinstance(error, OSError):
        return error.strerror or str(error)
    return f"{type(error).__name__}: {error}"


def harmless(text: str) -> str:
    """Escape what would move a terminal's cursor, or could not be written at all."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def short(text: str) -> str:
    """Return the beginning of what a server says, unless it says it in a page for people."""
    plain = " ".join(text.split()).rstrip(".")
    if plain.startswith("<"):
        return ""
    return f"{plain[:_SAID]}…" if len(plain) > _SAID else plain


def is_page(answer: Answer) -> bool:
    """Tell whether an answer is a page for people: by how it begins, or by its type.

    A server may call by that type what is none, and N-Triples begin with the same letter.
    """
    start = answer.body.lstrip()[: max(map(len, _PAGE))].lower()
    return start.startswith(_PAGE) or ("html" in answer.media_type and start[:1] == b"<")
