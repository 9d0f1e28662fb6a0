"""Fixtures that tests share: stores of small dumps, of the sample, and of the real data if any."""

import contextlib
import fcntl
import gc
import os
import resource
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from subprocess import CompletedProcess
from typing import TypeAlias

import pytest
from click.testing import CliRunner, Result
from hypothesis import settings

from kgbuild.cli import cli
from kgbuild.datasets import database
from kgbuild.dump.filter import Filter
from kgbuild.files import atomic_files
from kgbuild.graph.open import Store, open_store
from kgbuild.rows import Build
from kgbuild.store.load import load
from tests.chat_server import ChatServer, chat_server

os.environ["COLUMNS"] = "120"  # tables are as wide as that, wherever tests run
# Tests touch no store and no database of whoever runs them.
for name in [name for name in os.environ if name.startswith("KGBUILD_")]:
    if name != "KGBUILD_TEST_DATA":
        del os.environ[name]
os.environ["KGBUILD_QUIET"] = "1"  # progress depends on the time that a command takes
# Modules are compiled once, and not by each of the hundreds of programs that tests start.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False
# Tests write and sync thousands of stores and databases, which on a disk takes most of the time.
MEMORY = Path("/dev/shm")
if MEMORY.is_dir() and shutil.disk_usage(MEMORY).free > 4 << 30:
    os.environ.setdefault("PYTEST_DEBUG_TEMPROOT", str(MEMORY))
# Idle threads of PyTorch sleep, so that other workers can use the cores.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")
# As in the command line: thousands of tests would be searched for cycles again and again.
gc.set_threshold(200_000)
# A shell ignores Ctrl-C for what it starts in the background, and so would the programs of tests.
signal.signal(signal.SIGINT, signal.default_int_handler)
# How long an example of Hypothesis takes depends on what else runs. Tests that need more say so.
settings.register_profile("kgbuild", deadline=None, max_examples=25)
settings.load_profile("kgbuild")
ROOT = Path(__file__).parents[1]
SAMPLE = ROOT / "dumps" / "sample.nt"
QUERIES = sorted(path.stem for path in (ROOT / "queries").glob("*.rq"))
DATA = Path(os.environ.get("KGBUILD_TEST_DATA", ROOT / ".." / "shared" / "data"))

PREFIXES = {
    "wd:": "http://www.wikidata.org/entity/",
    "wdt:": "http://www.wikidata.org/prop/direct/",
    "wdno:": "http://www.wikidata.org/prop/novalue/",
    "rdf:": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfs:": "http://www.w3.org/2000/01/rdf-schema#",
    "skos:": "http://www.w3.org/2004/02/skos/core#",
    "schema:": "http://schema.org/",
}


def triples(text: str) -> str:
    """Return N-Triples for lines of shorthand: ``wd:Q1 wdt:P31 wd:Q5``; literals stand as is."""
    lines = []
    for line in filter(None, map(str.strip, text.splitlines())):
        subject, predicate, value = line.split(" ", 2)
        lines.append(f"{_term(subject)} {_term(predicate)} {_term(value)} .\n")
    return "".join(lines)


def _term(text: str) -> str:
    for prefix, namespace in PREFIXES.items():
        if text.startswith(prefix):
            return f"<{namespace}{text.removeprefix(prefix)}>"
    return text


def invoke(folder: Path, *arguments: str, **environment: str) -> CompletedProcess[str]:
    """Run a command in a folder as ``kgbuild`` does, but without starting a process."""
    with contextlib.chdir(folder):
        result = CliRunner().invoke(cli, arguments, env=environment, prog_name="kgbuild")
    if result.exception and not isinstance(result.exception, SystemExit):
        raise result.exception
    return CompletedProcess(arguments, result.exit_code, result.stdout, result.stderr)


Run: TypeAlias = Callable[..., Result]


