"""Tables, JSON and progress on the screen; the options that commands share."""

import functools
import json
import shutil
import sys
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import click

_WIDTH = 120
"""Columns of a table that is written to a file or a pipe."""

Command = TypeVar("Command", bound=Callable[..., Any])

store_option = click.option(
    "--store",
    type=click.Path(path_type=Path),
    envvar="KGBUILD_STORE",
    default=Path("data/kg"),
    show_default=True,
    show_envvar=True,
    help="The folder of the store.",
)
db_option = click.option(
    "--db",
    type=click.Path(path_type=Path, dir_okay=False),
    envvar="KGBUILD_DB",
    default=Path("data/datasets.duckdb"),
    show_default=True,
    show_envvar=True,
    help="The database of the datasets.",
)
json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print a list of objects instead of a table."
)


def show(rows: Sequence[Mapping[str, Any]], as_json: bool, columns: Sequence[str] = ()) -> None:
    """Print rows as a table, or as JSON. ``columns`` names them where there may be no row."""
    if as_json:
        click.echo(json.dumps(list(rows), ensure_ascii=False, indent=1, default=str))
        return
    from rich import box
    from rich.table import Table
    from rich.text import Text

    names = columns or list(rows[0] if rows else ())
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for name in names:
        numeric = all(isinstance(row[name], int | float) for row in rows) and bool(rows)
        table.add_column(Text(name), justify="right" if numeric else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(_cell(row[name])) for name in names))
    _console().print(table)


def _cell(value: object) -> str:
    """Return a value as a table's cell, harmless to a terminal whatever a label holds."""
    if value is None:
        return ""
    text = f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)
    return "".join("\N{REPLACEMENT CHARACTER}" if _controls(c) else c for c in text)


def _controls(character: str) -> bool:
    return unicodedata.category(character) == "Cc" and character != "\n"


def say(text: str) -> None:
    """Print a line for people on standard error, where it spoils no output."""
    click.echo(text, err=True)


@functools.cache
def _console() -> Any:
    from rich.console import Console

    width = None if sys.stdout.isatty() else shutil.get_terminal_size((_WIDTH, 50)).columns
    return Console(width=width, highlight=False, soft_wrap=False)


@contextmanager
def progress(*columns: str) -> Iterator[Any]:
    """Show a progress bar on standard error with time left; nothing if it is no terminal.

    ``columns`` are fields of the task to show, such as a count.
    """
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    console = Console(stderr=True)
    bar = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        *(TextColumn("{task.fields[%s]}" % name, markup=False) for name in columns),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        console=console,
        disable=not console.is_terminal,
        transient=True,
    )
    with bar:
        yield bar


def listed(context: click.Context, parameter: click.Parameter, value: str | None) -> list[str]:
    """Split an option's text at its commas."""
    return [part.strip() for part in (value or "").split(",") if part.strip()]


def words(pairs: Iterable[tuple[str, str]]) -> str:
    """Return (name, value) pairs as one text."""
    return "; ".join(f"{name}: {value}" for name, value in pairs)
