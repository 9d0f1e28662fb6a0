"""Tables, JSON and progress on the screen; the options that commands share."""

import json
import math
import re
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import click

from kgbuild.dump.kinds import REASONS
from kgbuild.errors import clean

if TYPE_CHECKING:
    # Which take half a second to import.
    from kgbuild.slice.estimate import Needs
    from kgbuild.tables.database import Database

_WIDTH = 120
"""Columns of a table that is written to a file or a pipe."""
_WIDEST = 24
"""Characters of a word that is not broken, where a column gets narrow."""
_GAP = 3
"""Characters between two columns."""


class _Bounded(click.IntRange):
    """A whole number within bounds that no one would reach by intent; help does not name them."""

    def _describe_range(self) -> str:
        return ""


COUNT = _Bounded(1, 2**31 - 1)
SEED = _Bounded(-(2**63), 2**63 - 1)

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
endpoint_option = click.option(
    "--endpoint",
    metavar="URL",
    envvar="KGBUILD_ENDPOINT",
    show_envvar=True,
    help="Ask a SPARQL endpoint instead of the store.",
)


def _database(_context: click.Context, _parameter: click.Parameter, path: Path) -> "Database":
    from kgbuild.datasets import database

    return database(path)


db_option = click.option(
    "--db",
    type=click.Path(path_type=Path, dir_okay=False),
    callback=_database,
    envvar="KGBUILD_DB",
    default=Path("data/datasets.duckdb"),
    show_default=True,
    show_envvar=True,
    help="The database of the datasets.",
)
max_bad_option = click.option(
    "--max-bad",
    type=click.FloatRange(0, 1),
    callback=lambda context, parameter, value: real(context, parameter, value),
    default=0.01,
    show_default=True,
    help="The share of bad lines up to which all goes through.",
)
dry_run_option = click.option(
    "--dry-run",
    is_flag=True,
    help="Do nothing, but try a first part and tell what all of it will need.",
)
json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print a list of objects instead of a table."
)


def chosen(endpoint: str | None) -> str | None:
    """Return the endpoint that a command is to ask, or None: a store that is named is meant."""
    source = click.get_current_context().get_parameter_source
    named = [name for name in ("store", "endpoint") if source(name) is _NAMED]
    if len(named) > 1:
        raise click.UsageError("Name a --store or an --endpoint, not both.")
    if endpoint is not None:
        require_endpoint(endpoint)
    return None if named == ["store"] else endpoint


def require_endpoint(url: str) -> None:
    """Refuse an empty URL, as a variable gives that is not set."""
    if not url.strip():
        raise click.BadParameter("it is empty.", param_hint="--endpoint")


_NAMED = click.core.ParameterSource.COMMANDLINE


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
    cells = [[_cell(row[name]) for name in names] for row in rows]
    least = [_longest_word(column) for column in zip(names, *cells, strict=True)]
    if rows and sum(least) + _GAP * (len(names) - 1) > width:
        return "\n".join(_record(row, names) for row in rows)
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for name, word in zip(names, least, strict=True):
        numeric = bool(rows) and all(isinstance(row[name], int | float) for row in rows)
        justify: Literal["right", "left"] = "right" if numeric else "left"
        table.add_column(Text(name), justify=justify, overflow="fold", min_width=word)
    for row in cells:
        table.add_row(*map(Text, row))
    console = Console(width=width, highlight=False, color_system=None)
    with console.capture() as capture:
        console.print(table)
    return "".join(f"{line.rstrip()}\n" for line in capture.get().splitlines())


def _longest_word(texts: Sequence[str]) -> int:
    """Return how wide a column must be, so that only words beyond all measure are broken."""
    return min(_WIDEST, max(len(word) for text in texts for word in text.split() or [""]))


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


def say(text: str) -> None:
    """Print a line for people on standard error, where it spoils no output."""
    click.echo(text, err=True)


