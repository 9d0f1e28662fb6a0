"""The command that runs SQL."""

import contextlib
import os
import threading
from collections.abc import Iterator, Sequence

import click

from kgbuild.cli import options, output


@click.command()
@click.argument("query")
@click.option("--timeout", type=options.COUNT, default=60, help="Maximum number of seconds.")
@click.option("--memory", type=options.COUNT, default=2, help="Gigabytes that a query may take.")
@options.db_option
@options.json_option
def sql(query: str, timeout: int, memory: int, db: "options.Database", as_json: bool) -> None:
    """Run SQL (DuckDB's) on the datasets. It reads the tables, and nothing else.

    \b
    Example:
      kgbuild sql "SELECT falsity, count(*) AS pairs FROM syn_qa_pairs GROUP BY falsity"
      kgbuild sql "SHOW TABLES"
    """
    with _ending_after(timeout):
        result = db.sql(query, memory)
        names = _unique(result.columns)
        rows = [dict(zip(names, row, strict=True)) for row in result.rows]
        text = output.render(rows, as_json, names)
    click.echo(text, nl=False)


@contextlib.contextmanager
def _ending_after(seconds: int) -> Iterator[None]:
    """End the process if the block takes longer.

    DuckDB cannot be interrupted inside of a function such as ``repeat``. Nothing is written.
    """

    def end() -> None:
        os.write(2, f"Error: The query took more than {seconds:,} s: see --timeout.\n".encode())
        os._exit(1)

    timer = threading.Timer(seconds, end)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


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
