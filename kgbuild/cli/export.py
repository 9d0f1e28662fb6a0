"""The command that makes a release of a dataset."""

import getpass
import os
import warnings
from pathlib import Path

import click

from kgbuild import datasets
from kgbuild.cli import options, output
from kgbuild.export import archive
from kgbuild.export.publish import publish
from kgbuild.export.release import read_reviews

_PASSWORD = "KGBUILD_PASSWORD"  # noqa: S105 - the name of a variable


@click.command()
@click.argument("name", type=click.Choice([name.replace("_", "-") for name in datasets.NAMES]))
@options.output_option(
    "folder",
    "New or empty folder for the release.",
    type=options.ANY_PATH,
    required=True,
    metavar="DIR",
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
@options.json_option
@options.db_option
def export(
    name: str,
    folder: Path,
    only_accepted: bool,
    is_locked: bool,
    as_json: bool,
    db: "options.Database",
) -> None:
    """Release a dataset: Parquet, JSON Lines and CSV, with card, licence, provenance and checksums.

    The folder also has a card, with which Hugging Face's datasets loads it, Croissant metadata,
    tasks for lm-evaluation-harness, checksums, provenance, and a script that builds the release
    again. The same build gives the same bytes.

    \b
    Example:
      kgbuild export granola -o release/granola
      kgbuild export syn-qa -o release/syn-qa --password
    """
    dataset = datasets.dataset(name)
    reviewed = read_reviews(dataset, db) if only_accepted else None
    password = _password() if is_locked else None
    release = publish(dataset, db, folder, reviewed, password)
    counts = {(part.table, part.split): part.rows for part in release.parts}
    rows = [
        {"table": table, **{split: counts.get((table, split), 0) for split in release.splits}}
        for table in release.columns
    ]
    output.show(rows, as_json)
    if is_locked:
        output.notify(f"\nAll of it is in {folder / name}.zip, which opens by the password.")
    else:
        output.notify(f"\nThe release is in {folder}. Its card is {folder / 'README.md'}.")


def _password() -> str:
    """Return the password from the environment or the terminal.

    It is never an argument, which others can see and shells remember. Without a terminal, where
    it would be visible, the user is not asked.
    """
    archive.require()
    password = os.environ.get(_PASSWORD)
    if password is None:
        with warnings.catch_warnings():
            warnings.simplefilter("error", getpass.GetPassWarning)
            try:
                password = click.prompt(
                    "Password", hide_input=True, confirmation_prompt=True, err=True
                )
            except getpass.GetPassWarning as warning:
                raise click.UsageError(
                    f"There is no terminal to ask for the password: put it into {_PASSWORD}."
                ) from warning
    if not password:
        raise click.UsageError(f"The password in {_PASSWORD} is empty.")
    return str(password)
