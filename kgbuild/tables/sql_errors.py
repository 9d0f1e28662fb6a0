"""Explain errors in the SQL of users."""

import difflib
import re
from collections.abc import Sequence
from pathlib import Path

import duckdb

from kgbuild.errors import SqlError, UnknownTableError

_TABLE_NAMES = """
    SELECT table_name FROM duckdb_tables()
    UNION ALL SELECT view_name FROM duckdb_views() WHERE NOT internal
    ORDER BY ALL
"""
_UNKNOWN_TABLE = re.compile(r"Table with name (\w+) does not exist")


def sql_error(
    connection: duckdb.DuckDBPyConnection, error: duckdb.Error, path: Path, datasets: Sequence[str]
) -> SqlError:
    """Return the error of SQL that ran on the database ``path``.

    For an unknown table, it has the most similar names, and the command that builds the table if
    its name begins with that of one of the ``datasets``.
    """
    message = str(error)
    match = _UNKNOWN_TABLE.search(message)
    if isinstance(error, duckdb.PermissionException) or "read-only mode" in message:
        message = f"SQL can only read the tables of {path}; -o FILE writes a result. {message}"
    if match is None:
        return SqlError(message)
    names = [name for (name,) in connection.execute(_TABLE_NAMES).fetchall()]
    table = match[1]
    suggestions = difflib.get_close_matches(table.lower(), names, n=3)
    builders = (name for name in datasets if table.lower().startswith(f"{name}_"))
    command = next(builders, "").replace("_", "-")
    advice = "'SHOW TABLES' lists its tables."
    if suggestions:
        advice = f"Did you mean {' or '.join(suggestions)}?"
    elif command:
        advice = f"Build it: 'kgbuild {command}'."
    return UnknownTableError(f"{path} has no table {table}. {advice}")
