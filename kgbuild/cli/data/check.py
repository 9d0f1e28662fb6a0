"""The command ``check``: it looks for damage in a store and in a database."""

from collections.abc import Iterable
from pathlib import Path

import click

from kgbuild.cli import options, output
from kgbuild.errors import KgbuildError, list_first
from kgbuild.graph.check import check as check_store
from kgbuild.rows import Checked


@click.command()
@click.option(
    "--sample",
    type=options.COUNT,
    default=100,
    help="Number of items whose texts, names and statements are compared with the graph.",
)
@options.json_option
@options.store_option
@options.db_option
def check(sample: int, as_json: bool, store: Path, db: "options.Database") -> None:
    """Look for damage in a store and in a database: both, or the one that you name.

    All files of the store that commands use are compared with the checksums that 'kgbuild load' has
    written, and a sample of items with the graph. All tables of the database are read, and rows
    that contradict others are listed. The exit code is 1 if anything is damaged.

    \b
    Example:
      kgbuild check
      kgbuild check --store data/kg --sample 10000
    """
    typed = [name for name in ("store", "db") if options.is_on_command_line(name)]
    options.refuse_unused(typed == ["db"], "on a database", "sample")
    parts: list[Checked] = []
    with output.progress("checking") as progress:
        if "store" in typed or not typed:
            parts += check_store(store, sample, progress)
        store_faults = _faults(parts)
        if "db" in typed or (not typed and db.path.exists()):
            parts += db.check(progress)
    output.show([part._asdict() | {"faults": len(part.faults)} for part in parts], as_json)
    if store_faults:
        raise KgbuildError(
            f"The store {store} is damaged: {list_first(store_faults)}. Load the dump again, or "
            "restore the folder from a copy."
        )
    if faults := _faults(parts):
        raise KgbuildError(
            f"{db.path} is damaged: {list_first(faults)}. Restore the file from a copy, or build "
            "the dataset again."
        )


def _faults(parts: Iterable[Checked]) -> list[str]:
    return [fault for part in parts for fault in part.faults]
