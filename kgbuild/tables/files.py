"""Read a user's file as a table: JSON, JSON Lines, CSV, TSV or Parquet."""

import codecs
import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kgbuild.errors import TableFileError
from kgbuild.rows import require_columns

if TYPE_CHECKING:
    import duckdb

_ROWS_AT_ONCE = 1000
"""Number of rows that are read at a time."""
_MAX_SEARCHED = 1 << 27
"""Number of bytes of a file from which on its faulty line is not searched for."""

_SNIFFED = 1 << 16
"""Number of bytes that are read to recognise a text in UTF-8."""

_CSV = (
    # Without "skip = 0", DuckDB leaves out first lines with fewer fields than the others.
    "skip = 0, header = true, all_varchar = true, quote = '\"', escape = '\"', comment = '', "
    "hive_partitioning = false"
)
FORMATS = {
    # The reader of DuckDB for each ending. Folders such as "model=x" must not become columns.
    ".jsonl": "read_json(?, sample_size = -1, hive_partitioning = false)",
    ".json": "read_json(?, sample_size = -1, hive_partitioning = false)",
    ".csv": f"read_csv(?, delim = ',', {_CSV})",
    ".tsv": f"read_csv(?, delim = '\t', {_CSV})",
    ".parquet": "read_parquet(?, hive_partitioning = false)",
}


