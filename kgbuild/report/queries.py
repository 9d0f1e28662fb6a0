"""The queries of the report, read from SQL files.

A line ``-- name: splits`` begins a query. Headers below it, such as ``-- title: Splits``, describe
its chart: ``title``, ``note``, ``labels``, ``values``, ``scale``, ``step`` and ``chart`` (bars,
histogram, intervals, estimates or lines). A query of a dataset inherits missing headers and SQL
from the shared query of the same name.

Rows for a chart have the columns ``label`` and ``value``, and optionally ``part`` (a series of a
stack, or a line). Rows for a histogram have a number ``at`` instead of a label; rows for intervals,
estimates and lines also have ``low`` and ``high``.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple, TypeAlias

from kgbuild.data_files import read_text
from kgbuild.datasets.base import AnyDataset
from kgbuild.tables.reviews import Select

Row: TypeAlias = dict[str, Any]
_NAME = re.compile(r"^-- name: (\w+)$", re.MULTILINE)
"""The line that begins a query."""
_HEADER = re.compile(r"^-- (title|note|chart|labels|values|scale|step): (.*)\n", re.MULTILINE)
"""A header of a query; a header may have several lines of the same name."""
_COMMENT = re.compile(r"^--.*\n?", re.MULTILINE)


class ReportQuery(NamedTuple):
    """A query, and the headers that describe its chart."""

    sql: str
    headers: Mapping[str, str]


class Queries:
    """Queries by name, which run on an open database with values of their parameters."""

    def __init__(
        self, select: Select, queries: Mapping[str, ReportQuery], values: Mapping[str, Any]
    ):
        self._select = select
        self._values = values
        self.by_name = queries

    def rows(self, name: str, **values: object) -> list[Row]:
        """Return the rows of a query; ``values`` are further parameters."""
        return self._select(self.by_name[name].sql, {**self._values, **values})

    def labels(self, ids: Iterable[str]) -> dict[str, str]:
        """Return labels by id from the query ``labels``; none without this query."""
        if "labels" not in self.by_name:
            return {}
        sql = (
            f"SELECT id, min(label) AS label FROM ({self.by_name['labels'].sql})"  # noqa: S608
            " WHERE id IN (SELECT unnest($ids)) AND label IS NOT NULL GROUP BY id"
        )
        return {row["id"]: row["label"] for row in self._select(sql, {"ids": sorted(ids)})}


def shared(select: Select) -> Queries:
    """Return the queries that are not about a single dataset."""
    return Queries(select, {**_read("shared"), **_read("models")}, {})


def of_dataset(select: Select, dataset: AnyDataset) -> Queries:
    """Return the shared queries and the queries of a dataset, which replace shared ones."""
    queries = _read("shared")
    for name, query in parse(dataset.text("report.sql")).items():
        sql, headers = queries.get(name, query)
        queries[name] = ReportQuery(query.sql or sql, {**headers, **query.headers})
    values = {
        "dataset": dataset.name,
        "table": dataset.tables[0],
        "key": dataset.key,
        "source": dataset.source_column,
        "parts": [*dataset.part_reasons],
    }
    return Queries(select, queries, values)


def parse(text: str) -> dict[str, ReportQuery]:
    """Return the queries of an SQL file by their names."""
    _, *parts = _NAME.split(text)  # after the preamble, names and queries alternate
    return dict(zip(parts[::2], map(_parse_query, parts[1::2]), strict=True))


def _parse_query(text: str) -> ReportQuery:
    headers: dict[str, str] = {}
    for name, value in _HEADER.findall(text):
        headers[name] = f"{headers.get(name, '')} {value}".strip()
    return ReportQuery(_COMMENT.sub("", text).strip().removesuffix(";"), headers)


def _read(name: str) -> dict[str, ReportQuery]:
    return parse(read_text(f"report/{name}.sql"))
