"""Tables of Markdown that describe the tables and columns of the database."""

import functools
import importlib
import re

import duckdb

from kgbuild.datasets import all_datasets
from kgbuild.tables import schema

_EVIDENCE = 'STRUCT(subject VARCHAR, property VARCHAR, "object" VARCHAR)[]'


@functools.cache
def tables() -> dict[str, dict[str, str]]:
    """Return the columns of every table and view, each with its type."""
    with duckdb.connect() as connection:
        schema.create(connection, [dataset.folder for dataset in all_datasets()])
        columns: dict[str, dict[str, str]] = {}
        for table, column, kind in connection.execute(
            "SELECT table_name, column_name, data_type FROM duckdb_columns()"
            " WHERE NOT internal ORDER BY table_name, column_index"
        ).fetchall():
            columns.setdefault(table, {})[column] = _short(kind)
        return columns


def _short(kind: str) -> str:
    """Return a type as the documentation names it."""
    if kind == _EVIDENCE:
        return "EVIDENCE"
    if kind.startswith("STRUCT"):
        return re.sub(r'"?(\w+)"? [A-Z]+(?=[,)])', r"\1", kind)
    return kind


@functools.cache
def descriptions() -> dict[str, schema.Description]:
    """Return the description of every table, and those of its columns."""
    return schema.descriptions(dataset.folder for dataset in all_datasets())


def table(name: str) -> str:
    """Return the description of a table or view and of its columns, as Markdown."""
    described = descriptions()[name]
    rows = [described["description"], "", "| column | type | description |", "| --- | --- | --- |"]
    for column, kind in tables()[name].items():
        rows.append(f"| `{column}` | {kind} | {described['columns'][column]} |")
    return "\n".join(rows)


def reasons(name: str) -> str:
    """Return the reasons for which a dataset rejects candidates, as a table of Markdown."""
    dataset = importlib.import_module(f"kgbuild.datasets.{name}.dataset").DATASET
    rows = ["| reason | rejects | meaning |", "| --- | --- | --- |"]
    for reason, meaning in dataset.reasons.items():
        rejected = "a part" if reason in dataset.part_reasons else "a row"
        rows.append(f"| `{reason}` | {rejected} | {meaning} |")
    return "\n".join(rows)
