"""The command that builds BioKaLMA."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kgbuild import wikidata
from kgbuild.catalog import catalog
from kgbuild.cli import build_report, screen
from kgbuild.cli.asking import about_a_model, ask_model, require_named
from kgbuild.datasets.biokalma.api import (
    ALPHA,
    COHERENCES,
    NONE,
    PEOPLE,
    REMOVE,
    ROUNDS,
    build,
)
from kgbuild.datasets.biokalma.dataset import DATASET
from kgbuild.graph.open import open_store
from kgbuild.rows import Built

if TYPE_CHECKING:
    from kgbuild.tables.database import Database

_EXAMPLE = (
    "SELECT specific_question, property_label, value FROM biokalma_questions JOIN"
    " biokalma_knowledge AS k USING (question_id) WHERE k.source = '{}'"
    " ORDER BY question_id, position LIMIT 7"
)


@click.command()
@click.option(
    "--relations",
    multiple=True,
    callback=screen.listed,
    metavar="P26,P40",
    help="The relations that join two subjects, by id or label.  [default: all that join any]",
)
@click.option(
    "--biographies",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Instead of --relations: sentences about two people, as JSON Lines with sentence, head, "
    "relation and tail.",
)
@click.option(
    "--class",
    "of_class",
    default=PEOPLE,
    show_default=True,
    metavar="QID",
    help="The class of the subjects: Q5 are people, Q11424 films, Q515 cities.",
)
@click.option("--limit", type=screen.COUNT, help="Most questions of a relation, or of the file.")
@click.option(
    "--rounds",
    type=click.IntRange(4, 12),
    default=ROUNDS,
    show_default=True,
    help="Pieces of knowledge beside what a question begins with.",
)
@click.option(
    "--coherence",
    "by",
    type=click.Choice(COHERENCES),
    default=NONE,
    show_default=True,
    help="How it is measured whether a piece goes well with those before; needs --coherence-model.",
)
@click.option(
    "--coherence-model",
    metavar="MODEL",
    help="The folder or name of the model for --coherence: of sentence-transformers for "
    "embedding, a causal one for perplexity.",
)
@click.option(
    "--alpha",
    type=click.FloatRange(0, 1),
    callback=screen.real,
    default=ALPHA,
    show_default=True,
    help="The weight of specificity; the rest is that of coherence.",
)
@click.option(
    "--remove",
    type=click.IntRange(0, 3),
    default=REMOVE,
    show_default=True,
    help="Rounds of conscious incompetence: so many pieces of knowledge are taken away at most.",
)
@click.option(
    "--model", metavar="NAME", help="Let this language model write paragraph and questions."
)
@about_a_model
@click.option(
    "--seed", type=screen.SEED, default=0, show_default=True, help="Seed of order and ties."
)
@screen.json_option
@screen.store_option
@screen.db_option
def biokalma(
    relations: list[str],
    biographies: Path | None,
    of_class: str,
    limit: int | None,
    rounds: int,
    by: str,
    coherence_model: str | None,
    alpha: float,
    remove: int,
    model: str | None,
    base_url: str | None,
    budget: int | None,
    replies: Path | None,
    seed: int,
    as_json: bool,
    store: Path,
    db: "Database",
) -> None:
    """Build BioKaLMA: questions about two people, each with its minimum knowledge set.

    A question asks for the statement that connects two people, and for some statements about each
    of them. Its knowledge set has the statements that answer it, none of which implies another; its
    pool has all statements that a model may cite. A build replaces only the questions of the same
    relations or file.

    \b
    Example:
      kgbuild biokalma --relations P26,P737
      kgbuild biokalma --biographies sentences.jsonl
      kgbuild biokalma --class Q515 --relations P47,P190
      kgbuild biokalma --coherence perplexity --coherence-model models/gpt2
    """
    _check(relations, biographies, by, coherence_model)
    require_named("--model", model, base_url, budget, replies)
    cache = replies or db.path.parent / "replies.sqlite"
    with open_store(store) as opened, screen.tracked() as progress:
        db.prepare()
        built = build(
            opened,
            relations,
            biographies=biographies,
            of_class=wikidata.parse_item(of_class),
            limit=limit,
            rounds=rounds,
            coherence=by,
            coherence_model=coherence_model,
            alpha=alpha,
            remove=remove,
            seed=seed,
            ask=ask_model(model, base_url, budget, cache) if model else None,
            model=model,
            base_url=base_url,
            progress=progress,
        )
    build_report.write(db, built)
    build_report.report(DATASET, built, db, _columns, _EXAMPLE, as_json)


def _check(
    relations: Sequence[str], biographies: Path | None, by: str, coherence_model: str | None
) -> None:
    if biographies and relations:
        raise click.UsageError(
            "--biographies and --relations are two builds: ask for one at a time."
        )
    if biographies and biographies.name in {one.path for one in catalog().relations.values()}:
        raise click.UsageError(
            f"{biographies} is called as a relation is: its questions would replace that one's."
        )
    if by == NONE and coherence_model is not None:
        raise click.UsageError("--coherence-model is about --coherence: embedding or perplexity.")
    if by != NONE and not coherence_model:
        raise click.UsageError(f"--coherence {by} needs a model: name it: --coherence-model.")


def _columns(part: Built) -> dict[str, Any]:
    """Return the columns of a part: its questions, and how many pieces one has on average."""
    pieces = len(part.tables["biokalma_knowledge"])
    return {
        "questions": part.rows,
        "pieces": f"{pieces / part.rows:.1f}" if part.rows else "",
    }
