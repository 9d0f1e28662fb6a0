"""Replace rows of tables in one transaction."""

import contextlib
import datetime
import itertools
import json
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from operator import attrgetter
from typing import Any, NamedTuple

import duckdb
import msgspec

from kgbuild import __version__
from kgbuild.errors import wrong_dataset
from kgbuild.rows import Build, Built, Rejection, Row
from kgbuild.tables.quoting import quoted

_BUILD_KEY = "dataset, relation"
_ARRAYS = "new_arrays"
"""The name under which DuckDB reads arrays of NumPy."""
_NESTED = ("]", ")")
"""The ends of the names of types of lists and structures."""
_COLUMNS = """
    SELECT column_name, data_type FROM duckdb_columns()
    WHERE table_name = ? AND schema_name = 'main' AND database_name = current_database()
    ORDER BY column_index
"""


class Replacement(NamedTuple):
    """New rows of a table, which replace the rows whose key has one of the ``values``.

    ``key`` has the names of the key's columns, separated by ", "; ``values`` are the values of
    these columns that are not NULL, joined by ", ". ``columns`` has the values of the ``size`` new
    rows by column; a missing column is NULL. ``dataset`` is the name for errors.
    """

    key: str
    values: Sequence[str]
    columns: Mapping[str, Sequence[Any]]
    size: int
    dataset: str = ""


def by_rows(key: str, values: Sequence[str], rows: Sequence[Row], dataset: str = "") -> Replacement:
    """Return a replacement that has new ``rows`` for the ``values`` of a key."""
    names = dict.fromkeys(chain.from_iterable(rows))
    columns = {name: [row.get(name) for row in rows] for name in names}
    return Replacement(key, values, columns, len(rows), dataset)


def replacements(build: Build) -> dict[str, Replacement]:
    """Return, by table, the rows of a build, which replace those of the same relations."""
    dataset = build.dataset
    relations = [part.relation for part in build.parts]
    keys = [f"{dataset.name}, {relation}" for relation in relations]
    tables = {
        table: [row for part in build.parts for row in part.tables[table]]
        for table in dataset.tables
    }
    since = chain.from_iterable(part.since for part in build.parts)
    compared = [{"dataset": dataset.name, **row} for row in since]
    return {
        **{
            name: by_rows(dataset.source_column, relations, rows, dataset.name)
            for name, rows in tables.items()
        },
        "rejections": _rejections(build, keys),
        "since": by_rows(_BUILD_KEY, keys, compared),
        "builds": by_rows(_BUILD_KEY, keys, [_build_row(build, part) for part in build.parts]),
    }


def _rejections(build: Build, keys: Sequence[str]) -> Replacement:
    """Return the replacement of the rejections.

    There can be a million of them, so they are collected by column, without dicts.
    """
    rejections = [rejection for part in build.parts for rejection in part.rejections]
    columns: dict[str, Sequence[Any]] = {
        "dataset": [build.dataset.name] * len(rejections),
        "relation": [part.relation for part in build.parts for _ in part.rejections],
    }
    for name in Rejection._fields:
        columns[name] = [*map(attrgetter(name), rejections)]
    return Replacement(_BUILD_KEY, keys, columns, len(rejections), build.dataset.name)


def _build_row(build: Build, part: Built) -> Row:
    provenance = build.provenance
    return {
        "dataset": build.dataset.name,
        "relation": part.relation,
        "kgbuild_version": __version__,
        "built_at": datetime.datetime.now(datetime.UTC).replace(tzinfo=None, microsecond=0),
        "seed": provenance.seed,
        "options": json.dumps(provenance.options, sort_keys=True),
        "dump": list(provenance.files),
        "store_fingerprint": provenance.store_fingerprint,
        "store_triples": provenance.store_triples,
        "rows": part.rows,
        "rejected": len(part.rejections),
        "seconds": round(part.seconds, 2),
    }


