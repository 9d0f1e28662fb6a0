"""The door to Oxigraph: the only importer of ``pyoxigraph``. Plain values go in and come out."""

import contextlib
import io
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import IO, Any, Protocol, TypeAlias, cast

import pyoxigraph as ox

from kgbuild.errors import DamagedStoreError, WriteError
from kgbuild.kg import queries, wikidata

Param: TypeAlias = str | int | tuple[str, str]
"""An id, a string, an integer, or a (text, language)."""
Row: TypeAlias = tuple[Any, ...]
"""The values of a query's columns: ids and strings as str, counts as int, objects as Value."""


class Graph(Protocol):
    """What the rest of the program needs of a store."""

    def select(self, query: str, **params: Param) -> list[Row]:
        """Run the query of that name."""


class Store:
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
            ox.Variable(name): _TERMS[kind](params[name]) for name, kind in declared.params
        }
        with self._reading():
            solutions = self._store.query(declared.text, substitutions=bound)
            places = {variable.value: n for n, variable in enumerate(solutions.variables)}  # type: ignore[union-attr]
            readers = [(places[name], _READERS[kind]) for name, kind in declared.columns]
            return [
                tuple([None if row[n] is None else read(row[n]) for n, read in readers])
                for row in solutions  # type: ignore[union-attr]
            ]

    def __len__(self) -> int:
        return len(self._store)

    def lines(self, consume: Callable[[list[bytes]], None]) -> None:
        """Hand all triples to ``consume``, in lists of canonical N-Triples lines."""
        with self._reading():
            self._store.dump(
                cast(IO[bytes], _Lines(consume)),
                format=ox.RdfFormat.N_TRIPLES,
                from_graph=ox.DefaultGraph(),
            )


class _Lines(io.RawIOBase):
    """A file to write to that cuts what it gets into lines."""

    def __init__(self, consume: Callable[[list[bytes]], None]):
        self._consume = consume
        self._rest = b""

    def writable(self) -> bool:
        return True

    def write(self, data: bytes) -> int:  # type: ignore[override]
        *lines, self._rest = (self._rest + data).split(b"\n")
        self._consume(lines)
        return len(data)


class StoreWriter:
    """A new Oxigraph database in the folder ``path``, being filled.

    Raises:
        WriteError: the disk is full or may not be written.
    """

    def __init__(self, path: Path):
        self._path = path
        with self._writing():
            self._store = ox.Store(str(path))

    def add(self, lines: Sequence[bytes]) -> tuple[list[bytes], list[tuple[int, str]]]:
        """Add N-Triples lines.

        Returns:
            The triples that were added, as the canonical lines that ``Store.lines`` gives,
            and of lines that are no triples the index and the reason.
        """
        bad: list[tuple[int, str]] = []
        good = [_without_blank_nodes(line) if b"_:" in line else line for line in lines]
        with self._writing():
            try:
                self._store.bulk_load(b"".join(good), format=ox.RdfFormat.N_TRIPLES)
            except SyntaxError:
                # A block with one bad line is refused as a whole, and after some errors the
                # parser loses what follows; so such a block is sorted out line by line.
                bad = [(n, reason) for n, reason in enumerate(map(_fault, good)) if reason]
                wrong = {n for n, _ in bad}
                good = [line for n, line in enumerate(good) if n not in wrong]
                self._store.bulk_load(b"".join(good), format=ox.RdfFormat.N_TRIPLES)
        return _canonical([line.rstrip(b"\r\n") for line in good]), bad

    def finish(self) -> None:
        """Write all to the disk, in order: reading then takes about half the time."""
        with self._writing():
            self._store.flush()
            self._store.optimize()

    def close(self) -> None:
        """Close the database, finished or not."""
        del self._store

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise WriteError(self._path, str(error)) from error


def _fault(line: bytes) -> str:
    """Return what is wrong with a line, or an empty text."""
    try:
        list(ox.parse(line, format=ox.RdfFormat.N_TRIPLES))
    except SyntaxError as error:
        return error.msg.removeprefix("Parser error at ")
    return ""


def _without_blank_nodes(line: bytes) -> bytes:
    """Name blank nodes as Wikidata's other exports do, by an IRI made of their label.

    Oxigraph would rename blank nodes at each load, so a dump loaded twice would have its
    unknown values twice.
    """
    return _BLANK.sub(rb"<" + wikidata.UNKNOWN_VALUE.encode() + rb"\1\2>", line)


def _canonical(lines: Sequence[bytes]) -> list[bytes]:
    """Return lines as Oxigraph writes them.

    Lines that link two things or say a plain text stand so already. The others (escapes,
    numbers and dates, regional languages, odd spacing) go through a store in memory.
    """
    plain: list[bytes] = []
    other: list[bytes] = []
    for line in lines:
        (plain if _PLAIN.fullmatch(line) else other).append(line)
    if other:
        memory = ox.Store()
        memory.bulk_load(b"\n".join(other), format=ox.RdfFormat.N_TRIPLES)
        memory.dump(
            cast(IO[bytes], _Lines(plain.extend)),
            format=ox.RdfFormat.N_TRIPLES,
            from_graph=ox.DefaultGraph(),
        )
    return plain


# Of the letters that Oxigraph escapes, U+FFFE and U+FFFF begin with the byte EF.
_PLAIN = re.compile(rb'<[^\\> ]*> <[^\\> ]*> (?:<[^\\> ]*>|"[^"\\\x00-\x1f\x7f\xef]*"@[a-z]+) \.')
_BLANK = re.compile(
    rb'^_:([^\s<>"]+)(?=[ \t])|(?<=[ \t])_:([^\s<>"]+)(?=[ \t]*\.[ \t]*\r?$)', re.MULTILINE
)

_TERMS: dict[str, Callable[[Param], ox.NamedNode | ox.Literal]] = {
    "item": lambda qid: ox.NamedNode(wikidata.ENTITY + str(qid)),
    "entity": lambda entity: ox.NamedNode(wikidata.ENTITY + str(entity)),
    "property": lambda pid: ox.NamedNode(wikidata.DIRECT + str(pid)),
    "novalue": lambda pid: ox.NamedNode(wikidata.NO_VALUE + str(pid)),
    "string": lambda text: ox.Literal(str(text)),
    "text": lambda text: ox.Literal(text[0], language=text[1] or None),  # type: ignore[index]
    "integer": lambda number: ox.Literal(int(number)),  # type: ignore[arg-type]
}


def _value(term: ox.NamedNode | ox.Literal | ox.BlankNode) -> wikidata.Value:
    if isinstance(term, ox.NamedNode):
        return wikidata.value_of_iri(term.value)
    if isinstance(term, ox.Literal):
        return wikidata.value_of_literal(term.value, term.datatype.value, term.language)
    return wikidata.Value("unknown", "")


_READERS: dict[str, Callable[[Any], object]] = {
    "item": lambda term: term.value[len(wikidata.ENTITY) :],
    "property": lambda term: term.value[len(wikidata.DIRECT) :],
    "value": _value,
    "string": lambda term: term.value,
    "integer": lambda term: int(term.value),
}
