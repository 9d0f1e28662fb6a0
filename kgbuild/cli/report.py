"""The command that writes the report."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from kgbuild.cli import screen
from kgbuild.report.page import page

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
@screen.db_option
def report(output: Path, seed: int, db: "Database") -> None:
    """Write a page that shows what was built, from what, and how models fare on it.

    It has counts, the funnel from candidates to rows with the reasons, each dataset's own measures,
    rows with their evidence, and the scores of models and judges if there are any. It is one
    file that needs nothing but a browser, and no network.

    \b
    Example:
      kgbuild report -o report.html
    """
    screen.write(page(db, seed), output)
