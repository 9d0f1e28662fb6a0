"""Print tables, JSON, notes and progress."""

import contextlib
import json
import math
import re
import shutil
import sys
import threading
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal

import click

from kgbuild import cells
from kgbuild.errors import escape_controls, replace_controls
from kgbuild.rows import Progress, no_progress

_WIDTH = 120
"""Width in characters of a table that is written to a file or a pipe."""
_GAP = 3
"""Number of characters between two columns."""


def show(rows: Sequence[Mapping[str, Any]], as_json: bool, columns: Sequence[str] = ()) -> None:
    """Print rows as a table or as JSON. ``columns`` is needed if there may be no rows."""
    click.echo(render(rows, as_json, columns), nl=False)


def render(rows: Sequence[Mapping[str, Any]], as_json: bool, columns: Sequence[str] = ()) -> str:
    """Return rows as a table or as JSON.

    A table that is too wide for the terminal becomes blocks of lines, each with as many rows beside
    each other as there is room for.
    """
    if as_json:
        values = [{name: _json_value(value) for name, value in row.items()} for row in rows]
        text = json.dumps(values, ensure_ascii=False, indent=1, default=str)
        return escape_controls(text) + "\n"  # JSON leaves some control characters, such as U+009B
    columns = columns or list(rows[0] if rows else ())
    names = [replace_controls(column) for column in columns]
    width = shutil.get_terminal_size((_WIDTH, 50)).columns
    cells = [[_cell(row[column]) for column in columns] for row in rows]
    widths = _widths([*zip(names, *cells, strict=True)], width)
    if widths is None:
        return _blocks(names, cells or [[""] * len(names)], width)
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for column, name, column_width in zip(columns, names, widths, strict=True):
        numeric = bool(rows) and all(isinstance(row[column], int | float) for row in rows)
        justify: Literal["right", "left"] = "right" if numeric else "left"
        table.add_column(Text(name), justify=justify, overflow="fold", width=column_width)
    for row in cells:
        table.add_row(*map(Text, row))
    console = Console(width=max(width, 1), highlight=False, color_system=None)
    with console.capture() as capture:
        console.print(table)
    return "".join(f"{line.rstrip()}\n" for line in capture.get().splitlines())


def _widths(columns: Sequence[Sequence[str]], width: int) -> list[int] | None:
    """Return the widths of columns of a table; None if they do not fit with their words whole.

    The widest columns get narrower first. (rich would cut the last column instead.)
    """
    most = [max(_length(line) for text in texts for line in text.split("\n")) for texts in columns]
    words = ([word for text in texts for word in text.split()] for texts in columns)
    # A narrow column may break words of more than sixteen characters.
    least = [min(16, max(map(_length, found), default=1)) for found in words]
    room = width - _GAP * (len(columns) - 1)
    for limit in range(max(room, 0), 0, -1):
        widths = [max(low, min(high, limit)) for low, high in zip(least, most, strict=True)]
        if sum(widths) <= room:
            return widths
    return None


