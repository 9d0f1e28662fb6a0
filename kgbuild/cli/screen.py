"""Tables, JSON and progress on the screen; the options that commands share."""

import json
import math
import shutil
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any, TypeVar

import click

_WIDTH = 120
"""Columns of a table that is written to a file or a pipe."""
_NARROWEST = 8
"""Characters that a column needs at least, on the average, to be readable."""

COUNT = click.IntRange(1, 2**31 - 1)
SEED = click.IntRange(-(2**63), 2**63 - 1)

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
    click.echo(rendered(rows, as_json, columns), nl=False)


def rendered(rows: Sequence[Mapping[str, Any]], as_json: bool, columns: Sequence[str] = ()) -> str:
    """Return rows as a table or as JSON."""
    if as_json:
        known = [{name: _known(value) for name, value in row.items()} for row in rows]
        return json.dumps(known, ensure_ascii=False, indent=1, default=str) + "\n"
    names = list(columns or (rows[0] if rows else ()))
    width = shutil.get_terminal_size((_WIDTH, 50)).columns
    if rows and len(names) * _NARROWEST > width:
        return "\n".join(_record(row, names) for row in rows)
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for name in names:
        numeric = bool(rows) and all(isinstance(row[name], int | float) for row in rows)
        table.add_column(Text(name), justify="right" if numeric else "left", overflow="fold")
    for row in rows:
        table.add_row(*(Text(_cell(row[str(column.header)])) for column in table.columns))
    console = Console(width=width, highlight=False, color_system=None)
    with console.capture() as capture:
        console.print(table)
    return "".join(f"{line.rstrip()}\n" for line in capture.get().splitlines())


def _record(row: Mapping[str, Any], names: Sequence[str]) -> str:
    """Return a row of many columns as lines of its own, a column each."""
    widest = max(map(len, names))
    return "".join(f"{name:<{widest}}  {_cell(row[name])}\n" for name in names)


def _known(value: object) -> object:
    """Return a value as JSON knows it: a decimal as a number, none for what is no number."""
    if isinstance(value, Decimal):
        return float(value)
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _cell(value: object) -> str:
    """Return a value as a table's cell, harmless to a terminal whatever a label holds."""
    if value is None:
        return ""
    if isinstance(value, list | tuple):
        return "; ".join(map(_cell, value))
    if isinstance(value, dict):
        shown = [str(value[key]) for key in value if f"{key}_label" not in value]
        return _cell((": " if len(shown) == 2 else " ").join(shown))
    return clean(str(value))


def clean(text: str) -> str:
    """Return a text that cannot control a terminal."""
    return "".join("\N{REPLACEMENT CHARACTER}" if _controls(c) else c for c in text)


def _controls(character: str) -> bool:
    return unicodedata.category(character) == "Cc" and character != "\n"


def say(text: str) -> None:
    """Print a line for people on standard error, where it spoils no output."""
    click.echo(text, err=True)


@contextmanager
def progress() -> Iterator[Any]:
    """Show a progress bar on standard error with time left; nothing if it is no terminal.

    Each task has a field ``detail``, a text that stands beside its bar.
    """
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    console = Console(stderr=True)
    bar = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.fields[detail]}", markup=False),
        TimeElapsedColumn(),
        TextColumn("left"),
        TimeRemainingColumn(),
        console=console,
        disable=not console.is_terminal,
        transient=True,
    )
    with bar:
        yield bar


def listed(context: click.Context, parameter: click.Parameter, value: tuple[str, ...]) -> list[str]:
    """Split an option that may be repeated at its commas; refuse one that names nothing."""
    parts = [part.strip() for text in value for part in text.split(",")]
    if not all(parts):
        raise click.BadParameter("a name is missing.", context, parameter)
    return parts
