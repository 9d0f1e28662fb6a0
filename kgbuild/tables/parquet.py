"""Write columns to a Parquet file."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import duckdb

from kgbuild.tables.connection import OFFLINE, to_kgbuild_error

_TYPES = {int: "BIGINT", float: "DOUBLE", str: "VARCHAR"}


def write_columns(path: Path, columns: Mapping[str, Sequence[str | int | float | None]]) -> None:
    """Write columns of equal length, each of one type or None, to a new file.

    Raises:
        WriteError: the file cannot be written.
    """
    quoted = ((name.replace('"', '""'), _type_of(values)) for name, values in columns.items())
    values = ", ".join(f'unnest(?::{kind}[]) AS "{name}"' for name, kind in quoted)
    place = str(path).replace("'", "''")
    with duckdb.connect(config=dict(OFFLINE)) as connection:
        try:
            connection.execute(f"CREATE TABLE rows AS SELECT {values}", [*columns.values()])
            connection.execute(f"COPY rows TO '{place}' (FORMAT parquet, COMPRESSION zstd)")
        except duckdb.Error as error:
            raise to_kgbuild_error(path, error) from error


def _type_of(values: Sequence[object]) -> str:
    return next((_TYPES[type(value)] for value in values if value is not None), "VARCHAR")
