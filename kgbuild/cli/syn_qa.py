"""The command that builds Syn-(QA)²."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import click

from kgbuild import catalog as relation_file
from kgbuild.catalog import catalog
from kgbuild.cli import building, screen
from kgbuild.datasets import parallel
from kgbuild.datasets.registry import DATASETS
from kgbuild.datasets.syn_qa import build
from kgbuild.datasets.syn_qa.hotpotqa import build as hotpotqa
from kgbuild.datasets.syn_qa.hotpotqa.categories import categories
from kgbuild.datasets.syn_qa.rows import DATASET
from kgbuild.graph.open import Store, open_store
from kgbuild.rows import Built
from kgbuild.tables import database

_EXAMPLE = "SELECT question, false_question FROM syn_qa_pairs WHERE relation = '{}' LIMIT 5"


@click.command()
@click.option(
    "--relations",
    multiple=True,
    callback=screen.listed,
    metavar="P26,P26/P69",
    help="The relations to build; two with a slash make a path.  [default: all]",
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
    help=f"Most pairs.  [default: {build.Options.limit} a relation, all of a file]",
)
@click.option(
    "--min-overlap",
    type=screen.COUNT,
    default=build.Options.min_overlap,
    show_default=True,
    help="How many property values subject and replacement must share.",
)
@click.option(
    "--max-risk",
    type=click.FloatRange(0, 1),
    callback=screen.real,
    default=build.Options.max_risk,
    show_default=True,
    help="How probable it may be that a false assumption is true.",
)
@click.option(
    "--seed", type=screen.SEED, default=0, show_default=True, help="Seed of the sample's order."
)
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
    store: Path,
    db: Path,
) -> None:
    """Build Syn-(QA)²: minimal pairs of questions, one with a false assumption.

    For a true statement (x, relation, y), the most similar x′ takes the place of x, so that
    the question assumes what the store does not say. Over two hops the question is about an
    item that it does not name: the spouse of x, say. A build replaces the pairs of the
    relations it was asked for, or of the file, and no others.

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
    options = build.Options(limit or build.Options.limit, min_overlap, max_risk, seed)
    chosen: dict[str, Any] = {**asdict(options), "templates": templates}
    read = [file for file in (hotpotqa_file, categories_file) if file]
    with open_store(store) as held:
        database.prepare(db)
        if hotpotqa_file:
            of_file = hotpotqa.Options(limit, min_overlap, seed)
            builds = [_from_file(held, hotpotqa_file, categories_file, of_file)]
            labels, chosen = {hotpotqa_file.name: "HotpotQA"}, asdict(of_file)
        else:
            paths = _paths(held, relations, hops, templates)
            builds = _from_store(held, store, paths, options)
            labels = {path.name: path.label for path in paths}
            if not relations:
                builds += [
                    building.malformed(pid, error, DATASETS[DATASET])
                    for pid, error in catalog().faults.items()
                ]
    building.keep(db, DATASETS[DATASET], builds, held.manifest, chosen, read)
    _report(labels, builds, db)


def _from_store(
    held: Store, store: Path, paths: Sequence[relation_file.Path], options: build.Options
) -> list[Built]:
    are_many = len(paths) >= 2 * parallel.WORTH
    with screen.progress() as bar:
        task = bar.add_task("", total=len(paths), detail="")
        places = {path.name: n for n, path in enumerate(paths)}

        def tell(name: str, done: int, of: int) -> None:
            part, detail = (0.0, "") if are_many else (done / max(of, 1), f"{done:,} pairs")
            bar.update(task, description=name, completed=places[name] + part, detail=detail)

        if are_many:
            made = parallel.build_on_all_cores(
                store,
                held.manifest.generation,
                {path.name: path for path in paths},
                partial(build.build_one, options),
                tell,
            )
        else:
            made = build.build(held.knowledge(catalog().kinds), catalog(), paths, options, tell)
        return list(made)


def _from_file(
    held: Store, file: Path, categories_file: Path | None, options: hotpotqa.Options
) -> Built:
    groups: Mapping[str, frozenset[str]] = {}
    if categories_file:
        given = database.read_file(categories_file)
        groups = categories(categories_file, given.columns, given.rows)
    with screen.progress() as bar:
        task = bar.add_task(file.name, total=None, detail="")

        def tell(_: str, done: int, of: int) -> None:
            bar.update(task, completed=done, total=of, detail=f"{done:,} questions")

        known = held.knowledge(catalog().kinds)
        return hotpotqa.build(file, known, catalog(), groups, options, tell)


def _paths(
    held: Store, relations: list[str], hops: int, templates: tuple[str, ...]
) -> list[relation_file.Path]:
    """Return what the user asks about: relations, paths, one with questions of her own, or all."""
    known = catalog()
    if templates:
        return [relation_file.Path(known.asked(relations[0], held.labels.label, templates))]
    if relations:
        return list({path.name: path for path in map(known.path, relations)}.values())
    return known.paths() if hops == 2 else [relation_file.Path(r) for r in known.asking(DATASET)]


def _report(labels: Mapping[str, str], builds: list[Built], db: Path) -> None:
    reasons = dict.fromkeys(reason for built in builds for reason in built.reasons)
    rows = [
        {
            "relation": built.relation,
            "label": labels.get(built.relation, ""),
            "pairs": built.rows,
            "statements": built.candidates,
            "left out, mostly because": building.mostly(built, reasons),
        }
        for built in builds
    ]
    screen.show(rows, as_json=False)
    screen.say(f"\nThe pairs are in {db}. Look at them:")
    first = next(built.relation for built in builds if built.rows)
    building.example(db, _EXAMPLE.format(first.replace("'", "''")))
