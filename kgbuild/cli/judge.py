"""The command that grades answers, and puts judges to their tests."""

from collections.abc import Sequence
from itertools import compress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kgbuild.cli import screen
from kgbuild.cli.asking import about_a_model, ask_model, report_missing, require_named
from kgbuild.cli.judge_output import show_agreements, show_grades, show_rates
from kgbuild.datasets.asking import Ask
from kgbuild.datasets.grouse import files, matrix, model_judge
from kgbuild.datasets.grouse.agreement import References, reference_grades
from kgbuild.datasets.grouse.files import Given
from kgbuild.datasets.grouse.judge import JUDGES, OF_ANSWERS
from kgbuild.datasets.grouse.meta import results
from kgbuild.datasets.grouse.rows import DATASET, TUNING
from kgbuild.errors import NoTestsError, NoTestsOfSplitError, TableFileError
from kgbuild.evaluate.grading import missing
from kgbuild.tables.files import Result as Table
from kgbuild.tables.files import read_file
from kgbuild.tables.records import GrouseResult as Result

if TYPE_CHECKING:
    from kgbuild.tables.database import Database


@click.command()
@click.argument(
    "file", required=False, type=click.Path(exists=True, dir_okay=False, path_type=Path)
)
@click.option("--meta", is_flag=True, help="Put the judges themselves to tests.")
@click.option(
    "--tuning", is_flag=True, help="With --meta: to the tests of the tuning set, and no others."
)
@click.option(
    "--reference",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="Compare with the grades in this file.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="With --meta: write a page with each judge's matrix.",
)
@click.option("--model", metavar="NAME", help="Take this language model as a judge as well.")
@about_a_model
@screen.db_option
@screen.json_option
def judge(
    file: Path | None,
    meta: bool,
    tuning: bool,
    model: str | None,
    reference: Path | None,
    output: Path | None,
    base_url: str | None,
    budget: int | None,
    replies: Path | None,
    db: "Database",
    as_json: bool,
) -> None:
    """Grade answers that cite references, or put the judges that do so to tests.

    FILE has answers in GroUSE's format: references (a list), input (the question), actual_output
    (the answer, which cites references as [1]) and, if it is known, expected_output (the true
    answer); JSON, JSON Lines, CSV, TSV or Parquet, by its ending. A judge gives each answer six
    grades: one that needs no model, and a model if one is named. A model's grade that cannot be
    read is unparsable. Means stand with their 95 % bootstrap intervals.

    With --meta, it tells which tests judges pass: those of 'kgbuild grouse', or those of FILE,
    which also has conditions, and metadata with test_type. A test passes if all grades are as they
    are to be. Two judges that always give the top or the lowest grades show what the tests are
    worth. Tests whose split is validation are left out: they are the tuning set, to try a judge
    on while it is made (--tuning).

    With --reference, judges are compared with another one instead, whose grades stand in a JSON or
    JSON Lines file with test_id and the six metrics; null is undefined. All grades stand in the
    table grouse_results.

    \b
    Example:
      kgbuild judge answers.jsonl
      kgbuild judge answers.jsonl --model my-model --base-url http://localhost:8000/v1
      kgbuild judge --meta
      kgbuild judge --meta tests.jsonl -o matrix.html
      kgbuild judge --meta --reference grades.jsonl
    """
    require_named("--model", model, base_url, budget, replies)
    _require_fitting(meta, tuning, output, model)
    source, shown = _tests(file, db, tuning) if meta else _answers(file)
    what = "tests" if meta else "answers"
    references = _references(reference, shown, what) if reference else None
    db.prepare()
    found = {}
    if model:
        ask = ask_model(model, base_url, budget, replies or db.path.parent / "replies.sqlite")
        found[model] = _by_model(model, shown, what, source, ask)
    for name, one in (JUDGES if meta else OF_ANSWERS).items():
        found[name] = [*results(name, shown, (one(each.sample) for each in shown), source)]
    db.write_results([result for some in found.values() for result in some])
    if references:
        show_agreements(found, references, as_json)
    elif meta:
        show_rates(found, model, as_json)
    else:
        show_grades(found, as_json)
    if output:
        screen.write(matrix.page(source, found), output)


