"""Read and write the table ``reviews``."""

import re
from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any, TypeAlias

from kgbuild.tables.files import Result
from kgbuild.tables.records import Review

if TYPE_CHECKING:
    import duckdb

Select: TypeAlias = Callable[[str, Mapping[str, Any]], list[dict[str, Any]]]
"""A function that runs a query with values by name, and returns the rows as dicts."""
_COLUMNS = ", ".join(field.name for field in fields(Review))
_KEY = ("dataset", "item_id", "reviewer", "question")
_WHERE_KEY = "WHERE " + " AND ".join(f"{name} = ${name}" for name in _KEY)


def find_table(name: str) -> str:
    """Return a query that has a row if there is a table, which a database of others lacks."""
    return f"FROM duckdb_tables() WHERE table_name = '{name}' AND schema_name = 'main'"


def selecting(connection: "duckdb.DuckDBPyConnection") -> Select:
    """Return the function that runs queries by a connection.

    Names after a dollar sign are replaced by values; further values are ignored.
    """

    def select(text: str, values: Mapping[str, Any]) -> list[dict[str, Any]]:
        names = {*re.findall(r"\$([a-z_]+)", text)}
        result = connection.execute(text, {name: values[name] for name in sorted(names)})
        columns = [column[0] for column in result.description or ()]
        return Result(columns, result.fetchall()).records

    return select


def reviews(select: Select, dataset: str) -> list[Review]:
    """Return the reviews of a dataset, the oldest first."""
    text = f"SELECT {_COLUMNS} FROM reviews WHERE dataset = $dataset ORDER BY answered_at, rowid"  # noqa: S608
    return [Review(**row) for row in select(text, {"dataset": dataset})]


def put_review(connection: "duckdb.DuckDBPyConnection", review: Review) -> None:
    """Replace the answer of the reviewer to the same question; an empty answer deletes it.

    A later answer that is already in the table stays.
    """
    row = vars(review)
    key = {name: row[name] for name in _KEY}
    later = f"FROM reviews {_WHERE_KEY} AND answered_at > $at"
    if connection.execute(later, {**key, "at": review.answered_at}).fetchall():
        return
    connection.execute(f"DELETE FROM reviews {_WHERE_KEY}", key)  # noqa: S608
    if review.answer:
        placeholders = ", ".join("?" for _ in row)
        connection.execute(
            f"INSERT INTO reviews ({', '.join(row)}) VALUES ({placeholders})",  # noqa: S608
            [*row.values()],
        )
