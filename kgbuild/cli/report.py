"""The command that writes the report."""

from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from kgbuild.cli import screen
from kgbuild.report.page import page
from kgbuild.report.store_labels import built_from, store_labels

if TYPE_CHECKING:
    from kgbuild.tables.database import Database


@click.command()
@click.option(
    "-o",
    "--output",
    required=True,
    type=click.Path(dir_okay=False, path_type=Path),
    help="The page to write.",
)
@click.option(
    "--seed", type=screen.SEED, default=0, show_default=True, help="Seed of the rows shown."
)
@screen.store_option
@screen.db_option
@click.pass_context
def report(context: click.Context, output: Path, seed: int, store: Path, db: "Database") -> None:
    """Write a page that shows what was built, from what, and how models fare on it.

    The page shows the numbers of rows and of rejected candidates with their reasons, statistics of
    each dataset, some rows with their evidence, and the scores of models and judges. It is one file
    and needs only a browser. Labels that the tables lack come from the store if the rows were built
    from it, or from the store that --store names.

    \b
    Example:
      kgbuild report -o report.html
    """
    is_named = context.get_parameter_source("store") == ParameterSource.COMMANDLINE
    fingerprints = None if is_named else built_from(db)
    with store_labels(store, fingerprints) as label, screen.progress() as bar:
        task = bar.add_task("", total=None, detail="")

        def show(step: str, done: int, total: int) -> None:
            bar.update(task, description=step, completed=done, total=total)

        text = page(db, seed=seed, label=label, progress=show)
    screen.write(text, output)
