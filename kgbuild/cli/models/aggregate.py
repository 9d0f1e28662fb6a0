"""The command ``aggregate``: it combines several responses to a question into one answer."""

from collections import Counter
from contextlib import ExitStack
from pathlib import Path

import click

from kgbuild.cli import options, output
from kgbuild.cli.models.chosen_model import ChosenModel, allow_missing_option, require_answers
from kgbuild.cli.models.model_options import model_options
from kgbuild.datasets.granola import aggregate as aggregation
from kgbuild.files import outputs
from kgbuild.graph.open import open_store
from kgbuild.models.chat import Failure


@click.command()
@click.argument("file", type=options.INPUT_FILE, required=False)
@options.json_lines_option("out", "Write the answers to a file, not to the database")
@click.option(
    "--by",
    type=click.Choice(["graph", "majority", "model"]),
    default="graph",
    help="How to combine the responses.",
)
@model_options("With --by model: the model that combines them.")
@allow_missing_option
@options.json_option
@options.store_option
@options.db_option
@click.option("--force", is_flag=True, help="Replace an existing file.")
def aggregate(
    file: Path | None,
    out: Path | None,
    by: str,
    llm: ChosenModel | None,
    allow_missing: bool,
    as_json: bool,
    store: Path,
    db: "options.Database",
    force: bool,
) -> None:
    """Combine the responses of a model to each question of GRANOLA into one answer.

    Without FILE, it takes the answers of 'kgbuild ask granola --protocol sampled'. The answers are
    written to the table predictions, with a protocol such as sampled+graph.

    FILE is JSON, JSON Lines, CSV, TSV or Parquet. Its columns are question_id and answer, with a
    row for each response, and optionally model and protocol: responses of different models or
    protocols are not combined. With --by graph or model, the answer is the most specific one that
    agrees with all responses: Germany for Bonn and Berlin, 1937 for two days of that year, IDK if
    they share nothing. With --by majority, it is the most frequent response. Responses such as
    "IDK" count only if they are the majority.

    \b
    Example:
      kgbuild ask granola --model my-model --protocol sampled
      kgbuild aggregate
      kgbuild score granola
      kgbuild aggregate samples.jsonl -o answers.jsonl
      kgbuild aggregate samples.jsonl -o commonest.jsonl --by majority
      kgbuild score granola answers.jsonl
    """
    if (by == "model") != bool(llm):
        raise click.UsageError("--by model and --model NAME need each other.")
    options.refuse_unused(not out, "without -o", "force")
    if out:
        outputs.require_new(out, force)
    else:
        db.prepare("predictions")
    with ExitStack() as stack:
        if llm:
            method = aggregation.by_model(llm.ask)
        elif by == "graph":
            graph = stack.enter_context(open_store(store))
            method = aggregation.by_graph(
                graph, stack.enter_context(output.progress("aggregating"))
            )
        else:
            method = aggregation.by_majority
        results = aggregation.aggregate(file, db, method)
        if out:
            outputs.write_text(out, aggregation.json_lines(results, by))
        else:
            db.write_predictions(aggregation.predictions(results, by))
    outcomes = Counter(result.outcome for result in results)
    if as_json:
        rows = [{"outcome": outcome, "answers": count} for outcome, count in outcomes.items()]
        output.show(rows, as_json)
    output.notify(
        f"{len(results) - outcomes['failed']:,} answers are in {out or db.path}: "
        f"{outcomes['a response']:,} are equal to a response, "
        f"{outcomes['coarser']:,} coarser than all responses, {outcomes['IDK']:,} IDK."
    )
    if outcomes["empty"]:
        output.notify(f"  {outcomes['empty']:,} are empty, as all responses were.")
    failures = [result.answer for result in results if isinstance(result.answer, Failure)]
    require_answers(failures, len(results), allow_missing)