@dataclass(frozen=True)
class Result:
    """The result of a query: the names of columns, and rows."""

    columns: Sequence[str]
    rows: Sequence[tuple[Any, ...]]

    @property
    def records(self) -> list[dict[str, Any]]:
        """The rows as dicts, by column."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]


def read_file(path: Path) -> Result:
    """Return the content of a user's file; its format depends on its ending.

    The path is bound as a value, and means a single file, even if it looks like a pattern or a URL.
    In CSV and TSV, all values are texts.

    Raises:
        TableFileError: the ending is unknown, or the content has another format.
    """
    with _open(path) as (connection, reader, literal_path):
        relation = connection.sql(f"FROM {reader}", params=[literal_path])
        return Result(relation.columns, relation.fetchall())


def read_rows(
    path: Path, columns: Sequence[str], required: Sequence[str]
) -> Iterator[dict[str, str | None]]:
    """Yield the rows of a user's file with some columns as texts, in constant memory.

    The values of a column that the file lacks are None.

    Raises:
        TableFileError: as for ``read_file``.
        MissingColumnError: a required column is missing.
    """
    with _open(path) as (connection, reader, literal_path):
        existing = connection.sql(f"FROM {reader} LIMIT 0", params=[literal_path]).columns
        require_columns(path, existing, required)
        values = (f'CAST("{name}" AS VARCHAR)' if name in existing else "NULL" for name in columns)
        query = f"SELECT {', '.join(values)} FROM {reader}"  # noqa: S608
        result = connection.execute(query, [literal_path])
        while rows := result.fetchmany(_ROWS_AT_ONCE):
            yield from (dict(zip(columns, row, strict=True)) for row in rows)


def read_texts(path: Path) -> Iterator[str]:
    """Yield the content of each row of a user's file as a text, in constant memory.

    The text has a line for each column.

    Raises:
        TableFileError: as for ``read_file``.
    """
    with _open(path) as (connection, reader, literal_path):
        columns = connection.sql(f"FROM {reader} LIMIT 0", params=[literal_path]).columns
        names = (name.replace('"', '""') for name in columns)
        values = ", ".join(f'CAST("{name}" AS VARCHAR)' for name in names)
        query = f"SELECT concat_ws(chr(10), {values}) FROM {reader}"  # noqa: S608
        result = connection.execute(query, [literal_path])
        while rows := result.fetchmany(_ROWS_AT_ONCE):
            yield from (text for (text,) in rows)


@contextmanager
def _open(path: Path) -> Iterator[tuple["duckdb.DuckDBPyConnection", str, str]]:
    """Yield a connection, SQL that reads a file, and the path of the file as its parameter.

    Raises:
        TableFileError: the file has an unknown ending, or DuckDB cannot read it.
    """
    # Imported here, since most importers of this module do not need DuckDB, which is slow.
    import duckdb

    from kgbuild.tables.connection import OFFLINE, UTC

    reader = FORMATS.get(path.suffix.lower())
    if reader is None:
        raise TableFileError(path, f"its name ends with none of {', '.join(FORMATS)}")
    if reader.startswith("read_json") and _begins_with(path, codecs.BOM_UTF8 + b"["):
        # DuckDB would read the list of records as a single value.
        raise TableFileError(path, "it begins with a byte order mark; save it without")
    # Brackets around the characters of a pattern make them literal.
    literal_path = re.sub(r"[*?\[]", r"[\g<0>]", str(path.absolute()))
    with duckdb.connect(config=dict(OFFLINE)) as connection:
        try:
            connection.execute(UTC)
            yield connection, reader, literal_path
            if path.suffix.lower() == ".json" and _is_open_list(path):  # DuckDB reads what it has
                raise TableFileError(path, "it is cut short: its list has no end")
        except OverflowError as error:  # such as an interval of a million years
            raise TableFileError(path, f"Python has no such value: {error}") from error
        except (duckdb.Error, UnicodeDecodeError) as error:
            raise TableFileError(path, _fault(path, str(error))) from error


def _fault(path: Path, message: str) -> str:
    """Return the fault in a message of DuckDB, without its advice on SQL."""
    is_searchable = "Malformed JSON" in message and path.stat().st_size < _MAX_SEARCHED
    if is_searchable and (line := _malformed_line(path.read_bytes())):
        return f"Malformed JSON in {line}"
    if "No magic bytes" in message:
        return "it is not a Parquet file"
    if "sniffing" in message and _begins_with(path, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
        return "it is UTF-16; save it as UTF-8"
    if "not utf-8 encoded" in message or ("sniffing" in message and not _begins_as_utf8(path)):
        return "it is not a text in UTF-8; save it as UTF-8"
    if "sniffing" in message:
        return "its lines differ in their number of fields, or quotes are not closed"
    # The text between the name of the error and the advice.
    detail = re.split(r"[.\s]+(?:Possible |LINE 1|Try )", message.partition(": ")[2])[0]
    return detail.replace("\n", " ").rstrip(". ")


def _begins_with(path: Path, *starts: bytes) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(4).startswith(starts)
    except OSError:  # DuckDB reports the fault
        return False


def _is_open_list(path: Path) -> bool:
    """Return whether a file begins a list in JSON, and does not end it."""
    try:
        with path.open("rb") as file:
            begins = file.read(_SNIFFED).lstrip()[:1] == b"["
            file.seek(max(0, path.stat().st_size - _SNIFFED))
            return begins and not file.read().rstrip().endswith(b"]")
    except OSError:  # DuckDB reports the fault
        return False


def _begins_as_utf8(path: Path) -> bool:
    """Return whether the first bytes of a file are UTF-8; a last character may be cut."""
    with path.open("rb") as file:
        start = file.read(_SNIFFED)
    try:
        codecs.getincrementaldecoder("utf-8")().decode(start)
    except UnicodeDecodeError:
        return False
    return True


def _malformed_line(text: bytes) -> str:
    """Return the number and fault of the first line that is not JSON, or "".

    DuckDB 2.0.0 reports the number of the next line, and does not count empty lines.
    """
    parts = [text] if text.lstrip()[:1] == b"[" else text.split(b"\n")
    for number, part in enumerate(parts, 1):
        try:
            if part.strip():
                json.loads(part)
        except UnicodeDecodeError as error:
            return f"line {number + part[: error.start].count(10)}: it is not UTF-8"
        except json.JSONDecodeError as error:
            fault = error.msg.removesuffix(" at").removesuffix(" starting")
            return f"line {number + error.lineno - 1}: {fault}"
        except RecursionError:
            return ""
    return ""
