"""Read and write the table ``verifications``, and remove rows that did not pass."""

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
"""The reason for which a row is rejected that another source contradicts."""
_NAMES = [field.name for field in fields(Verification)]
_DELETE = """
    DELETE FROM verifications
    WHERE concat_ws(' ', dataset, source_kind, role, item_id, source) IN (SELECT unnest(?))
"""
_LISTS = ", ".join("unnest(CAST(? AS VARCHAR[]))" for _ in _NAMES)


def verifications(select: Select, dataset: str) -> list[Verification]:
    """Return the verifications of a dataset, in the order of the table.

    A database of an older version has no such table, and so no verifications.
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
    """Write verifications in place of those of the same assumptions by the same source."""
    keys = [" ".join((r.dataset, r.source_kind, r.role, r.item_id, r.source)) for r in rows]
    connection.execute(_DELETE, [keys])
    columns = [[getattr(row, name) for row in rows] for name in _NAMES]
    connection.execute(f"INSERT INTO verifications SELECT {_LISTS}", columns)


def put_rejections(
    connection: "duckdb.DuckDBPyConnection",
    dataset: "AnyDataset",
    rejections: Mapping[str, tuple[str, Rejection]],
) -> None:
    """Remove rows from a dataset's first table, by their ids, and write a rejection for each.

    A rejection comes with the relation or file that the row was built from.
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
