"""The command that builds Syn-(QA)²."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from kgbuild.cli import build_report, screen
from kgbuild.datasets.syn_qa.api import LIMIT, MAX_RISK, MIN_OVERLAP, build
from kgbuild.datasets.syn_qa.dataset import DATASET
from kgbuild.graph.open import open_store

if TYPE_CHECKING:
    from kgbuild.tables.database import Database

_EXAMPLE = "SELECT question, false_question FROM syn_qa_pairs WHERE relation = '{}' LIMIT 5"


@click.command()
@click.option(
    "--relations",
    multiple=True,
    callback=screen.listed,
    metavar="P26,P26/P69",
    help="The relations to build, by id or label; two with a slash make a path.  [default: all]",
)
@click.option(
    "--hops",
    type=click.IntRange(1, 2),
    default=1,
    show_default=True,
    help="Without --relations: build all relations, or all paths over two.",
)
@click.option(
    "--template",
    "templates",
    multiple=True,
    metavar="TEXT",
    help="A question of your own for one relation, with {subject} and {object}; repeatable.",
)
@click.option(
    "--hotpotqa",
    "hotpotqa_file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Instead of --relations: replace titles in HotpotQA's multi-hop questions.",
)
@click.option(
    "--categories",
    "categories_file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Categories of HotpotQA's titles: a table with the columns title and category.",
)
@click.option(
    "--limit",
    type=screen.COUNT,
    help=f"Most pairs.  [default: {LIMIT} a relation, all of a file]",
)
@click.option(
    "--min-overlap",
    type=screen.COUNT,
    default=MIN_OVERLAP,
    show_default=True,
    help="How many property values subject and replacement must share.",
)
@click.option(
    "--max-risk",
    type=click.FloatRange(0, 1),
    callback=screen.real,
    default=MAX_RISK,
    show_default=True,
    help="How probable it may be that a false assumption is true.",
)
@click.option(
    "--seed", type=screen.SEED, default=0, show_default=True, help="Seed of the sample's order."
)
@screen.json_option
@screen.store_option
@screen.db_option
def syn_qa(
    relations: list[str],
    hops: int,
    templates: tuple[str, ...],
    hotpotqa_file: Path | None,
    categories_file: Path | None,
    limit: int | None,
    min_overlap: int,
    max_risk: float,
    seed: int,
    as_json: bool,
    store: Path,
    db: "Database",
) -> None:
    """Build Syn-(QA)²: minimal pairs of questions, one with a false assumption.

    The first question of a pair assumes a statement (subject, relation, object) of the store. In
    the second one, the most similar item replaces the subject, and the store does not contain
    the statement. Over two hops, the assumption is about an item that the question does not name,
    such as the spouse of the subject. A build replaces only the pairs of the same relations or
    file.

    \b
    Example:
      kgbuild syn-qa --relations P26,P40,P26/P69
      kgbuild syn-qa --relations P1038 --template "How is {subject} related to {object}?"
      kgbuild syn-qa --hotpotqa hotpot_dev_distractor_v1.json
      kgbuild sql "SELECT question, false_question FROM syn_qa_pairs LIMIT 5"
    """
    if hops == 2 and (relations or hotpotqa_file):
        raise click.UsageError("--hops 2 builds all paths over two; --relations P26/P69 names one.")
    if templates and len(relations) != 1:
        raise click.UsageError("--template asks about one relation: name it with --relations.")
    if hotpotqa_file and relations:
        raise click.UsageError("--hotpotqa and --relations are two builds: ask for one at a time.")
    if categories_file and not hotpotqa_file:
        raise click.UsageError("--categories is about the titles of a file: name it: --hotpotqa.")
    with open_store(store) as opened, screen.tracked() as progress:
        db.prepare()
        built = build(
            opened,
            relations,
            hops=hops,
            templates=templates,
            hotpotqa=hotpotqa_file,
            categories=categories_file,
            limit=limit,
            min_overlap=min_overlap,
            max_risk=max_risk,
            seed=seed,
            progress=progress,
        )
    build_report.write(db, built)
    build_report.report(
        DATASET,
        built,
        db,
        lambda part: {"pairs": part.rows, "statements": part.candidates},
        _EXAMPLE,
        as_json,
    )
