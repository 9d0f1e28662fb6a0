"""The command ``sql``: it runs an SQL query on the tables of the datasets."""

import contextlib
import os
import threading
from collections.abc import Iterator, Sequence

import click

from kgbuild.cli import options, output
from kgbuild.errors import SlowQueryError


@click.command()
@click.argument("query")
@click.option("--timeout", type=options.COUNT, default=60, help="Maximum number of seconds.")
@click.option("--memory", type=options.COUNT, default=2, help="Maximum memory in gigabytes.")
@options.db_option
@options.json_option
def sql(query: str, timeout: int, memory: int, db: "options.Database", as_json: bool) -> None:
    """Run a query in DuckDB's SQL on the datasets. It can only read, and only the tables.

    \b
    Example:
      kgbuild sql "SELECT falsity, count(*) AS pairs FROM syn_qa_pairs GROUP BY falsity"
      kgbuild sql "SHOW TABLES"
    """
    with _time_limit(timeout):
        result = db.sql(query, memory)
        names = _unique(result.columns)
        rows = [dict(zip(names, row, strict=True)) for row in result.rows]
        text = output.render(rows, as_json, names)
    click.echo(text, nl=False)


@contextlib.contextmanager
def _time_limit(seconds: int) -> Iterator[None]:
    """End the process if the block takes longer.

    DuckDB cannot be interrupted inside a function such as ``repeat``. The command writes no file,
    so nothing is lost.
    """

    def end() -> None:
        os.write(2, f"Error: {SlowQueryError(seconds)}\n".encode())
        os._exit(1)

    timer = threading.Timer(seconds, end)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _unique(columns: Sequence[str]) -> list[str]:
    """Return the names of columns; repeated names get a number, as in DuckDB."""
    names: list[str] = []
    for column in columns:
        name, number = column, 0
        while name in names:
            number += 1
            name = f"{column}_{number}"
        names.append(name)
    return names
