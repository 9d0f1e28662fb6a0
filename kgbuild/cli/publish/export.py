"""The command ``export``: it writes a release of a dataset, ready to be published."""

import datetime
import getpass
import os
import warnings
from contextlib import ExitStack
from pathlib import Path

import click

from kgbuild.cli import options, output
from kgbuild.datasets.base import AnyDataset
from kgbuild.export import archive
from kgbuild.export.release import read_reviews
from kgbuild.export.write_release import publish
from kgbuild.report.names import Label, store_labels

_NOTHING = ": it has no question, subject or id of this dataset. Answers alone name no row"
_PASSWORD_VARIABLE = "KGBUILD_PASSWORD"  # noqa: S105 - not a password


@click.command()
@click.argument("dataset", type=options.DatasetName())
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
    "--safe-csv",
    is_flag=True,
    help="Put an apostrophe before texts in CSV that a spreadsheet would run as formulas.",
)
@click.option(
    "--exclude",
    "excluding",
    type=options.INPUT_FILE,
    metavar="FILE",
    help="Leave out rows whose questions, subjects or ids are in this file: a table, or a text "
    "on each line.",
)
@click.option(
    "--date",
    "published",
    type=click.DateTime(["%Y-%m-%d"]),
    metavar="YYYY-MM-DD",
    help="The day of publication, in the card and the metadata.  [default: of the latest build]",
)
@click.option(
    "--password",
    "has_password",
    is_flag=True,
    help="Encrypt the release in an archive. The password comes from a prompt or from "
    f"{_PASSWORD_VARIABLE}.",
)
@click.option(
    "--site",
    "has_site",
    is_flag=True,
    help="Add a website: a page that shows and searches all rows with their evidence.",
)
@options.json_option
@options.store_option
@options.db_option
def export(
    dataset: AnyDataset,
    folder: Path,
    only_accepted: bool,
    safe_csv: bool,
    excluding: Path | None,
    published: datetime.datetime | None,
    has_password: bool,
    has_site: bool,
    as_json: bool,
    store: Path,
    db: "options.Database",
) -> None:
    """Release a dataset: Parquet, JSON Lines and CSV, with card, licence, provenance and checksums.

    The folder also has a card, with which Hugging Face's datasets loads it, Croissant metadata,
    tasks for lm-evaluation-harness, checksums, provenance, and a recipe that builds the release
    again. The same build gives the same bytes. With --site, it has a page of all rows, which needs
    no server; labels that the tables lack come from the store that the rows were built from.

    \b
    Example:
      kgbuild export granola -o release/granola
      kgbuild export syn-qa -o release/syn-qa --password
      kgbuild export granola -o release/granola --exclude leaked.jsonl
    """
    reviewed = read_reviews(dataset, db) if only_accepted else None
    password = _password() if has_password else None
    day = published and published.date()
    unlabelled: set[str] = set()
    # The default store is used only if the rows were built from it.
    labels = store_labels(store, None if options.is_on_command_line("store") else db)
    with output.progress("writing the release"), ExitStack() as stack:
        label = _noting(stack.enter_context(labels), unlabelled) if has_site else None
        release = publish(dataset, db, folder, reviewed, password, safe_csv, day, excluding, label)
    counts = {(part.table, part.split): part.rows for part in release.parts}
    rows = [
        {"table": table, **{split: counts.get((table, split), 0) for split in release.splits}}
        for table in release.columns
    ]
    output.show(rows, as_json)
    if release.excluded:
        count = len(release.excluded.ids)
        output.notify(f"{count:,} rows are left out by {excluding}{_NOTHING * (not count)}.")
    for split in release.lost_splits:
        outcome = "was accepted" if reviewed else "is left"
        output.notify(f"No row of the split {split} {outcome}, so the release lacks this split.")
    if has_password:
        output.notify(
            f"\nThe release is in {folder / dataset.command}.zip, which needs the password."
        )
    else:
        output.notify(f"\nThe release is in {folder}. Its card is {folder / 'README.md'}.")
        if has_site:
            output.notify(f"Its website is {folder / 'site' / 'index.html'}.")
    if unlabelled:
        output.notify(
            f"Ids without a label on the website: {len(unlabelled):,}. The tables lack the labels, "
            f"and {store} lacks them or is not the store of the build: name that with --store."
        )


def _noting(label: Label, unlabelled: set[str]) -> Label:
    """Return a function that returns labels, and notes ids without one."""

    def label_or_note(entity: str) -> str | None:
        text = label(entity)
        if text is None:
            unlabelled.add(entity)
        return text

    return label_or_note


def _password() -> str:
    """Return the password from the environment or the terminal.

    It is not an argument, since other users can see arguments and shells record them. Without a
    terminal, which can hide what is typed, there is no prompt.
    """
    archive.require()
    password = os.environ.get(_PASSWORD_VARIABLE)
    if password is None:
        with warnings.catch_warnings():
            warnings.simplefilter("error", getpass.GetPassWarning)
            try:
                password = click.prompt(
                    "Password", hide_input=True, confirmation_prompt=True, err=True
                )
            except getpass.GetPassWarning as warning:
                raise click.UsageError(
                    f"There is no terminal to ask for the password. Set {_PASSWORD_VARIABLE}."
                ) from warning
    return str(password)
