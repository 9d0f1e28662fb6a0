"""Read and write Oxigraph databases; other modules get Python values instead of RDF terms."""

import contextlib
import functools
import io
import os
import resource
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any, Protocol, cast

import pyoxigraph as ox

from kgbuild import wikidata
from kgbuild.errors import DamagedStoreError, KgbuildError, WriteError
from kgbuild.files.atomic_files import write_errors
from kgbuild.store.sparql import parameters, queries, query_text, terms
from kgbuild.store.sparql.terms import Param, Row, Term

_BUFFER = 1 << 20
"""Number of bytes that are passed on at a time."""
_WAITS = (0.1, 0.2, 0.5, 1, 2, 5)
"""Numbers of seconds to wait for another process that has opened a database."""


class Graph(Protocol):
    """A source of query results: a store, or an endpoint (see ``endpoint.py``)."""

    def select(self, query: str, **params: Param) -> list[Row]:
        """Run the query of the file ``queries/QUERY.rq``, and return its rows."""


class TripleStore:
    """An Oxigraph database, opened for reading only.

    Raises:
        DamagedStoreError: the database cannot be opened or, later, read.
    """

    def __init__(self, path: Path):
        self._path = path
        _first_process()
        try:
            self._store = ox.Store.read_only(str(path))
        except (OSError, ValueError, RuntimeError) as error:
            raise DamagedStoreError(path, str(error)) from error

    @contextlib.contextmanager
    def _reading(self) -> Iterator[None]:
        try:
            yield
        except (OSError, RuntimeError) as error:
            if isinstance(error, RuntimeError) and not str(error).startswith("Corruption"):
                raise  # Oxigraph cannot run the query: an error in kgbuild
            raise DamagedStoreError(self._path, str(error)) from error

    def select(self, query: str, **params: Param) -> list[Row]:
        """Run ``queries/QUERY.rq``, and return its rows, in the query's order.

        Raises:
            WrongCallError: the parameters are not those that the file declares, or invalid.
        """
        loaded = queries.load(query)
        bound = _by_variable(terms.single_terms(loaded, params))
        text = parameters.insert_lists(loaded.text, terms.list_terms(loaded, params))
        with self._reading():
            return terms.rows(loaded, self._store.query(text, substitutions=bound))

    def answer(
        self, text: str, bound: Mapping[str, Term], form: str | None, file: IO[bytes]
    ) -> None:
        """Run a query of a user with values for variables, and write its result to a file.

        It cannot be interrupted (see ``user_query``). For ``form`` see ``terms.write_result``.

        Raises:
            WrongCallError: Oxigraph cannot run the query, or the result is not of this form.
        """
        try:
            substitutions = _by_variable(bound)
            result = self._store.query(
                text, prefixes=wikidata.PREFIXES, substitutions=substitutions
            )
            terms.write_result(result, form, file)
        except SyntaxError as error:
            raise query_text.explain(error.msg, text) from error
        except (RuntimeError, ValueError) as error:
            if str(error).startswith("Corruption"):
                raise DamagedStoreError(self._path, str(error)) from error
            raise query_text.explain(str(error), text) from error

    def __len__(self) -> int:
        return len(self._store)

    def lines(self, consume: Callable[[list[bytes]], None]) -> None:
        """Pass all triples to ``consume``, in lists of canonical N-Triples lines."""
        with self._reading(), io.BufferedWriter(_Lines(consume), _BUFFER) as file:
            self._store.dump(file, format=ox.RdfFormat.N_TRIPLES, from_graph=ox.DefaultGraph())


def _by_variable(
    values: Mapping[str, Term],
) -> dict[ox.Variable, ox.NamedNode | ox.BlankNode | ox.Literal | ox.Triple]:
    return {ox.Variable(name): term for name, term in values.items()}


class _Lines(io.RawIOBase):
    """A file that calls ``consume`` with the complete lines that are written to it."""

    def __init__(self, consume: Callable[[list[bytes]], None]):
        self._consume = consume
        self._rest = b""

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        *lines, self._rest = (self._rest + bytes(data)).split(b"\n")
        self._consume(lines)
        return len(data)


