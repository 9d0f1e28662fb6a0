"""Create tables and views from ``schema.sql``, and write their descriptions as comments.

The folder of a dataset has its ``schema.sql`` and its ``columns.toml``, which describes each table,
view and column. The files for the tables that all datasets share are in this package.
"""

import functools
import tomllib
from collections.abc import Iterable, Iterator
from importlib import resources
from importlib.resources.abc import Traversable
from typing import TYPE_CHECKING, TypedDict

from kgbuild.tables.quoting import quoted, quoted_text

if TYPE_CHECKING:
    import duckdb


class ColumnDescription(TypedDict):
    """The descriptions of a table or view and of its columns, by name."""

    description: str
    columns: dict[str, str]


_SHARED = resources.files("kgbuild.tables")
_COMMENTS = """
    SELECT 'TABLE', table_name, NULL, comment FROM duckdb_tables()
    WHERE database_name = current_database()
    UNION ALL
    SELECT 'VIEW', view_name, NULL, comment FROM duckdb_views()
    WHERE database_name = current_database() AND NOT internal
    UNION ALL
    SELECT 'COLUMN', table_name, column_name, comment FROM duckdb_columns()
    WHERE database_name = current_database() AND NOT internal
"""
"""SQL that selects the comments of tables, views and columns."""


def create(connection: "duckdb.DuckDBPyConnection", folders: Iterable[Traversable]) -> None:
    """Create the shared tables and the tables of the folders, unless they exist."""
    for sql in scripts(folders):
        connection.execute(sql)


def scripts(folders: Iterable[Traversable]) -> Iterator[str]:
    """Yield the SQL of the shared tables and of the tables of the folders."""
    for folder in (_SHARED, *folders):
        schema = folder / "schema.sql"
        if schema.is_file():
            yield schema.read_text(encoding="utf-8")


def comment(connection: "duckdb.DuckDBPyConnection", folders: Iterable[Traversable]) -> None:
    """Write the descriptions of tables, views and columns as comments, if they changed."""
    texts: dict[tuple[str, str | None], str] = {}
    for table, description in descriptions(folders).items():
        texts[table, None] = description["description"]
        texts |= {(table, column): text for column, text in description["columns"].items()}
    statements = []
    for kind, table, column, comment in connection.execute(_COMMENTS).fetchall():
        text = texts.get((table, column))
        if text and text != comment:
            name = f"{table}.{quoted(column)}" if column else table
            statements.append(f"COMMENT ON {kind} {name} IS {quoted_text(text)}")
    if statements:
        connection.execute(";\n".join(statements))


def descriptions(folders: Iterable[Traversable]) -> dict[str, ColumnDescription]:
    """Return the descriptions of the tables of folders and of the shared tables, by table."""
    # In the documentation, the shared tables come last.
    return _described((*folders, _SHARED))


@functools.cache
def _described(folders: tuple[Traversable, ...]) -> dict[str, ColumnDescription]:
    tables: dict[str, ColumnDescription] = {}
    for folder in folders:
        columns = folder / "columns.toml"
        if columns.is_file():
            tables |= tomllib.loads(columns.read_text(encoding="utf-8"))
    return tables
