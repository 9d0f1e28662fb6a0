"""The door to Oxigraph: plain values go in and come out."""

import contextlib
import io
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Protocol, cast

import pyoxigraph as ox

from kgbuild import wikidata
from kgbuild.errors import DamagedStoreError, WriteError
from kgbuild.store import parameters, queries, terms
from kgbuild.store.terms import Param, Row

if TYPE_CHECKING:
    from kgbuild.dump.scanner import Scanned  # which compiles, and is not needed to read


class Graph(Protocol):
    """What the rest of the program asks: a store, or an endpoint (see ``endpoint.py``)."""

    def select(self, query: str, **params: Param) -> list[Row]:
        """Run the query of that name."""


class TripleStore:
    """An Oxigraph database, opened for reading only.

    Raises:
        DamagedStoreError: it cannot be opened or, later, read.
    """

    def __init__(self, path: Path):
        self._path = path
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
                raise  # a query that Oxigraph cannot run, which is a fault of ours
            raise DamagedStoreError(self._path, str(error)) from error

    def select(self, query: str, **params: Param) -> list[Row]:
        """Run the query ``query``.rq and return its rows, in the query's order.

        The parameters are bound as terms; they never become a part of the query's text.

        Raises:
            QueryParameterError: the parameters are not those that the file declares.
        """
        declared = queries.load(query)
        declared.check(set(params))
        bound: dict[ox.Variable, ox.NamedNode | ox.BlankNode | ox.Literal | ox.Triple] = {
            ox.Variable(name): term for name, term in terms.single(declared, params).items()
        }
        text = "".join(parameters.listed(declared.text, terms.listed(declared, params)))
        with self._reading():
            return terms.rows(declared, self._store.query(text, substitutions=bound))

    def __len__(self) -> int:
        return len(self._store)

    def lines(self, consume: Callable[[list[bytes]], None]) -> None:
        """Hand all triples to ``consume``, in lists of canonical N-Triples lines."""
        with self._reading():
            _dump(self._store, consume)


_ENOUGH = 1 << 20


class _Lines(io.RawIOBase):
    """A file to write to that cuts what it gets into lines."""

    def __init__(self, consume: Callable[[list[bytes]], None]):
        self._consume = consume
        self._parts: list[bytes] = []
        self._size = 0

    def writable(self) -> bool:
        return True

    def write(self, data: bytes) -> int:  # type: ignore[override]
        self._parts.append(bytes(data))
        self._size += len(data)
        if self._size >= _ENOUGH:
            self.finish()
        return len(data)

    def finish(self) -> None:
        """Hand over the whole lines so far."""
        *lines, rest = b"".join(self._parts).split(b"\n")
        self._parts, self._size = [rest], len(rest)
        self._consume(lines)


def _dump(store: ox.Store, consume: Callable[[list[bytes]], None]) -> None:
    lines = _Lines(consume)
    graph = ox.DefaultGraph()
    store.dump(cast(IO[bytes], lines), format=ox.RdfFormat.N_TRIPLES, from_graph=graph)
    lines.finish()


class StoreWriter:
    """A new Oxigraph database in the folder ``path``, being filled.

    Raises:
        WriteError: the disk is full or may not be written.
    """

    def __init__(self, path: Path):
        self._path = path
        with self._writing():
            self._store = ox.Store(str(path))

    def add(self, text: bytes, checked: bool = False) -> list[tuple[int, str]]:
        """Add N-Triples lines, without blank nodes; ``checked`` ones have valid IRIs.

        Returns:
            Of lines that are no triples the index and the reason; all others are added.
        """
        with self._writing():
            return _bulk_load(self._store, text, checked)

    def finish(self) -> None:
        """Write all to the disk."""
        with self._writing():
            self._store.flush()

    def close(self) -> None:
        """Close the database, finished or not."""
        del self._store

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise WriteError(self._path, str(error)) from error


def _bulk_load(store: ox.Store, text: bytes, lenient: bool) -> list[tuple[int, str]]:
    """Load N-Triples lines; return the index and the reason of those that are refused."""
    try:
        store.bulk_load(text, format=ox.RdfFormat.N_TRIPLES, lenient=lenient)
        return []
    except SyntaxError:
        # A block with one bad line is refused as a whole, and after some errors the parser
        # loses what follows; so such a block is sorted out line by line.
        lines = [line + b"\n" for line in text.split(b"\n")[:-1]]
        reasons = {n: reason for n, line in enumerate(lines) if (reason := _fault(line, lenient))}
        good = b"".join(line for n, line in enumerate(lines) if n not in reasons)
        store.bulk_load(good, format=ox.RdfFormat.N_TRIPLES, lenient=lenient)
        return list(reasons.items())


def _fault(line: bytes, lenient: bool) -> str:
    """Return what is wrong with a line, or an empty text."""
    try:
        list(ox.parse(line, format=ox.RdfFormat.N_TRIPLES, lenient=lenient))
    except SyntaxError as error:
        return error.msg.removeprefix("Parser error at ")
    return ""


def named(scanned: "Scanned") -> bytes:
    """Return scanned lines with their blank nodes named, by an IRI made of their label.

    Wikidata's other exports name them so. Oxigraph would rename blank nodes at each load, so
    a dump loaded twice would have its unknown values twice.
    """
    text = scanned.text.tobytes()
    parts: list[bytes] = []
    done = 0
    for n in scanned.blank.nonzero()[0].tolist():
        start, end = int(scanned.ends[n - 1]) if n else 0, int(scanned.ends[n])
        parts += text[done:start], _BLANK.sub(_NAMED, text[start:end])
        done = end
    return b"".join([*parts, text[done:]])


def canonical(text: bytes, scanned: "Scanned") -> list[bytes]:
    """Return the named lines that are not plain as Oxigraph writes them, in any order.

    They (escapes, numbers, capitals in languages, odd spacing) go through a store in memory,
    where equal ones become one.
    """
    written: list[bytes] = []
    odd = (~scanned.plain).nonzero()[0].tolist()
    if odd:
        lines, memory = text.split(b"\n"), ox.Store()
        # What is refused here is refused by the graph, too, and a survey of that is made then.
        _bulk_load(memory, b"".join([lines[n] + b"\n" for n in odd]), lenient=True)
        _dump(memory, written.extend)
    return written


_BLANK = re.compile(
    rb'^[ \t]*_:([^\s<>"]+)|_:([^\s<>"]+?)(?=[ \t]*\.[ \t]*(?:#[^\n]*)?$)', re.MULTILINE
)
_NAMED = rb"<" + wikidata.UNKNOWN_VALUE.encode() + rb"\1\2>"
