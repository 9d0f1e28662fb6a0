"""The command that grades answers with judges, or tests the judges."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kgbuild.cli import screen
from kgbuild.cli.asking import about_a_model, ask_model, report_missing, require_named
from kgbuild.cli.judge_output import show_agreements, show_grades, show_rates
from kgbuild.datasets.asking import Ask
from kgbuild.datasets.grouse import files, matrix, model_judge
from kgbuild.datasets.grouse.agreement import References, count_ungraded, reference_grades
from kgbuild.datasets.grouse.files import JudgeInput
from kgbuild.datasets.grouse.judge import JUDGES, OF_ANSWERS
from kgbuild.datasets.grouse.meta import results
from kgbuild.datasets.grouse.rows import DATASET
from kgbuild.errors import NoTestsError
from kgbuild.models.chat import Failure
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
    (the answer, which cites references as [1]) and optionally expected_output (the true answer);
    as JSON, JSON Lines, CSV, TSV or Parquet. Each judge gives an answer six grades. One judge needs
    no model; --model adds another one. Grades of a model that cannot be read are unparsable. Means
    have 95 % bootstrap intervals.

    With --meta, it reports which tests judges pass: the tests of 'kgbuild grouse', or those of FILE
    with the columns conditions and metadata. A judge passes a test if all its grades meet the
    conditions. Two judges that always give the top or the lowest grades show the range of results.
    Tests whose split is validation are the tuning set, for the development of judges: --tuning runs
    only them, all other runs exclude them.

    With --reference, it compares judges with another one, whose grades are in a JSON or JSON Lines
    file with test_id and the six metrics; null is undefined. All grades are written to the table
    grouse_results.

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
    source, inputs = _tests(file, db, tuning) if meta else _answers(file)
    what = "tests" if meta else "answers"
    references = _references(reference, inputs, what) if reference else None
    db.prepare()
    by_judge = {}
    if model:
        ask = ask_model(model, base_url, budget, replies or db.path.parent / "replies.sqlite")
        by_judge[model] = _by_model(model, inputs, what, source, ask)
    for name, grade in (JUDGES if meta else OF_ANSWERS).items():
        by_judge[name] = [*results(name, inputs, (grade(one.sample) for one in inputs), source)]
    db.write_results([result for judged in by_judge.values() for result in judged])
    if references:
        show_agreements(by_judge, references, as_json)
    elif meta:
        show_rates(by_judge, model, as_json)
    else:
        show_grades(by_judge, as_json)
    if output:
        screen.write(matrix.page(source, by_judge), output)


def _require_fitting(meta: bool, tuning: bool, output: Path | None, model: str | None) -> None:
    """Refuse options about tests without ``meta``, and a model with the name of another judge.

    Raises:
        UsageError: the options do not fit.
    """
    if model in JUDGES:
        raise click.UsageError(f"There is a judge without a model called '{model}'.")
    if not meta and (tuning or output):
        raise click.UsageError("--tuning and -o are about the tests of judges: add --meta.")


def _answers(file: Path | None) -> tuple[str, Sequence[JudgeInput]]:
    """Return the source of the answers in a file, and the answers.

    Raises:
        UsageError: there is no file.
    """
    if file is None:
        raise click.UsageError("Name a file of answers, or put the judges to tests: --meta.")
    table = read_file(file)
    answers = files.answers(file, table.columns, table.records)
    if absent := sum(one.sample.expected_output is None for one in answers):
        of = f"{absent:,} of {len(answers):,}"
        screen.say(f"Answers without a true answer, and so without the grades that need one: {of}")
    return file.name, answers


def _tests(file: Path | None, db: "Database", tuning: bool) -> tuple[str, Sequence[JudgeInput]]:
    """Return the source of the tests in a file, or else of those in the database, and the tests.

    Raises:
        NoTestsError: the database has none.
        NoTestsOfSplitError: all are in the tuning set, or with ``tuning`` none is.
    """
    table = read_file(file) if file else db.sql("FROM grouse_tests ORDER BY rowid")
    if not file and not table.rows:
        raise NoTestsError(db.path)
    path = file or db.path
    tests = files.tests(path, table.columns, table.records)
    chosen = files.of_split(path, tests, tuning)
    source = file.name if file else DATASET
    if tuning:
        return f"{source}, tuning", chosen
    if absent := len(tests) - len(chosen):
        screen.say(f"Left out, as the tuning set: {absent:,} of {len(tests):,} tests (--tuning).")
    return source, chosen


def _by_model(
    name: str, inputs: Sequence[JudgeInput], what: str, source: str, ask: Ask
) -> list[Result]:
    """Return the results of a model, for the inputs of which all requests got a reply.

    Raises:
        NoAnswersError: there are none.
    """
    grades = model_judge.judge([one.sample for one in inputs], ask)
    report_missing(what, len(inputs), [one for one in grades if isinstance(one, Failure)])
    answered = [
        (one, each)
        for one, each in zip(inputs, grades, strict=True)
        if not isinstance(each, Failure)
    ]
    return [*results(name, [one for one, _ in answered], [each for _, each in answered], source)]


def _references(path: Path, inputs: Sequence[JudgeInput], what: str) -> References:
    """Return the reference grades of a file, and report the inputs without any.

    Raises:
        TableFileError: none of the inputs has any, or the file has no grades.
    """
    table = read_file(path)
    references = reference_grades(path, table.columns, table.records)
    if absent := count_ungraded(path, references, inputs, what):
        of = f"{absent:,} of {len(inputs):,}"
        screen.say(f"{what.title()} without reference grades, not compared: {of}")
    return references
