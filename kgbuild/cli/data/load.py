"""The command ``load``: it loads dumps into a store."""

from pathlib import Path
from typing import Any

import click

from kgbuild.cli import options, output
from kgbuild.cli.data import dumps as dump_options
from kgbuild.dump.sample import sample


def _dumps(context: click.Context, parameter: click.Parameter, dumps: Any) -> tuple[str, ...]:
    """Return the sample if --sample is set; otherwise require at least one dump.

    The option is parsed first (``is_eager``); it is removed, as ``load`` has no such parameter.
    """
    if context.params.pop("sample"):
        if dumps:
            raise click.UsageError("--sample loads the sample alone. Leave out DUMP.")
        return (str(sample()),)
    if not dumps:
        raise click.MissingParameter(ctx=context, param=parameter)
    return tuple(dumps)


@click.command()
@click.argument("dumps", nargs=-1, type=options.INPUT_NAME, metavar="DUMP…", callback=_dumps)
@click.option("--sample", is_flag=True, is_eager=True, help="Load the sample inside kgbuild.")
@click.option(
    "--lang",
    "languages",
    multiple=True,
    default=("en",),
    callback=options.split_names,
    help="Language of labels and texts to keep; repeatable. 'mul' is always kept.",
)
@click.option("--all", "everything", is_flag=True, help="Keep every triple.")
@dump_options.max_bad_option
@dump_options.dry_run_option
@options.json_option
@options.store_option
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
    plain or compressed (gz, bz2, xz, zst), a URL, - for standard input, or the folder of parts
    that a slice by Spark has written; of another folder, pass the files.
    Lines that kgbuild does not need are dropped: other languages, repeated labels, values that are
    external ids or media files, metadata. Bad lines are written to STORE/rejects.tsv.

    If a load of files is interrupted, the same command continues it. What it has written stays in
    STORE until the next load.

    \b
    Example:
      kgbuild load --sample
      curl -s https://example.org/slice.nt.gz | kgbuild load -
    """
    from kgbuild.dump.filter import Filter
    from kgbuild.store import load as loading
    from kgbuild.store.manifest import REJECTS

    options.refuse_unused(not dry_run, "without --dry-run", "as_json")
    for code in languages:
        options.require_language(code)
    dump_options.refuse_repeated(dumps)
    keep = Filter(tuple(dict.fromkeys(code.lower() for code in languages)), everything)
    if dry_run:
        from kgbuild.slice import estimate

        with output.progress("opening the dump") as progress:
            needs = estimate.estimate_load(dumps, keep, progress)
        dump_options.show_needs({"load": needs}, as_json)
        return
    try:
        with output.progress("opening the dump") as progress:
            manifest = loading.load(
                dumps, store, keep, max_bad, progress, _warn, continued=_tell_continued
            )
    except KeyboardInterrupt:
        if loading.can_continue(dumps, store, keep):
            output.notify(
                f"What this load has written stays in {store} until the next load. "
                "The same command continues it."
            )
        raise
    output.notify(
        f"{manifest.triples:,} triples about {manifest.items:,} items are in {store} "
        f"({manifest.lines:,} lines of N-Triples in {manifest.seconds:.1f} s)."
    )
    dump_options.report_losses(manifest.dropped, manifest.bad, store / REJECTS)


def _warn(needed: int, free: int) -> None:
    """Warn that the store may not fit on the disk; sizes are in bytes."""
    output.notify(
        f"The disk may be too small: the store will need about {needed / 1e9:,.1f} GB, "
        f"and {free / 1e9:,.1f} GB are free. A full disk ends the load and damages nothing."
    )


def _tell_continued(lines: int) -> None:
    output.notify(
        f"This load continues one that was interrupted: {lines:,} lines are already written."
    )
