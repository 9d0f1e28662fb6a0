"""The command ``judge``: grade answers with judges, test judges, or compare them with a reference.

A judge grades answers that cite references: a program without a model, or a language model.
"""

import itertools
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

import click

from kgbuild.cli import options, output
from kgbuild.cli.models import ChosenModel, model_options, report_missing
from kgbuild.cli.scoring.common import rounded, signed
from kgbuild.datasets.grouse import agreement, files, matrix, model_judge
from kgbuild.datasets.grouse.files import JudgeInput
from kgbuild.datasets.grouse.judge import JUDGES, JUDGES_WITHOUT_BASELINES
from kgbuild.datasets.grouse.meta import MeanGrade, Rate, by_type, mean_grades, rate, results
from kgbuild.datasets.grouse.prompt_folder import PromptFolder
from kgbuild.datasets.grouse.rows import DATASET, METRICS, Grades
from kgbuild.errors import NoTestsError
from kgbuild.models.chat import Failure
from kgbuild.tables.files import read_file
from kgbuild.tables.records import GrouseResult as Result

_ResultsByJudge: TypeAlias = Mapping[str, Sequence[Result]]
"""The results of judges by name: one result for each test (or answer) and metric."""

_SHORT_NAMES = {metric: metric.rpartition("_")[2] for metric in METRICS}
"""The last words of the metrics (answer_relevancy: relevancy), as headings of narrow columns."""