def write(text: str, output: Path | None) -> None:
    """Write a text to a file, all of it or nothing; print it if no file is named.

    The folders that lead to the file are made.

    Raises:
        WriteError: the file cannot be written.
    """
    if output is None:
        click.echo(text, nl=False)
        return
    from kgbuild.dump.atomic_files import write_text

    write_text(output, text)
    say(f"Written to {output}.")


@contextmanager
def progress() -> Iterator[Any]:
    """Show a progress bar on standard error; nothing if that is no terminal.

    Each task has a field ``detail``, a text that stands beside its bar. The time left is shown
    only where it can be estimated.
    """
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        Progress,
        ProgressColumn,
        Task,
        TextColumn,
        TimeElapsedColumn,
    )
    from rich.text import Text

    class TimeLeft(ProgressColumn):
        """The time that a task will still take, if that can be estimated."""

        def render(self, task: Task) -> Text:
            left = task.time_remaining
            return Text(f"about {timedelta(seconds=int(left))} left" if left else "")

    console = Console(stderr=True)
    bar = Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.fields[detail]}", markup=False),
        TimeElapsedColumn(),
        TimeLeft(),
        console=console,
        disable=not console.is_terminal,
        transient=True,
    )
    with bar:
        yield bar


@contextmanager
def tracked() -> Iterator[Callable[[str, int, int], None]]:
    """Show a progress bar, and yield its update (see ``rows.Progress``)."""
    with progress() as bar:
        task = bar.add_task("", total=None, detail="")

        def update(step: str, done: int, total: int) -> None:
            bar.update(task, description=step, completed=done, total=total or None)

        yield update


def listed(context: click.Context, parameter: click.Parameter, value: tuple[str, ...]) -> list[str]:
    """Split an option that may be repeated at its commas; refuse one that names nothing."""
    parts = [part.strip() for text in value for part in text.split(",")]
    if not all(parts):
        raise click.BadParameter("a name is missing.", context, parameter)
    return parts


def needs(jobs: Mapping[str, "Needs"], as_json: bool) -> None:
    """Print what jobs will need."""
    rows = [
        {
            "job": job,
            "lines": need.lines,
            "triples": need.triples,
            "disk_mb": round(need.disk / 1e6, 1),
            "meanwhile_mb": round(need.meanwhile / 1e6, 1),
            "memory_mb": round(need.memory / 1e6),
            "minutes": round(need.seconds / 60, 2),
        }
        for job, need in jobs.items()
    ]
    show(rows, as_json)
    share = next(iter(jobs.values())).share
    say(f"Estimated by doing it to the first {share:.2%} of what is to be read.")


def real(context: click.Context, parameter: click.Parameter, value: float) -> float:
    """Refuse what is no number, which lies in any range."""
    if math.isnan(value):
        raise click.BadParameter("it is no number.", context, parameter)
    return value


def once(dumps: Sequence[str]) -> None:
    """Refuse to read a dump more than once."""
    if dumps.count("-") > 1:
        raise click.UsageError("Standard input can be read only once.")
    for path in dumps:
        if dumps.count(path) > 1:
            raise click.UsageError(f"{path} is named twice.")


def require_language(code: str) -> None:
    """Refuse what is no code of a language, such as en or de-at."""
    if not re.fullmatch(r"[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8})*", code):
        raise click.BadParameter(f"'{code}' is no code of a language.", param_hint="--lang")


def require_slice(out: Path | str) -> None:
    """Refuse to write a slice to a file of another name than those of slices."""
    if not str(out).endswith((".nt", ".nt.gz", ".nt.zst")):
        raise click.BadParameter("it is to end with .nt, .nt.gz or .nt.zst.", param_hint="-o")


def losses(dropped: Mapping[str, int], bad: int, rejects: Path | str) -> None:
    """Say how many lines were dropped, and why, and where the bad ones stand."""
    for reason, count in sorted(dropped.items(), key=lambda pair: -pair[1]):
        say(f"  dropped {count:>12,}  {REASONS[reason]}")
    if bad:
        say(f"  bad     {bad:>12,}  lines: see {rejects}")
