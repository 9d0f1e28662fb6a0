"""Read a file at a URL once, without storing it, and resume after broken connections."""

import io
import re
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, NoReturn, cast

from kgbuild.errors import DumpError, UnreadableDumpError
from kgbuild.net import urls, waits
from kgbuild.net.failures import RefusedError, UnansweredError, printable
from kgbuild.net.http import Client

if TYPE_CHECKING:  # slow to import, and most runs need none of it
    from kgbuild.net.transport import Response

SILENCE = 30.0
"""Seconds without data after which the file is requested again; ``waits`` limits the tries."""
_SERVER_ERROR = 500
"""The lowest HTTP status of an error of the server, which may be temporary."""
_CONTENT_RANGE = re.compile(r"bytes (\d{1,18})-\d+/(\d{1,18}|\*)", re.ASCII)
"""The header Content-Range, such as "bytes 100-199/5000": first byte, last byte, size or *."""


class Remote(io.RawIOBase):
    """A file at an http or https URL, open for reading.

    ``name`` is the URL without user name and password, ``size`` the size of the stored file in
    bytes (None if unknown), ``modified`` its date, or "".

    Raises:
        UnreadableDumpError: the URL is wrong, or the server refuses it.
        DumpError: the server does not answer, or the connection breaks and the file cannot be
            resumed.
    """

    def __init__(self, url: str):
        self.name = printable(urls.public(url))
        self.size: int | None = None
        self.modified = ""
        self._url = url
        self._position = 0
        self._tries = 0  # in a row without data
        self._client = Client(silence=SILENCE)
        self._response: Response | None = None
        self._first_headers: Mapping[str, str] | None = None
        self._connect()

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        """Read bytes into ``buffer``; return their number, 0 at the end of the file."""
        if self.closed:
            raise ValueError("I/O operation on closed file")
        while True:
            try:
                data = self._read(len(buffer))
                break
            except UnansweredError as error:
                failure = error
            self._connect(failure)
        buffer[: len(data)] = data
        return len(data)

    def close(self) -> None:
        """Close the connection."""
        if self._response:
            self._response.close()
        self._client.close()
        super().close()

    def _read(self, limit: int) -> bytes:
        """Return up to ``limit`` bytes; b"" at the end of the file."""
        if self.size is not None:
            limit = min(limit, self.size - self._position)
        if limit == 0:
            return b""
        data = cast("Response", self._response).read(limit)
        if not data and self.size is not None:
            raise UnansweredError("it ended too early")
        if data:
            self._position += len(data)
            self._tries = 0
        return data

    def _connect(self, failure: UnansweredError | None = None) -> None:
        """Request the file from the current position, after a pause if there was a failure."""
        while True:
            if failure:
                self._pause(failure)
            self._tries += 1
            try:
                # Always request the original URL, as the target of a redirect may expire.
                response = self._client.open(self._url, self._headers())
                break
            except (RefusedError, ValueError) as error:
                is_temporary = isinstance(error, RefusedError) and error.status >= _SERVER_ERROR
                if not is_temporary or self._first_headers is None:
                    self._give_up(str(error), error)
                failure = UnansweredError(str(error))  # the server sent a part of the file before
            except UnansweredError as error:
                if error.lasts and self._first_headers is None:
                    self._give_up(error.detail, error)
                failure = error
        self._response = response
        if self._first_headers is None:
            self._first_headers = response.headers
            self.size = response.size
            self.modified = _date(response.headers.get("Last-Modified", ""))
        else:
            self._resume(response, self._first_headers)

    def _pause(self, failure: UnansweredError) -> None:
        if self._response:
            self._response.close()
        if self._tries >= waits.TRIES:
            self._give_up(f"{failure.detail} ({self._tries} tries in a row)", failure)
        time.sleep(max(waits.PAUSES[self._tries], min(failure.wait, waits.LONGEST_WAIT)))

    def _headers(self) -> dict[str, str]:
        """Return the headers of a request for the rest of the file, if it has not changed."""
        headers = {"Accept-Encoding": "identity"}
        if self._position and self._first_headers is not None:
            headers["Range"] = f"bytes={self._position}-"
            etag = self._first_headers.get("ETag", "W/")
            # If-Range must not have a weak tag (W/).
            is_weak = etag.startswith("W/")
            validator = self._first_headers.get("Last-Modified") if is_weak else etag
            if validator:
                headers["If-Range"] = validator
        return headers

    def _resume(self, response: "Response", first_headers: Mapping[str, str]) -> None:
        """Check that a response has the rest of the same file, and raise an error otherwise."""
        start, size = 0, self.size if response.size is None else response.size
        if response.status == 206:
            match = _CONTENT_RANGE.fullmatch(response.headers.get("Content-Range", ""))
            start = int(match[1]) if match else -1
            size = int(match[2]) if match and match[2] != "*" else None
        is_resized = None not in (self.size, size) and self.size != size
        if is_resized or _differ(first_headers, response.headers):
            self._give_up("the file has changed meanwhile")
        if self._position and response.status == 200:
            self._give_up("the server cannot resume")
        lost_size = self.size is not None and size is None
        if start != self._position or lost_size or (size is not None and size < start):
            self._give_up("the server continued with another part of the file")
        self.size = size

    def _give_up(self, detail: str, cause: Exception | None = None) -> NoReturn:
        self.close()
        if self._position:
            detail = f"the connection broke after {self._position:,} bytes, then: {detail}"
        detail = urls.redact(printable(detail), urls.sent_secrets(self._url))
        is_refused = isinstance(cause, RefusedError) and cause.status < _SERVER_ERROR
        kind = UnreadableDumpError if is_refused or isinstance(cause, ValueError) else DumpError
        raise kind(self.name, detail) from cause


def _differ(first_headers: Mapping[str, str], headers: Mapping[str, str]) -> bool:
    """Return whether the headers of two responses belong to different versions of a file."""
    for name in ("ETag", "Last-Modified"):
        first_tag, tag = first_headers.get(name), headers.get(name)
        if first_tag and tag and first_tag.removeprefix("W/") != tag.removeprefix("W/"):
            return True
    return False


def _date(header: str) -> str:
    """Return the date in a header Last-Modified as YYYY-MM-DD; "" if it is invalid."""
    import email.utils

    try:
        return email.utils.parsedate_to_datetime(header).date().isoformat()
    except (ValueError, OverflowError):
        return ""
