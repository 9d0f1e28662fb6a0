"""The commands that build datasets."""

import shlex
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path

import click

from kgbuild import relations as relation_file
from kgbuild import tables
from kgbuild.building import Built, Rejection
from kgbuild.cli import screen
from kgbuild.datasets import DATASETS
from kgbuild.errors import NothingBuiltError, RelationsFileError
from kgbuild.kg import wikidata
from kgbuild.kg.reading import opened
from kgbuild.relations import catalog
from kgbuild.syn_qa import build
from kgbuild.syn_qa.rows import DATASET

_EXAMPLE = (
    '"SELECT question, false_question FROM syn_qa_pairs WHERE relation IN ({relations}) LIMIT 5"'
)


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
    "--limit", type=screen.COUNT, default=200, show_default=True, help="Most pairs a relation."
)
@click.option(
    "--min-overlap",
    type=screen.COUNT,
    default=3,
    show_default=True,
    help="How many property values subject and replacement must share.",
)
@click.option(
    "--max-risk",
    type=click.FloatRange(0, 1),
    default=0.01,
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
    limit: int,
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
    relations it was asked for, and no others.

    \b
    Example:
      kgbuild syn-qa --relations P26,P40,P26/P69
      kgbuild syn-qa --relations P1038 --template "How is {subject} related to {object}?"
      kgbuild sql "SELECT question, false_question FROM syn_qa_pairs LIMIT 5"
    """
    if templates and len(relations) != 1:
        raise click.UsageError("--template asks about one relation: name it with --relations.")
    options = build.Options(limit, min_overlap, max_risk, seed)
    with opened(store) as held:
        if templates:
            label = held.labels.label(wikidata.parse_property(relations[0]))
            paths = [relation_file.Path(catalog().asked(relations[0], label, templates))]
        else:
            paths = _paths(relations, hops)
        tables.prepare(db)
        with screen.progress() as bar:
            task = bar.add_task("", total=len(paths) * limit, detail="")
            places = {path.name: n for n, path in enumerate(paths)}

            def tell(name: str, done: int, of: int) -> None:
                bar.update(
                    task,
                    description=name,
                    completed=(places[name] + done / max(of, 1)) * limit,
                    detail=f"{done:,} pairs",
                )

            known = held.knowledge(catalog().kinds)
            builds = list(build.build(known, catalog(), paths, options, tell))
    if not relations:
        builds += [_malformed(pid, error) for pid, error in catalog().faults.items()]
    _require_rows(builds)
    made = held.manifest
    source = tables.Source(
        seed=seed,
        options={
            **{key: value for key, value in asdict(options).items() if key != "seed"},
            **({"templates": templates} if templates else {}),
        },
        dump=[
            {"name": file.name, "modified": file.modified, "sha256": file.sha256}
            for file in made.files
        ],
        store_fingerprint=made.fingerprint,
        store_triples=made.triples,
    )
    tables.write(db, DATASETS[DATASET], builds, source)
    _report({path.name: path.label for path in paths}, builds, db)


def _paths(relations: list[str], hops: int) -> list[relation_file.Path]:
    known = catalog()
    if relations:
        return list({path.name: path for path in map(known.path, relations)}.values())
    return known.paths() if hops == 2 else [relation_file.Path(r) for r in known.relations.values()]


def _malformed(pid: str, error: RelationsFileError) -> Built:
    """Return a build of nothing, of a relation about which relations.toml is wrong."""
    said = f"relations.toml: {error.where}: {error.detail}"
    screen.say(f"Left out: {said}.")
    return Built(pid, {"syn_qa_pairs": []}, [Rejection(pid, "malformed", said)])


def _require_rows(builds: list[Built]) -> None:
    if not any(built.rows for built in builds):
        reasons: Counter[str] = Counter()
        for built in builds:
            reasons += built.reasons
        raise NothingBuiltError(
            [built.relation for built in builds],
            sum(built.candidates for built in builds),
            reasons,
        )


def _report(labels: Mapping[str, str], builds: list[Built], db: Path) -> None:
    rows = [
        {
            "relation": built.relation,
            "label": labels.get(built.relation, ""),
            "pairs": built.rows,
            "statements": built.candidates,
            "left out, mostly because": _mostly(built),
        }
        for built in builds
    ]
    screen.show(rows, as_json=False)
    relations = ", ".join(f"'{built.relation}'" for built in builds if built.rows)
    screen.say(f"\nThe pairs are in {db}. Look at them:")
    screen.say(f"  kgbuild sql --db {shlex.quote(str(db))} {_EXAMPLE.format(relations=relations)}")


def _mostly(built: Built) -> str:
    if not built.candidates and not built.rejections:
        return "the store has no such statement"
    return ", ".join(f"{reason} ({count:,})" for reason, count in built.reasons.most_common(3))
