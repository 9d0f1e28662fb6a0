"""Check that the tables of a database are those of this version of kgbuild, before their use.

Somebody may have changed them by hand, or with another version. A query may then fail, or give
rows that the program does not understand. A write creates what an older version lacks.
"""

import functools
import re
from collections import defaultdict
from collections.abc import Collection, Mapping
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import TypeAlias

import duckdb

from kgbuild.errors import DamagedDatabaseError, foreign_tables
from kgbuild.tables.connection import State, state
from kgbuild.tables.schema import comment, create, scripts

_COLUMNS = """
    WITH parts AS (
        SELECT database_name, schema_name, table_name AS name, column_name, data_type
        FROM duckdb_columns() WHERE NOT internal
        UNION ALL SELECT database_name, schema_name, table_name, '', 'a table' FROM duckdb_tables()
        UNION ALL SELECT database_name, schema_name, view_name, '', 'a view'
        FROM duckdb_views() WHERE NOT internal
    )
    SELECT name, column_name, data_type FROM parts
    WHERE database_name = current_database() AND schema_name = 'main'
"""
_VIEWS = """
    SELECT sql FROM duckdb_views()
    WHERE database_name = current_database() AND schema_name = 'main' AND NOT internal
"""
# The names with "system" mean DuckDB's own function, whatever macros there are.
_FUNCTIONS = "SELECT function_name FROM system.main.duckdb_functions() WHERE "
_MACROS = f"{_FUNCTIONS} NOT internal AND schema_name = 'main'"
_ADDED = re.compile(r"ADD COLUMN IF NOT EXISTS (\w+)")
_Types: TypeAlias = Mapping[str, Mapping[str, str]]
"""The types of columns, by table or view, and by column; that of "" is whether it is a table."""
_Folders: TypeAlias = tuple[Traversable, ...]
_found: dict[Path, tuple[tuple[State | None, _Folders], dict[str, str]]] = {}
"""The faults of each database, with its state; a command opens a database several times."""


def expected(folders: _Folders) -> _Types:
    """Return the columns that the schemas of folders and the shared schema create.

    Raises:
        duckdb.Error: a schema cannot be run.
    """
    return _created(folders)[0]


@functools.cache
def _created(folders: _Folders) -> tuple[_Types, set[str]]:
    """Return the columns that the schemas create, and the SQL of their views."""
    with duckdb.connect() as connection:
        create(connection, folders)
        return _types(connection), _views(connection)


@functools.cache
def _added(folders: _Folders) -> frozenset[str]:
    """Return the names of columns that databases of earlier versions lack."""
    return frozenset(name for sql in scripts(folders) for name in _ADDED.findall(sql))


def is_older(connection: duckdb.DuckDBPyConnection, folders: _Folders) -> bool:
    """Return whether a database lacks tables or columns that the schemas create."""
    found = _types(connection)
    return any(columns.keys() - found[table].keys() for table, columns in expected(folders).items())


def complete(connection: duckdb.DuckDBPyConnection, folders: _Folders) -> None:
    """Create the tables, columns and views that a database lacks, with descriptions.

    Views that are as they should be stay: a new view would have no descriptions.
    """
    connection.begin()
    if is_older(connection, folders) or not _created(folders)[1] <= _views(connection):
        create(connection, folders)
    comment(connection, folders)
    connection.commit()


def _types(connection: duckdb.DuckDBPyConnection) -> defaultdict[str, dict[str, str]]:
    types: defaultdict[str, dict[str, str]] = defaultdict(dict)
    for table, column, data_type in connection.execute(_COLUMNS).fetchall():
        types[table][column] = data_type
    return types


def _views(connection: duckdb.DuckDBPyConnection) -> set[str]:
    return {sql for (sql,) in connection.execute(_VIEWS).fetchall()}


def faults(connection: duckdb.DuckDBPyConnection, path: Path, folders: _Folders) -> dict[str, str]:
    """Return why existing tables and views of a database cannot be read, by name.

    ``connection`` has the contents of the file ``path``, or it is new and there is no such file.

    Raises:
        DamagedDatabaseError: a macro replaces a function of DuckDB, which may be in any query.
    """
    path = path.resolve()
    key, known = (state(path), folders), _found.get(path)
    if known is None or known[0] != key:
        known = _found[path] = key, _faults(connection, path, folders) if key[0] else {}
    return known[1]


def written(path: Path, folders: _Folders) -> None:
    """Note that this process has written a database without faults, which has none now."""
    path = path.resolve()
    if (known := _found.get(path)) and known[0][1] == folders and not known[1]:
        _found[path] = (state(path), folders), {}


def _faults(connection: duckdb.DuckDBPyConnection, path: Path, folders: _Folders) -> dict[str, str]:
    if macros := {name for (name,) in connection.execute(_MACROS).fetchall()}:
        built_in = connection.execute(f"{_FUNCTIONS} internal").fetchall()
        for name in sorted(macros & {name for (name,) in built_in}):
            detail = f"its macro '{name}' replaces a function of DuckDB. Drop the macro."
            raise DamagedDatabaseError(path, detail)
    wrong: dict[str, str] = {}
    found, added = _types(connection), _added(folders)
    for table, columns in expected(folders).items():
        for name, data_type in columns.items() if table in found else ():
            found_type = found[table].get(name)
            part = f"in its table {table}, '{name}'" if name else f"its table {table}"
            if found_type is None and name not in added:
                wrong.setdefault(table, f"its table {table} has no column '{name}'")
            elif found_type not in (None, data_type):
                wrong.setdefault(table, f"{part} is {found_type}, not {data_type}")
    return wrong


def require_writable(
    connection: duckdb.DuckDBPyConnection, path: Path, folders: _Folders, tables: Collection[str]
) -> None:
    """Check that rows can be written to some tables, which exist.

    Raises:
        DamagedDatabaseError: their columns are not those of the schemas of ``folders``.
    """
    wrong, every = {**faults(connection, path, folders)}, expected(folders)
    for table, columns in _types(connection).items():
        for name in columns.keys() - every.get(table, columns).keys():
            fault = f"its table {table} has a column '{name}' of somebody else. Drop the column"
            wrong.setdefault(table, fault)
    for table in sorted(wrong.keys() & {*tables}):
        raise foreign_tables(path, wrong[table])
