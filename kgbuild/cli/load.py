"""The command that loads dumps."""

import math
import re
from pathlib import Path
from typing import Any

import click

from kgbuild.cli import screen
from kgbuild.kg import load as loading
from kgbuild.kg import manifest
from kgbuild.kg.slice import REASONS, Filter


class _Bar:
    """Turns what a load tells of itself into a progress bar."""

    def __init__(self, bar: Any, size: int | None):
        self._bar = bar
        self._task = bar.add_task("reading", total=size, detail="")
        self._before = 0
        self._file = ""
        self._read = 0

    def __call__(self, now: loading.Progress) -> None:
        if now.file != self._file:
            self._before += self._read
            self._file = now.file
        self._read = now.read
        if now.step != "reading":
            self._bar.update(self._task, description=now.step, total=None, detail="")
            return
        self._bar.update(
            self._task,
            completed=self._before + now.read,
            detail=f"{now.lines / 1e6:,.1f} M lines{_rate(self._bar.tasks[0], now)}",
        )


def _rate(task: Any, now: loading.Progress) -> str:
    return f", {now.lines / task.elapsed / 1e3:,.0f} k/s" if task.elapsed else ""


def _number(value: float) -> float:
    if math.isnan(value):
        raise click.BadParameter("it is no number.")
    return value


@click.command()
@click.argument("dumps", nargs=-1, required=True, metavar="DUMP…")
@click.option(
    "--lang",
    "languages",
    multiple=True,
    default=("en",),
    show_default=True,
    callback=screen.listed,
    help="Language of labels and texts to keep; may be repeated. 'mul' is always kept.",
)
@click.option("--all", "everything", is_flag=True, help="Keep every triple, noise too.")
@click.option(
    "--max-bad",
    type=click.FloatRange(0, 1),
    callback=lambda context, parameter, value: _number(value),
    default=0.01,
    show_default=True,
    help="The share of bad lines up to which a load goes through.",
)
@screen.store_option
def load(
    dumps: tuple[str, ...],
    languages: list[str],
    everything: bool,
    max_bad: float,
    store: Path,
) -> None:
    """Load dumps into a fresh store that replaces the old one only when it is complete.

    A DUMP is an N-Triples file, plain or compressed (gz, bz2, zst), or - for standard input.
    What kgbuild does not need is dropped on the way in: other languages, repeated labels,
    external ids, files, metadata. Bad lines are set aside in STORE/rejects.tsv.

    \b
    Example:
      kgbuild load dumps/sample.nt
      curl -s https://example.org/slice.nt.gz | kgbuild load -
    """
    for code in languages:
        if not re.fullmatch(r"[A-Za-z]{2,}(-[A-Za-z0-9]+)*", code):
            raise click.BadParameter(f"'{code}' is no code of a language.", param_hint="--lang")
    if dumps.count("-") > 1:
        raise click.UsageError("Standard input can be read only once.")
    keep = Filter(tuple(dict.fromkeys(code.lower() for code in languages)), everything)
    sizes = [Path(dump).stat().st_size for dump in dumps if Path(dump).is_file()]
    total = sum(sizes) if len(sizes) == len(dumps) else None
    with screen.progress() as bar:
        made = loading.load(dumps, store, keep, max_bad, _Bar(bar, total))
    _report(made, store)


def _report(made: manifest.Manifest, store: Path) -> None:
    screen.say(
        f"{made.triples:,} triples about {made.items:,} items are in {store} "
        f"({made.lines:,} lines read in {made.seconds:.1f} s)."
    )
    for reason, count in sorted(made.dropped.items(), key=lambda pair: -pair[1]):
        screen.say(f"  dropped {count:>12,}  {REASONS[reason]}")
    if made.bad:
        screen.say(f"  bad     {made.bad:>12,}  lines: see {store / manifest.REJECTS}")
