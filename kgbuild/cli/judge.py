"""The command that grades answers with judges, tests judges, or compares them."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

import click

from kgbuild.cli import options, output
from kgbuild.cli.models import ChosenModel, model_options, report_missing
from kgbuild.cli.scoring.common import rounded, signed
from kgbuild.datasets.grouse import agreement, files, matrix, model_judge
from kgbuild.datasets.grouse.files import JudgeInput
from kgbuild.datasets.grouse.judge import JUDGES, OF_ANSWERS
from kgbuild.datasets.grouse.meta import MeanGrade, Rate, by_type, mean_grades, rate, results
from kgbuild.datasets.grouse.prompt_folder import PromptFolder
from kgbuild.datasets.grouse.rows import DATASET, METRICS
from kgbuild.errors import NoTestsError
from kgbuild.models.chat import Failure
from kgbuild.tables.files import read_file
from kgbuild.tables.records import GrouseResult as Result

_ByJudge: TypeAlias = Mapping[str, Sequence[Result]]
"""The results of each judge: one for each test or answer and metric."""

_HEADS = {metric: metric.rpartition("_")[2] for metric in METRICS}
"""Short names of the metrics, for the columns of narrow tables."""


@click.command()
@click.argument("file", required=False, type=options.INPUT_FILE)
@click.option("--meta", is_flag=True, help="Run tests of the judges.")
@click.option("--tuning", is_flag=True, help="With --meta: run only the tests of the tuning set.")
@click.option("--reference", type=options.INPUT_FILE, help="Compare with the grades in this file.")
@options.output_option("page", "With --meta: write a page with a matrix per judge.")
@model_options("Take this language model as a judge as well.")
@click.option(
    "--prompts",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    metavar="FOLDER",
    help="With --model: prompts in GroUSE's format, such as its own gpt4_prompts.",
)
@options.db_option
@options.json_option
def judge(
    file: Path | None,
    meta: bool,
    tuning: bool,
    reference: Path | None,
    page: Path | None,
    llm: ChosenModel | None,
    prompts: Path | None,
    db: "options.Database",
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
      kgbuild judge answers.jsonl --model my-model --prompts gpt4_prompts
      kgbuild judge --meta
      kgbuild judge --meta tests.jsonl -o matrix.html
      kgbuild judge --meta --reference grades.jsonl
    """
    _check_model(llm, prompts)
    if not meta and (tuning or page):
        raise click.UsageError("--tuning and -o are about the tests of judges: add --meta.")
    source, inputs = _tests(file, db, tuning) if meta else _answers(file)
    what = "tests" if meta else "answers"
    references = _references(reference, inputs, what) if reference else None
    db.prepare()
    by_judge = {}
    if llm:
        by_judge[llm.name] = _judge_by_model(llm, prompts, inputs, what, source)
    for name, grade in (JUDGES if meta else OF_ANSWERS).items():
        by_judge[name] = [*results(name, inputs, (grade(item.sample) for item in inputs), source)]
    db.write_results([result for judged in by_judge.values() for result in judged])
    if references:
        _show_agreements(by_judge, references, as_json)
    elif meta:
        _show_rates(by_judge, bool(llm), as_json)
    else:
        _show_grades(by_judge, as_json)
    if page:
        output.write(matrix.page(source, by_judge), page)


def _check_model(llm: ChosenModel | None, prompts: Path | None) -> None:
    """Refuse a model with the name of a judge, and prompts without a model."""
    if llm and llm.name in JUDGES:
        raise click.UsageError(f"There is a judge without a model called '{llm.name}'.")
    if prompts and not llm:
        raise click.UsageError("--prompts is about a language model: name it: --model.")


def _answers(file: Path | None) -> tuple[str, Sequence[JudgeInput]]:
    if file is None:
        raise click.UsageError("Name a file of answers, or put the judges to tests: --meta.")
    table = read_file(file)
    answers = files.answers(file, table.columns, table.records)
    if absent := sum(item.sample.expected_output is None for item in answers):
        of = f"{absent:,} of {len(answers):,}"
        output.notify(
            f"Answers without a true answer, and so without the grades that need one: {of}"
        )
    return file.name, answers


def _tests(
    file: Path | None, db: "options.Database", tuning: bool
) -> tuple[str, Sequence[JudgeInput]]:
    """Return the source of the tests in a file, or else of those in the database, and the tests."""
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
        output.notify(
            f"Left out, as the tuning set: {absent:,} of {len(tests):,} tests (--tuning)."
        )
    return source, chosen


