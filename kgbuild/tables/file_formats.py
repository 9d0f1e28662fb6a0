"""Write columns to a file, in the format of its ending."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb

from kgbuild.tables.connection import OFFLINE, explaining
from kgbuild.tables.files import FORMATS
from kgbuild.tables.quoting import quoted, quoted_text

_TYPES = {int: "BIGINT", float: "DOUBLE", str: "VARCHAR"}


def write_columns(
    path: Path, columns: Mapping[str, Sequence[Any]], types: Sequence[str] | None = None
) -> None:
    """Write columns of equal length to a new file, in the format of its ending.

    ``types`` are DuckDB's types of the columns, by default those of their first values. Lists and
    records become JSON in CSV and TSV.

    Raises:
        WriteError: the file cannot be written.
    """
    types = types or [*map(_type_of, columns.values())]
    has_cells = path.suffix in (".csv", ".tsv")
    values = ", ".join(
        f"{'to_json' * (has_cells and _is_nested(kind))}(unnest(?::{kind}[])) AS {quoted(name)}"
        for name, kind in zip(columns, types, strict=True)
    )
    with duckdb.connect(config=dict(OFFLINE)) as connection, explaining(path):
        connection.execute(f"CREATE TABLE rows AS SELECT {values}", [*columns.values()])
        connection.execute(f"COPY rows TO {quoted_text(path)} ({FORMATS[path.suffix]})")


def _type_of(values: Sequence[object]) -> str:
    return next((_TYPES[type(value)] for value in values if value is not None), "VARCHAR")


def _is_nested(kind: str) -> bool:
    """Return whether a type has lists or records; DuckDB's own text of them cannot be parsed."""
    return kind.endswith("]") or kind.startswith(("STRUCT(", "MAP("))
