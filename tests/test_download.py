"""Reading a file at a URL: a real server that cuts, stalls, refuses and sends the wrong thing."""

import gzip
import hashlib
import random
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from kgbuild.dump import reader
from kgbuild.errors import DumpError, UnreadableDumpError
from kgbuild.net import download, http, waits
from kgbuild.net.download import Remote
from tests.http_servers import Handler, running

BODY = random.Random(1).randbytes(1000)
MODIFIED = "Wed, 01 May 2024 10:11:12 GMT"
PLAIN = {"ETag": '"one"', "Last-Modified": MODIFIED}


@dataclass
class Answer:
    """What the server does with one request; without more, what a good server does."""

    status: int = 0
    headers: dict[str, str] = field(default_factory=lambda: PLAIN)
    cut: int | None = None
    """Bytes after which the connection is cut."""
    how: str = "close"
    """How it is cut: close, reset (once the test has set ``reset``), stall."""
    ranges: bool = True
    content_range: str = ""
    chunked: bool = False
    """Whether the body comes in chunks of 100 bytes."""
    lengthless: bool = False
    """Whether it ends when the connection does."""
    silent: bool = False
    """Whether the connection is closed without any answer."""


def chunks(body: bytes, cut: int | None) -> Iterator[bytes]:
    """Yield a body in chunks as it is sent; one that is cut still has the size of the whole."""
    for n in range(0, len(body[:cut]), 100):
        whole, sent = body[n : n + 100], body[:cut][n : n + 100]
        yield b"%x\r\n" % len(whole) + sent + (b"\r\n" if sent == whole else b"")
    if cut is None:
        yield b"0\r\n\r\n"


class _Handler(Handler):
    wbufsize = 0  # a part arrives before the connection stalls

    def respond(self) -> None:
        self.close_connection = True
        self.told.seen.append(dict(self.headers))
        self.told.paths.append(self.path)
        answer = self.told.script.pop(0) if self.told.script else Answer()
        if answer.silent:
            return
        asked = self.headers.get("Range")
        start = int(asked.removeprefix("bytes=").removesuffix("-")) if asked else 0
        partial = asked is not None and answer.ranges
        self.send_response(answer.status or (206 if partial else 200))
        for key, value in answer.headers.items():
            self.send_header(key, value)
        body = self.told.body[start if partial else 0 :]
        if answer.status >= 300:
            body = b"no"
        if partial:
            whole = len(self.told.body)
            self.send_header(
                "Content-Range", answer.content_range or f"bytes {start}-{whole - 1}/{whole}"
            )
        self._send(body, answer)

    def _send(self, body: bytes, answer: Answer) -> None:
        if answer.chunked:
            self.send_header("Transfer-Encoding", "chunked")
        elif not answer.lengthless:
            self.send_header("Content-Length", str(len(body)))
        # Else the next request may meet the end of the connection, and is sent once more.
        self.send_header("Connection", "close")
        self.end_headers()
        for part in chunks(body, answer.cut) if answer.chunked else [body[: answer.cut]]:
            self.wfile.write(part)
        if answer.how == "stall":
            self.server.over.wait(5)
        elif answer.how == "reset":
            self.told.reset.wait(5)
            linger = struct.pack("ii", 1, 0)
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
            self.rfile.close()
            self.connection.close()


