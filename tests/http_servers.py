"""Servers on loopback that run beside a test, in threads, and print nothing."""

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, TypeVar
from urllib.parse import urlsplit

Told = TypeVar("Told")


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128
    told: Any

    def __init__(self, handler: Callable[..., BaseHTTPRequestHandler]) -> None:
        super().__init__(("127.0.0.1", 0), handler)
        self.over = threading.Event()

    def handle_error(self, *_: object) -> None:
        """Say nothing of clients that hang up, as tests make them do."""


class Handler(BaseHTTPRequestHandler):
    """Answers requests to a server that is ``told`` what to do; a subclass says how."""

    protocol_version = "HTTP/1.1"
    wbufsize = -1  # headers and body leave together, or the client would wait for the body
    server: _Server

    @property
    def told(self) -> Any:
        return self.server.told

    def respond(self) -> None:
        raise NotImplementedError

    def do_GET(self) -> None:
        self.respond()

    def do_POST(self) -> None:
        self.respond()

    def sent(self) -> bytes:
        """Return what a request says: its body, or the query of its address."""
        length = self.headers["Content-Length"]
        return self.rfile.read(int(length)) if length else urlsplit(self.path).query.encode()

    def answer(
        self, status: int, headers: Mapping[str, str], body: bytes, cut: int | None = None
    ) -> None:
        """Answer a request; what closes the connection has no length, or is ``cut`` before it."""
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        if "Connection" not in headers:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[:cut])
        self.close_connection = self.close_connection or cut is not None

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def running(
    handler: Callable[..., BaseHTTPRequestHandler], tell: Callable[[str], Told]
) -> Iterator[Told]:
    """Run a server, and stop it at the end; ``tell`` makes of its address what it is told."""
    with _Server(handler) as server:
        told = server.told = tell(f"http://127.0.0.1:{server.server_port}")
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield told
        finally:
            server.over.set()
            server.shutdown()
            thread.join()
