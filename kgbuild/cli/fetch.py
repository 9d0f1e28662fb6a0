"""The command that fetches items."""

import contextlib
import shlex
from collections.abc import Sequence
from pathlib import Path

import click

from kgbuild.cli import screen
from kgbuild.kg import fetch as fetching
from kgbuild.kg import web, wikidata

_SOME = 5


@click.command()
@click.argument("qids", metavar="QID…", nargs=-1, required=True)
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
def fetch(qids: tuple[str, ...], out: Path, hops: int, base: str, cache: Path, force: bool) -> None:
    """Fetch what Wikidata says of some items, as a file that 'kgbuild load' takes.

    These are the statements that its truthy dump has, and names in all languages. An item is
    fetched once, and kept; a few are asked for each second, so for thousands take an endpoint or a
    dump (kgbuild slice).

    \b
    Example:
      kgbuild fetch Q42 Q5 -o adams.nt.gz
      kgbuild fetch Q255 --hops 1 -o beethoven.nt.gz
    """
    items = list(dict.fromkeys(map(wikidata.parse_item, qids)))
    screen.require_slice(out)
    with contextlib.closing(web.Client(web.PACE, screen.say)) as client, screen.progress() as bar:
        task = bar.add_task("fetching", total=len(items), detail="")

        def show(done: int, known: int) -> None:
            bar.update(task, completed=done, total=known)

        found = fetching.fetch(items, out, client, cache, base, hops, force, show)
    screen.say(
        f"{found.lines:,} lines about {found.items:,} items are in {out} "
        f"({found.bytes / 1e6:,.1f} MB)."
    )
    _tell("are other items now", [f"{qid} is {target}" for qid, target in found.redirected])
    _tell("are not there", [f"{qid} ({why})" for qid, why in found.absent])
    screen.say(f"  Load it with:\n  kgbuild load {shlex.quote(str(out))}")


def _tell(what: str, which: Sequence[str]) -> None:
    if which:
        more = ", …" if len(which) > _SOME else ""
        screen.say(f"  {len(which):,} {what}: {', '.join(which[:_SOME])}{more}.")
