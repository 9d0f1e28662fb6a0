"""The command that builds unit tests for judges."""

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kgbuild.cli import build_report, screen
from kgbuild.datasets.grouse.api import LIMIT, build
from kgbuild.datasets.grouse.dataset import DATASET
from kgbuild.graph.open import open_store
from kgbuild.rows import Build

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
    default=LIMIT,
    show_default=True,
    help="Most subjects; there is a test of each type about each.",
)
@click.option("--seed", type=screen.SEED, default=0, show_default=True, help="Seed of the order.")
@screen.json_option
@screen.store_option
@screen.db_option
def grouse(limit: int, seed: int, as_json: bool, store: Path, db: "Database") -> None:
    """Build unit tests for judges of grounded answers: right ones, and some with one fault.

    A test has references from the store, a question, the true answer, an answer to grade, and a
    condition on each of GroUSE's six metrics, which the grades of a right judge meet. The answer to
    grade has exactly one fault, or none. A build replaces all earlier tests.

    \b
    Example:
      kgbuild grouse
      kgbuild judge --meta
    """
    with open_store(store) as opened, screen.tracked() as progress:
        db.prepare()
        built = build(opened, limit=limit, seed=seed, progress=progress)
    build_report.write(db, built)
    _report(built, db, as_json)


def _report(build: Build, db: "Database", as_json: bool) -> None:
    from kgbuild.datasets.grouse.faults import TYPES

    (part,) = build.parts
    tests = Counter(row["test_type"] for row in part.tables["grouse_tests"])
    rows = [
        {"test type": name, "tests": tests[name], "the answer": (make.__doc__ or "").strip()}
        for name, make in TYPES.items()
    ]
    screen.show(rows, as_json)
    if as_json:
        return
    if part.rejections:
        screen.say(f"\nSubjects left out: {build_report.main_reasons(DATASET, part)}.")
    screen.say(f"\nThe tests are in {db.path}. Look at them:")
    build_report.show_example(db, _EXAMPLE)
