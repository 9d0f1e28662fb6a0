"""Tables of Markdown that describe the tables and columns of the database."""

import functools
import re
import tomllib
from importlib import resources
from pathlib import Path
from typing import Any

import duckdb

from kgbuild.datasets.registry import DATASETS, GROUSE

_EVIDENCE = 'STRUCT(subject VARCHAR, property VARCHAR, "object" VARCHAR)[]'


@functools.cache
def tables() -> dict[str, dict[str, str]]:
    """Return the columns of every table and view, each with its type."""
    with duckdb.connect() as db:
        for package in ("kgbuild.tables", *(one.package for one in (*DATASETS.values(), GROUSE))):
            db.execute((resources.files(package) / "schema.sql").read_text(encoding="utf-8"))
        columns: dict[str, dict[str, str]] = {}
        for table, column, kind in db.execute(
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
def descriptions() -> dict[str, Any]:
    """Return the description of every table, and those of its columns."""
    path = Path(__file__).with_name("columns.toml")
    return tomllib.loads(path.read_text(encoding="utf-8"))


def table(name: str) -> str:
    """Return the description of a table or view and of its columns, as Markdown."""
    described = descriptions()[name]
    rows = [described["description"], "", "| column | type | description |", "| --- | --- | --- |"]
    for column, kind in tables()[name].items():
        rows.append(f"| `{column}` | {kind} | {described['columns'][column]} |")
    return "\n".join(rows)
