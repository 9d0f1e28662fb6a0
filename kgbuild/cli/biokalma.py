"""The command that builds BioKaLMA."""

from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from kgbuild import wikidata
from kgbuild.catalog import Relation, catalog
from kgbuild.cli import build_report, screen
from kgbuild.cli.asking import about_a_model, ask_model, require_named
from kgbuild.datasets import building
from kgbuild.datasets.biokalma import coherence
from kgbuild.datasets.biokalma.build import Builder
from kgbuild.datasets.biokalma.coherence import Coherence
from kgbuild.datasets.biokalma.dataset import DATASET
from kgbuild.datasets.biokalma.drafts import Options
from kgbuild.datasets.biokalma.words import words
from kgbuild.errors import NothingJoinedError, TableFileError
from kgbuild.graph.open import open_store
from kgbuild.rows import Built

if TYPE_CHECKING:
    from kgbuild.tables.database import Database

_EXAMPLE = (
    "SELECT specific_question, property_label, value FROM biokalma_questions JOIN"
    " biokalma_knowledge AS k USING (question_id) WHERE k.source = '{}'"
    " ORDER BY question_id, position LIMIT 7"
)
NONE = "none"


@click.command()
@click.option(
    "--relations",
    multiple=True,
    callback=screen.listed,
    metavar="P26,P40",
    help="The relations that join two subjects.  [default: all that join any]",
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
    default=Options.of_class,
    show_default=True,
    metavar="QID",
    help="The class of the subjects: Q5 are people, Q11424 films, Q515 cities.",
)
@click.option("--limit", type=screen.COUNT, help="Most questions of a relation, or of the file.")
@click.option(
    "--rounds",
    type=click.IntRange(4, 12),
    default=Options.rounds,
    show_default=True,
    help="Pieces of knowledge beside what a question begins with.",
)
@click.option(
    "--coherence",
    "by",
    type=click.Choice([NONE, "embedding", "perplexity"]),
    default=NONE,
    show_default=True,
    help="How it is measured whether a piece goes well with those before; needs --lm.",
)
@click.option(
    "--lm",
    metavar="MODEL",
    help="The folder or name of the model for --coherence: of sentence-transformers for "
    "embedding, a causal one for perplexity.",
)
@click.option(
    "--alpha",
    type=click.FloatRange(0, 1),
    callback=screen.real,
    default=Options.alpha,
    show_default=True,
    help="The weight of specificity; the rest is that of coherence.",
)
@click.option(
    "--remove",
    type=click.IntRange(0, 3),
    default=Options.remove,
    show_default=True,
    help="Rounds of conscious incompetence: so many pieces of knowledge are taken away at most.",
)
@click.option(
    "--llm", metavar="NAME", help="Let this language model write paragraph and questions."
)
@about_a_model
@click.option(
    "--seed", type=screen.SEED, default=0, show_default=True, help="Seed of order and ties."
)
@screen.store_option
@screen.db_option
def biokalma(
    relations: list[str],
    biographies: Path | None,
    of_class: str,
    limit: int | None,
    rounds: int,
    by: str,
    lm: str | None,
    alpha: float,
    remove: int,
    llm: str | None,
    base_url: str | None,
    budget: int | None,
    replies: Path | None,
    seed: int,
    store: Path,
    db: "Database",
) -> None:
    """Build BioKaLMA: questions about two people, each with its minimum knowledge set.

    Two people whom a statement joins are asked about: what joins them, and some more of each. The
    set has what answers the question and nothing that another piece of it tells already; the
    pool has all that a model may cite. A build replaces the questions of the relations, or of
    the file, that it was asked for, and no others.

    \b
    Example:
      kgbuild biokalma --relations P26,P737
      kgbuild biokalma --biographies sentences.jsonl
      kgbuild biokalma --class Q515 --relations P47,P190
      kgbuild biokalma --coherence perplexity --lm models/gpt2
    """
    _check(relations, biographies, by, lm)
    require_named("--llm", llm, base_url, budget, replies)
    options = Options(limit, wikidata.parse_item(of_class), rounds, alpha, remove, seed)
    ask = (
        ask_model(llm, base_url, budget, replies or db.path.parent / "replies.sqlite")
        if llm
        else None
    )
    chosen = {**asdict(options), "coherence": by, "lm": lm, "llm": llm, "base_url": base_url}
    measure = _coherence(by, lm)
    # Of a path, P800/P57, the last relation is the one that has it.
    asked = [catalog().relation(path.rpartition("/")[2], DATASET.name) for path in relations]
    with open_store(store) as held, screen.tracked() as progress:
        db.prepare()
        builder = Builder(
            held.knowledge(catalog().kinds), catalog(), words(), options, measure, ask
        )
        if biographies:
            names, lines = held.names, _lines(biographies)
            made = building.build(
                DATASET,
                held,
                {biographies.name: lines},
                lambda _: lambda lines, tell: builder.enrich(biographies.name, lines, names, tell),
                chosen,
                files=[biographies],
                progress=progress,
            )
        else:
            asked = asked or _joining(builder, options.of_class)
            made = building.build(
                DATASET,
                held,
                {relation.pid: relation for relation in asked},
                lambda _: builder.build,
                chosen,
                all_relations=not relations,
                progress=progress,
            )
    build_report.write(db, made)
    build_report.report(DATASET, made, db, _columns, _EXAMPLE)


def _columns(part: Built) -> dict[str, Any]:
    return {"questions": part.rows, "pieces": _pieces(part)}


def _check(relations: Sequence[str], biographies: Path | None, by: str, lm: str | None) -> None:
    if biographies and relations:
        raise click.UsageError(
            "--biographies and --relations are two builds: ask for one at a time."
        )
    if biographies and biographies.name in {one.path for one in catalog().relations.values()}:
        raise click.UsageError(
            f"{biographies} is called as a relation is: its questions would replace that one's."
        )
    if by == NONE and lm is not None:
        raise click.UsageError("--lm is about --coherence: embedding or perplexity.")
    if by != NONE and not lm:
        raise click.UsageError(f"--coherence {by} needs a model: name it: --lm.")


def _coherence(by: str, lm: str | None) -> Coherence:
    """Return what measures coherence; a missing model is told before long work."""
    from kgbuild.models import embeddings

    if by == "embedding" and lm:
        embeddings.similarities(lm, [])
        return coherence.by_similarity(partial(embeddings.similarities, lm))
    if by == "perplexity" and lm:
        embeddings.perplexities(lm, [])
        return coherence.by_perplexity(partial(embeddings.perplexities, lm))
    return coherence.none


def _joining(builder: Builder, of_class: str) -> list[Relation]:
    """Return the relations that join two of the class.

    Raises:
        NothingJoinedError: there is none.
    """
    found = [relation for relation in catalog().asking(DATASET.name) if builder.joins(relation)]
    if not found:
        raise NothingJoinedError(of_class)
    return found


def _lines(file: Path) -> list[str]:
    lines = file.read_text(encoding="utf-8-sig", errors="replace").split("\n")
    if not any(map(str.strip, lines)):
        raise TableFileError(file, "it holds no line")
    return lines


def _pieces(built: Built) -> str:
    """Return how many pieces of knowledge a question has on the average."""
    return f"{len(built.tables['biokalma_knowledge']) / built.rows:.1f}" if built.rows else ""
