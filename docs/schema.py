"""What the schema says of the tables, beside what docs/columns.toml says of their columns."""

import functools
import re
import tomllib
from importlib import resources
from pathlib import Path

import duckdb

from kgbuild.datasets.registry import DATASETS, GROUSE

_EVIDENCE = 'STRUCT(subject VARCHAR, property VARCHAR, "object" VARCHAR)[]'


@functools.cache
def tables() -> dict[str, dict[str, str]]:
    """Return the columns of every table and view, each with its type."""
    with duckdb.connect() as db:
        for package in ("kgbuild", *(one.package for one in (*DATASETS.values(), GROUSE))):
            db.execute((resources.files(package) / "schema.sql").read_text(encoding="utf-8"))
        found: dict[str, dict[str, str]] = {}
        for table, column, kind in db.execute(
            "SELECT table_name, column_name, data_type FROM duckdb_columns()"
            " WHERE NOT internal ORDER BY table_name, column_index"
        ).fetchall():
            found.setdefault(table, {})[column] = _short(kind)
        return found


def _short(kind: str) -> str:
    """Return a type as the documentation names it."""
    if kind == _EVIDENCE:
        return "EVIDENCE"
    if kind.startswith("STRUCT"):
        return re.sub(r'"?(\w+)"? [A-Z]+(?=[,)])', r"\1", kind)
    return kind


@functools.cache
def _meanings() -> dict[str, dict[str, str]]:
    path = Path(__file__).with_name("columns.toml")
    return tomllib.loads(path.read_text(encoding="utf-8"))


def table(name: str) -> str:
    """Return the columns of a table with what they say, as a table of Markdown.

    Columns that are explained together share a row, if they stand together in the table.

    Raises:
        ValueError: what is explained are other columns than the table has.
    """
    columns, meanings = tables()[name], _meanings()[name]
    groups = [group.split(", ") for group in meanings]
    if [column for group in groups for column in group] != [*columns]:
        raise ValueError(f"docs/columns.toml explains other columns than {name} has")
    rows = ["| column | type | what it says |", "| --- | --- | --- |"]
    for group, meaning in zip(groups, meanings.values(), strict=True):
        kinds = dict.fromkeys(columns[column] for column in group)
        named = ", ".join(f"`{column}`" for column in group)
        rows.append(f"| {named} | {', '.join(kinds)} | {meaning} |")
    return "\n".join(rows)


def columns(name: str) -> str:
    """Return the columns of a table or view that explain themselves, in a line."""
    shown = (f"`{column}` {kind}" for column, kind in tables()[name].items())
    return f"Its columns: {', '.join(shown)}."
