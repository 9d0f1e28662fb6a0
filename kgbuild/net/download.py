"""Read a file at a URL once, from start to end, without storing it; resume what breaks."""

import io
import re
import time
from typing import TYPE_CHECKING, NoReturn, cast

from kgbuild.errors import UnreadableDumpError
from kgbuild.net import http as web
from kgbuild.net.http import PAUSES

if TYPE_CHECKING:  # what speaks HTTP is slow to import, and most runs need none of it
    from email.message import Message
    from http.client import HTTPResponse
    from urllib.request import OpenerDirector, Request

TIMEOUT = 30.0
"""Seconds of silence after which a connection counts as broken."""
LONGEST_WAIT = 60.0
"""Seconds that a busy server can make us wait at most."""
_BUSY = {429, 503}
_CONTENT_RANGE = re.compile(r"bytes (\d{1,18})-\d+/(\d{1,18}|\*)", re.ASCII)


class _BrokenError(Exception):
    """The connection is lost, or the server busy: to be tried again in ``wait`` seconds."""

    def __init__(self, detail: str, wait: float = 0.0):
        super().__init__(detail)
        self.detail = detail
        self.wait = wait


class Remote(io.RawIOBase):
    """A file at an http or https URL that is being read.

    ``name`` is the URL without a user's name and password, ``size`` is in bytes as stored (None
    if the server does not tell), ``modified`` is a date, or empty.

    Raises:
        UnreadableDumpError: it cannot be opened; when reading: it cannot be read on.
    """

    def __init__(self, url: str):
        self.name = web.harmless(web.public(url))
        self.size: int | None = None
        self.modified = ""
        self._url = url
        self._position = 0
        self._tries = 0
        self._response: HTTPResponse | None = None
        self._first: Message | None = None
        try:
            web.require_sound(url)
        except ValueError as error:
            self._give_up(str(error), error)
        self._connect()

    def readable(self) -> bool:
        """Tell that it can be read."""
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        """Read some bytes into ``buffer`` and return how many; 0 is the end.

        Raises:
            UnreadableDumpError: the connection broke and cannot be resumed.
        """
        if self.closed:
            raise ValueError("I/O operation on closed file")
        while True:
            try:
                data = self._read(len(buffer))
                break
            except _BrokenError as error:
                broken = error
            self._connect(broken)
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        """Close the connection."""
        if self._response is not None:
            self._response.close()
        super().close()

    def _read(self, most: int) -> bytes:
        import http.client

        response = cast("HTTPResponse", self._response)
        if self.size is not None:
            most = min(most, self.size - self._position)
        if most == 0:
            return b""
        try:
            # What read() and readinto() have got of a chunked body is lost if it breaks.
            data = response.read1(most)
        except (OSError, http.client.HTTPException) as error:
            raise _BrokenError(web.worded(error)) from error
        if not data and (response.length or self.size is not None):
            raise _BrokenError("it ended too early")
        if data:
            self._position += len(data)
            self._tries = 0
        return data

    def _connect(self, broken: _BrokenError | None = None) -> None:
        """Ask for the file, or for the rest of it, until it comes."""
        while True:
            if broken:
                self._pause(broken)
            self._tries += 1
            try:
                response = self._answer()
                break
            except _BrokenError as error:
                broken = error
        self._response = response
        if self._first is None:
            self._begin(response, response.headers)
        else:
            self._resume(response, self._first)

    def _pause(self, broken: _BrokenError) -> None:
        if self._response is not None:
            self._response.close()
        if self._tries >= len(PAUSES):
            self._give_up(f"{broken.detail} ({self._tries} tries in a row)", broken)
        time.sleep(max(PAUSES[self._tries], broken.wait))

    def _answer(self) -> "HTTPResponse":
        import http.client
        import urllib.error

        try:
            return cast("HTTPResponse", _opener().open(self._request(), timeout=TIMEOUT))
        except urllib.error.HTTPError as error:
            error.close()
            detail = web.status(error.code, error.reason)
            if error.code not in _BUSY:
                self._give_up(detail, error)
            wait = min(web.retry_after(error.headers.get("Retry-After", "")), LONGEST_WAIT)
            raise _BrokenError(detail, wait) from error
        except (OSError, http.client.HTTPException, ValueError) as error:
            # Before the first answer, a name that does not resolve or a port where nobody
            # listens is more likely a slip than a passing trouble.
            unreached = isinstance(error, urllib.error.URLError) or not isinstance(error, OSError)
            if unreached and self._first is None:
                self._give_up(web.worded(error), error)
            raise _BrokenError(web.worded(error)) from error

    def _request(self) -> "Request":
        import urllib.request

        # Always the URL as given: what it redirects to may be good for a short time only.
        url, secret = web.credentials(self._url)
        request = urllib.request.Request(url)  # noqa: S310
        request.add_header("User-Agent", web.AGENT)
        request.add_header("Accept-Encoding", "identity")
        if secret:  # not for the server that it may redirect to
            request.add_unredirected_header("Authorization", secret)
        if self._position and self._first is not None:
            request.add_header("Range", f"bytes={self._position}-")
            etag = self._first.get("ETag", "W/")
            validator = self._first.get("Last-Modified") if etag.startswith("W/") else etag
            if validator:
                request.add_header("If-Range", validator)
        return request

    def _begin(self, response: "HTTPResponse", headers: "Message") -> None:
        if response.status != 200:
            self._give_up(web.status(response.status, response.reason))
        self._first = headers
        self.size = response.length
        self.modified = _date(headers.get("Last-Modified", ""))

    def _resume(self, response: "HTTPResponse", first: "Message") -> None:
        """Take the rest of the file from a new response, if it is that indeed."""
        start, size = 0, self.size if response.length is None else response.length
        if response.status == 206:
            found = _CONTENT_RANGE.fullmatch(response.headers.get("Content-Range", ""))
            start = int(found[1]) if found else -1
            size = int(found[2]) if found and found[2] != "*" else None
        resized = None not in (self.size, size) and self.size != size
        if resized or _differ(first, response.headers):
            self._give_up("the file has changed meanwhile")
        if self._position and response.status == 200:
            self._give_up("the server cannot resume")
        untold = self.size is not None and size is None
        if start != self._position or untold or (size is not None and size < start):
            self._give_up("the server went on with another part of the file")
        self.size = size

    def _give_up(self, detail: str, cause: Exception | None = None) -> NoReturn:
        self.close()
        if self._position:
            detail = f"the connection broke after {self._position:,} bytes, then: {detail}"
        raise UnreadableDumpError(self.name, web.harmless(detail)) from cause


def _opener() -> "OpenerDirector":
    """Return what opens http and https, and follows redirects to nothing else."""
    from urllib import request

    opener = request.OpenerDirector()
    for handler in (
        request.ProxyHandler,
        request.HTTPHandler,
        request.HTTPSHandler,
        request.HTTPRedirectHandler,
        request.HTTPErrorProcessor,
        request.HTTPDefaultErrorHandler,
        request.UnknownHandler,
    ):
        opener.add_handler(handler())
    return opener


def _differ(first: "Message", now: "Message") -> bool:
    """Tell whether the headers of two answers are of two states of a file."""
    for key in ("ETag", "Last-Modified"):
        before, after = first.get(key), now.get(key)
        if before and after and before.removeprefix("W/") != after.removeprefix("W/"):
            return True
    return False


def _date(text: str) -> str:
    import email.utils

    try:
        return email.utils.parsedate_to_datetime(text).date().isoformat()
    except (ValueError, OverflowError):
        return ""
