"""A real SPARQL server on loopback, and one in front of it that misbehaves as a test tells it."""

import gzip
import http.client
import re
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import parse_qs, urlencode

from tests.http_servers import Handler, running

OXIGRAPH = shutil.which("oxigraph", path=Path(sys.executable).parent) or shutil.which("oxigraph")


@contextmanager
def serving(folder: Path, *dumps: Path, graphs: Sequence[str] = ()) -> Iterator[str]:
    """Serve N-Triples files from a database in a folder; yield the address of queries.

    With graphs, the files are in each of them, and asked for are all of these together.
    """
    assert OXIGRAPH, "needs the command oxigraph, as the extra 'dev' installs it"
    for named in [["--graph", graph] for graph in graphs] or [[]]:
        load = [OXIGRAPH, "load", "--location", folder, *named, "--file", *dumps]
        subprocess.run(load, check=True, capture_output=True)
    port = free_port()
    place = f"127.0.0.1:{port}"
    serve = [OXIGRAPH, "serve-read-only", "--location", folder, "--bind", place]
    serve += ["--union-default-graph"] if graphs else []
    with subprocess.Popen(serve, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as server:
        try:
            wait_for(port)
            yield f"http://{place}/query"
        finally:
            server.terminate()


VIRTUOSO = shutil.which("virtuoso-t")  # Debian: virtuoso-opensource-7-bin
_VIRTUOSO_INI = """\
[Database]
DatabaseFile = {folder}/virtuoso.db
ErrorLogFile = {folder}/virtuoso.log
LockFile = {folder}/virtuoso.lck
TransactionFile = {folder}/virtuoso.trx
xa_persistent_file = {folder}/virtuoso.pxa
[TempDatabase]
DatabaseFile = {folder}/temp.db
TransactionFile = {folder}/temp.trx
[Parameters]
ServerPort = 127.0.0.1:{sql}
DirsAllowed = {folder}
NumberOfBuffers = 5000
[HTTPServer]
ServerPort = 127.0.0.1:{http}
ServerThreads = 3
[SPARQL]
ResultSetMaxRows = 10000
DefaultGraph = urn:graph
"""


@contextmanager
def virtuoso(folder: Path, lines: bytes) -> Iterator[str]:
    """Serve lines of N-Triples by Virtuoso, in a folder without spaces; yield the address."""
    assert VIRTUOSO
    ports = {"sql": free_port(), "http": free_port()}
    (folder / "virtuoso.ini").write_text(_VIRTUOSO_INI.format(folder=folder, **ports))
    (folder / "lines.nt").write_bytes(lines)
    load = f"TTLP_MT(file_to_string_output('{folder}/lines.nt'), '', 'urn:graph', 255);"
    serve = [VIRTUOSO, "-f", "-c", str(folder / "virtuoso.ini")]
    client = ["isql-vt", f"127.0.0.1:{ports['sql']}", "dba", "dba", f"exec=DB.DBA.{load}"]
    with subprocess.Popen(
        serve, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as server:
        try:
            wait_for(ports["http"])
            subprocess.run(client, check=True, capture_output=True, cwd=folder)
            yield f"http://127.0.0.1:{ports['http']}/sparql"
        finally:
            server.terminate()


def free_port() -> int:
    """Return a port of this machine on which nobody listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def wait_for(port: int) -> None:
    """Wait until somebody listens on a port of this machine."""
    for _ in range(3000):  # a minute: starting Java takes long on a busy machine
        with socket.socket() as tried:
            if tried.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.02)
    raise AssertionError(f"nobody listens on {port}")


@dataclass
class Fault:
    """What the server does with one request instead of passing it on."""

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes | None = None
    """Sent in the place of the answer."""
    cut: int | None = None
    """Bytes of the answer after which the connection is closed."""
    is_silent: bool = False
    """Whether nothing is sent before the test is over."""
    is_closed: bool = False
    """Whether the connection is closed at once."""


@dataclass
class Proxy:
    """A server while it runs: what it was asked, and what it is to do.

    ``plan`` has what it does with the next requests, the first one first; None is to pass one
    on, and so are all that come after. ``after`` is what it does once so many have come.
    ``cap`` is the most rows that it gives, whatever limit it is asked for.
    """

    url: str
    to: str
    plan: list[Fault | None] = field(default_factory=list)
    after: tuple[int, Fault] | None = None
    cap: int | None = None
    queries: list[str] = field(default_factory=list)
    headers: list[Mapping[str, str]] = field(default_factory=list)
    held: threading.Event = field(default_factory=threading.Event)
    """Set when the first request gets no answer."""

    def clear(self) -> None:
        """Forget what was asked."""
        self.queries.clear()
        self.headers.clear()


@contextmanager
def proxy(to: str) -> Iterator[Proxy]:
    """Run a server in front of another one, and stop it at the end."""
    with running(_Handler, lambda at: Proxy(f"{at}/query", to)) as told:
        yield told


class _Handler(Handler):
    def respond(self) -> None:
        told: Proxy = self.told
        sent = self.sent()
        told.queries += parse_qs(sent.decode()).get("query", [])
        told.headers.append(dict(self.headers))
        fault = told.plan.pop(0) if told.plan else None
        if told.after and len(told.queries) > told.after[0]:
            fault = told.after[1]
        if fault and (fault.is_silent or fault.is_closed):
            self.close_connection = True
            if fault.is_silent:
                told.held.set()
                self.server.over.wait(60)
            return
        if told.cap:
            sent = _capped(sent, told.cap)
        self._pass(fault or Fault(), sent, told.to)

    def _pass(self, fault: Fault, sent: bytes, to: str) -> None:
        status, headers, body = fault.status, dict(fault.headers), fault.body
        if body is None:
            status, media_type, body = _passed(to, sent, self.headers)
            headers.setdefault("Content-Type", media_type)
        if headers.get("Content-Encoding") == "gzip":
            body = gzip.compress(body)
        self.answer(status, headers, body, fault.cut)


def _capped(sent: bytes, cap: int) -> bytes:
    (query,) = parse_qs(sent.decode())["query"]
    less = re.sub(r"LIMIT (\d+)", lambda found: f"LIMIT {min(int(found[1]), cap)}", query)
    return urlencode({"query": less}).encode()


def _passed(to: str, sent: bytes, headers: Mapping[str, str]) -> tuple[int, str, bytes]:
    place, _, path = to.removeprefix("http://").partition("/")
    connection = http.client.HTTPConnection(place)
    kept = {"Content-Type": "application/x-www-form-urlencoded", "Accept": headers["Accept"]}
    connection.request("POST", f"/{path}", sent, kept)
    response = connection.getresponse()
    body = response.read()
    connection.close()
    return response.status, response.headers.get("Content-Type", ""), body
