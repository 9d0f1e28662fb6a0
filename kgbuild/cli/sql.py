"""The command that runs SQL."""

from pathlib import Path

import click

from kgbuild import tables
from kgbuild.cli import screen


@click.command()
@click.argument("query")
@screen.db_option
@screen.json_option
def sql(query: str, db: Path, as_json: bool) -> None:
    """Run SQL (DuckDB's) on the datasets. It reads the tables, and nothing else.

    \b
    Example:
      kgbuild sql "SELECT falsity, count(*) AS pairs FROM syn_qa_pairs GROUP BY falsity"
      kgbuild sql "SHOW TABLES"
    """
    result = tables.sql(db, query)
    rows = [dict(zip(result.columns, row, strict=True)) for row in result.rows]
    screen.show(rows, as_json, result.columns)
