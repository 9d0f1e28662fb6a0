"""Read rows of a dataset from its tables, and show them by the dataset's function ``view``."""

from collections.abc import Sequence
from typing import Any

from kgbuild.datasets.base import AnyDataset
from kgbuild.datasets.views import RowView
from kgbuild.tables.reviews import Select


def row_views(
    select: Select, dataset: AnyDataset, ids: Sequence[str], prefix: str = ""
) -> list[RowView]:
    """Return the views of the rows with these ids, in the order of the ids.

    Ids without a row are skipped. A dataset without ``view`` has no views. ``prefix`` precedes the
    names of its tables.
    """
    if dataset.view is None:
        return []
    records = {
        table: select_rows(select, f"{prefix}{table}", dataset.key, ids)
        for table in dataset.shown_tables or dataset.tables
    }
    positions = {row_id: position for position, row_id in enumerate(ids)}
    return sorted(dataset.view(records), key=lambda view: positions[view.id])


def select_rows(select: Select, table: str, key: str, ids: Sequence[str]) -> list[dict[str, Any]]:
    """Return the rows of a table with these ids in the column ``key``, in the table's order."""
    text = (
        f"SELECT * FROM {table} SEMI JOIN (SELECT unnest($ids) AS {key}) USING ({key})"  # noqa: S608
        f" ORDER BY {table}.rowid"
    )
    return select(text, {"ids": [*ids]})