def _blocks(names: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> str:
    """Return rows as columns of blocks; a row that has no room beside others is a block."""
    heads = _column(names)
    blocks: list[list[list[str]]] = []
    room = 0
    for row in rows:
        cells = _column(row)
        needed = width if "\n" in "".join(row) else _length(cells[0]) + 2
        if needed > room:
            blocks.append([heads])
            room = width - _length(heads[0])
        blocks[-1].append(cells)
        room -= needed
    lines = (
        [f"{'  '.join(line).rstrip()}\n" for line in zip(*part, strict=True)] for part in blocks
    )
    return "\n".join(map("".join, lines))


def _column(texts: Sequence[str]) -> list[str]:
    """Return texts of the same width."""
    width = max(map(_length, texts))
    return [text + " " * (width - _length(text)) for text in texts]


def _length(text: str) -> int:
    """Return the number of cells of a terminal that a line takes."""
    if text.isascii():
        return len(text)
    from rich.cells import cell_len

    return cell_len(text)


def _json_value(value: object) -> object:
    """Return a value that JSON can represent: decimals as numbers, infinity and NaN as null."""
    if isinstance(value, Decimal):
        return float(value)
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _cell(value: object) -> str:
    """Return a value as the text of a table cell, without control characters."""
    if value is None:
        return ""
    if isinstance(value, list | tuple):
        return "; ".join(map(_cell, value))
    if isinstance(value, dict):
        # A label replaces its id. Two texts are a name and its value; more are a statement.
        texts = [str(value[key]) for key in value if f"{key}_label" not in value]
        return _cell((": " if len(texts) == 2 else " ").join(texts))
    return replace_controls(str(value))


_NUMBERS = re.compile(r"\b[\d.,]+")
"""The numbers in the text of a step, which change while it lasts; that of P26 is none of them."""
_PAUSE, _SHARE = 2.0, 0.02
"""Seconds between two lines of progress, or this share of the time that passed, if it is longer."""
_MOST_SKIPPED = 7
"""Number of such pauses after which the same line is printed again, at most."""


def notify(text: str) -> None:
    """Print a message on standard error, so that standard output has only results."""
    click.echo(replace_controls(text), err=True)


def write(text: str, path: Path | None) -> None:
    """Write a text to a file: see ``replacing``; print it if ``path`` is None."""
    if path is None:
        click.echo(text, nl=False)
        return
    with replacing(path) as partial:
        partial.write_bytes(text.encode())


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield the path of a file to write, which then gets its name, completely or not at all."""
    from kgbuild.files import outputs

    with outputs.replacing(path) as partial:
        yield partial
    if not outputs.is_stream(path):
        notify(f"Written to {path}.")


def write_records(records: Iterable[Mapping[str, Any]], path: Path) -> None:
    """Write records to a file as JSON Lines: see ``replacing``."""
    write("".join(cells.dumps(record) + "\n" for record in records), path)


_shown: list[Progress] = []
"""The function that updates what is shown now, if anything is."""


@contextmanager
def progress(step: str) -> Iterator[Progress]:
    """Show progress, first at the ``step``, and yield a function that updates it.

    That is a bar on a terminal. Elsewhere, or with --verbose, it is lines: see ``_ProgressLines``.
    Inside a block with progress, the bar or the lines of that block go on.
    """
    if _shown:
        _shown[0](step, 0, 0)
        yield _shown[0]
        return
    with _display(step) as update:
        _shown.append(update)
        try:
            yield update
        finally:
            _shown.clear()


@contextmanager
def _display(step: str) -> Iterator[Progress]:
    context = click.get_current_context(silent=True)
    level = context.find_root().params if context else {}
    if sys.stderr is None or (level.get("quiet") and not level.get("verbose")):
        yield no_progress
    elif level.get("verbose") or not sys.stderr.isatty():  # rich takes long to import
        with contextlib.closing(_ProgressLines(step, bool(level.get("verbose")))) as lines:
            yield lines.update
    else:
        with _bar(step) as update:
            yield update


@contextmanager
def _bar(step: str) -> Iterator[Progress]:
    from rich import progress as rich_progress
    from rich.console import Console
    from rich.text import Text

    class TimeLeft(rich_progress.ProgressColumn):
        """The estimated remaining time of a task; empty if it cannot be estimated."""

        def render(self, task: rich_progress.Task) -> Text:
            seconds = task.time_remaining
            return Text(f"about {timedelta(seconds=int(seconds))} left" if seconds else "")

    with rich_progress.Progress(
        rich_progress.TextColumn("{task.description}", markup=False),
        rich_progress.BarColumn(),
        rich_progress.TimeElapsedColumn(),
        TimeLeft(),
        console=Console(stderr=True),
        transient=True,
    ) as bar:
        task = bar.add_task(step, total=None)

        def update(step: str, done: int, total: int) -> None:
            bar.update(task, description=step, completed=done, total=total or None)

        yield update


class _ProgressLines:
    """Prints progress as lines: the current step after each pause, or each new step at once.

    The pauses grow with the time that has passed, so hours give some hundred lines, and while
    nothing changes. A thread prints them, also while a step takes long. Commands that are faster
    than the first pause print none.
    """

    def __init__(self, step: str, each: bool):
        self._current = step, 0, 0
        self._each = each
        self._start = time.monotonic()
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._tell, daemon=True)
        self._thread.start()
        if each:
            self._print()

    def update(self, step: str, done: int, total: int) -> None:
        """Note progress: the current step, the amount done and the total, 0 if it is unknown."""
        is_new = _NUMBERS.sub("", step) != _NUMBERS.sub("", self._current[0])
        self._current = step, done, total
        if self._each and is_new:
            self._print()

    def close(self) -> None:
        """End the lines."""
        self._ended.set()
        self._thread.join()

    def _tell(self) -> None:
        shown, skipped, to_skip = None, 0, 0
        while not self._ended.wait(max(_PAUSE, _SHARE * (time.monotonic() - self._start))):
            if self._current == shown and skipped < to_skip:
                skipped += 1
                continue
            to_skip = min(2 * to_skip + 1, _MOST_SKIPPED) if self._current == shown else 0
            shown, skipped = self._current, 0
            self._print()

    def _print(self) -> None:
        step, done, total = self._current
        share = f" ({done / total:.0%})" if total else ""
        notify(f"{time.monotonic() - self._start:6.0f} s  {step}{share}")