class StoreWriter:
    """An Oxigraph database in the folder ``path``, which is created if necessary.

    If a process was killed while it wrote there, the database has all that it had added.

    Raises:
        KgbuildError: this process is a fork of one that has used Oxigraph.
        WriteError: the disk is full or may not be written.
    """

    def __init__(self, path: Path):
        self._path = path
        if _first_process() != os.getpid():
            raise KgbuildError(
                f"{path} cannot be written by a forked process: it lacks the threads of "
                "Oxigraph, which the process before it has used. Start the process by the "
                "method 'spawn' of multiprocessing."
            )
        with write_errors(self._path):
            self._store: ox.Store | None = _open(path)

    def add(self, text: bytes, checked: bool = False) -> list[tuple[int, str]]:
        """Add N-Triples lines without blank nodes; if ``checked``, their IRIs are valid.

        Returns:
            The (index, reason) of each line that is refused; all others are added.
        """
        with write_errors(self._path):
            reasons = _bulk_load(cast(ox.Store, self._store), text, checked)
        _postpone_compaction()
        return reasons

    def close(self) -> None:
        """Close the database.

        All lines are in files already. Flushing the database would wait for compactions.
        """
        self._store = None


@functools.cache
def _first_process() -> int:
    """Return the process that used a database first; a fork of it copies the answer.

    A fork may only read: a database that is written waits for threads, which a fork does not have.
    """
    return os.getpid()


def _open(path: Path) -> ox.Store:
    """Open a database for writing, and remove what a process that was killed has left.

    To merge the files of a graph, Oxigraph opens all of them: thousands of a load, where many
    systems let a process open 1024 unless it asks for more. The process that compacts a database
    ends a moment after the load that started it was killed.
    """
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.suppress(OSError, ValueError):  # some systems have a lower limit of their own
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    waits = iter(_WAITS)
    while True:
        try:
            store = ox.Store(str(path))
            break
        except OSError as error:
            wait = next(waits, None)
            if wait is None or "lock" not in str(error).lower():
                raise
            time.sleep(wait)
    for table in path.glob("bulk-*.sst"):  # of parts that were not added
        table.unlink()
    return store


def _postpone_compaction() -> None:
    """Leave the processor to the threads that load, instead of those that compact the database.

    RocksDB would rewrite everything again and again, since each part of a dump overlaps with all
    others. ``compact`` does this once. Linux lets a thread run only where a processor is idle.
    """
    for task in Path("/proc/self/task").glob("*"):
        with contextlib.suppress(OSError):
            if (task / "comm").read_text().startswith("rocksdb:low"):
                os.sched_setscheduler(int(task.name), os.SCHED_IDLE, os.sched_param(0))


def compact(path: Path) -> None:
    """Merge and compress the files of the database in a folder; this takes minutes.

    Raises:
        WriteError: the disk is full or may not be written, or the database is damaged.
    """
    try:
        with write_errors(path):
            _open(path).optimize()
    except (RuntimeError, ValueError) as error:
        raise WriteError(path, str(error)) from error


def _bulk_load(store: ox.Store, text: bytes, lenient: bool) -> list[tuple[int, str]]:
    """Load lines; return the (index, reason) of each line that is refused."""
    try:
        store.bulk_load(text, format=ox.RdfFormat.N_TRIPLES, lenient=lenient)
        return []
    except SyntaxError:  # Oxigraph refuses a whole block for a single bad line
        refused = faults(text, lenient)
        bad = {n for n, _ in refused}
        good_lines = b"".join(line for n, line in enumerate(_lines(text)) if n not in bad)
        store.bulk_load(good_lines, format=ox.RdfFormat.N_TRIPLES, lenient=lenient)
        return refused


def faults(text: bytes, lenient: bool) -> list[tuple[int, str]]:
    """Return the (index, reason) of each line that Oxigraph would refuse."""
    if not _fault(text, lenient):
        return []
    # The parser skips more lines after some errors, so each line is parsed separately.
    reasons = ((n, _fault(line, lenient)) for n, line in enumerate(_lines(text)))
    return [(n, reason) for n, reason in reasons if reason]


def _lines(text: bytes) -> list[bytes]:
    return [line + b"\n" for line in text.split(b"\n")[:-1]]


def _fault(text: bytes, lenient: bool) -> str:
    """Return the reason why Oxigraph refuses a text, or ""."""
    try:
        deque(ox.parse(text, format=ox.RdfFormat.N_TRIPLES, lenient=lenient), maxlen=0)
    except SyntaxError as error:
        return error.msg.removeprefix("Parser error at ")
    return ""


def rewritten(text: bytes) -> list[bytes]:
    """Return N-Triples lines in the form that Oxigraph writes, in any order, each once.

    They are loaded into a store in memory. What it refuses is left out; the graph refuses it, too.
    """
    memory = ox.Store()
    _bulk_load(memory, text, lenient=True)
    dumped = memory.dump(format=ox.RdfFormat.N_TRIPLES, from_graph=ox.DefaultGraph())
    return cast(bytes, dumped).split(b"\n")[:-1]
