"""The command that makes a release of a dataset."""

import getpass
import os
import warnings
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kgbuild.cli import screen
from kgbuild.datasets import NAMES
from kgbuild.datasets import dataset as dataset_of
from kgbuild.export import archive
from kgbuild.export.publish import publish
from kgbuild.export.release import Release, Reviewed
from kgbuild.review import verdicts
from kgbuild.review.selection import Selection

if TYPE_CHECKING:
    from kgbuild.tables.database import Database

_PASSWORD = "KGBUILD_PASSWORD"  # noqa: S105 - where it stands, not what it is


@click.command()
@click.argument("dataset", type=click.Choice([name.replace("_", "-") for name in NAMES]))
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    required=True,
    metavar="DIR",
    help="New or empty folder for the release.",
)
@click.option(
    "--only-accepted",
    is_flag=True,
    help="Export only rows that reviewers accepted, with their wordings: see 'kgbuild review'.",
)
@click.option(
    "--password",
    "is_locked",
    is_flag=True,
    help=f"Make an archive with a password, which is asked for, or taken from {_PASSWORD}.",
)
@screen.db_option
def export(
    dataset: str, output: Path, only_accepted: bool, is_locked: bool, db: "Database"
) -> None:
    """Release a dataset: Parquet, JSON Lines and CSV, with all that is to be known of them.

    The folder also has a card, with which Hugging Face's datasets loads it, Croissant metadata,
    tasks for lm-evaluation-harness, checksums, provenance, and a script that builds the release
    again. The same build gives the same bytes.

    \b
    Example:
      kgbuild export granola -o release/granola
      kgbuild export syn-qa -o release/syn-qa --password
    """
    chosen = dataset_of(dataset)
    if only_accepted and chosen.view is None:
        raise click.UsageError(f"--only-accepted is about what is reviewed, and {dataset} is not.")
    password = _password() if is_locked else None
    reviewed = _reviewed(db, Selection(chosen)) if only_accepted else None
    _report(publish(chosen, db, output, reviewed, password), output, dataset if is_locked else None)


def _reviewed(db: "Database", selection: Selection) -> Reviewed:
    accepted, decided = verdicts.survivors(db, selection)
    reviewers = verdicts.deciders(db, selection)
    return Reviewed(accepted, len(decided), len(reviewers), verdicts.wordings(db, selection.name))


def _password() -> str:
    """Return the password: never an argument, which others can see and shells remember.

    Where there is no terminal to hide it from, nobody is asked.
    """
    archive.require()
    found = os.environ.get(_PASSWORD)
    if found is None:
        with warnings.catch_warnings():
            warnings.simplefilter("error", getpass.GetPassWarning)
            try:
                found = click.prompt(
                    "Password", hide_input=True, confirmation_prompt=True, err=True
                )
            except getpass.GetPassWarning as warning:
                raise click.UsageError(
                    f"There is no terminal to ask for the password: put it into {_PASSWORD}."
                ) from warning
    if not found:
        raise click.UsageError(f"The password in {_PASSWORD} is empty.")
    return str(found)


def _report(release: Release, output: Path, archived: str | None) -> None:
    rows = [
        {
            "table": table,
            **{
                split: sum(
                    part.rows
                    for part in release.parts
                    if (part.table, part.split) == (table, split)
                )
                for split in release.splits
            },
        }
        for table in release.columns
    ]
    screen.show(rows, as_json=False)
    if archived:
        screen.say(f"\nAll of it is in {output / archived}.zip, which opens by the password.")
    else:
        screen.say(f"\nThe release is in {output}. Its card is {output / 'README.md'}.")