def _require_fitting(meta: bool, tuning: bool, output: Path | None, model: str | None) -> None:
    """Refuse options about tests without ``meta``, and a model called as another judge is.

    Raises:
        UsageError: that is so.
    """
    if model in JUDGES:
        raise click.UsageError(f"There is a judge without a model called '{model}'.")
    if not meta and (tuning or output):
        raise click.UsageError("--tuning and -o are about the tests of judges: add --meta.")


def _answers(file: Path | None) -> tuple[str, Sequence[Given]]:
    """Return the answers in a file, and what the table of results calls them.

    Raises:
        UsageError: there is no file.
    """
    if file is None:
        raise click.UsageError("Name a file of answers, or put the judges to tests: --meta.")
    found = read_file(file)
    answers = files.answers(file, found.columns, _records(found))
    if absent := sum(one.sample.expected_output is None for one in answers):
        of = f"{absent:,} of {len(answers):,}"
        screen.say(f"Answers without a true answer, and so without the grades that need one: {of}")
    return file.name, answers


def _tests(file: Path | None, db: "Database", tuning: bool) -> tuple[str, Sequence[Given]]:
    """Return the tests of a file, or without one those that were built, and their source.

    Raises:
        NoTestsOfSplitError: none of them is in the tuning set, or all are, which is not wanted.
    """
    found = read_file(file) if file else _built(db)
    tests = files.tests(file or db.path, found.columns, _records(found))
    wanted = [test for test in tests if (test.split == TUNING) == tuning]
    if not wanted:
        raise NoTestsOfSplitError(file or db.path, len(tests), tuning)
    source = file.name if file else DATASET
    if tuning:
        return f"{source}, tuning", wanted
    if absent := len(tests) - len(wanted):
        screen.say(f"Left out, as the tuning set: {absent:,} of {len(tests):,} tests (--tuning).")
    return source, wanted


def _by_model(name: str, shown: Sequence[Given], what: str, source: str, ask: Ask) -> list[Result]:
    """Return how a model fares where each of its requests got an answer.

    Raises:
        NoAnswersError: that is nowhere so.
    """
    asked = [model_judge.requests(one.sample) for one in shown]
    told = iter(ask([request for some in asked for request in some.values()]))
    replies = [{metric: next(told) for metric in some} for some in asked]
    failures = [next(filter(None, map(missing, some.values())), None) for some in replies]
    report_missing(what, len(shown), [*filter(None, failures)])
    answered = [failure is None for failure in failures]
    grades = map(model_judge.grades, compress(replies, answered))
    return [*results(name, [*compress(shown, answered)], grades, source)]


def _built(db: "Database") -> Table:
    """Return the tests that were built, as the table has them.

    Raises:
        NoTestsError: there are none.
    """
    found = db.sql("FROM grouse_tests ORDER BY rowid")
    if not found.rows:
        raise NoTestsError(db.path)
    return found


def _records(found: Table) -> list[dict[str, Any]]:
    return [dict(zip(found.columns, row, strict=True)) for row in found.rows]


def _references(path: Path, shown: Sequence[Given], what: str) -> References:
    """Return the reference grades of a file, and say how many tests or answers have none.

    Raises:
        TableFileError: none has any, or what stands there are no grades.
    """
    found = read_file(path)
    references = reference_grades(path, found.columns, _records(found))
    absent = sum(one.test_id not in references for one in shown)
    if absent == len(shown):
        raise TableFileError(path, f"it grades none of the {what}")
    if absent:
        of = f"{absent:,} of {len(shown):,}"
        screen.say(f"{what.title()} without reference grades, not compared: {of}")
    return references
