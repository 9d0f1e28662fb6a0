"""Send single requests with urllib3, with limits of time and size.

Importing urllib3 takes a tenth of a second, so this module is imported with the first request.
"""

import contextlib
import gzip
import http.client
import io
import time
import zlib
from collections.abc import Iterator, Mapping

import urllib3
from urllib3.exceptions import HTTPError

from kgbuild.net import urls
from kgbuild.net.failures import UnansweredError

MAX_BODY = 64 << 20
"""Maximum size in bytes of a body, before and after decompression; the largest items have 10 MB."""
_PART_SIZE = 1 << 16
"""Number of bytes to read at once."""
_SHORTEST_WAIT = 1e-3
"""Number of seconds; a socket has no timeout of 0."""
_CUT = "it ended too early"
_TEMPORARY = (ConnectionResetError, ConnectionAbortedError, BrokenPipeError)
"""Errors of a connection to a server that is reachable, so another try may succeed."""


class Response:
    """A response with its headers; ``size`` is the size of the body in bytes, None if unknown.

    ``is_framed`` is whether a length or chunks mark the end of the body; otherwise the body may be
    cut short without notice. ``body`` must have all of it at the time ``end``.

    Raises:
        UnansweredError: the connection breaks.
    """

    def __init__(self, response: urllib3.BaseHTTPResponse, url: str, silence: float, end: float):
        self.url = url
        self.status = response.status
        self.reason = response.reason or ""
        self.headers: Mapping[str, str] = response.headers
        self.size = response.length_remaining
        self.is_framed = response.chunked or self.size is not None
        self._response = response
        self._silence = silence
        self._end = end

    def read(self, limit: int = _PART_SIZE) -> bytes:
        """Return up to ``limit`` bytes of the body, not decompressed; b"" at its end."""
        with _translated(self._silence):
            return self._response.read1(limit, decode_content=False)

    def body(self) -> bytes:
        """Return the whole body, decompressed.

        Raises:
            UnansweredError: it is damaged, too large, or not complete in time.
        """
        parts: list[bytes] = []
        size = 0
        while part := self.read():
            parts.append(part)
            size += len(part)
            self._require_small(size)
            if time.monotonic() > self._end:
                self.close()
                raise UnansweredError("it was not complete in time", lasts=True)
        body = b"".join(parts)
        is_gzip = self.headers.get("Content-Encoding", "").lower() == "gzip"
        return self._decompress(body) if is_gzip else body

    def close(self) -> None:
        """Close the connection."""
        self._response.close()

    def _decompress(self, body: bytes) -> bytes:
        # Not by urllib3, which does not notice that compressed data are cut short.
        try:
            with gzip.GzipFile(fileobj=io.BytesIO(body)) as file:
                content = file.read(MAX_BODY + 1)
        except EOFError as error:
            raise UnansweredError(_CUT) from error
        except (OSError, zlib.error) as error:
            raise UnansweredError("its header says gzip, but it is not gzip") from error
        self._require_small(len(content))
        return content

    def _require_small(self, size: int) -> None:
        if size > MAX_BODY:
            self.close()
            raise UnansweredError(f"it is larger than {MAX_BODY:,} bytes", lasts=True)


class Transport:
    """Connections to servers that stay open between requests, for one request at a time.

    A connection is closed after ``silence`` seconds without data.
    """

    def __init__(self, silence: float):
        self._silence = silence
        self._managers: dict[str, urllib3.PoolManager] = {}
        self._reached: set[str] = set()

    def send(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes | None, end: float
    ) -> Response:
        """Send a request, and return the response when its headers have arrived.

        Its body must be complete at the time ``end``.

        Raises:
            UnansweredError: there is no response. ``lasts`` is set if the server never responded: a
                wrong name or port is more likely than a temporary failure.
        """
        silence = min(self._silence, max(_SHORTEST_WAIT, end - time.monotonic()))
        server = urls.server(url)
        with _translated(silence, is_new=server not in self._reached):
            response = self._manager(url).urlopen(
                method,
                url,
                redirect=False,
                preload_content=False,
                headers=headers,
                body=body,
                timeout=silence,
            )
        self._reached.add(server)
        return Response(response, url, silence, end)

    def close(self) -> None:
        """Close the connections."""
        for manager in self._managers.values():
            manager.clear()

    def _manager(self, url: str) -> urllib3.PoolManager:
        """Return the connections for a URL, through a proxy if the environment sets one."""
        proxy = urls.proxy(url)
        if proxy not in self._managers:
            manager = urllib3.PoolManager(retries=False)
            if proxy:
                address, secret = urls.split_credentials(proxy)
                headers = {"Proxy-Authorization": secret} if secret else None
                manager = urllib3.ProxyManager(address, proxy_headers=headers, retries=False)
            self._managers[proxy] = manager
        return self._managers[proxy]


@contextlib.contextmanager
def _translated(silence: float, is_new: bool = False) -> Iterator[None]:
    """Turn errors of a connection into an UnansweredError; ``is_new``: to a new server."""
    try:
        yield
    except (HTTPError, OSError) as error:
        cause = _cause(error)
        is_silent = isinstance(cause, TimeoutError)
        lasts = is_silent or (is_new and not isinstance(cause, _TEMPORARY))
        detail = f"no data in {silence:g} s" if is_silent else _describe(cause)
        raise UnansweredError(detail, lasts=lasts) from error


def _cause(error: BaseException) -> BaseException:
    """Return the original error that urllib3 wraps."""
    while isinstance(error, HTTPError):
        wrapped = [argument for argument in error.args if isinstance(argument, Exception)]
        inner = wrapped[-1] if wrapped else error.__cause__
        if inner is None:
            return error
        error = inner
    return error


def _describe(error: BaseException) -> str:
    if isinstance(error, http.client.IncompleteRead):
        return _CUT
    if isinstance(error, OSError):
        return error.strerror or str(error)
    return str(error) if isinstance(error, HTTPError) else f"{type(error).__name__}: {error}"
