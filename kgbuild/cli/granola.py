"""The command that builds GRANOLA."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kgbuild.cli import build_report, screen
from kgbuild.cli.asking import about_a_model, ask_model, require_named
from kgbuild.datasets.granola.api import MIN_BITS, build
from kgbuild.datasets.granola.dataset import DATASET
from kgbuild.datasets.granola.question_files import parse_columns
from kgbuild.graph.open import open_store
from kgbuild.rows import Built

if TYPE_CHECKING:
    from kgbuild.tables.database import Database

_EXAMPLE = (
    "SELECT question, levels FROM granola_questions JOIN granola_levels USING (question_id,"
    " question) WHERE source = '{}' ORDER BY question_id LIMIT 5"
)


@click.command()
@click.option(
    "--relations",
    multiple=True,
    callback=screen.listed,
    metavar="P19,P69",
    help="The relations to build, by id or label.  [default: all but those whose answers are "
    "coarse themselves]",
)
@click.option(
    "--questions",
    multiple=True,
    type=click.Path(exists=True, path_type=Path),
    metavar="FILE",
    help="Instead of --relations: enrich questions of your own; a folder for all in it; "
    "repeatable.",
)
@click.option(
    "--columns",
    metavar="TEXT",
    help="Columns of the file that have other names: question=text,answers=gold,subject_qid=id.",
)
@click.option("--limit", type=screen.COUNT, help="Most questions of a relation, or of a file.")
@click.option(
    "--min-bits",
    type=click.FloatRange(min=0),
    callback=screen.real,
    default=MIN_BITS,
    show_default=True,
    help="How much a coarser answer must tell: 1 bit if half of the possible answers are of it.",
)
@click.option(
    "--embedding",
    metavar="MODEL",
    help="With --questions: the folder or name of a sentence-transformers model that tells "
    "which item's description fits a question.",
)
@click.option("--model", metavar="NAME", help="Let this language model add coarser answers.")
@about_a_model
@click.option(
    "--seed", type=screen.SEED, default=0, show_default=True, help="Seed of the sample's order."
)
@screen.json_option
@screen.store_option
@screen.db_option
def granola(
    relations: list[str],
    questions: tuple[Path, ...],
    columns: str | None,
    limit: int | None,
    min_bits: float,
    embedding: str | None,
    model: str | None,
    base_url: str | None,
    budget: int | None,
    replies: Path | None,
    seed: int,
    as_json: bool,
    store: Path,
    db: "Database",
) -> None:
    """Build GRANOLA: questions with answers at every granularity, the finest first.

    The answers to a question about a birthplace, for example, are a town, its county, country and
    continent. Each answer has the triples that prove it. Answers are ordered by their information.
    A build replaces only the questions of the same relations or files.

    \b
    Example:
      kgbuild granola --relations P19,P69
      kgbuild granola --questions P19.dev.json
      kgbuild granola --questions mine.csv --columns question=text,answers=gold
      kgbuild sql "SELECT question, levels FROM granola_levels LIMIT 5"
    """
    _check(relations, questions, columns, embedding)
    require_named("--model", model, base_url, budget, replies)
    ask = (
        ask_model(model, base_url, budget, replies or db.path.parent / "replies.sqlite")
        if model
        else None
    )
    with open_store(store) as opened, screen.tracked() as progress:
        db.prepare()
        built = build(
            opened,
            relations,
            questions=questions,
            columns=parse_columns(columns) if columns else None,
            limit=limit,
            min_bits=min_bits,
            seed=seed,
            embedding=embedding,
            ask=ask,
            model=model,
            base_url=base_url,
            progress=progress,
        )
    build_report.write(db, built)
    build_report.report(DATASET, built, db, _columns, _EXAMPLE, as_json)


def _check(
    relations: Sequence[str],
    questions: Sequence[Path],
    columns: str | None,
    embedding: str | None,
) -> None:
    if questions and relations:
        raise click.UsageError("--questions and --relations are two builds: ask for one at a time.")
    if embedding == "":
        raise click.UsageError("--embedding wants a name.")
    if columns and not questions:
        raise click.UsageError("--columns is about a file of questions: name it: --questions.")
    if embedding is not None and not questions:
        raise click.UsageError(
            "--embedding is about finding the items of a file's questions: name it: --questions."
        )


def _columns(part: Built) -> dict[str, Any]:
    return {
        "questions": part.rows,
        "two levels": _with_levels(part, 2),
        "three": _with_levels(part, 3),
    }


def _with_levels(built: Built, number: int) -> str:
    """Return the share of the questions that have so many levels, or more."""
    having = {
        row["question_id"] for row in built.tables["granola_answers"] if row["level"] >= number
    }
    return f"{len(having) / built.rows:.0%}" if built.rows else ""
