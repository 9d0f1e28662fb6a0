"""Serve a database with Oxigraph's own server, which is the command of the package oxigraph."""

import contextlib
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO, cast

from kgbuild.dump import child_processes
from kgbuild.errors import KgbuildError, missing_extra, port_taken
from kgbuild.store.sparql import confinement

_HOST = "127.0.0.1"
_LISTENING = "Listening"
"""The beginning of the first line that the server writes, if it does not fail."""


class SparqlServer:
    """A server that has started; ``url`` is the address for queries."""

    def __init__(self, process: "subprocess.Popen[bytes]", url: str):
        self.url = url
        self._process = process

    def wait(self) -> None:
        """Wait until it is interrupted; raise a KgbuildError if the server ends by itself."""
        detail = ""
        for line in cast(IO[bytes], self._process.stderr):  # a full pipe would block the server
            detail = line.decode(errors="replace").strip()
        raise KgbuildError(f"Oxigraph's server ended: {detail or 'it was killed'}.")


@contextlib.contextmanager
def serving(
    graph: Path, port: int, timeout: int, may_federate: bool = False
) -> Iterator[SparqlServer]:
    """Serve the database in the folder ``graph`` on this machine; port 0 means any free port.

    The server can only read, and asks other servers (SERVICE) only if ``may_federate``. It tries
    to end queries after ``timeout`` seconds. It ends with the block, and on Linux also if this
    process is killed.

    Raises:
        KgbuildError: the server is not installed, cannot listen at this port, or does not start;
            this system cannot keep it from asking other servers.
    """
    program = shutil.which("oxigraph", path=Path(sys.executable).parent)
    program = program or shutil.which("oxigraph")
    if program is None:
        raise missing_extra("serve", "oxigraph")
    place = f"{_HOST}:{_free_port(port)}"
    process = child_processes.start(
        "kgbuild.store.sparql.confinement",
        *(["--service"] if may_federate else []),
        *(program, "serve-read-only", "--location", str(graph), "--bind", place),
        *("--timeout-s", str(timeout)),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    try:
        line = cast(IO[bytes], process.stderr).readline().decode(errors="replace").strip()
        if not line.startswith(_LISTENING):
            if process.wait() == confinement.UNSUPPORTED:
                raise KgbuildError(
                    "On this system, a query with SERVICE could make the server ask any other "
                    "server. If you accept that, pass --service."
                )
            raise KgbuildError(
                f"Oxigraph's server ended: {line.removeprefix('Error: ') or 'it says nothing'}."
            )
        yield SparqlServer(process, f"http://{place}/query")
    finally:
        process.kill()
        process.communicate()


def _free_port(port: int) -> int:
    """Return the port, or a free one for 0; raise a KgbuildError if this user cannot have it."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((_HOST, port))
        except OSError as error:
            raise port_taken(port, error.strerror or str(error)) from error
        return int(probe.getsockname()[1])
