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

_ROWS = 1000
"""Rows that are read at once."""
_LARGE = 1 << 27
"""Bytes of a file whose faults are not searched for, line by line."""

_CSV = (
    # Without a skip of 0, first lines with fewer fields than the others would be left out.
    "skip = 0, header = true, all_varchar = true, quote = '\"', escape = '\"', comment = '', "
    "hive_partitioning = false"
)
FORMATS = {
    # The reader for each ending. Folders that look like "model=x" give no columns.
    ".jsonl": "read_json(?, sample_size = -1, hive_partitioning = false)",
    ".json": "read_json(?, sample_size = -1, hive_partitioning = false)",
    ".csv": f"read_csv(?, delim = ',', {_CSV})",
    ".tsv": f"read_csv(?, delim = '\t', {_CSV})",
    ".parquet": "read_parquet(?, hive_partitioning = false)",
}


@dataclass(frozen=True)
class Result:
    """The names of columns, and rows."""

    columns: Sequence[str]
    rows: Sequence[tuple[Any, ...]]

    @property
    def records(self) -> list[dict[str, Any]]:
        """The rows by column."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]


def read_file(path: Path) -> Result:
    """Return the content of a user's file, whose ending tells its format.

    The name is a value, never a part of the SQL, and names one file on the disk, even where it
    looks like a pattern or an address. In CSV and TSV all values are texts.

    Raises:
        TableFileError: it has another ending, or does not hold what it ends with.
    """
    with _opened(path) as (connection, reader, name):
        relation = connection.sql(f"FROM {reader}", params=[name])
        return Result(relation.columns, relation.fetchall())


def read_rows(
    path: Path, columns: Sequence[str], required: Sequence[str]
) -> Iterator[dict[str, str | None]]:
    """Yield some columns of a user's file as texts, row by row, in little memory.

    A column that the file lacks is None, unless it is required.

    Raises:
        TableFileError: as for ``read_file``.
        MissingColumnError: a required column is missing.
    """
    with _opened(path) as (connection, reader, name):
        existing = connection.sql(f"FROM {reader} LIMIT 0", params=[name]).columns
        require_columns(path, existing, required)
        values = (f'CAST("{one}" AS VARCHAR)' if one in existing else "NULL" for one in columns)
        query = f"SELECT {', '.join(values)} FROM {reader}"  # noqa: S608
        result = connection.execute(query, [name])
        while rows := result.fetchmany(_ROWS):
            yield from (dict(zip(columns, row, strict=True)) for row in rows)


@contextmanager
def _opened(path: Path) -> Iterator[tuple["duckdb.DuckDBPyConnection", str, str]]:
    """Yield a connection, the reader for a file in SQL, and the name of the file for it.

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
        # DuckDB would take the list of records for one value.
        raise TableFileError(path, "it begins with a byte order mark; save it without")
    name = re.sub(r"[*?\[]", r"[\g<0>]", str(path.absolute()))
    with duckdb.connect(config=dict(OFFLINE)) as connection:
        try:
            connection.execute(UTC)
            yield connection, reader, name
        except OverflowError as error:  # such as an interval of a million years
            raise TableFileError(path, f"Python has no such value: {error}") from error
        except (duckdb.Error, UnicodeDecodeError) as error:
            raise TableFileError(path, _fault(path, str(error))) from error


def _fault(path: Path, message: str) -> str:
    """Return the fault that DuckDB's message names, without its advice on SQL."""
    is_searched = "Malformed JSON" in message and path.stat().st_size < _LARGE
    if is_searched and (line := _malformed(path.read_bytes())):
        return f"Malformed JSON in {line}"
    if "sniffing" in message:
        if _begins_with(path, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE):
            return "it is UTF-16; save it as UTF-8"
        return "its lines differ in their number of fields, or quotes are not closed"
    return (
        re.split(r"[.\s]+(?:Possible |LINE 1|Try )", message.partition(": ")[2])[0]
        .replace("\n", " ")
        .rstrip(". ")
    )


def _begins_with(path: Path, *starts: bytes) -> bool:
    try:
        with path.open("rb") as file:
            return file.read(4).startswith(starts)
    except OSError:  # DuckDB names the fault
        return False


def _malformed(text: bytes) -> str:
    """Return the number and fault of the first line that is not JSON, or "".

    DuckDB 2.0.0 names the line after it, and does not count empty ones.
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
