"""The commands that build datasets."""

import shlex
from collections import Counter
from dataclasses import asdict
from pathlib import Path

import click

from kgbuild import tables
from kgbuild.building import Built
from kgbuild.cli import screen
from kgbuild.datasets import DATASETS
from kgbuild.errors import NothingBuiltError
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
    metavar="P26,P40",
    help="The relations to build.  [default: all]",
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
    limit: int,
    min_overlap: int,
    max_risk: float,
    seed: int,
    store: Path,
    db: Path,
) -> None:
    """Build Syn-(QA)²: minimal pairs of questions, one with a false assumption.

    For a true statement (x, relation, y), the most similar x′ takes the place of x, so that
    the question assumes what the store does not say. A build replaces the pairs of the
    relations it was asked for, and no others.

    \b
    Example:
      kgbuild syn-qa --relations P26,P40
      kgbuild sql "SELECT question, false_question FROM syn_qa_pairs LIMIT 5"
    """
    known = catalog()
    asked = [known.relation(text) for text in relations] or list(known.relations.values())
    asked = list(dict.fromkeys(asked))
    options = build.Options(limit, min_overlap, max_risk, seed)
    with opened(store) as held:
        tables.prepare(db)
        with screen.progress() as bar:
            task = bar.add_task("", total=len(asked) * limit, detail="")

            def tell(pid: str, done: int, of: int) -> None:
                place = next(n for n, relation in enumerate(asked) if relation.pid == pid)
                bar.update(
                    task,
                    description=pid,
                    completed=(place + done / max(of, 1)) * limit,
                    detail=f"{done:,} pairs",
                )

            engines = (held.graph, held.overlap(), held.associations())
            builds = list(build.build(*engines, known, asked, options, tell))
    _require_rows(builds)
    made = held.manifest
    source = tables.Source(
        seed=seed,
        options={key: value for key, value in asdict(options).items() if key != "seed"},
        dump=[
            {"name": file.name, "modified": file.modified, "sha256": file.sha256}
            for file in made.files
        ],
        store_fingerprint=made.fingerprint,
        store_triples=made.triples,
    )
    tables.write(db, DATASETS[DATASET], builds, source)
    _report(builds, db)


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


def _report(builds: list[Built], db: Path) -> None:
    rows = [
        {
            "relation": built.relation,
            "label": catalog().relations[built.relation].label,
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
    if not built.candidates:
        return "the store has no such statement"
    return ", ".join(f"{reason} ({count:,})" for reason, count in built.reasons.most_common(3))