def _judge_by_model(
    llm: ChosenModel, prompts: Path | None, inputs: Sequence[JudgeInput], what: str, source: str
) -> list[Result]:
    """Return the results of a model, for the inputs of which all requests got a reply."""
    own = PromptFolder(prompts) if prompts else None
    grades = model_judge.judge([item.sample for item in inputs], llm.ask, own)
    report_missing(what, len(inputs), [grade for grade in grades if isinstance(grade, Failure)])
    graded = [(n, grade) for n, grade in enumerate(grades) if not isinstance(grade, Failure)]
    tests = [inputs[n] for n, _ in graded]
    return [*results(llm.name, tests, [grade for _, grade in graded], source)]


def _references(path: Path, inputs: Sequence[JudgeInput], what: str) -> agreement.References:
    table = read_file(path)
    references = agreement.reference_grades(path, table.columns, table.records)
    if absent := agreement.count_ungraded(path, references, inputs, what):
        of = f"{absent:,} of {len(inputs):,}"
        output.notify(f"{what.title()} without reference grades, not compared: {of}")
    return references


def _show_grades(by_judge: _ByJudge, as_json: bool) -> None:
    """Print the mean grade of each judge on each metric."""
    grades = [grade for name, results in by_judge.items() for grade in mean_grades(name, results)]
    output.show([_grade_row(grade, as_json) for grade in grades], as_json)


def _grade_row(grade: MeanGrade, as_json: bool) -> dict[str, object]:
    exact = {"mean": grade.mean.value, "interval": grade.mean.interval}
    return {
        "judge": grade.judge,
        "metric": grade.metric,
        "answers": grade.mean.of,
        **(exact if as_json else {"mean": rounded(grade.mean, "{:.2f}")}),
        "undefined": grade.undefined,
        "unparsable": grade.unparsable,
    }


def _show_rates(by_judge: _ByJudge, has_model: bool, as_json: bool) -> None:
    """Print the pass rates of each judge; only the grades of a model may be unparsable."""
    all_tests = [rate(name, "all", results) for name, results in by_judge.items()]
    types = [rating for name, results in by_judge.items() for rating in by_type(name, results)]
    if as_json:
        output.show([rating.record for rating in (*types, *all_tests)], as_json)
        return
    first = next(iter(by_judge))
    click.echo(f"Tests passed by the {first} judge, of all:\n")
    output.show(
        [_rate_row(rating, has_model) for rating in types if rating.judge == first], as_json
    )
    click.echo("\nShares of the conditions on each metric, and of whole tests, that hold:\n")
    rows = [
        {
            "judge": rating.judge,
            # Rounded down, as in the picture: 100 % is all of them.
            **{_HEADS[name]: f"{n * 100 // rating.tests}%" for name, n in rating.by_metric.items()},
            "tests": f"{rating.passed * 100 // rating.tests}%",
            **_unparsable(rating, has_model),
        }
        for rating in all_tests
    ]
    output.show(rows, as_json)


def _rate_row(rating: Rate, has_model: bool) -> dict[str, object]:
    """Return the row of a test type: how many tests pass by each metric, and by all."""
    return {
        "test type": rating.test_type,
        **{_HEADS[name]: f"{count:,}/{rating.tests:,}" for name, count in rating.by_metric.items()},
        "all": f"{rating.passed:,}/{rating.tests:,}",
        **_unparsable(rating, has_model),
    }


def _unparsable(rating: Rate, has_model: bool) -> dict[str, object]:
    return {"unparsable": f"{rating.unparsable_share:.0%}"} if has_model else {}


def _show_agreements(by_judge: _ByJudge, references: agreement.References, as_json: bool) -> None:
    """Print the agreement of each judge with the reference."""
    compared = [
        measure
        for name, results in by_judge.items()
        for measure in agreement.agreements(name, results, references)
    ]
    if as_json:
        output.show([measure.record for measure in compared], as_json)
        return
    click.echo("How grades go with those of the reference, over those where both are defined:\n")
    rows = [
        {
            "judge": measure.judge,
            "metric": measure.metric,
            "tests": measure.defined,
            "spearman": signed(measure.spearman),
            "kendall": signed(measure.kendall),
        }
        for measure in compared
    ]
    output.show(rows, as_json)
    first = next(iter(by_judge))
    click.echo(f"\nGrades of the {first} judge, and how often which grade of the reference:\n")
    confusions = [
        {
            "metric": measure.metric,
            "grade": grade,
            **{word: measure.confusion.get((grade, word)) for word in agreement.GRADE_NAMES[:-1]},
        }
        for measure in compared
        if measure.judge == first
        for grade in agreement.GRADE_NAMES
        if any(own == grade for own, _ in measure.confusion)
    ]
    output.show(confusions, as_json)
