"""Copy rows of a database into memory, and write them to files with reproducible bytes."""

import contextlib
import os
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb

from kgbuild.errors import NoDatasetsError, WriteError
from kgbuild.tables.connection import OFFLINE, explaining, opened
from kgbuild.tables.files import FORMATS, Result
from kgbuild.tables.quoting import quoted, quoted_text
from kgbuild.tables.reviews import selecting

_REPRODUCIBLE = {"threads": "1"}
"""A setting of DuckDB: with several threads, the bytes of a file may differ."""


@dataclass(frozen=True)
class Subset:
    """The rows to copy: those with these ``ids``.

    ``texts`` maps ids and columns to texts that replace those of the table ``table``.
    """

    table: str
    ids: Collection[str]
    texts: Mapping[str, Mapping[str, str]]


class Snapshot:
    """Tables in memory, copied from the database ``path``.

    A query whose table or column is missing raises a DamagedDatabaseError.
    """

    def __init__(self, path: Path, connection: duckdb.DuckDBPyConnection):
        self._path = path
        self._connection = connection

    def columns(self, table: str) -> dict[str, str]:
        """Return the columns of a table with their types."""
        return _columns(self._connection, table)

    def sql(self, text: str) -> Result:
        """Return the result of a query of kgbuild (not of a user)."""
        with explaining(self._path):
            relation = self._connection.sql(text)
            return Result(relation.columns, relation.fetchall())

    def select(self, text: str, values: Mapping[str, Any]) -> list[dict[str, Any]]:
        """Return the rows of a query of kgbuild with values by name, as dicts."""
        with explaining(self._path):
            return selecting(self._connection)(text, values)

    def write(self, text: str, file: Path) -> None:
        """Write the result of a query of kgbuild to a new file, in the format of its ending.

        Raises:
            WriteError: the file cannot be written.
        """
        try:
            options = FORMATS[file.suffix] + ", FORCE_QUOTE *" * (file.suffix == ".csv")
            self._connection.execute(f"COPY ({text}) TO {quoted_text(file)} ({options})")
        except duckdb.IOException as error:
            number = re.search(r'"errno":"(\d+)"', str(error))
            raise WriteError(file, os.strerror(int(number[1])) if number else str(error)) from error


@contextlib.contextmanager
def snapshot(
    path: Path, queries: Mapping[str, str], key: str, subset: Subset | None = None
) -> Iterator[Snapshot]:
    """Copy the results of queries, which are by name of the new table, into tables in memory.

    With a ``subset``, only rows with one of its ids in the column ``key`` are copied. The database
    is closed before the snapshot is used.

    Raises:
        NoDatasetsError: there is no database.
        DatabaseBusyError, DamagedDatabaseError: the database cannot be read.
    """
    if not path.exists():
        raise NoDatasetsError(path)
    with duckdb.connect(config={**OFFLINE, **_REPRODUCIBLE}) as connection:
        attach = f"ATTACH {quoted_text(path.resolve())} AS home (READ_ONLY)"
        opened(
            path, lambda: connection.execute(attach), lambda _: connection.execute("DETACH home")
        )
        with explaining(path):
            connection.execute("SET search_path = 'memory.main,home.main'")
            if subset:
                _replace_texts(connection, key, subset)
            for table, query in queries.items():
                connection.execute(f"CREATE TABLE memory.{table} AS {query}")
                if subset:
                    outside = f"{key} NOT IN (SELECT unnest(?))"
                    delete = f"DELETE FROM {table} WHERE ({outside})"  # noqa: S608
                    connection.execute(delete, [[*subset.ids]])
            connection.execute("USE memory")
            connection.execute("DETACH home")
        yield Snapshot(path, connection)


def _replace_texts(connection: duckdb.DuckDBPyConnection, key: str, subset: Subset) -> None:
    """Copy the table of a subset into memory, and replace texts in the columns that it has."""
    table = subset.table
    connection.execute(f"CREATE TABLE memory.{table} AS FROM home.{table} ORDER BY rowid")
    text_columns = {name for name, kind in _columns(connection, table).items() if kind == "VARCHAR"}
    for row_id, replacements in subset.texts.items():
        for column in text_columns & replacements.keys():
            connection.execute(
                f"UPDATE {table} SET {quoted(column)} = ? WHERE ({key} = ?)",  # noqa: S608
                [replacements[column], row_id],
            )


def _columns(connection: duckdb.DuckDBPyConnection, table: str) -> dict[str, str]:
    rows = connection.execute(f"DESCRIBE {table}").fetchall()
    return {name: data_type for name, data_type, *_ in rows}
