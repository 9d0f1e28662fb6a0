"""The command ``grouse``: it builds unit tests for judges, which grade answers."""

from collections import Counter
from pathlib import Path
from typing import Any

import click

from kgbuild.cli import options, output
from kgbuild.cli.build import building
from kgbuild.datasets.grouse.dataset import DATASET, build

_EXAMPLE = (
    "SELECT input, actual_output, metadata.fault FROM grouse_tests"
    " WHERE test_type = 'distorted_value' LIMIT 5"
)


@click.command()
@options.option_of(build, "limit", "Maximum number of subjects; each has a test of each type.")
@options.build_options
def grouse(store: Path, db: "options.Database", as_json: bool, **build_options: Any) -> None:
    """Build unit tests for judges of grounded answers: right answers, and answers with one fault.

    A test has references from the store, a question, the true answer, an answer to grade, and a
    condition on each of GroUSE's six metrics, which the grades of a good judge meet. The answer to
    grade has at most one fault. A build replaces all earlier tests.

    \b
    Example:
      kgbuild grouse
      kgbuild judge --meta
    """
    from kgbuild.datasets.grouse.faults import TYPES

    built = building.build(DATASET, build, store, db, **build_options)
    (part,) = built.parts  # GroUSE is built in one part
    tests = Counter(row["test_type"] for row in part.tables["grouse_tests"])
    # The docstring of the function that makes a type of test describes the answer of the test.
    rows = [
        {"test type": name, "tests": tests[name], "the answer": (make.__doc__ or "").strip()}
        for name, make in TYPES.items()
    ]
    output.show(rows, as_json)
    if as_json:
        return
    if part.rejections:
        output.notify(f"\nSubjects left out: {building.main_reasons(DATASET, part)}.")
    building.show_example(DATASET, db, _EXAMPLE)
