"""The command that aggregates several responses to a question into one answer."""

from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

from kgbuild.cli import screen
from kgbuild.cli.asking import about_a_model, ask_model
from kgbuild.datasets.granola import aggregate as aggregation
from kgbuild.dump import atomic_files
from kgbuild.graph.open import open_store
from kgbuild.models.chat import Failure

if TYPE_CHECKING:
    from kgbuild.tables.database import Database

_SHOWN = 3
"""How many reasons of failure are shown."""


@click.command()
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "-o",
    "--output",
    "out",
    type=click.Path(path_type=Path),
    required=True,
    help="The answers: a .jsonl file.",
)
@click.option(
    "--by",
    type=click.Choice(["graph", "majority", "model"]),
    default="graph",
    show_default=True,
    help="How to find what responses have in common.",
)
@click.option("--model", metavar="NAME", help="With --by model: the model that is asked.")
@about_a_model
@screen.store_option
@screen.db_option
@click.option("--force", is_flag=True, help="Replace answers that are there.")
def aggregate(
    file: Path,
    out: Path,
    by: str,
    model: str | None,
    base_url: str | None,
    budget: int | None,
    replies: Path | None,
    store: Path,
    db: "Database",
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
    if (by == "model") != bool(model):
        raise click.UsageError("--by model and --model NAME go together.")
    if not model and (base_url or budget or replies):
        raise click.UsageError("--base-url, --budget and --replies are about a model: --by model.")
    if out.suffix != ".jsonl":
        raise click.BadParameter("it is to end with .jsonl.", param_hint="-o")
    if out.exists() and out.samefile(file):
        raise click.BadParameter("it is the file of responses itself.", param_hint="-o")
    with ExitStack() as stack:
        folder = stack.enter_context(atomic_files.working(out, force))
        if model:
            ask = ask_model(model, base_url, budget, replies or db.path.parent / "replies.sqlite")
            method = aggregation.by_model(ask)
        elif by == "graph":
            opened = stack.enter_context(open_store(store))
            method = aggregation.by_graph(opened, stack.enter_context(screen.tracked()))
        else:
            method = aggregation.by_majority
        results = aggregation.aggregate(file, db, method)
        with atomic_files.compressed(folder / out.name) as lines:
            lines.write(aggregation.json_lines(results, by).encode())
        atomic_files.publish(folder / out.name, out)
    _report(results, out)


def _report(results: Sequence[aggregation.Aggregated], out: Path) -> None:
    outcomes = Counter(one.outcome for one in results)
    written = len(results) - outcomes["failed"]
    screen.say(
        f"{written:,} answers are in {out}: {outcomes['a response']:,} are one of the responses, "
        f"{outcomes['coarser']:,} coarser than all responses, {outcomes['IDK']:,} IDK."
    )
    if outcomes["empty"]:
        screen.say(f"  {outcomes['empty']:,} are empty, as all responses were.")
    failures = Counter(one.answer for one in results if isinstance(one.answer, Failure))
    for (reason, detail), count in failures.most_common(_SHOWN):
        screen.say(f"  {count:,} left out: {reason}: {detail}. Run it again to ask for them.")
