"""The command ``check-contamination``: do texts or a model contain the questions of a dataset?"""

from pathlib import Path

import click

from kgbuild.cli import options, output
from kgbuild.cli.models.chosen_model import ChosenModel
from kgbuild.cli.models.model_options import model_options
from kgbuild.datasets.base import AnyDataset
from kgbuild.export import questions
from kgbuild.export.contamination import check
from kgbuild.export.release import canary
from kgbuild.rows import shuffled


@click.command(name="check-contamination")
@click.argument("dataset", type=options.DatasetName())
@click.option(
    "--texts",
    type=options.INPUT_PATH,
    metavar="FOLDER",
    help="Search the files of this folder (or one file) for the questions and the canary.",
)
@click.option(
    "--limit",
    type=options.COUNT,
    default=200,
    help="With --model: maximum number of questions to continue.",
)
@options.seed_option("With --model: seed of the sample.")
@options.json_lines_option("target", "Write what was found, or all replies")
@model_options("Let this model continue the canary and the first halves of questions.")
@options.json_option
@options.db_option
def check_contamination(
    dataset: AnyDataset,
    texts: Path | None,
    limit: int,
    seed: int,
    target: Path | None,
    llm: ChosenModel | None,
    as_json: bool,
    db: "options.Database",
) -> None:
    """Check whether texts, or the training data of a model, contain a dataset.

    In texts, a question counts as found if all of its words are there in order; of a long one, 13
    words that no other question has are enough. Case, accents and punctuation do not count.
    Questions of fewer than five words are not searched for. The files may be plain or JSON, also
    compressed, or Parquet. With --model, a question counts as completed if the reply has the words
    of its second half; "by chance" is how often the reply completes another question of the same
    relation.

    \b
    Example:
      kgbuild check-contamination granola --texts corpus -o leaked.jsonl
      kgbuild export granola -o release/granola --exclude leaked.jsonl
      kgbuild check-contamination syn-qa --model my-model --base-url http://localhost:8000/v1
    """
    if (texts is None) == (llm is None):
        raise click.UsageError("Pass either --texts or --model.")
    options.refuse_unused(texts, "with --texts", "limit", "seed")
    asked = questions.read(db, dataset)
    if texts is not None:
        with output.progress("searching") as progress:
            checked = check.in_texts(texts, asked, canary(dataset), progress)
    elif llm is not None:
        chosen = shuffled(asked, lambda row: (row.id,), seed)[:limit]
        checked = check.by_model(llm.make_asker("replies"), chosen, canary(dataset), dataset.title)
    if target is not None:
        output.write_records(checked.records, target)
    output.show(checked.summary, as_json)
    for note in checked.notes:
        output.notify(note)
