"""Read a user's file as a table: JSON, JSON Lines, CSV, TSV or Parquet; a text may be compressed.

All values are cells (see ``kgbuild.cells``), so that one depends on no other row, and on the format
only as far as CSV and TSV have no lists. In these, an empty field is None.
"""

import codecs
import csv
import io
import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, runtime_checkable

from kgbuild.cells import DECODER, DEEPEST, Written, dumps, shallow, text_of, texts
from kgbuild.errors import TableFileError
from kgbuild.files import compression
from kgbuild.notebook_tables import html_table
from kgbuild.rows import require_columns
from kgbuild.tables.quoting import quoted

if TYPE_CHECKING:  # slow to import
    from duckdb.sqltypes import DuckDBPyType

Record: TypeAlias = dict[str, Any]

FORMATS = {
    ".jsonl": "FORMAT json",
    ".json": "FORMAT json, ARRAY true",
    ".csv": "FORMAT csv, HEADER",
    ".tsv": "FORMAT csv, HEADER, DELIMITER '\t'",
    ".parquet": "FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 16384",
}
"""The options of DuckDB's COPY that write a table to a file, by the ending of its name."""
_ARCHIVES = (".gz", ".bz2", ".xz", ".zst")
_LONGEST = 1 << 26
"""Maximum number of characters of a line."""
_RECORDS_OF_FRAMES = {"to_dicts": (), "to_pylist": (), "to_dict": ("records",)}
"""The methods of tables (of Polars, Arrow, pandas) that return records, with their arguments."""
_ROWS_AT_ONCE = 1000
"""Number of rows of a Parquet file that are read at a time."""

