"""Markdown that describes the tables and columns of the database, and the reasons of rejection."""

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
def descriptions() -> dict[str, schema.ColumnDescription]:
    """Return the description of every table, and those of its columns."""
    return schema.descriptions(dataset.folder for dataset in all_datasets())


def reference() -> str:
    """Return the descriptions of all tables and views and of their columns, as Markdown."""
    return "\n\n".join(f"## {name}\n\n{_table(name)}" for name in descriptions())


def _table(name: str) -> str:
    """Return the description of a table or view and of its columns.

    A column is described in the first table that has it; later tables only name it.
    """
    described = descriptions()[name]
    told: list[str] = []
    known: list[str] = []
    for column, kind in tables()[name].items():
        text = described["columns"][column]
        first = next(
            table for table, about in descriptions().items() if about["columns"].get(column) == text
        )
        if first == name:
            told.append(f"- `{column}`{'' if kind == 'VARCHAR' else f' ({kind})'}: {text}")
        else:
            known.append(f"`{column}`")
    also = f"\n\nAlso {', '.join(known)}." if known else ""
    return f"{described['description']}\n\n" + "\n".join(told) + also


def reasons(name: str) -> str:
    """Return the reasons for which a dataset rejects candidates, as Markdown."""
    dataset = importlib.import_module(f"kgbuild.datasets.{name}.dataset").DATASET
    named = {reason: f"- `{reason}`: {meaning}" for reason, meaning in dataset.reasons.items()}
    whole = "\n".join(line for reason, line in named.items() if reason not in dataset.part_reasons)
    parts = "\n".join(line for reason, line in named.items() if reason in dataset.part_reasons)
    return f"{whole}\n\nOf a part of a row:\n\n{parts}" if parts else whole
