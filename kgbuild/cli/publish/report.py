"""The command ``report``: it writes a page about the datasets in a database."""

from pathlib import Path

import click

from kgbuild.cli import options, output
from kgbuild.report.names import store_labels
from kgbuild.report.page import page, require_page


@click.command()
@options.output_option("path", "The page to write.", required=True)
@options.seed_option("Seed of the rows shown.")
@options.store_option
@options.db_option
def report(path: Path, seed: int, store: Path, db: "options.Database") -> None:
    """Write a page about the datasets, their sources, and the scores of models.

    The page shows the numbers of rows and of rejected candidates with their reasons, statistics of
    each dataset, some rows with their evidence, and the scores of models and judges. It is one file
    and needs only a browser. Labels that the tables lack come from the store if the rows were built
    from it, or from the store that --store names.

    \b
    Example:
      kgbuild report -o report.html
    """
    require_page(path)
    # The default store is used only if the rows were built from it.
    labels = store_labels(store, None if options.is_on_command_line("store") else db)
    with labels as label, output.progress("gathering rows") as progress:
        text = page(db, seed=seed, label=label, progress=progress)
    output.write(text, path)
