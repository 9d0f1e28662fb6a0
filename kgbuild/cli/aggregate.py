"""The command that aggregates several responses to a question into one answer."""

from collections import Counter
from contextlib import ExitStack
from pathlib import Path

import click

from kgbuild.cli import options, output
from kgbuild.cli.models import ChosenModel, model_options, report_left_out
from kgbuild.datasets.granola import aggregate as aggregation
from kgbuild.dump import atomic_files
from kgbuild.graph.open import open_store
from kgbuild.models.chat import Failure


@click.command()
@click.argument("file", type=options.INPUT_FILE)
@options.output_option("out", "The answers: a .jsonl file.", type=options.ANY_PATH, required=True)
@click.option(
    "--by",
    type=click.Choice(["graph", "majority", "model"]),
    default="graph",
    help="How to combine the responses.",
)
@model_options("With --by model: the model that is asked.")
@options.json_option
@options.store_option
@options.db_option
@click.option("--force", is_flag=True, help="Replace an existing file.")
def aggregate(
    file: Path,
    out: Path,
    by: str,
    llm: ChosenModel | None,
    as_json: bool,
    store: Path,
    db: "options.Database",
    force: bool,
) -> None:
    """Make one answer of a model's several responses to each question of GRANOLA.

    FILE is JSON, JSON Lines, CSV, TSV or Parquet. Its columns are question_id and answer, with a
    row for each response, and optionally model and protocol, which are aggregated separately. With
    --by graph or model, the answer is the most specific one that agrees with all responses: Germany
    for Bonn and Berlin, 1937 for two days of that year, IDK if they share nothing. With --by
    majority, it is the most frequent response. Responses such as "IDK" count only if they are the
    majority.

    \b
    Example:
      kgbuild aggregate samples.jsonl -o answers.jsonl
      kgbuild aggregate samples.jsonl -o commonest.jsonl --by majority
      kgbuild score granola answers.jsonl
    """
    if (by == "model") != bool(llm):
        raise click.UsageError("--by model and --model NAME go together.")
    if out.suffix != ".jsonl":
        raise click.BadParameter("it must end with .jsonl.", param_hint="-o")
    if out.exists() and out.samefile(file):
        raise click.BadParameter("it is the file of responses itself.", param_hint="-o")
    with ExitStack() as stack:
        folder = stack.enter_context(atomic_files.working_folder(out, force))
        if llm:
            method = aggregation.by_model(llm.ask)
        elif by == "graph":
            opened = stack.enter_context(open_store(store))
            method = aggregation.by_graph(opened, stack.enter_context(output.progress()))
        else:
            method = aggregation.by_majority
        results = aggregation.aggregate(file, db, method)
        with atomic_files.compressed(folder / out.name) as lines:
            lines.write(aggregation.json_lines(results, by).encode())
        atomic_files.publish(folder / out.name, out)
    outcomes = Counter(result.outcome for result in results)
    if as_json:
        rows = [{"outcome": outcome, "answers": count} for outcome, count in outcomes.items()]
        output.show(rows, as_json)
    output.notify(
        f"{len(results) - outcomes['failed']:,} answers are in {out}: "
        f"{outcomes['a response']:,} are one of the responses, "
        f"{outcomes['coarser']:,} coarser than all responses, {outcomes['IDK']:,} IDK."
    )
    if outcomes["empty"]:
        output.notify(f"  {outcomes['empty']:,} are empty, as all responses were.")
    report_left_out([result.answer for result in results if isinstance(result.answer, Failure)])
