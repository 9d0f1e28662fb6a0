"""Serve a store with Oxigraph's server: real processes, and what they leave."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from subprocess import Popen
from urllib.parse import urlencode

import pytest

from kgbuild.dump.filter import Filter
from kgbuild.store.load import load
from tests.conftest import invoke, triples
from tests.endpoints import OXIGRAPH
from tests.processes import children, has_ended

pytestmark = pytest.mark.skipif(not OXIGRAPH, reason="needs the command oxigraph")
DUMP = triples('wd:Q1 rdfs:label "one"@en\nwd:Q1 wdt:P31 wd:Q5\n')


@contextlib.contextmanager
def serve(store: Path, *arguments: str) -> Iterator[tuple["Popen[str]", str]]:
    """Start the command at any free port; yield the process and the address."""
    command = [sys.executable, "-m", "kgbuild", "serve", "--port", "0", *arguments]
    environment = {**os.environ, "KGBUILD_STORE": str(store)}
    with Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as process:
        try:
            assert process.stdout
            process.stdout.readline()
            yield process, process.stdout.readline().strip()
        finally:
            process.kill()


def query(url: str, text: str) -> bytes:
    with urllib.request.urlopen(url, urlencode({"query": text}).encode()) as response:
        return bytes(response.read())


@contextlib.contextmanager
def _listener() -> Iterator[tuple[int, list[bytes]]]:
    """Yield a port, and the list of what connections to it send first."""
    received: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def answer() -> None:
            with contextlib.suppress(OSError):
                while True:
                    connection, _ = listening.accept()
                    with connection:
                        received.append(connection.recv(4))

        thread = threading.Thread(target=answer)
        thread.start()
        try:
            yield listening.getsockname()[1], received
        finally:
            listening.shutdown(socket.SHUT_RDWR)
            thread.join()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_store_is_served_until_a_signal(make_store: Callable[..., Path], number: int) -> None:
    store = make_store(DUMP)
    with serve(store) as (process, url):
        assert json.loads(query(url, "ASK { ?a ?b ?c }")) == {"head": {}, "boolean": True}
        done = invoke(store.parent, "lookup", "one", "--endpoint", url, "--json")
        assert [row["qid"] for row in json.loads(done.stdout)] == ["Q1"]
        # It only reads.
        with pytest.raises(urllib.error.HTTPError):
            urllib.request.urlopen(
                url.replace("/query", "/update"), urlencode({"update": "CLEAR ALL"}).encode()
            )
        process.send_signal(number)
        assert process.wait(20) == 0
        assert process.stderr
        assert process.stderr.read().splitlines() == [
            f'For example: kgbuild lookup "marie curie" --endpoint {url}',
            "Ctrl-C ends the server.",
            "The server has ended.",
        ]
        with pytest.raises(urllib.error.URLError):
            query(url, "ASK {}")


def test_a_load_leaves_the_generation_that_is_served(make_store: Callable[..., Path]) -> None:
    store = make_store(DUMP)
    generations = [store / f"generation-{number}" for number in (1, 2, 3)]
    with serve(store) as (process, url):
        load([str(store.parent / "kg.nt")], store, Filter())
        assert [folder.exists() for folder in generations] == [True, True, False]
        assert b"true" in query(url, "ASK { <http://www.wikidata.org/entity/Q1> ?b ?c }")
        process.terminate()
        process.wait(20)
    load([str(store.parent / "kg.nt")], store, Filter())
    assert [folder.exists() for folder in generations] == [False, False, True]


def test_no_query_makes_the_server_ask_another_one(make_store: Callable[..., Path]) -> None:
    store = make_store(DUMP)
    with _listener() as (port, received):
        text = f"SELECT * {{ SERVICE SILENT <http://127.0.0.1:{port}/> {{ ?s ?p ?o }} }}"
        with serve(store) as (_, url):
            assert json.loads(query(url, text))["results"]["bindings"] == [{}]
            assert received == []
        with serve(store, "--service") as (_, url):
            query(url, text)
            assert received == [b"POST"]


def test_a_port_in_use(make_store: Callable[..., Path]) -> None:
    store = make_store(DUMP)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = invoke(store.parent, "serve", "--port", str(port), "--store", str(store))
    assert (done.returncode, done.stdout, done.stderr) == (
        1,
        "",
        f"Error: Cannot serve at port {port}: Address already in use. "
        "Name another port with --port.\n",
    )


def test_what_cannot_be_served(make_store: Callable[..., Path], tmp_path: Path) -> None:
    done = invoke(tmp_path, "serve", "--store", "nothing")
    assert (done.returncode, done.stderr[:26]) == (2, "Error: No store at nothing")
    store = make_store(DUMP)
    for file in (store / "generation-1" / "graph").iterdir():
        file.unlink()
    done = invoke(tmp_path, "serve", "--port", "0", "--store", str(store))
    assert (done.returncode, done.stderr[:35]) == (1, "Error: The store cannot be opened: ")
    assert "Traceback" not in done.stderr and len(done.stderr.splitlines()) == 1


def test_a_missing_server_is_named(make_store: Callable[..., Path], tmp_path: Path) -> None:
    # A Python in another folder than the command oxigraph.
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "python").symlink_to(Path(sys.executable).resolve())
    done = subprocess.run(
        [tmp_path / "bin" / "python", "-m", "kgbuild", "serve", "--store", make_store(DUMP)],
        env={"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "PATH": str(tmp_path / "bin")},
        cwd=Path(__file__).parents[1],
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (
        1,
        "Error: This needs oxigraph, which is not installed: pip install 'kgbuild[serve]'.\n",
    )


@pytest.mark.skipif(sys.platform != "linux", reason="macOS has no signal for it")
def test_a_killed_command_takes_the_server_with_it(make_store: Callable[..., Path]) -> None:
    with serve(make_store(DUMP)) as (process, url):
        (server,) = children(process.pid)
        process.kill()
        assert has_ended(server)
        with pytest.raises(OSError):  # refused, or cut off while its last threads end
            query(url, "ASK {}")


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
def test_a_killed_server_ends_the_command(make_store: Callable[..., Path]) -> None:
    with serve(make_store(DUMP)) as (process, _):
        (server,) = children(process.pid)
        os.kill(server, signal.SIGKILL)
        assert process.wait(20) == 1
        assert process.stderr
        assert process.stderr.read().splitlines()[-1] == (
            "Error: Oxigraph's server ended: it was killed."
        )
