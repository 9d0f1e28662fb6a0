"""The command ``retrieve``: it finds the items that a question is about."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kgbuild.catalog import catalog
from kgbuild.cli import options, output
from kgbuild.errors import NothingRetrievedError, NothingToAskError
from kgbuild.graph.open import open_source
from kgbuild.graph.source import Source

if TYPE_CHECKING:
    # These modules import NumPy and DuckDB, which is slow.
    from kgbuild.datasets.biokalma.retrieve import Retrieved, Retriever

_FIND_TABLE = "SELECT 1 FROM duckdb_tables() WHERE table_name = 'biokalma_questions'"
_QUESTIONS = """
SELECT question_id, {}_question AS question, [subject.qid FOR subject IN subjects] AS about
FROM biokalma_questions ORDER BY rowid
"""
_VALUES = 50
"""Maximum number of values per property and direction, as in the command ``subgraph``."""


@click.command()
@click.argument("question", required=False)
@click.option(
    "--evaluate",
    type=click.Choice(["specific", "general"]),
    help="Instead of a question: report how many subjects of BioKaLMA's questions are found.",
)
@click.option(
    "--spacy-model",
    metavar="NAME",
    help="An installed spaCy pipeline, or a folder of one, that finds the entities.  "
    "[default: names of items are looked up]",
)
@options.store_option
@options.endpoint_option
@options.db_option
@options.json_option
def retrieve(
    question: str | None,
    evaluate: str | None,
    spacy_model: str | None,
    store: Path,
    endpoint: str | None,
    db: "options.Database",
    as_json: bool,
) -> None:
    """Find the items that a question is about, and distinguish namesakes.

    If several items share a name, it chooses the item with the most neighbours (values of its
    statements) that the question names, too: the column matched. As JSON, each item has its one-hop
    subgraph; with --evaluate, the questions with a missed subject are listed.

    \b
    Example:
      kgbuild retrieve "Where did Pierre Curie meet Marie Curie?"
      kgbuild retrieve "Did Beethoven know Mozart?" --json
      kgbuild retrieve --evaluate specific
    """
    if (question is None) == (evaluate is None):
        raise click.UsageError("Pass a QUESTION, or --evaluate to use BioKaLMA's questions.")
    if spacy_model == "":
        raise click.UsageError("--spacy-model needs a name.")
    questions = _questions(db, evaluate) if evaluate else []
    with open_source(store, options.choose_endpoint(endpoint), output.notify) as source:
        from kgbuild.datasets.biokalma.retrieve import Retriever

        retriever = Retriever(source.knowledge(catalog().kinds), source.names, spacy_model)
        if question is None:
            rows = [_evaluation(retriever, questions, as_json)]
        elif entities := retriever.retrieve(question):
            rows = [_row(entity, source, as_json) for entity in entities]
        else:
            raise NothingRetrievedError
    output.show(rows, as_json)


def _row(entity: "Retrieved", source: Source, as_json: bool) -> dict[str, Any]:
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
        edges = source.subgraph(entity.qid, _VALUES).edges
        row["subgraph"] = [{**edge._asdict(), "value": edge.value.text} for edge in edges]
    return row


def _questions(db: "options.Database", form: str) -> list[dict[str, Any]]:
    """Return the specific or the general questions (``form``) with the items they are about."""
    has_table = db.sql(_FIND_TABLE).rows  # an old database may lack it
    questions = db.sql(_QUESTIONS.format(form)).records if has_table else []
    if not questions:
        raise NothingToAskError(db.path, "biokalma", "'kgbuild biokalma'")
    return questions


def _evaluation(
    retriever: "Retriever", questions: Sequence[dict[str, Any]], as_json: bool
) -> dict[str, Any]:
    from kgbuild.cli.scoring.common import rounded
    from kgbuild.datasets.biokalma.retrieve import accuracy
    from kgbuild.datasets.scoring import json_fields

    retrieved_qids = []
    with output.progress() as progress:
        for done, question in enumerate(questions):
            progress("retrieving", done, len(questions))
            entities = retriever.retrieve(question["question"])
            retrieved_qids.append([entity.qid for entity in entities])
    retrieved = [*zip(questions, retrieved_qids, strict=True)]
    metrics = accuracy([({*question["about"]}, {*qids}) for question, qids in retrieved])
    if not as_json:
        return {
            "questions": len(questions),
            "retrieval accuracy": rounded(metrics["accuracy"]),
            "all subjects found": rounded(metrics["all_found"]),
            # The mean number of retrieved items that are not subjects of the question.
            "further graphs a question": f"{metrics['further'].value:.2f}",
        }
    return {
        "questions": len(questions),
        **json_fields(metrics),
        "misses": [
            {**question, "retrieved": qids}
            for question, qids in retrieved
            if not {*question["about"]} <= {*qids}
        ],
    }
