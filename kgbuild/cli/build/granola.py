"""The command ``granola``, which builds the dataset GRANOLA."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from kgbuild.cli import options, output
from kgbuild.cli.build import building
from kgbuild.cli.models.model_options import model_options
from kgbuild.datasets.granola.dataset import DATASET, build
from kgbuild.datasets.granola.files.columns import parse_columns
from kgbuild.datasets.granola.levels.order import ITEM
from kgbuild.errors import shorten
from kgbuild.rows import Built, Row

_EXAMPLE = (
    "SELECT question, levels FROM granola_questions JOIN granola_levels USING (question_id,"
    " question) WHERE source = '{}' ORDER BY question_id LIMIT 5"
)


@click.command()
@options.relations_option(
    "P19,P69",
    "The relations to build, by id or label.  [default: all except those with coarse answers]",
)
@click.option(
    "--questions",
    multiple=True,
    type=options.INPUT_PATH,
    callback=lambda *arguments: arguments[-1] or None,
    metavar="FILE",
    help="Instead of --relations: add answers to the questions of a file, or of all files in a "
    "folder; repeatable.",
)
@click.option(
    "--columns",
    metavar="TEXT",
    callback=lambda *arguments: parse_columns(arguments[-1]) if arguments[-1] else None,
    help="Names of the columns in the file: question=text,answers=gold,subject=meta.name.",
)
@options.option_of(build, "limit", "Maximum number of questions per relation or file.")
@options.option_of(
    build,
    "min_bits",
    "Minimum information of a coarser answer in bits: 1 if it covers half of the possible answers.",
)
@click.option(
    "--embedding",
    metavar="MODEL",
    help="With --questions: the folder or name of a sentence-transformers model that compares "
    "descriptions of items with a question.",
)
@model_options("Let this language model add coarser answers.")
@options.since_option
@options.build_options
def granola(store: Path, db: "options.Database", as_json: bool, **chosen: Any) -> None:
    """Build GRANOLA: questions with answers at every granularity, the finest first.

    The answers to a question about a birthplace, for example, are a town, its county, country and
    continent. Each answer has the triples that prove it, and comes before the answers that it
    implies. A build replaces only the questions of the same relations or files.

    \b
    Example:
      kgbuild granola --relations P19,P69
      kgbuild granola --questions P19.dev.json
      kgbuild granola --questions mine.csv --columns question=text,answers=gold
      kgbuild sql "SELECT question, levels FROM granola_levels LIMIT 5"
    """
    questions, embedding = chosen["questions"], chosen["embedding"]
    options.refuse_unused(questions, "with --questions", "relations")
    options.refuse_unused(not questions, "without --questions", "columns", "embedding")
    if embedding == "":
        raise click.UsageError("--embedding needs the name of a model.")
    built = building.build(DATASET, build, store, db, **chosen)
    building.report(DATASET, built, db, _columns, _EXAMPLE, as_json)
    if not as_json:
        _show_unlinked([row for part in built.file_parts for row in part.tables["granola_answers"]])


def _show_unlinked(answers: Sequence[Row]) -> None:
    """Print how many gold answers of files are no items, and what would link them."""
    unlinked = [
        row["answer"]
        for row in answers
        if row["level"] == 1 and row["qid"] is None and row["kind"] == ITEM
    ]
    if unlinked:
        output.notify(
            f"\n{len(unlinked):,} × an answer has no item in the store, and is no date that can be "
            f"read (such as: {shorten(unlinked[0])}). It has no coarser answers, and a response "
            "must have these words. Separate several answers by '|', or add a column 'answer_qids'."
        )


def _columns(part: Built) -> dict[str, Any]:
    """Return the number of questions, and the shares with at least two and three levels."""
    columns: dict[str, Any] = {"questions": part.rows}
    answers = part.tables["granola_answers"]
    for name, min_levels in (("two levels", 2), ("three", 3)):
        questions = {row["question_id"] for row in answers if row["level"] >= min_levels}
        columns[name] = f"{len(questions) / part.rows:.0%}" if part.rows else ""
    return columns
