"""The command ``retrieve``: it finds the items that a question is about."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kgbuild.catalog import catalog
from kgbuild.cli import options, output
from kgbuild.datasets.biokalma.retrieval.retriever import Retrieved, Retriever
from kgbuild.errors import KgbuildError
from kgbuild.graph.open import open_source
from kgbuild.graph.source import Source

if TYPE_CHECKING:
    from kgbuild.datasets.biokalma.retrieval.evaluation import Labelled

_MAX_NAMED = 20
"""Maximum number of unknown ids that a message names."""


@click.command()
@click.argument("question", required=False)
@click.option(
    "--evaluate",
    metavar="specific|general|FILE",
    help="Instead of a question: report how many subjects of BioKaLMA's questions are found, or "
    "those of a file with the columns question and ids (JSON, JSON Lines, CSV, TSV or Parquet).",
)
@click.option(
    "--spacy-model",
    metavar="NAME",
    help="An installed spaCy pipeline, or a folder of one, that finds the entities.  "
    "[default: names of items are looked up]",
)
@options.store_option
@options.endpoint_option
@options.db_path_option
@options.json_option
def retrieve(
    question: str | None,
    evaluate: str | None,
    spacy_model: str | None,
    store: Path,
    endpoint: str | None,
    db: Path,
    as_json: bool,
) -> None:
    """Find the items that a question is about, and distinguish namesakes.

    If several items share a name, it chooses the item with the most neighbours (values of its
    statements) that the question names, too: the column matched. If a question names people, it is
    about them. As JSON, each item has its one-hop subgraph; with --evaluate, the questions with a
    missed subject, or a wrong one, are listed.

    \b
    Example:
      kgbuild retrieve "Where did Pierre Curie meet Marie Curie?"
      kgbuild retrieve "Did Beethoven know Mozart?" --json
      kgbuild retrieve --evaluate specific
      kgbuild retrieve --evaluate questions.jsonl
    """
    if (question is None) == (evaluate is None):
        raise click.UsageError("Pass a QUESTION, or --evaluate to use questions with known items.")
    if spacy_model == "":
        raise click.UsageError("--spacy-model needs a name.")
    questions = _questions(db, evaluate) if evaluate else []
    with open_source(store, options.choose_endpoint(endpoint), output.notify) as source:
        retriever = Retriever(source.knowledge(catalog().kinds), source.names, spacy_model)
        if question is None:
            rows = [_evaluation(retriever, questions, as_json)]
        elif entities := retriever.retrieve(question):
            rows = [_row(entity, source, as_json) for entity in entities]
        else:
            raise KgbuildError(
                "The question names no item of the store. Find names with 'kgbuild lookup'."
            )
    output.show(rows, as_json)


def _row(entity: Retrieved, source: Source, as_json: bool) -> dict[str, Any]:
    labels = source.labels
    row: dict[str, Any] = {
        "entity": entity.text,
        "qid": entity.qid,
        "label": labels.label(entity.qid) or entity.qid,
        "description": labels.description(entity.qid) or "",
        "matched": [labels.label(qid) or qid for qid in entity.matched],
        "candidates": entity.candidates,  # the number of items with that name
    }
    if as_json:
        edges = source.subgraph(entity.qid).edges
        row["subgraph"] = [{**edge._asdict(), "value": edge.value.text} for edge in edges]
    return row


def _questions(db: Path, source: str) -> list["Labelled"]:
    from kgbuild.datasets.biokalma.retrieval import evaluation

    if source in ("specific", "general"):
        from kgbuild.datasets import database

        return evaluation.own_questions(database(db), source)
    path = Path(source)
    if not path.is_file():
        raise click.BadParameter(
            f"'{source}' is neither 'specific' nor 'general', nor a file.", param_hint="--evaluate"
        )
    return evaluation.read_questions(path)


def _evaluation(
    retriever: Retriever, questions: Sequence["Labelled"], as_json: bool
) -> dict[str, Any]:
    from kgbuild.cli.models.scoring.common import rounded
    from kgbuild.datasets.biokalma.retrieval import evaluation
    from kgbuild.datasets.scoring import json_fields

    questions, unknown = evaluation.split_known(questions, retriever.is_known)
    with output.progress("retrieving") as progress:
        outcomes = evaluation.retrieve_all(retriever, questions, progress)
    metrics = evaluation.accuracy(outcomes)
    if as_json:
        return {
            "questions": len(questions),
            **json_fields(metrics),
            "unknown_ids": unknown,
            "misses": [
                {**question._asdict(), "retrieved": sorted(outcome.retrieved)}
                for question, outcome in zip(questions, outcomes, strict=True)
                if outcome.about != outcome.retrieved
            ],
        }
    if unknown:
        more = ", …" if len(unknown) > _MAX_NAMED else ""
        ids = ", ".join(unknown[:_MAX_NAMED])
        output.notify(f"{len(unknown):,} ids are not in the store, and do not count: {ids}{more}")
    return {
        "questions": len(questions),
        "retrieval accuracy": rounded(metrics["accuracy"]),
        "precision": rounded(metrics["precision"]),
        "all subjects found": rounded(metrics["all_found"]),
        # The mean number of retrieved items that are not subjects of the question.
        "further graphs a question": f"{metrics['further'].value:.2f}",
    }
