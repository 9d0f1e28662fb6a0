"""The command that loads dumps."""

from pathlib import Path
from typing import Any

import click

from kgbuild.cli import screen
from kgbuild.dump.filter import Filter
from kgbuild.dump.sample import sample
from kgbuild.slice import estimate
from kgbuild.store import load as loading
from kgbuild.store import manifest


def _dumps(context: click.Context, parameter: click.Parameter, dumps: Any) -> tuple[str, ...]:
    """Add the sample to the dumps if it is wanted; otherwise require at least one dump."""
    if context.params.pop("sample"):
        return (*dumps, str(sample()))
    if not dumps:
        raise click.MissingParameter(ctx=context, param=parameter)
    return tuple(dumps)


@click.command()
@click.argument("dumps", nargs=-1, metavar="DUMP…", callback=_dumps)
@click.option("--sample", is_flag=True, is_eager=True, help="Load the sample inside kgbuild.")
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
@screen.max_bad_option
@screen.dry_run_option
@screen.json_option
@screen.store_option
def load(
    dumps: tuple[str, ...],
    languages: list[str],
    everything: bool,
    max_bad: float,
    dry_run: bool,
    as_json: bool,
    store: Path,
) -> None:
    """Load dumps into a fresh store that replaces the old one only when it is complete.

    A DUMP is Wikidata's truthy dump (N-Triples), its JSON dump, or a slice of them: a file,
    plain or compressed (gz, bz2, zst), a URL, or - for standard input.
    What kgbuild does not need is dropped on the way in: other languages, repeated labels,
    external ids, files, metadata. Bad lines are set aside in STORE/rejects.tsv.

    \b
    Example:
      kgbuild load --sample
      curl -s https://example.org/slice.nt.gz | kgbuild load -
    """
    for code in languages:
        screen.require_language(code)
    screen.once(dumps)
    keep = Filter(tuple(dict.fromkeys(code.lower() for code in languages)), everything)
    if dry_run:
        screen.needs({"load": estimate.of_load(dumps, keep)}, as_json)
        return
    with screen.progress() as bar:
        watched = estimate.watching(store, screen.Bar(bar), _warn)
        made = loading.load(dumps, store, keep, max_bad, watched)
    _report(made, store)


def _warn(needed: int, free: int) -> None:
    screen.say(
        f"The disk may not hold it: the store is going to need about {needed / 1e9:,.1f} GB, "
        f"and {free / 1e9:,.1f} GB are free. It is safe to go on; a full disk ends the load."
    )


def _report(made: manifest.Manifest, store: Path) -> None:
    screen.say(
        f"{made.triples:,} triples about {made.items:,} items are in {store} "
        f"({made.lines:,} lines read in {made.seconds:.1f} s)."
    )
    screen.losses(made.dropped, made.bad, store / manifest.REJECTS)
