"""The command that finds the items a question is about."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from kgbuild.catalog import catalog
from kgbuild.cli import screen
from kgbuild.cli.scoring.groups import exactly, rounded
from kgbuild.errors import NothingRetrievedError, NothingToAskError
from kgbuild.graph import subgraph as subgraphs
from kgbuild.graph.open import open_source
from kgbuild.graph.source import Source

if TYPE_CHECKING:
    # Which compiles.
    from kgbuild.datasets.biokalma.retrieve import Retrieved, Retriever
    from kgbuild.tables.database import Database

_THERE = "SELECT 1 FROM duckdb_tables() WHERE table_name = 'biokalma_questions'"
_QUESTIONS = """
SELECT question_id, {}_question, [subject.qid FOR subject IN subjects]
FROM biokalma_questions ORDER BY rowid
"""
_VALUES = 50
"""Values of a property in a subgraph, for each direction, as many as ``subgraph`` shows."""


@click.command()
@click.argument("question", required=False)
@click.option(
    "--evaluate",
    type=click.Choice(["specific", "general"]),
    help="Instead of a question: tell how many of the subjects of BioKaLMA's are found.",
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
    asked = _questions(db, evaluate) if evaluate else []
    with open_source(store, screen.chosen(endpoint), screen.say) as source:
        from kgbuild.datasets.biokalma.retrieve import Retriever

        retriever = Retriever(source.knowledge(catalog().kinds), source.names, spacy_model)
        if question is None:
            rows = [_evaluated(retriever, asked, as_json)]
        elif found := retriever.retrieve(question):
            rows = [_row(one, source, as_json) for one in found]
        else:
            raise NothingRetrievedError
    screen.show(rows, as_json)


def _row(found: "Retrieved", source: Source, with_graph: bool) -> dict[str, Any]:
    labels = source.labels
    row: dict[str, Any] = {
        "entity": found.text,
        "qid": found.qid,
        "label": labels.label(found.qid) or found.qid,
        "description": labels.description(found.qid) or "",
        "matched": [labels.label(qid) or qid for qid in found.matched],
        "candidates": found.candidates,
    }
    return {**row, "subgraph": _subgraph(found.qid, source)} if with_graph else row


def _subgraph(qid: str, source: Source) -> list[dict[str, Any]]:
    found = subgraphs.subgraph(source.graph, source.labels, qid, _VALUES, source.language)
    return [{**edge._asdict(), "value": edge.value.text} for edge in found.edges]


class _Asked(NamedTuple):
    """A question of BioKaLMA, and the items that it is about."""

    question_id: str
    question: str
    about: list[str]


def _questions(db: "Database", form: str) -> list[_Asked]:
    asked: list[_Asked] = []
    if db.sql(_THERE).rows:  # a database may be older than this dataset
        asked = [_Asked(*row) for row in db.sql(_QUESTIONS.format(form)).rows]
    if not asked:
        raise NothingToAskError(db.path, "biokalma")
    return asked


def _evaluated(retriever: "Retriever", asked: Sequence[_Asked], as_json: bool) -> dict[str, Any]:
    from kgbuild.datasets.biokalma.retrieve import accuracy

    retrieved = list(_retrieved(retriever, asked))
    made = accuracy([({*one.about}, {*found}) for one, found in zip(asked, retrieved, strict=True)])
    if not as_json:
        return {
            "questions": len(asked),
            "retrieval accuracy": rounded(made["accuracy"]),
            "all subjects found": rounded(made["all_found"]),
            "further graphs a question": f"{made['further'].value:.2f}",
        }
    return {
        "questions": len(asked),
        **exactly(made),
        "misses": [
            {**one._asdict(), "retrieved": found}
            for one, found in zip(asked, retrieved, strict=True)
            if not {*one.about} <= {*found}
        ],
    }


def _retrieved(retriever: "Retriever", asked: Sequence[_Asked]) -> Iterator[list[str]]:
    """Yield the items that each question is taken to be about."""
    with screen.progress() as bar:
        task = bar.add_task("retrieving", total=len(asked), detail="")
        for one in asked:
            yield [found.qid for found in retriever.retrieve(one.question)]
            bar.advance(task)