_BLANK = re.compile(r"[ \t\r\n]*")
_SEVERAL_LINES = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:\[|\{\s*\n)")
"""How a file begins whose records do not stand on a line each: by a list, or an indented object."""
_HALF = re.compile(
    r"\\u[dD][89abAB]..(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB]..)\\u[dD][c-fC-F]", re.DOTALL
)
"""An escape of a half of a character beyond 16 bits, without the other half."""
_ROW = '"a row of the file"'
"""A name in SQL that no column has."""
_INEXACT = ("decimal", "hugeint", "uhugeint", "bignum", "float")
"""Types of numbers that DuckDB would round in JSON, or write with more digits than they have."""
_JSON = "JSON"
"""The type of texts in JSON, whose numbers DuckDB would write anew."""


@dataclass(frozen=True, repr=False)
class Result:
    """The result of a query: the names of columns, rows, and DuckDB's types of the columns.

    A result that was not read from a database has no types.
    """

    columns: Sequence[str]
    rows: Sequence[tuple[Any, ...]]
    types: Sequence[str] = ()

    def __repr__(self) -> str:
        return f"<Result: {len(self.rows):,} rows of {', '.join(self.columns)}>"

    def _repr_html_(self) -> str:
        return html_table(repr(self), self.records)

    @property
    def records(self) -> list[Record]:
        """The rows as dicts, by column."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]


def format_of(path: Path) -> str:
    """Return the ending that tells the format of a file, one of ``FORMATS``, or ""."""
    suffixes = [suffix.lower() for suffix in path.suffixes]
    if suffixes and suffixes[-1] in _ARCHIVES:
        suffixes.pop()
    return suffixes[-1] if suffixes and suffixes[-1] in FORMATS else ""


def read_file(path: Path) -> Result:
    """Return the content of a user's file; its format depends on its ending.

    The columns are those of all records, in the order of the first one that has them.

    Raises:
        TableFileError: the ending is unknown, or the content has another format.
    """
    columns: dict[str, None] = {}
    records: list[Record] = []
    for record in _records(path):
        columns |= dict.fromkeys(record)
        records.append(record)
    return Result([*columns], [tuple(map(record.get, columns)) for record in records])


def read_rows(
    path: Path, columns: Sequence[str], required: Sequence[str]
) -> Iterator[dict[str, str | None]]:
    """Yield the rows of a user's file with some columns as texts.

    Memory holds one row at a time, or all of a JSON file that is a list. The values of a column
    that a row lacks are None.

    Raises:
        TableFileError: as for ``read_file``.
        WrongCallError: no row has a required column.
    """
    found: dict[str, None] = {}
    for record in _records(path):
        found |= dict.fromkeys(record)
        cells = ((name, record.get(name)) for name in columns)
        yield {name: None if cell is None else text_of(cell) for name, cell in cells}
    if found:
        require_columns(path, [*found], required)


@runtime_checkable
class Frame(Protocol):
    """A table of pandas, Polars or Arrow; a single column has no columns."""

    columns: Any


def frame_records(frame: Frame) -> list[Record]:
    """Return the records of a table, whose missing values are None.

    Raises:
        TypeError: it is no table.
    """
    for method, arguments in _RECORDS_OF_FRAMES.items():
        if hasattr(frame, method):
            rows = getattr(frame, method)(*arguments)
            return [{str(name): _cell(value) for name, value in row.items()} for row in rows]
    raise TypeError(frame)


def _cell(value: Any) -> Any:
    """Return the value of a table as a cell: NumPy's arrays are lists, NaN and the like None."""
    value = value.tolist() if hasattr(value, "tolist") else value
    if isinstance(value, dict):
        return {name: _cell(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [*map(_cell, value)]
    return value if (value == value) is True else None  # NaN differs from itself


def read_texts(path: Path) -> Iterator[list[str]]:
    """Yield the texts of each row of a user's file; memory holds as much as for ``read_rows``.

    Raises:
        TableFileError: as for ``read_file``.
    """
    for record in _records(path):
        yield [*texts(record)]


def _records(path: Path) -> Iterator[Record]:
    ending = format_of(path)
    if not ending:
        raise TableFileError(path, f"its name ends with none of {', '.join(FORMATS)}")
    try:
        with path.open("rb", buffering=0) as raw:
            if ending == ".parquet":
                yield from _parquet_records(path)
            else:
                read = _json_records if ending.startswith(".json") else _csv_records
                yield from read(compression.decompressed(raw), ending)
    except UnicodeDecodeError as error:
        raise TableFileError(path, _bad_line(path)) from error
    except compression.DAMAGE as error:
        raise TableFileError(path, str(error)) from error
    except OSError as error:
        raise TableFileError(path, error.strerror or str(error)) from error
    except RecursionError as error:
        raise TableFileError(path, "a list or an object in it is nested too deeply") from error
    except ValueError as error:
        raise TableFileError(path, str(error)) from error


def _bad_line(path: Path) -> str:
    """Return the fault of a file that is not UTF-8."""
    with path.open("rb", buffering=0) as raw:
        file = compression.decompressed(raw)
        if file.peek(2)[:2] in (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
            return "it is UTF-16; save it as UTF-8"
        for number, line in enumerate(iter(partial(file.readline, _LONGEST), b""), 1):
            try:
                line.decode()
            except UnicodeDecodeError:
                return f"line {number:,} is not UTF-8; save it as UTF-8"
    return "it is not UTF-8"


def _csv_records(file: io.BufferedReader, ending: str) -> Iterator[Record]:
    """Yield the records of a CSV or TSV file; a CSV file may have semicolons or tabs."""
    delimiters = "\t" if ending == ".tsv" else ",;\t"
    header = file.peek(1).partition(b"\n")[0].decode("utf-8", "replace")
    csv.field_size_limit(_LONGEST)
    reader = csv.reader(
        io.TextIOWrapper(file, "utf-8-sig", newline=""),
        delimiter=max(delimiters, key=header.count),
        strict=True,
    )
    columns: list[str] = []
    try:
        for row in filter(None, reader):
            if not columns:
                columns = row
                if twice := {name for name in row if name and row.count(name) > 1}:
                    raise ValueError(f"several of its columns are called '{min(twice)}'")
            elif len(row) != len(columns):
                fault = f"line {reader.line_num:,} has {len(row):,} fields, and the header"
                raise ValueError(f"{fault} {len(columns):,}; quote a field that has a separator")
            else:
                yield {name: cell or None for name, cell in zip(columns, row, strict=True)}
    except csv.Error as error:
        raise ValueError(f"line {reader.line_num:,}: {error}") from error


def _json_records(file: io.BufferedReader, _: str) -> Iterator[Record]:
    """Yield the records of a JSON file: of a list, or one after the other."""
    kind, values = "line", _line_values
    if _SEVERAL_LINES.match(file.peek(1)):
        kind, values = "record", _values
    for number, value in values(file):
        if not isinstance(value, dict):
            raise ValueError(f"{kind} {number:,} is not an object")
        yield _record(value)


def _record(value: Record) -> Record:
    """Return an object of JSON as a record, with true and false as texts."""
    return {
        name: Written(dumps(cell)) if isinstance(cell, bool) else cell
        for name, cell in value.items()
    }


def _line_values(file: io.BufferedReader) -> Iterator[tuple[int, Any]]:
    """Yield the number and the value of each line that is not blank."""
    for number, line in enumerate(iter(partial(file.readline, _LONGEST), b""), 1):
        text = line.decode("utf-8-sig" if number == 1 else "utf-8").strip()
        if text:
            try:
                yield number, _decode_all(text)
            except json.JSONDecodeError as error:
                raise _malformed(error, number) from error


def _values(file: io.BufferedReader) -> Iterator[tuple[int, Any]]:
    """Yield the numbers and the values of a list, or of values one after the other."""
    text = io.TextIOWrapper(file, "utf-8-sig").read()
    number, at = 0, _after_blank(text, 0)
    while at < len(text):
        try:
            value, end = _decode(text, at)
        except json.JSONDecodeError as error:
            raise _malformed(error, error.lineno) from error
        values = value if isinstance(value, list) else [value]
        yield from enumerate(values, number + 1)
        number += len(values)
        at = _after_blank(text, end)


def _after_blank(text: str, at: int) -> int:
    blank = _BLANK.match(text, at)
    return blank.end() if blank else at


def _decode(text: str, at: int) -> tuple[Any, int]:
    """Return the value at a position, and its end.

    Raises:
        json.JSONDecodeError: it is not JSON, or it cannot be written in UTF-8.
        RecursionError: it is nested too deeply.
    """
    value, end = DECODER.raw_decode(text, at)
    if text.count("[", at, end) + text.count("{", at, end) > DEEPEST:  # quick to count
        shallow(value)
    if half := _HALF.search(text, at, end):
        try:
            dumps(value).encode()
        except UnicodeEncodeError as error:
            raise json.JSONDecodeError("Half of a character", text, half.start()) from error
    return value, end


def _decode_all(text: str) -> Any:
    """Return the value of a whole text; raise as ``_decode``."""
    value, end = _decode(text, _after_blank(text, 0))
    if _after_blank(text, end) < len(text):
        raise json.JSONDecodeError("Extra data", text, end)
    return value


def _malformed(error: json.JSONDecodeError, line: int) -> ValueError:
    """Return the error for a text that is not JSON in a line of the file."""
    if error.pos >= len(error.doc.rstrip()):
        fault = "it is cut short"
    else:
        fault = error.msg.removesuffix(" at").removesuffix(" starting")
    return ValueError(f"Malformed JSON in line {line:,}: {fault}")


def _parquet_records(path: Path) -> Iterator[Record]:
    # Imported here, since other formats do not need DuckDB, which is slow to import.
    import duckdb

    from kgbuild.tables.connection import OFFLINE, UTC

    # Brackets around the characters of a pattern make them literal.
    literal_path = [re.sub(r"[*?\[]", r"[\g<0>]", str(path.absolute()))]
    reader = "read_parquet(?, hive_partitioning = false)"  # a folder "model=x" is not a column
    try:
        with duckdb.connect(config=dict(OFFLINE)) as connection:
            connection.execute(UTC)
            table = connection.sql(f"FROM {reader} LIMIT 0", params=literal_path)
            typed = zip(table.columns, table.types, strict=True)
            types = {name: type_ for name, type_ in typed if _as_text(type_) != type_}
            exact = ", ".join(
                f"CAST({quoted(name)} AS {_as_text(type_)}) AS {quoted(name)}"
                for name, type_ in types.items()
            )
            replaced = f"* REPLACE ({exact})" if exact else "*"
            query = f"SELECT to_json({_ROW}) FROM (SELECT {replaced} FROM {reader}) AS {_ROW}"  # noqa: S608
            readers = {name: _reader(type_) for name, type_ in types.items()}
            result = connection.execute(query, literal_path)
            while rows := result.fetchmany(_ROWS_AT_ONCE):
                for (text,) in rows:
                    record = DECODER.decode(text)
                    for name, read in readers.items():
                        record[name] = read(record[name])
                    yield _record(record)
    except duckdb.Error as error:
        is_other = "No magic bytes" in str(error)
        fault = str(error).partition(": ")[2].splitlines()[0]
        raise ValueError("it is not a Parquet file" if is_other else fault.rstrip(". ")) from error


def _parts(type_: "DuckDBPyType") -> dict[str, Any]:
    """Return the types of the parts of a nested type of DuckDB, by name."""
    return dict(type_.children)


def _as_text(type_: "DuckDBPyType") -> "DuckDBPyType":
    """Return a type of DuckDB with VARCHAR for the types within it that are inexact in JSON."""
    import duckdb

    if type_.id in _INEXACT or str(type_) == _JSON:
        return duckdb.type("VARCHAR")
    if type_.id == "list":
        return duckdb.list_type(_as_text(_parts(type_)["child"]))
    if type_.id == "struct":
        return duckdb.struct_type({name: _as_text(part) for name, part in _parts(type_).items()})
    if type_.id == "map":
        return duckdb.map_type(*map(_as_text, _parts(type_).values()))
    return type_


def _reader(type_: "DuckDBPyType") -> Callable[[Any], Any]:
    """Return a function that makes a cell from one of a type whose parts ``_as_text`` has cast."""
    read: Callable[[Any], Any]
    if type_.id in _INEXACT:
        read = Written
    elif str(type_) == _JSON:
        read = _decode_all
    elif type_.id in ("list", "map"):
        read_part = _reader([*_parts(type_).values()][-1])  # a map's names are texts
        if type_.id == "list":
            read = lambda cell: [*map(read_part, cell)]  # noqa: E731
        else:
            read = lambda cell: {name: read_part(part) for name, part in cell.items()}  # noqa: E731
    elif type_.id == "struct":
        readers = {name: _reader(part) for name, part in _parts(type_).items()}
        read = lambda cell: {name: readers[name](part) for name, part in cell.items()}  # noqa: E731
    else:
        return lambda cell: cell
    return lambda cell: None if cell is None else read(cell)