def commands(**where: object) -> Run:
    """Return a function that runs the command line with these variables of the environment."""
    variables = {name: str(value) for name, value in where.items()}
    return lambda *arguments: CliRunner().invoke(cli, [*map(str, arguments)], env=variables)


_WRITTEN: dict[str, bytes] = {}


def write_once(path: Path, build: Build) -> Path:
    """Write a build into a new database, which is copied where the same build was written before.

    DuckDB takes a fifth of a second to make one.
    """
    parts = [vars(part) for part in build.parts]
    content = _WRITTEN.get(key := repr((build.dataset.name, build.provenance, parts)))
    if content is None:
        database(path).write(build)
        _WRITTEN[key] = path.read_bytes()
    else:
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
    return path


def left_by_a_killed_process(out: Path) -> Path:
    """Return the temporary folder that a process left when it was killed while writing ``out``."""
    with atomic_files.partial_folder(out) as folder:
        left = Path(shutil.copytree(folder, out.parent / "left"))
    return left.rename(folder)


@contextlib.contextmanager
def full_disk(size: int) -> Iterator[None]:
    """Let no file of this process grow beyond a size, as a full disk would."""
    old, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, most))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (old, most))


def load_text(folder: Path, text: str, name: str = "kg", **options: object) -> Path:
    """Load N-Triples text into a store within a folder, and return the folder of the store."""
    dump = folder / f"{name}.nt"
    dump.write_text(text, encoding="utf-8")
    load([str(dump)], folder / name, Filter(**options))  # type: ignore[arg-type]
    return folder / name


@pytest.fixture
def make_store(tmp_path: Path) -> Callable[..., Path]:
    """Return a function that loads N-Triples text into a store and returns its folder."""
    return partial(load_text, tmp_path)


@contextlib.contextmanager
def _stores(folder: Path) -> Iterator[Callable[..., Store]]:
    """Yield a function that opens a store of lines in shorthand until the end of the block."""
    with contextlib.ExitStack() as stack:
        yield lambda *lines, **options: stack.enter_context(
            open_store(load_text(folder, triples("\n".join(lines)), **options))
        )


@pytest.fixture
def store_of(tmp_path: Path) -> Iterator[Callable[..., Store]]:
    """Return a function that opens a store of lines in shorthand until the test ends."""
    with _stores(tmp_path) as opened:
        yield opened


@pytest.fixture(scope="module")
def shared_store_of(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Store]]:
    """Return a function that opens a store of lines in shorthand for all tests of a module."""
    with _stores(tmp_path_factory.mktemp("shared")) as opened:
        yield opened


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[ChatServer]:
    """Return a running server of a language model, which needs no key."""
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with chat_server() as running:
        yield running


@pytest.fixture(scope="session")
def load_once(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Callable[..., Path]:
    """Return a function that loads a dump into a store, once for all workers of a run."""
    own = tmp_path_factory.getbasetemp()
    folder = own if worker_id == "master" else own.parent

    def load_dump(dump: Path, name: str) -> Path:
        store = folder / f"store-{name}"
        with (folder / f"store-{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not (store / "manifest.json").exists():
                load([str(dump)], store, Filter())
        return store

    return load_dump


@pytest.fixture(scope="session")
def sample_store(load_once: Callable[..., Path]) -> Path:
    """Return the folder of a store of the sample dump, which no test changes."""
    return load_once(SAMPLE, "sample")


@pytest.fixture
def sample(sample_store: Path) -> Iterator[Store]:
    """Return the sample's store, opened."""
    with open_store(sample_store) as held:
        yield held


def data(name: str) -> Path:
    """Return a file of the real data, or skip the test that needs it."""
    path = DATA / name
    if not path.exists():
        pytest.skip(f"needs {name} in {DATA}: set KGBUILD_TEST_DATA")
    return path


@pytest.fixture(scope="session")
def real_store(load_once: Callable[..., Path]) -> Path:
    """Return the folder of a store of the real slice; skip the test if there is none."""
    return load_once(data("kg/real-slice.nt.gz"), "real")