@click.command()
@click.argument("file", required=False, type=options.INPUT_FILE)
@click.option("--meta", is_flag=True, help="Run tests of the judges.")
@click.option("--tuning", is_flag=True, help="With --meta: run only the tests of the tuning set.")
@click.option("--reference", type=options.INPUT_FILE, help="Compare with the grades in this file.")
@options.output_option("page", "With --meta: write a page with the passed tests of each judge.")
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
    """Grade answers that cite references, or test the judges that grade them.

    FILE has answers in GroUSE's format: references (a list), input (the question), actual_output
    (the answer, which cites references as [1]) and optionally expected_output (the true answer);
    as JSON, JSON Lines, CSV, TSV or Parquet. Each judge gives an answer six grades. One judge needs
    no model; --model adds a language model as a second judge. A grade that cannot be read in the
    model's reply is unparsable. Means have 95 % bootstrap intervals.

    With --meta, it reports which tests judges pass: the tests of 'kgbuild grouse', or those of FILE
    with the columns conditions and metadata. A judge passes a test if all its grades meet the
    conditions. Two baselines are judged, too: one always gives the highest grades, one the lowest.
    Tests whose split is validation are the tuning set, for the development of judges: --tuning runs
    only these tests, all other runs exclude them.

    With --reference, it compares judges with a reference judge, whose grades are in a JSON or JSON
    Lines file with test_id and the six metrics; null means undefined. All grades are written to the
    table grouse_results.

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
        raise click.UsageError("--tuning and -o need tests of judges. Add --meta.")
    source, inputs = _read_tests(file, db, tuning) if meta else _read_answers(file)
    unit = "tests" if meta else "answers"
    references = _read_references(reference, inputs, unit) if reference else None
    db.prepare()  # fails now, not after the grading, if the database cannot be written
    results_by_judge = {}
    if llm:
        results_by_judge[llm.name] = _judge_by_model(llm, prompts, inputs, unit, source)
    for name, grade in (JUDGES if meta else JUDGES_WITHOUT_BASELINES).items():
        grades = (grade(judge_input.sample) for judge_input in inputs)
        results_by_judge[name] = [*results(name, inputs, grades, source)]
    db.write_results([*itertools.chain.from_iterable(results_by_judge.values())])
    if references:
        _show_agreements(results_by_judge, references, as_json)
    elif meta:
        _show_rates(results_by_judge, bool(llm), as_json)
    else:
        _show_grades(results_by_judge, as_json)
    if page:
        output.write(matrix.page(source, results_by_judge), page)


def _check_model(llm: ChosenModel | None, prompts: Path | None) -> None:
    """Reject a model with the name of a built-in judge, and prompts without a model."""
    if llm and llm.name in JUDGES:
        raise click.UsageError(f"'{llm.name}' is the name of a built-in judge.")
    if prompts and not llm:
        raise click.UsageError("--prompts needs a language model. Pass one with --model.")


def _read_answers(file: Path | None) -> tuple[str, Sequence[JudgeInput]]:
    """Return the name of the file, as the source of results, and its answers."""
    if file is None:
        raise click.UsageError("Pass a file of answers, or test the judges with --meta.")
    table = read_file(file)
    answers = files.answers(file, table.columns, table.records)
    if incomplete := sum(answer.sample.expected_output is None for answer in answers):
        output.notify(
            "Answers without a true answer, and so without the grades that need one: "
            f"{incomplete:,} of {len(answers):,}"
        )
    return file.name, answers


def _read_tests(
    file: Path | None, db: "options.Database", tuning: bool
) -> tuple[str, Sequence[JudgeInput]]:
    """Return the name of the source of tests, and its tests: of a file, or else of the database."""
    table = read_file(file) if file else db.sql("FROM grouse_tests ORDER BY rowid")
    if not file and not table.rows:
        raise NoTestsError(db.path)
    path = file or db.path
    tests = files.tests(path, table.columns, table.records)
    selected = files.of_split(path, tests, tuning)
    source = file.name if file else DATASET
    if tuning:
        return f"{source}, tuning", selected
    if excluded := len(tests) - len(selected):
        output.notify(
            f"Left out, as the tuning set: {excluded:,} of {len(tests):,} tests (--tuning)."
        )
    return source, selected


def _judge_by_model(
    llm: ChosenModel, prompts: Path | None, inputs: Sequence[JudgeInput], unit: str, source: str
) -> list[Result]:
    """Return the results of a model; inputs with a request that got no reply have no results."""
    prompt_folder = PromptFolder(prompts) if prompts else None
    grades_or_failures = model_judge.judge(
        [judge_input.sample for judge_input in inputs], llm.ask, prompt_folder
    )
    failures = [failure for failure in grades_or_failures if isinstance(failure, Failure)]
    report_missing(unit, len(inputs), failures)
    graded_inputs: list[JudgeInput] = []
    grades: list[Grades] = []
    for judge_input, input_grades in zip(inputs, grades_or_failures, strict=True):
        if not isinstance(input_grades, Failure):
            graded_inputs.append(judge_input)
            grades.append(input_grades)
    return [*results(llm.name, graded_inputs, grades, source)]


def _read_references(path: Path, inputs: Sequence[JudgeInput], unit: str) -> agreement.References:
    """Return the grades of the reference judge in a file; print how many inputs have none."""
    table = read_file(path)
    references = agreement.reference_grades(path, table.columns, table.records)
    if ungraded := agreement.count_ungraded(path, references, inputs, unit):
        output.notify(
            f"{unit.title()} without reference grades, not compared: "
            f"{ungraded:,} of {len(inputs):,}"
        )
    return references


def _show_grades(results_by_judge: _ResultsByJudge, as_json: bool) -> None:
    """Print the mean grade of each judge on each metric."""
    grades = [
        grade
        for name, judge_results in results_by_judge.items()
        for grade in mean_grades(name, judge_results)
    ]
    output.show([_grade_row(grade, as_json) for grade in grades], as_json)


def _grade_row(grade: MeanGrade, as_json: bool) -> dict[str, object]:
    exact_cells = {"mean": grade.mean.value, "interval": grade.mean.interval}
    return {
        "judge": grade.judge,
        "metric": grade.metric,
        "answers": grade.mean.total,
        **(exact_cells if as_json else {"mean": rounded(grade.mean, "{:.2f}")}),
        "undefined": grade.undefined,
        "unparsable": grade.unparsable,
    }


def _show_rates(results_by_judge: _ResultsByJudge, has_model: bool, as_json: bool) -> None:
    """Print the pass rates of each judge, by test type for the first judge."""
    rates = [rate(name, "all", judge_results) for name, judge_results in results_by_judge.items()]
    type_rates = [
        type_rate
        for name, judge_results in results_by_judge.items()
        for type_rate in by_type(name, judge_results)
    ]
    if as_json:
        output.show([each.record for each in (*type_rates, *rates)], as_json)
        return
    first_judge = next(iter(results_by_judge))  # the language model, if there is one
    click.echo(f"Tests passed by the {first_judge} judge, of all:\n")
    output.show(
        [_count_row(each, has_model) for each in type_rates if each.judge == first_judge], as_json
    )
    click.echo("\nShares of the conditions on each metric, and of whole tests, that hold:\n")
    output.show([_share_row(each, has_model) for each in rates], as_json)


def _count_row(type_rate: Rate, has_model: bool) -> dict[str, object]:
    """Return how many tests of a type meet the condition on each metric, and all conditions."""
    tests = f"{type_rate.tests:,}"
    return {
        "test type": type_rate.test_type,
        **{_SHORT_NAMES[name]: f"{n:,}/{tests}" for name, n in type_rate.by_metric.items()},
        "all": f"{type_rate.passed:,}/{tests}",
        **_unparsable(type_rate, has_model),
    }


def _share_row(judge_rate: Rate, has_model: bool) -> dict[str, object]:
    """Return the shares of conditions and tests that a judge passes.

    Shares are rounded down, so that 100 % means all tests; the page of ``matrix`` does the same.
    """
    tests = judge_rate.tests
    return {
        "judge": judge_rate.judge,
        **{_SHORT_NAMES[name]: f"{n * 100 // tests}%" for name, n in judge_rate.by_metric.items()},
        "tests": f"{judge_rate.passed * 100 // tests}%",
        **_unparsable(judge_rate, has_model),
    }


def _unparsable(judge_rate: Rate, has_model: bool) -> dict[str, object]:
    """Return the cell of unparsable grades; only a language model can have them."""
    return {"unparsable": f"{judge_rate.unparsable_share:.0%}"} if has_model else {}


def _show_agreements(
    results_by_judge: _ResultsByJudge, references: agreement.References, as_json: bool
) -> None:
    """Print the agreement of each judge with the reference judge."""
    agreements = [
        measure
        for name, judge_results in results_by_judge.items()
        for measure in agreement.agreements(name, judge_results, references)
    ]
    if as_json:
        output.show([measure.record for measure in agreements], as_json)
        return
    click.echo("Correlations with the grades of the reference, where both grades are defined:\n")
    rows = [
        {
            "judge": measure.judge,
            "metric": measure.metric,
            "tests": measure.defined,
            "spearman": signed(measure.spearman),
            "kendall": signed(measure.kendall),
        }
        for measure in agreements
    ]
    output.show(rows, as_json)
    first_judge = next(iter(results_by_judge))
    click.echo(f"\nNumber of each grade of the {first_judge} judge, by grade of the reference:\n")
    first_agreements = [measure for measure in agreements if measure.judge == first_judge]
    output.show([*itertools.chain.from_iterable(map(_confusion_rows, first_agreements))], as_json)


def _confusion_rows(measure: agreement.Agreement) -> list[dict[str, object]]:
    """Return a row for each grade of the judge, with a column for each grade of the reference."""
    judge_grades = {grade for grade, _ in measure.confusion}
    # The last name is "unparsable", which is never the grade of a reference.
    reference_grades = agreement.GRADE_NAMES[:-1]
    return [
        {
            "metric": measure.metric,
            "grade": grade,
            **{name: measure.confusion.get((grade, name)) for name in reference_grades},
        }
        for grade in agreement.GRADE_NAMES
        if grade in judge_grades
    ]
