"""The command ``fetch``: it downloads the data of single items from Wikidata."""

import contextlib
import shlex
from functools import partial
from pathlib import Path

import click

from kgbuild import wikidata
from kgbuild.cli import options, output
from kgbuild.errors import list_first
from kgbuild.files import atomic_files
from kgbuild.net import waits
from kgbuild.net.http import Client
from kgbuild.slice import from_items
from kgbuild.slice.spec import read_items


@click.command()
@click.argument("qids", metavar="QID…", nargs=-1)
@click.option(
    "--items",
    "path",
    type=options.INPUT_NAME,
    metavar="FILE",
    help="Also fetch the items of a file with one id per line.",
)
@options.output_option(
    "out", "The items", options.SLICE_ENDINGS, type=options.ANY_PATH, required=True
)
@click.option(
    "--hops",
    type=click.IntRange(0, 10),
    default=0,
    help="Also fetch items at most this number of statements away.",
)
@click.option(
    "--from", "base", metavar="URL", default=wikidata.ENTITY_PAGE, help="Server of the data."
)
@click.option(
    "--cache",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path("data/items"),
    help="The folder of cached items.",
)
@click.option("--force", is_flag=True, help="Replace an existing file.")
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
        raise click.UsageError("Pass a QID, or a file of ids with --items.")
    items = [wikidata.parse_item(qid) for qid in qids]
    if path is not None:
        items += read_items(path)
    items = list(dict.fromkeys(items))  # without duplicates
    with (
        contextlib.closing(Client(waits.PACE, output.notify)) as client,
        output.progress("fetching") as progress,
    ):
        report_done = partial(progress, "fetching")
        result = from_items.fetch(
            items, out, client, cache, base, hops, force, report_done, announce
        )
    output.notify(
        f"{result.lines:,} lines about {result.items:,} items are in {out} "
        f"({result.bytes / 1e6:,.1f} MB)."
    )
    if result.redirected:
        pairs = list_first([f"{qid} is {target}" for qid, target in result.redirected.items()])
        output.notify(f"  {len(result.redirected):,} are redirected to other items: {pairs}.")
    if result.absent:
        reasons = list_first([f"{qid} ({reason})" for qid, reason in result.absent.items()])
        output.notify(f"  {len(result.absent):,} do not exist: {reasons}.")
    if result.cached:
        output.notify(f"  {result.cached:,} of {result.wanted:,} were cached in {cache}.")
    output.notify(f"  More in {atomic_files.report_beside(out)}. Load it with:")
    output.notify(f"  kgbuild load {shlex.quote(str(out))}")


def announce(distance: int, count: int, requests: int) -> None:
    """Print how many items a hop leads to, and the minimum time of their requests."""
    items = "1 item is" if count == 1 else f"{count:,} items are"
    away = "one statement away" if distance == 1 else f"{distance} statements away"
    if not requests:
        output.notify(f"{items} {away}, and cached.")
        return
    note = f", {count - requests:,} of them cached" if count > requests else ""
    output.notify(f"{items} {away}{note}: about {_duration(requests * waits.PACE)}.")


def _duration(seconds: float) -> str:
    if seconds < 2 * 60:
        return f"{max(1, round(seconds))} s"
    if seconds < 2 * 60 * 60:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 60 / 60:,.1f} h"
