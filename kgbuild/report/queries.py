"""The queries of the report, read from SQL files.

A line ``-- name: splits`` begins a query. Lines below it with ``title``, ``note``, ``labels``,
``values``, ``scale`` or ``step`` describe its chart, and ``chart`` says how it is drawn: bars,
histogram or intervals. A query of a dataset may leave out what the shared one of that name has.

Rows of a chart have a ``label`` and a ``value``, and may have a ``part`` (of a stack); of a
histogram a number ``at`` instead of the label; of intervals ``low`` and ``high``, too.
"""

import re
from collections.abc import Iterable, Mapping
from importlib import resources
from typing import Any, NamedTuple, TypeAlias

from kgbuild.datasets.base import AnyDataset
from kgbuild.tables.reviews import Select

Row: TypeAlias = dict[str, Any]
_NAME = re.compile(r"^-- name: (\w+)$", re.MULTILINE)
_HEADER = re.compile(r"^-- (title|note|chart|labels|values|scale|step): (.*)\n", re.MULTILINE)
_COMMENT = re.compile(r"^--.*\n?", re.MULTILINE)


class Query(NamedTuple):
    """A query, and the headers that describe its chart."""

    sql: str
    headers: Mapping[str, str]


class Queries:
    """Queries by name, with an open database and values of their parameters."""

    def __init__(self, select: Select, queries: Mapping[str, Query], values: Mapping[str, Any]):
        self._select = select
        self._values = values
        self.by_name = queries

    def rows(self, name: str, **values: object) -> list[Row]:
        """Return the rows of a query, with these values of parameters besides the usual ones."""
        return self._select(self.by_name[name].sql, {**self._values, **values})

    def labels(self, ids: Iterable[str]) -> dict[str, str]:
        """Return the labels that the query ``labels``, if there is one, gives for ids."""
        if "labels" not in self.by_name:
            return {}
        sql = (
            f"SELECT id, min(label) AS label FROM ({self.by_name['labels'].sql})"  # noqa: S608
            " WHERE id IN (SELECT unnest($ids)) AND label IS NOT NULL GROUP BY id"
        )
        return {row["id"]: row["label"] for row in self._select(sql, {"ids": sorted(ids)})}


def shared(select: Select) -> Queries:
    """Return the queries that are not about a single dataset."""
    return Queries(select, {**_of_report("shared"), **_of_report("models")}, {})


def of_dataset(select: Select, dataset: AnyDataset) -> Queries:
    """Return the queries about a dataset: the shared ones, replaced by its own."""
    queries = dict(_of_report("shared"))
    for name, query in parse(dataset.text("report.sql")).items():
        sql, headers = queries.get(name, query)
        queries[name] = Query(query.sql or sql, {**headers, **query.headers})
    values = {
        "dataset": dataset.name,
        "table": dataset.tables[0],
        "key": dataset.key,
        "source": dataset.source_column,
        "parts": [*dataset.part_reasons],
    }
    return Queries(select, queries, values)


def parse(text: str) -> dict[str, Query]:
    """Return the queries of an SQL file by their names."""
    _, *parts = _NAME.split(text)
    return dict(zip(parts[::2], map(_query, parts[1::2]), strict=True))


def _query(text: str) -> Query:
    headers: dict[str, str] = {}
    for name, value in _HEADER.findall(text):
        headers[name] = f"{headers.get(name, '')} {value}".strip()
    return Query(_COMMENT.sub("", text).strip().removesuffix(";"), headers)


def _of_report(name: str) -> dict[str, Query]:
    file = resources.files("kgbuild.report") / f"{name}.sql"
    return parse(file.read_text(encoding="utf-8"))
