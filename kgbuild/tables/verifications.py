"""Read and write the table ``verifications``, and remove rows that a verification refutes.

A verification is the verdict of another source (an endpoint, texts or a model) on an assumption of
a row. ``source_kind`` is the kind of source, ``role`` says whether it is the row's true or false
assumption.
"""

from collections.abc import Mapping, Sequence
from dataclasses import astuple, fields
from typing import TYPE_CHECKING

from kgbuild.rows import DatasetTables, Rejection
from kgbuild.tables.records import Verification
from kgbuild.tables.reviews import Select

if TYPE_CHECKING:
    import duckdb


_COLUMNS = [field.name for field in fields(Verification)]
_DELETE_BY_KEY = """
    DELETE FROM verifications
    WHERE concat_ws(' ', dataset, source_kind, role, item_id, source) IN (SELECT unnest(?))
"""


def verifications(select: Select, dataset: str) -> list[Verification]:
    """Return the verifications of a dataset, in the order of the table."""
    columns = ", ".join(_COLUMNS)
    text = f"SELECT {columns} FROM verifications WHERE dataset = $dataset ORDER BY rowid"  # noqa: S608
    return [Verification(**row) for row in select(text, {"dataset": dataset})]


def put_verifications(
    connection: "duckdb.DuckDBPyConnection", rows: Sequence[Verification]
) -> None:
    """Write verifications, and replace those with the same dataset, row, role and source."""
    keys = [
        " ".join((row.dataset, row.source_kind, row.role, row.item_id, row.source)) for row in rows
    ]
    connection.execute(_DELETE_BY_KEY, [keys])
    _insert(connection, "verifications", _COLUMNS, [astuple(row) for row in rows])


def _insert(
    connection: "duckdb.DuckDBPyConnection",
    table: str,
    columns: Sequence[str],
    rows: Sequence[tuple[object, ...]],
) -> None:
    lists = ", ".join("unnest(CAST(? AS VARCHAR[]))" for _ in columns)
    connection.execute(
        f"INSERT INTO {table} ({', '.join(columns)}) SELECT {lists}",
        [[row[place] for row in rows] for place in range(len(columns))],
    )


def put_rejections(
    connection: "duckdb.DuckDBPyConnection",
    dataset: DatasetTables,
    rejections: Mapping[str, tuple[str, Rejection]],
) -> None:
    """Remove rows of a dataset from its tables, and write their rejections: see ``reject``."""
    rows = [(dataset.name, relation, *rejection) for relation, rejection in rejections.values()]
    columns = ("dataset", "relation", *Rejection._fields)
    _insert(connection, "rejections", columns, rows)
    for table in dataset.tables:
        connection.execute(
            f"DELETE FROM {table} WHERE ({dataset.key} IN (SELECT unnest(?)))",  # noqa: S608
            [list(rejections)],
        )
