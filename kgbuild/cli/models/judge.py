"""The command ``judge``: grade answers with judges, test judges, or compare them with a reference.

A judge grades answers that cite references: a program without a model, or a language model.
"""

import itertools
from collections.abc import Sequence
from pathlib import Path

import click

from kgbuild.cli import options, output
from kgbuild.cli.models.chosen_model import ChosenModel, report_missing
from kgbuild.cli.models.judge_tables import show_agreements, show_grades, show_rates
from kgbuild.cli.models.model_options import model_options
from kgbuild.datasets.grouse import agreement, files, matrix, model_judge
from kgbuild.datasets.grouse.files import JudgeInput
from kgbuild.datasets.grouse.judge import JUDGES, JUDGES_WITHOUT_BASELINES
from kgbuild.datasets.grouse.meta import judgements, results
from kgbuild.datasets.grouse.prompt_folder import PromptFolder
from kgbuild.datasets.grouse.rows import DATASET, Judgement
from kgbuild.errors import KgbuildError, TableFileError
from kgbuild.models.chat import Failure
from kgbuild.tables.files import read_file
from kgbuild.tables.records import GrouseResult as Result


@click.command()
@click.argument("file", required=False, type=options.INPUT_FILE)
@click.option("--meta", is_flag=True, help="Run tests of the judges.")
@click.option("--tuning", is_flag=True, help="With --meta: run only the tests of the tuning set.")
@click.option("--reference", type=options.INPUT_FILE, help="Compare with the grades in this file.")
@options.output_option(
    "out",
    "Write each answer with its grades and justifications, as JSON Lines; with --meta, to a "
    "file .html, a page with the passed tests of each judge.",
)
@model_options("A language model that judges, too.")
@click.option(
    "--prompts",
    type=options.INPUT_FOLDER,
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
    out: Path | None,
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
    Tests whose split is dev are the tuning set, for the development of judges: --tuning runs
    only these tests, all other runs exclude them.

    With --reference, it compares judges with a reference judge, whose grades are in a JSON or JSON
    Lines file with test_id and the six metrics; null means undefined. All grades are written to the
    table grouse_results.

    \b
    Example:
      kgbuild judge answers.jsonl
      kgbuild judge answers.jsonl --model my-model --base-url http://localhost:8000/v1
      kgbuild judge answers.jsonl --model my-model --prompts gpt4_prompts -o graded.jsonl
      kgbuild judge --meta
      kgbuild judge --meta tests.jsonl -o matrix.html
      kgbuild judge --meta --reference grades.jsonl
    """
    _check_model(llm)
    is_page = out is not None and out.suffix == ".html"
    if is_page and not meta:
        raise click.UsageError("A page shows tests of judges. Add --meta.")
    options.refuse_unused(not meta, "without --meta", "tuning")
    source, inputs = _read_tests(file, db, tuning) if meta else _read_answers(file)
    unit = "tests" if meta else "answers"
    references = _read_references(reference, inputs, unit) if reference else None
    db.prepare("grouse_results")  # fails now, not after the grading, if it cannot be written
    results_by_judge = {}
    if llm:
        results_by_judge[llm.name] = _judge_by_model(llm, prompts, inputs, unit, source)
    for name, grade in (JUDGES if meta else JUDGES_WITHOUT_BASELINES).items():
        judged = (Judgement(grade(judge_input.sample)) for judge_input in inputs)
        results_by_judge[name] = [*results(name, inputs, judged, source)]
    db.write_results([*itertools.chain.from_iterable(results_by_judge.values())])
    if out and is_page:
        output.write(matrix.page(source, results_by_judge), out)
    elif out:
        output.write_records(judgements(inputs, results_by_judge), out)
    if references:
        show_agreements(results_by_judge, references, as_json)
    elif meta:
        show_rates(results_by_judge, bool(llm), as_json)
    else:
        show_grades(results_by_judge, as_json)


def _check_model(llm: ChosenModel | None) -> None:
    options.refuse_unused(not llm, "without --model", "prompts")
    if llm and llm.name in JUDGES:
        raise click.UsageError(f"'{llm.name}' is the name of a built-in judge.")


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
    if empty := sum(not answer.sample.actual_output.strip() for answer in answers):
        output.notify(f"Empty answers: {empty:,} of {len(answers):,}")
    return file.name, answers


def _read_tests(
    file: Path | None, db: "options.Database", tuning: bool
) -> tuple[str, Sequence[JudgeInput]]:
    """Return the name of the source of tests, and its tests: of a file, or else of the database."""
    table = read_file(file) if file else db.read("FROM grouse_tests ORDER BY rowid")
    if not file and not table.rows:
        raise KgbuildError(f"{db.path} has no tests for judges. Build them: 'kgbuild grouse'.")
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
    prompt_folder = PromptFolder(prompts) if prompts else None
    samples = [judge_input.sample for judge_input in inputs]
    judged = model_judge.judge(samples, llm.ask, prompt_folder)
    report_missing(unit, len(inputs), [one for one in judged if isinstance(one, Failure)])
    return [*results(llm.name, inputs, judged, source)]


def _read_references(path: Path, inputs: Sequence[JudgeInput], unit: str) -> agreement.References:
    """Return the grades of the reference judge in a file; print how many inputs have none."""
    table = read_file(path)
    references = agreement.reference_grades(path, table.columns, table.records)
    ungraded = sum(judge_input.test_id not in references for judge_input in inputs)
    if ungraded == len(inputs):
        raise TableFileError(path, f"it grades none of the {unit}")
    if ungraded:
        output.notify(
            f"{unit.title()} without reference grades, not compared: "
            f"{ungraded:,} of {len(inputs):,}"
        )
    return references
