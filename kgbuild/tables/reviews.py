"""Read and write the table ``reviews``."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from kgbuild.tables.records import Review

if TYPE_CHECKING:
    import duckdb

Select: TypeAlias = Callable[[str, Mapping[str, Any]], list[dict[str, Any]]]
"""Run a query: its text, and values by name. Return the rows by column."""
_KEY = ("dataset", "item_id", "reviewer", "question")
_SAME = "WHERE " + " AND ".join(f"{name} = ${name}" for name in _KEY)


def reviews(select: Select, dataset: str) -> list[Review]:
    """Return the reviews of a dataset, the oldest first.

    A database of an older version has no such table, and so no reviews.
    """
    if not select("FROM duckdb_tables() WHERE table_name = 'reviews'", {}):
        return []
    text = "FROM reviews WHERE dataset = $dataset ORDER BY answered_at, rowid"
    return [Review(**row) for row in select(text, {"dataset": dataset})]


def put_review(connection: "duckdb.DuckDBPyConnection", review: Review) -> None:
    """Replace what the reviewer answered to the same question; an empty answer deletes it.

    An answer that was given later than this one stays.
    """
    row = vars(review)
    key = {name: row[name] for name in _KEY}
    later = f"FROM reviews {_SAME} AND answered_at > $at"
    if connection.execute(later, {**key, "at": review.answered_at}).fetchall():
        return
    connection.execute(f"DELETE FROM reviews {_SAME}", key)  # noqa: S608
    if review.answer:
        places = ", ".join("?" for _ in row)
        connection.execute(
            f"INSERT INTO reviews ({', '.join(row)}) VALUES ({places})",  # noqa: S608
            [*row.values()],
        )
