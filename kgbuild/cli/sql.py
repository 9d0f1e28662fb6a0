"""The command that runs SQL."""

from collections.abc import Sequence

import click

from kgbuild.cli import options, output


@click.command()
@click.argument("query")
@options.db_option
@options.json_option
def sql(query: str, db: "options.Database", as_json: bool) -> None:
    """Run SQL (DuckDB's) on the datasets. It reads the tables, and nothing else.

    \b
    Example:
      kgbuild sql "SELECT falsity, count(*) AS pairs FROM syn_qa_pairs GROUP BY falsity"
      kgbuild sql "SHOW TABLES"
    """
    result = db.sql(query)
    names = _unique(result.columns)
    output.show([dict(zip(names, row, strict=True)) for row in result.rows], as_json, names)


def _unique(columns: Sequence[str]) -> list[str]:
    """Return the names of columns; repeated ones are numbered, as DuckDB does it."""
    names: list[str] = []
    for column in columns:
        name, number = column, 0
        while name in names:
            number += 1
            name = f"{column}_{number}"
        names.append(name)
    return names
