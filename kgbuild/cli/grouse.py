"""The command that builds unit tests for judges."""

from collections import Counter
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kgbuild.catalog import catalog
from kgbuild.cli import build_report, screen
from kgbuild.datasets import building
from kgbuild.datasets.biokalma.words import words
from kgbuild.datasets.grouse.build import PEOPLE, Builder, Options
from kgbuild.datasets.grouse.dataset import DATASET
from kgbuild.datasets.grouse.faults import TYPES
from kgbuild.graph.open import open_store
from kgbuild.rows import Built

if TYPE_CHECKING:
    from kgbuild.tables.database import Database

_EXAMPLE = (
    "SELECT input, actual_output, metadata.fault FROM grouse_tests"
    " WHERE test_type = 'distorted_value' LIMIT 5"
)


@click.command()
@click.option(
    "--limit",
    type=screen.COUNT,
    default=Options.limit,
    show_default=True,
    help="Most subjects; there is a test of each type about each.",
)
@click.option("--seed", type=screen.SEED, default=0, show_default=True, help="Seed of the order.")
@screen.store_option
@screen.db_option
def grouse(limit: int, seed: int, store: Path, db: "Database") -> None:
    """Build unit tests for judges of grounded answers: right ones, and some with one fault.

    A test has references from the store, a question, its true answer, an answer with exactly one
    planted fault, or none, and what a judge is to say: a condition on each of GroUSE's six
    metrics. A build replaces the tests that were there.

    \b
    Example:
      kgbuild grouse
      kgbuild judge --meta
    """
    options = Options(limit, seed)
    with open_store(store) as held, screen.tracked() as progress:
        db.prepare()
        made = building.build(
            DATASET,
            held,
            {PEOPLE: None},
            lambda known: lambda _, tell: Builder(known, catalog(), words(), options).build(tell),
            asdict(options),
            progress=progress,
        )
    build_report.write(db, made)
    _report(made.parts[0], db)


def _report(built: Built, db: "Database") -> None:
    tests = Counter(row["test_type"] for row in built.tables["grouse_tests"])
    rows = [
        {"test type": name, "tests": tests[name], "the answer": (make.__doc__ or "").strip()}
        for name, make in TYPES.items()
    ]
    screen.show(rows, as_json=False)
    if built.rejections:
        screen.say(f"\nSubjects left out: {build_report.main_reasons(DATASET, built)}.")
    screen.say(f"\nThe tests are in {db.path}. Look at them:")
    build_report.show_example(db, _EXAMPLE)
