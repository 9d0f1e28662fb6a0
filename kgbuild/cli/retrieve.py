"""The command ``retrieve``: the items that a question is about."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from kgbuild.catalog import catalog
from kgbuild.cli import screen
from kgbuild.errors import NothingRetrievedError, NothingToAskError
from kgbuild.graph.open import open_source
from kgbuild.graph.source import Source

if TYPE_CHECKING:
    # These import NumPy and DuckDB.
    from kgbuild.datasets.biokalma.retrieve import Retrieved, Retriever
    from kgbuild.tables.database import Database

_THERE = "SELECT 1 FROM duckdb_tables() WHERE table_name = 'biokalma_questions'"
_QUESTIONS = """
SELECT question_id, {}_question, [subject.qid FOR subject IN subjects]
FROM biokalma_questions ORDER BY rowid
"""
_VALUES = 50
"""Most values of a property in a subgraph, for each direction: as many as ``subgraph`` shows."""


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
@screen.store_option
@screen.endpoint_option
@screen.db_option
@screen.json_option
def retrieve(
    question: str | None,
    evaluate: str | None,
    spacy_model: str | None,
    store: Path,
    endpoint: str | None,
    db: "Database",
    as_json: bool,
) -> None:
    """Find the items that a question is about, and tell namesakes apart.

    Of the items of a name, the one is meant whose neighbours the question names, too. As JSON,
    each has its one-hop subgraph, too; with --evaluate, the questions of which a subject was
    missed stand there.

    \b
    Example:
      kgbuild retrieve "Where did Pierre Curie meet Marie Curie?"
      kgbuild retrieve "Did Beethoven know Mozart?" --json
      kgbuild retrieve --evaluate specific
    """
    if (question is None) == (evaluate is None):
        raise click.UsageError("Ask a QUESTION, or --evaluate those of BioKaLMA.")
    if spacy_model == "":
        raise click.UsageError("--spacy-model wants a name.")
    questions = _questions(db, evaluate) if evaluate else []
    with open_source(store, screen.chosen(endpoint), screen.say) as source:
        from kgbuild.datasets.biokalma.retrieve import Retriever

        retriever = Retriever(source.knowledge(catalog().kinds), source.names, spacy_model)
        if question is None:
            rows = [_evaluation(retriever, questions, as_json)]
        elif entities := retriever.retrieve(question):
            rows = [_row(entity, source, as_json) for entity in entities]
        else:
            raise NothingRetrievedError
    screen.show(rows, as_json)


def _row(entity: "Retrieved", source: Source, with_graph: bool) -> dict[str, Any]:
    labels = source.labels
    row: dict[str, Any] = {
        "entity": entity.text,
        "qid": entity.qid,
        "label": labels.label(entity.qid) or entity.qid,
        "description": labels.description(entity.qid) or "",
        "matched": [labels.label(qid) or qid for qid in entity.matched],
        "candidates": entity.candidates,
    }
    return {**row, "subgraph": _edges(entity.qid, source)} if with_graph else row


def _edges(qid: str, source: Source) -> list[dict[str, Any]]:
    edges = source.subgraph(qid, _VALUES).edges
    return [{**edge._asdict(), "value": edge.value.text} for edge in edges]


class _Question(NamedTuple):
    """A question of BioKaLMA, and the items that it is about."""

    question_id: str
    question: str
    about: list[str]


def _questions(db: "Database", form: str) -> list[_Question]:
    """Return the questions of a form in a database.

    Raises:
        NothingToAskError: there are none.
    """
    questions: list[_Question] = []
    if db.sql(_THERE).rows:  # a database may be older than this dataset
        questions = [_Question(*row) for row in db.sql(_QUESTIONS.format(form)).rows]
    if not questions:
        raise NothingToAskError(db.path, "biokalma")
    return questions


def _evaluation(
    retriever: "Retriever", questions: Sequence[_Question], as_json: bool
) -> dict[str, Any]:
    """Return how many of the items that the questions are about are retrieved."""
    from kgbuild.cli.scoring.output import rounded
    from kgbuild.datasets.biokalma.retrieve import accuracy
    from kgbuild.datasets.scoring import exact

    retrieved = list(zip(questions, _retrieved(retriever, questions), strict=True))
    metrics = accuracy([({*question.about}, {*qids}) for question, qids in retrieved])
    if not as_json:
        return {
            "questions": len(questions),
            "retrieval accuracy": rounded(metrics["accuracy"]),
            "all subjects found": rounded(metrics["all_found"]),
            "further graphs a question": f"{metrics['further'].value:.2f}",
        }
    return {
        "questions": len(questions),
        **exact(metrics),
        "misses": [
            {**question._asdict(), "retrieved": qids}
            for question, qids in retrieved
            if not {*question.about} <= {*qids}
        ],
    }


def _retrieved(retriever: "Retriever", questions: Sequence[_Question]) -> Iterator[list[str]]:
    """Yield the items that are retrieved for each question."""
    with screen.progress() as bar:
        task = bar.add_task("retrieving", total=len(questions), detail="")
        for question in questions:
            yield [entity.qid for entity in retriever.retrieve(question.question)]
            bar.advance(task)
