"""The command ``biokalma``, which builds the dataset BioKaLMA.

A piece of knowledge is a statement or a group of statements that a question asks for.
"""

from pathlib import Path
from typing import Any

import click

from kgbuild.catalog import catalog
from kgbuild.cli import options, output
from kgbuild.cli.build import building
from kgbuild.cli.models.model_options import model_options
from kgbuild.datasets.biokalma.dataset import DATASET, NONE, build
from kgbuild.datasets.biokalma.questions.variety import variety as find_variety
from kgbuild.datasets.biokalma.rows import PEOPLE, SPECIFIC
from kgbuild.rows import Build, Built

_EXAMPLE = (
    "SELECT specific_question, property_label, value FROM biokalma_questions JOIN"
    " biokalma_knowledge AS k USING (question_id) WHERE k.scope = 'specific' AND k.source = '{}'"
    " ORDER BY question_id, position LIMIT 7"
)


@click.command()
@options.relations_option(
    "P26,P40",
    "The relations that connect two subjects, by id or label.  [default: all that connect any]",
)
@click.option(
    "--biographies",
    type=options.INPUT_FILE,
    metavar="FILE",
    help="Instead of --relations: sentences about two people, as JSON Lines with sentence, head, "
    "relation and tail.",
)
@click.option(
    "--class",
    "of_class",
    default=PEOPLE,
    metavar="QID",
    help="The class of the subjects: Q5 are people, Q11424 films, Q515 cities.",
)
@options.option_of(build, "limit", "Maximum number of questions per relation or file.")
@options.option_of(build, "rounds", "Number of pieces of knowledge to add to the first one.")
@options.option_of(
    build, "coherence", "Measure of a piece's coherence with earlier ones; needs --coherence-model."
)
@click.option(
    "--coherence-model",
    metavar="MODEL",
    help="The folder or name of the model for --coherence: a sentence-transformers model for "
    "embedding, a causal language model for perplexity.",
)
@options.option_of(build, "alpha", "Weight of specificity; 1 minus this is that of coherence.")
@options.option_of(build, "remove", "Maximum number of pieces of knowledge to remove from a pool.")
@model_options("Let this language model write paragraph and questions.")
@click.option(
    "--variety", is_flag=True, help="Tell how much the questions differ in shapes and openings."
)
@options.since_option
@options.build_options
def biokalma(
    store: Path, db: "options.Database", as_json: bool, variety: bool, **chosen: Any
) -> None:
    """Build BioKaLMA: questions about two people, each with its minimum knowledge set.

    A question asks for the statement that connects two people, and for some statements about each
    of them. Its knowledge set has the statements that answer it, none of which implies another; its
    pool has all statements that a model may cite. A build replaces only the questions of the same
    relations or file.

    \b
    Example:
      kgbuild biokalma --relations P26,P737 --variety
      kgbuild biokalma --biographies sentences.jsonl
      kgbuild biokalma --class Q11424  # films, in your own slice
      kgbuild biokalma --coherence perplexity --coherence-model models/gpt2
    """
    biographies, coherence = chosen["biographies"], chosen["coherence"]
    model = chosen["coherence_model"]
    options.refuse_unused(biographies, "with --biographies", "relations")
    options.refuse_unused(coherence == NONE, "without --coherence", "coherence_model")
    relation_names = {relation.path for relation in catalog().relations.values()}
    if biographies and biographies.name in relation_names:
        raise click.UsageError(
            f"{biographies} has the name of a relation, whose questions a build would replace. "
            "Rename the file."
        )
    if coherence != NONE and not model:
        raise click.UsageError(
            f"--coherence {coherence} needs a model. Pass one with --coherence-model."
        )
    built = building.build(DATASET, build, store, db, **chosen)
    building.report(DATASET, built, db, _columns, _EXAMPLE, as_json)
    if variety:
        _tell_variety(built)


def _tell_variety(build: Build) -> None:
    rows = [row for part in build.parts for row in part.tables["biokalma_questions"]]
    properties = {
        row["property"]
        for part in build.parts
        for row in part.tables["biokalma_knowledge"]
        if row["scope"] == SPECIFIC and row["round"]
    }
    for column in ("specific_question", "general_question"):
        told = find_variety(rows, column)
        output.notify(
            f"{column.replace('_', ' ').capitalize()}s: entropy of shapes {told.entropy:.1f} bits; "
            f"the ten most frequent shapes make {told.shapes:.0%}, ten openings "
            f"{told.openings:.0%}, one opening {told.opening:.0%}."
        )
    output.notify(f"Specific questions ask for {len(properties)} properties.")


def _columns(part: Built) -> dict[str, Any]:
    """Return the number of questions, and the mean number of pieces of a specific question."""
    pieces = sum(row["scope"] == SPECIFIC for row in part.tables["biokalma_knowledge"])
    average = f"{pieces / part.rows:.1f}" if part.rows else ""
    return {"questions": part.rows, "pieces": average}
