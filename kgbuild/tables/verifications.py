"""Read and write the table ``verifications``, and remove rows that a verification refutes."""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING

from kgbuild.rows import Rejection
from kgbuild.tables.records import Verification
from kgbuild.tables.reviews import Select

if TYPE_CHECKING:
    import duckdb

    from kgbuild.datasets.base import AnyDataset

REASON = "verified true"
"""The reason for the rejection of a row that another source contradicts."""
_COLUMNS = [field.name for field in fields(Verification)]
_DELETE_BY_KEY = """
    DELETE FROM verifications
    WHERE concat_ws(' ', dataset, source_kind, role, item_id, source) IN (SELECT unnest(?))
"""
_COLUMN_LISTS = ", ".join("unnest(CAST(? AS VARCHAR[]))" for _ in _COLUMNS)


def verifications(select: Select, dataset: str) -> list[Verification]:
    """Return the verifications of a dataset, in the order of the table.

    A database of an older version has no such table: the list is empty.
    """
    if not select("FROM duckdb_tables() WHERE table_name = 'verifications'", {}):
        return []
    rows = select(
        "FROM verifications WHERE dataset = $dataset ORDER BY rowid", {"dataset": dataset}
    )
    return [Verification(**row) for row in rows]


def put_verifications(
    connection: "duckdb.DuckDBPyConnection", rows: Sequence[Verification]
) -> None:
    """Replace the verifications of the same assumptions by the same sources."""
    keys = [
        " ".join((row.dataset, row.source_kind, row.role, row.item_id, row.source)) for row in rows
    ]
    connection.execute(_DELETE_BY_KEY, [keys])
    columns = [[getattr(row, name) for row in rows] for name in _COLUMNS]
    connection.execute(f"INSERT INTO verifications SELECT {_COLUMN_LISTS}", columns)


def put_rejections(
    connection: "duckdb.DuckDBPyConnection",
    dataset: "AnyDataset",
    rejections: Mapping[str, tuple[str, Rejection]],
) -> None:
    """Remove rows from a dataset's first table, and write their rejections.

    ``rejections`` maps the id of a row to the relation or file that it was built from, and its
    rejection.
    """
    rows = [(dataset.name, relation, *rejection) for relation, rejection in rejections.values()]
    lists = ", ".join("unnest(CAST(? AS VARCHAR[]))" for _ in range(5))
    connection.execute(
        f"INSERT INTO rejections SELECT {lists}",
        [list(column) for column in zip(*rows, strict=True)],
    )
    connection.execute(
        f"DELETE FROM {dataset.tables[0]} WHERE ({dataset.key} IN (SELECT unnest(?)))",  # noqa: S608
        [list(rejections)],
    )
