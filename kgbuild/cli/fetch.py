"""The command ``kgbuild fetch``: single items from Wikidata's pages of data."""

import contextlib
import shlex
from collections.abc import Sequence
from pathlib import Path

import click

from kgbuild import wikidata
from kgbuild.cli import screen
from kgbuild.net import waits
from kgbuild.net.http import Client
from kgbuild.slice import from_items
from kgbuild.slice.from_items import Fetched, Hop
from kgbuild.slice.spec import read_items

_SHOWN = 5


@click.command()
@click.argument("qids", metavar="QID…", nargs=-1)
@click.option("--items", "path", metavar="FILE", help="And those of a file: an id in each line.")
@click.option(
    "-o",
    "--output",
    "out",
    type=click.Path(path_type=Path),
    required=True,
    help="The items: .nt, .nt.gz or .nt.zst.",
)
@click.option(
    "--hops",
    type=click.IntRange(0, 10),
    default=0,
    show_default=True,
    help="And what is so many statements away from them.",
)
@click.option(
    "--from",
    "base",
    metavar="URL",
    default=wikidata.ENTITY_PAGE,
    show_default=True,
    help="What serves the data of items.",
)
@click.option(
    "--cache",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("data/items"),
    show_default=True,
    help="The folder that keeps what was fetched.",
)
@click.option("--force", is_flag=True, help="Replace a file that is there.")
def fetch(
    qids: tuple[str, ...],
    path: str | None,
    out: Path,
    hops: int,
    base: str,
    cache: Path,
    force: bool,
) -> None:
    """Fetch the data of some items from Wikidata, as a file that 'kgbuild load' takes.

    The file has the statements of the truthy dump, and names in all languages. Each item is cached.
    About three items are fetched per second: for thousands of items, use 'kgbuild slice' with an
    endpoint or a dump.

    \b
    Example:
      kgbuild fetch Q42 Q5 -o adams.nt.gz
      kgbuild fetch Q255 --hops 1 -o beethoven.nt.gz
    """
    if not qids and path is None:
        raise click.UsageError("Name a QID, or a file of them with --items.")
    items = list(map(wikidata.parse_item, qids))
    items = list(dict.fromkeys([*items, *(read_items(path) if path is not None else ())]))
    screen.require_slice(out)
    with contextlib.closing(Client(waits.PACE, screen.say)) as client, screen.progress() as bar:
        task = bar.add_task("fetching", total=len(items), detail="")

        def show(done: int, known: int) -> None:
            bar.update(task, completed=done, total=known)

        result = from_items.fetch(items, out, client, cache, base, hops, force, show, announce)
    _tell(result, out, cache)


def announce(hop: Hop) -> None:
    """Print how many items a hop leads to, and how long their requests take at least."""
    items = "1 item is" if hop.items == 1 else f"{hop.items:,} items are"
    away = "one statement" if hop.away == 1 else f"{hop.away} statements"
    if not hop.requests:
        screen.say(f"{items} {away} away, and kept.")
        return
    kept = hop.items - hop.requests
    cached = f", {kept:,} of them kept" if kept else ""
    screen.say(f"{items} {away} away{cached}: about {_duration(hop.requests * waits.PACE)}.")


def _duration(seconds: float) -> str:
    if seconds < 2 * 60:
        return f"{max(1, round(seconds))} s"
    if seconds < 2 * 60 * 60:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 60 / 60:,.1f} h"


def _tell(result: Fetched, out: Path, cache: Path) -> None:
    screen.say(
        f"{result.lines:,} lines about {result.items:,} items are in {out} "
        f"({result.bytes / 1e6:,.1f} MB)."
    )
    _list("are other items now", [f"{qid} is {target}" for qid, target in result.redirected])
    _list("are not there", [f"{qid} ({why})" for qid, why in result.absent])
    if result.kept:
        screen.say(f"  {result.kept:,} of {result.wanted:,} were kept in {cache}.")
    screen.say(f"  More in {from_items.report_beside(out)}. Load it with:")
    screen.say(f"  kgbuild load {shlex.quote(str(out))}")


def _list(title: str, entries: Sequence[str]) -> None:
    if entries:
        more = ", …" if len(entries) > _SHOWN else ""
        screen.say(f"  {len(entries):,} {title}: {', '.join(entries[:_SHOWN])}{more}.")
