"""The command ``sql``: it runs an SQL query on the tables of the datasets."""

import contextlib
import os
import select
import signal
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kgbuild.cli import INTERRUPTED, options, output
from kgbuild.errors import SqlError, slow_query
from kgbuild.tables.files import FORMATS

if TYPE_CHECKING:
    from kgbuild.tables.files import Result


def _is_query(value: str) -> bool:
    return not (value.endswith(".sql") or os.path.isfile(value))  # noqa: PTH113  # long ones, too


@click.command()
@options.query_argument(_is_query)
@options.output_option("path", "Write to a file", [*FORMATS])
@click.option("--timeout", type=options.COUNT, default=60, help="Maximum number of seconds.")
@click.option("--memory", type=options.COUNT, default=2, help="Maximum memory in gigabytes.")
@options.db_option
@options.json_option
def sql(
    query: str, path: Path | None, timeout: int, memory: int, db: "options.Database", as_json: bool
) -> None:
    """Run a query in DuckDB's SQL on the datasets. It can only read, and only the tables.

    The query is the argument itself, a file, or - for standard input.

    \b
    Example:
      kgbuild sql "SELECT falsity, count(*) AS pairs FROM syn_qa_pairs GROUP BY falsity"
      kgbuild sql "SHOW TABLES"
      kgbuild sql pairs.sql -o pairs.csv
    """
    options.refuse_format(path, "as_json")
    with _stoppable(timeout):
        result = db.sql(query, memory)
        names = _unique(result.columns)
        rows = [dict(zip(names, row, strict=True)) for row in result.rows]
        text = "" if path else output.render(rows, as_json, names)
    if path:
        _write(path, names, result)
    click.echo(text, nl=False)


def _write(path: Path, names: Sequence[str], result: "Result") -> None:
    from kgbuild.tables.file_formats import write_columns

    if not names:
        raise SqlError("The result has no columns, so there is nothing to write.")
    columns = {name: [row[n] for row in result.rows] for n, name in enumerate(names)}
    with output.replacing(path) as partial:
        write_columns(partial, columns, result.types)


@contextlib.contextmanager
def _stoppable(seconds: int) -> Iterator[None]:
    """Show progress, and end the process if the block takes longer, or after Ctrl-C.

    DuckDB handles no signal before it has all rows, and cannot be interrupted inside a function
    such as ``repeat``. The command writes no file, so nothing is lost.
    """
    signals, sender = os.pipe()
    os.set_blocking(sender, False)

    def watch() -> None:
        left, number = float(seconds), 0
        while select.select([signals], [], [], left)[0]:
            if not (received := os.read(signals, 1)):  # the block has ended
                return
            # Python has a moment to handle it itself, as it does between two calls of DuckDB.
            left, number = 0.3, received[0]
        shown.close()
        text = INTERRUPTED if number else slow_query(seconds)
        os.write(2, f"Error: {text}\n".encode())
        os._exit(128 + number if number else 1)

    shown = contextlib.ExitStack()
    shown.enter_context(output.progress("running the query"))
    watcher = threading.Thread(target=watch, daemon=True)
    previous = signal.set_wakeup_fd(sender)
    watcher.start()
    try:
        yield
    finally:
        signal.set_wakeup_fd(previous)
        os.close(sender)
        watcher.join()
        os.close(signals)
        shown.close()


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