@dataclass
class Server:
    """A server of one body that answers by a script, and well once that has ended."""

    url: str
    body: bytes = BODY
    script: list[Answer] = field(default_factory=list)
    seen: list[dict[str, str]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    reset: threading.Event = field(default_factory=threading.Event)

    def play(self, body: bytes, *script: Answer) -> str:
        self.body, self.script, self.seen, self.paths = body, list(script), [], []
        return self.url

    @property
    def ranges(self) -> list[str | None]:
        return [headers.get("Range") for headers in self.seen]


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with running(_Handler, lambda at: Server(f"{at}/dump.nt")) as told:
        yield told


@pytest.fixture(autouse=True)
def quick(monkeypatch) -> None:
    monkeypatch.setattr(waits, "PAUSES", (0.001, 0.002, 0.003, 0.004, 0.005))
    monkeypatch.setenv("no_proxy", "*")


def read(url: str, size: int = 300) -> bytes:
    with Remote(url) as opened:
        data = b"".join(iter(lambda: opened.read(size), b""))
        assert opened.read(size) == b""
    return data


def failure(url: str) -> str:
    """Read to an error, and return its detail."""
    with pytest.raises(DumpError) as caught:
        read(url)
    assert caught.value.path == url
    return caught.value.detail


def test_request_headers_and_properties_of_the_file(server):
    with Remote(server.play(BODY)) as opened:
        assert (opened.name, opened.size, opened.modified) == (server.url, 1000, "2024-05-01")
        assert opened.read(7) == BODY[:7]
        assert opened.read() == BODY[7:]
    (headers,) = server.seen
    assert headers["User-Agent"] == http.agent()
    assert headers["Accept-Encoding"] == "identity"
    assert "Range" not in headers and "Authorization" not in headers


def test_a_closed_file_cannot_be_read(server):
    opened = Remote(server.play(BODY))
    opened.close()
    opened.close()
    with pytest.raises(ValueError, match="closed"):
        opened.read(1)
    assert len(server.seen) == 1


@pytest.mark.parametrize("text", ["", "yesterday", "Wed, 01 May 2024 23:59:59 +9999999999999"])
def test_invalid_dates_are_ignored(server, text):
    server.play(BODY, Answer(headers={"Last-Modified": text}))
    with Remote(server.url) as opened:
        assert opened.modified == ""


def test_an_empty_file(server):
    assert read(server.play(b"")) == b""
    assert server.ranges == [None]


def test_a_reset_connection_is_resumed(server):
    server.reset.clear()
    with Remote(server.play(BODY, Answer(cut=600, how="reset"))) as opened:
        start = b""
        while len(start) < 600:
            start += opened.read(600 - len(start))
        server.reset.set()
        assert start + opened.read() == BODY
    assert server.ranges == [None, "bytes=600-"]


def test_a_stalled_connection_is_resumed(server, monkeypatch):
    monkeypatch.setattr(download, "SILENCE", 0.1)
    assert read(server.play(BODY, Answer(cut=600, how="stall"))) == BODY
    assert server.ranges == [None, "bytes=600-"]


def test_a_part_shorter_than_requested_is_continued(server):
    part = {**PLAIN, "Content-Length": "100"}
    server.play(
        BODY,
        Answer(cut=500),
        Answer(headers=part, cut=100, lengthless=True, content_range="bytes 500-599/1000"),
    )
    assert read(server.url) == BODY
    assert server.ranges == [None, "bytes=500-", "bytes=600-"]


def test_no_range_is_requested_before_the_first_byte(server):
    server.play(BODY, Answer(cut=0), Answer(ranges=False))
    assert read(server.url) == BODY
    assert server.ranges == [None, None]


def test_a_request_without_response_is_repeated(server):
    server.play(BODY, Answer(silent=True), Answer(cut=10), Answer(silent=True))
    assert read(server.url) == BODY
    assert server.ranges == [None, None, "bytes=10-", "bytes=10-"]


@pytest.mark.parametrize(
    ("headers", "validator"),
    [
        ({"ETag": '"one"'}, '"one"'),
        ({"ETag": 'W/"one"', "Last-Modified": MODIFIED}, MODIFIED),
        ({"Last-Modified": MODIFIED}, MODIFIED),
        ({"ETag": 'W/"one"'}, None),
        ({}, None),
    ],
)
def test_if_range_has_the_strongest_validator(server, headers, validator):
    server.play(BODY, Answer(headers=headers, cut=600), Answer(headers=headers))
    assert read(server.url) == BODY
    assert server.seen[1].get("If-Range") == validator


def test_files_of_unknown_size(server):
    for answer in (Answer(chunked=True), Answer(lengthless=True)):
        with Remote(server.play(BODY, answer)) as opened:
            assert opened.size is None
            assert opened.read() == BODY
        assert server.ranges == [None]
    # Of a part of the file, too, the size may not be told.
    server.play(
        BODY,
        Answer(chunked=True, cut=450),
        Answer(chunked=True, cut=150, content_range="bytes 450-999/*"),
    )
    assert read(server.url) == BODY
    assert server.ranges == [None, "bytes=450-", "bytes=600-"]


def test_the_count_of_tries_starts_anew_after_each_byte(server):
    tries = [Answer(cut=0)] * 4
    server.play(BODY, Answer(cut=500), *tries, Answer(cut=1), *tries)
    assert read(server.url) == BODY
    assert server.ranges == [None, *["bytes=500-"] * 5, *["bytes=501-"] * 5]


def test_reading_fails_after_five_tries_without_a_byte(server):
    server.play(BODY, Answer(cut=500), *[Answer(cut=0)] * 5)
    assert failure(server.url) == (
        "the connection broke after 500 bytes, then: it ended too early (5 tries in a row)"
    )
    assert server.ranges == [None, *["bytes=500-"] * 5]


def test_a_closed_port_is_tried_again():
    # Its port is closed while reading goes on: every try is refused.
    with running(_Handler, lambda at: Server(f"{at}/dump.nt")) as server:
        server.script = [Answer(cut=500)]
        opened = Remote(server.url)
        assert opened.read(500) == BODY[:500]
    with pytest.raises(DumpError) as caught:
        opened.read()
    assert caught.value.detail == (
        "the connection broke after 500 bytes, then: Connection refused (5 tries in a row)"
    )


def test_pauses_grow(server, monkeypatch):
    monkeypatch.setattr(waits, "PAUSES", (0.0, 0.05, 0.1))
    monkeypatch.setattr(waits, "TRIES", 3)
    server.play(BODY, *[Answer(cut=0)] * 3)
    start = time.monotonic()
    assert failure(server.url) == "it ended too early (3 tries in a row)"
    assert time.monotonic() - start >= 0.15


OTHER = {"ETag": '"two"', "Last-Modified": MODIFIED}
LATER = {"Last-Modified": "Thu, 02 May 2024 10:11:12 GMT"}
CHANGED = "the file has changed meanwhile"
CANNOT = "the server cannot resume"
ELSEWHERE = "the server continued with another part of the file"


@pytest.mark.parametrize(
    ("answer", "detail"),
    [
        (Answer(ranges=False), CANNOT),
        (Answer(ranges=False, headers={}), CANNOT),
        (Answer(ranges=False, headers={"Content-Length": "0"}, lengthless=True, cut=0), CHANGED),
        (Answer(ranges=False, headers=OTHER), CHANGED),
        (Answer(ranges=False, headers=LATER), CHANGED),
        (Answer(ranges=False, headers={"Content-Length": "999"}, lengthless=True), CHANGED),
        # Servers that do not heed If-Range:
        (Answer(headers=OTHER), CHANGED),
        (Answer(headers=LATER), CHANGED),
        (Answer(content_range="bytes 600-998/999"), CHANGED),
        (Answer(content_range="bytes 0-999/1000"), ELSEWHERE),
        (Answer(content_range="bytes 601-999/1000"), ELSEWHERE),
        (Answer(content_range="bytes 600-999/*"), ELSEWHERE),
        (Answer(content_range="lines 600-999/1000"), ELSEWHERE),
        (Answer(content_range=f"bytes {'9' * 5000}-999/1000"), ELSEWHERE),
        (Answer(status=416), "HTTP 416 Requested Range Not Satisfiable"),
        (Answer(status=404), "HTTP 404 Not Found"),
    ],
)
def test_responses_that_do_not_continue_the_file(server, answer, detail):
    server.play(BODY, Answer(cut=600), answer)
    assert failure(server.url) == f"the connection broke after 600 bytes, then: {detail}"
    assert server.ranges == [None, "bytes=600-"]


def test_a_part_beyond_the_end_is_an_error(server):
    server.play(
        BODY, Answer(chunked=True, cut=600), Answer(chunked=True, content_range="bytes 600-99/100")
    )
    assert failure(server.url).endswith(ELSEWHERE)


def test_only_the_first_response_has_a_size(server):
    server.play(BODY, Answer(cut=0), Answer(chunked=True))
    assert read(server.url) == BODY


def test_a_change_before_the_first_byte_is_an_error(server):
    server.play(BODY, Answer(cut=0), Answer(headers=OTHER))
    assert failure(server.url) == CHANGED


@pytest.mark.parametrize(
    ("status", "detail"),
    [
        (404, "HTTP 404 Not Found"),
        (403, "HTTP 403 Forbidden"),
        (500, "HTTP 500 Internal Server Error"),
        (204, "HTTP 204 No Content"),
        (304, "HTTP 304, a redirect that cannot be followed"),
    ],
)
def test_refusals_are_not_repeated(server, status, detail):
    server.play(BODY, Answer(status=status))
    assert failure(server.url) == detail
    assert len(server.seen) == 1


@pytest.mark.parametrize("status", [500, 504])
def test_a_resumed_download_outlasts_errors_of_the_server(server, status):
    server.play(BODY, Answer(cut=300), Answer(status=status), Answer(status=status))
    assert read(server.url) == BODY
    assert server.ranges == [None, *["bytes=300-"] * 3]
    server.play(BODY, Answer(status=status))  # at the start, it is the answer
    assert failure(server.url).startswith(f"HTTP {status}")


@pytest.mark.parametrize("status", [429, 503])
def test_retry_after_is_followed_up_to_the_longest_wait(server, monkeypatch, status):
    busy = Answer(status=status, headers={"Retry-After": "1000"})
    monkeypatch.setattr(waits, "LONGEST_WAIT", 0.1)
    server.play(BODY, busy, Answer(cut=500), busy)
    start = time.monotonic()
    assert read(server.url) == BODY
    assert time.monotonic() - start >= 0.2
    assert server.ranges == [None, None, "bytes=500-", "bytes=500-"]


@pytest.mark.parametrize("after", ["", "Wed, 01 May 2024 10:11:12 GMT", "-5", "²"])
def test_a_server_that_stays_busy(server, after):
    server.play(BODY, *[Answer(status=429, headers={"Retry-After": after})] * 5)
    assert failure(server.url) == "HTTP 429 Too Many Requests (5 tries in a row)"
    assert len(server.seen) == 5


def test_redirects_are_followed_anew_at_each_try(server):
    there = Answer(status=302, headers={"Location": "/there"})
    server.play(BODY, there, Answer(cut=600), there)
    assert read(server.url) == BODY
    assert server.paths == ["/dump.nt", "/there"] * 2
    assert server.ranges == [None, None, "bytes=600-", "bytes=600-"]


@pytest.mark.parametrize(
    "location",
    ["/dump.nt", "file:///etc/hostname", "ftp://127.0.0.1/dump", "http://[::1"],
    ids=["a loop", "a file", "ftp", "no URL"],
)
def test_redirects_outside_the_web_are_errors(server, location):
    server.play(BODY, *[Answer(status=302, headers={"Location": location})] * 20)
    assert failure(server.url) == "HTTP 302, a redirect that cannot be followed"


def test_a_password_is_sent_to_its_server_only_and_never_shown(server):
    # By another name it is another server, as far as anybody can tell.
    there = server.url.replace("127.0.0.1", "localhost").replace("dump", "there")
    moved = [Answer(status=302, headers={"Location": place}) for place in ("/dump", there)]
    url = server.play(BODY, *moved)
    with Remote(url.replace("//", "//me:p%40ss@")) as opened:
        assert opened.name == url
    assert server.paths == ["/dump.nt", "/dump", "/there.nt"]
    secret = "Basic bWU6cEBzcw=="
    assert [headers.get("Authorization") for headers in server.seen] == [secret, secret, None]


WRONG_PORT = "the port is invalid; percent-encode a password in a URL"


@pytest.mark.parametrize(
    ("url", "name", "detail"),
    [
        # Beginning with a password that was not percent-encoded: nothing of it is shown.
        ("http://me:s3/cret@h/x", "http://h/x", WRONG_PORT),
        ("http://", "http://", "the URL has no host"),
        ("https:///dump.nt", "https:///dump.nt", "the URL has no host"),
        ("http://a:b@/x", "http:///x", "the URL has no host"),
        ("http://h:port/", "http://h:port/", WRONG_PORT),
        ("http://h:99999/", "http://h:99999/", WRONG_PORT),
        ("http://[::1/", "http://[::1/", "Invalid IPv6 URL"),
        *(
            (url, name, "a URL has no spaces and only ASCII letters; percent-encode all others")
            for url, name in [
                ("http://h/a b", "http://h/a b"),
                ("http://h/ü", "http://h/ü"),
                ("http://u:p@h/\x1b[2J\r\n\udcff", r"http://h/\x1b[2J\r\n\udcff"),
            ]
        ),
    ],
)
def test_invalid_urls(url, name, detail):
    with pytest.raises(UnreadableDumpError) as caught:
        Remote(url)
    assert (caught.value.path, caught.value.detail) == (name, detail)


def test_invalid_host_names():
    with pytest.raises(DumpError, match="label"):
        Remote("http://a..b/")
    # A name so long is not even looked up; how that is worded is the system's business.
    with pytest.raises(DumpError) as caught:
        Remote(f"http://{'a.' * 200}b/")
    assert "Errno" not in caught.value.detail and caught.value.detail


def test_a_closed_port():
    with socket.socket() as idle:
        idle.bind(("127.0.0.1", 0))
        assert failure(f"http://127.0.0.1:{idle.getsockname()[1]}/") == "Connection refused"


def test_a_server_without_tls(server):
    with pytest.raises(DumpError, match="SSL"):
        Remote(server.url.replace("http", "https"))


def test_a_server_of_something_else():
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def greet() -> None:
            connection, _ = listening.accept()
            with connection:
                connection.recv(1000)
                connection.sendall(b"SSH-2.0-\x1b[2J\r\n")

        thread = threading.Thread(target=greet)
        thread.start()
        detail = failure(f"http://127.0.0.1:{listening.getsockname()[1]}/")
        thread.join()
    assert detail == r"BadStatusLine: SSH-2.0-\x1b[2J" + r"\r\n"


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    size=st.integers(0, 3000),
    cuts=st.lists(st.integers(1, 500), max_size=8),
    chunked=st.booleans(),
    step=st.integers(1, 4000),
)
# 100 is just before a second chunk, 399 in the middle of a chunk.
@example(size=1000, cuts=[100, 299, 1], chunked=True, step=64)
def test_cuts_at_any_place_do_not_change_the_bytes(server, size, cuts, chunked, step):
    body = random.Random(size).randbytes(size)
    places, at = [], 0
    for cut in cuts:
        at += cut
        if at < size:
            places.append(at)
    answers = [
        Answer(cut=there - here, chunked=chunked)
        for here, there in zip([0, *places], places, strict=False)
    ]
    assert read(server.play(body, *answers), step) == body
    assert server.ranges == [None, *(f"bytes={place}-" for place in places)]
    assert {headers["User-Agent"] for headers in server.seen} == {http.agent()}


@pytest.mark.parametrize("cut", [3, 700])
def test_a_dump_whose_connection_is_cut(server, cut):
    text = b"".join(b"<a> <b> <c%d> .\n" % n for n in range(1000))
    archive = gzip.compress(text)
    server.play(archive, Answer(cut=cut))
    with reader.Dump(server.url) as opened:
        assert (opened.name, opened.size, opened.modified) == (
            server.url,
            len(archive),
            "2024-05-01",
        )
        assert b"".join(block.text for block in opened.blocks()) == text
        assert opened.digest == hashlib.sha256(archive).hexdigest()
        assert opened.position == len(archive)
    assert server.ranges == [None, f"bytes={cut}-"]


def test_http_libraries_are_imported_with_the_first_request():
    slow = {"http.client", "urllib.request", "urllib3"}
    code = f"import sys, kgbuild.net.download; print({slow} & {{*sys.modules}})"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"