def replace(connection: duckdb.DuckDBPyConnection, tables: Mapping[str, Replacement]) -> None:
    """Replace rows of tables.

    A table is sorted by its key; rows with the same key keep their order.

    Raises:
        WrongCallError: the rows do not fit the tables.
    """
    # The new tables are created in memory, before the transaction: if a transaction creates a
    # table of at least a row group (122,880 rows), DuckDB 2.0.0 cannot read it until the end.
    (name,) = connection.execute("SELECT current_database()").fetchall()[0]
    fresh = quoted(f"new of {name}")
    connection.execute(f"ATTACH ':memory:' AS {fresh}")
    row_counts = {}
    for table, replacement in tables.items():
        with _naming(table, replacement):
            row_counts[table] = _gather(connection, table, fresh, replacement)
    connection.begin()
    for table, replacement in tables.items():
        with _naming(table, replacement):
            _put(connection, table, fresh, replacement.key, row_counts[table])
    connection.commit()


@contextlib.contextmanager
def _naming(table: str, new: Replacement) -> Iterator[None]:
    """Name the dataset and the table in errors of rows that do not fit."""
    try:
        yield
    except (duckdb.IntegrityError, duckdb.DataError, duckdb.NotSupportedError) as error:
        detail = f"the table {table} does not take its rows: {error}".partition("\n")[0]
        raise wrong_dataset(new.dataset or table, detail) from error


def _gather(connection: duckdb.DuckDBPyConnection, table: str, fresh: str, new: Replacement) -> int:
    """Copy the rows that stay and the new rows into the database ``fresh``; return their number.

    Names of tables and columns come from schemas; values are bound.
    """
    kept_count: int = connection.execute(
        f"CREATE TABLE {fresh}.main.{table} AS FROM {table}"
        f" WHERE NOT list_contains(?, concat_ws(', ', {new.key})) ORDER BY rowid",
        [list(new.values)],
    ).fetchall()[0][0]
    if new.size:
        _insert(connection, table, fresh, new)
    return kept_count + new.size


def _insert(
    connection: duckdb.DuckDBPyConnection, table: str, fresh: str, new: Replacement
) -> None:
    """Insert rows by arrays of columns, which takes a sixth of the time of lists.

    DuckDB parses lists and structures from JSON much faster than it copies them from Python.
    """
    import numpy as np  # few commands need it

    types = dict(connection.execute(_COLUMNS, [table]).fetchall())
    arrays, values = dict[str, np.typing.NDArray[np.object_]](), list[str]()
    for name, data_type in types.items():
        column = new.columns.get(name) or itertools.repeat(None, new.size)
        is_nested = data_type.endswith(_NESTED)
        arrays[name] = np.fromiter(map(_json, column) if is_nested else column, object, new.size)
        values.append(f"CAST({quoted(name)}{'::JSON' if is_nested else ''} AS {data_type})")
    connection.register(_ARRAYS, arrays)
    connection.execute(
        f"INSERT INTO {fresh}.main.{table} SELECT {', '.join(values)} FROM {_ARRAYS}"  # noqa: S608
    )
    connection.unregister(_ARRAYS)


def _json(value: object) -> str | None:
    """Return a value as JSON; None stays None, which is NULL."""
    return None if value is None else msgspec.json.encode(value).decode()


def _put(
    connection: duckdb.DuckDBPyConnection, table: str, fresh: str, key: str, count: int
) -> None:
    """Replace the rows of a table by those of the table in memory, sorted by its key."""
    order = ", ".join(f"length(CAST({column} AS VARCHAR)), {column}" for column in key.split(", "))
    connection.execute(f"DELETE FROM {table}")  # noqa: S608
    inserted = connection.execute(
        f"INSERT INTO {table} BY NAME FROM {fresh}.main.{table} ORDER BY {order}, rowid"
    ).fetchall()[0][0]
    if inserted != count:
        raise duckdb.InternalException(
            f"of {count:,} rows of {table} only {inserted:,} were written"
        )
