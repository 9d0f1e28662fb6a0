"""The command that builds GRANOLA."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Any

import click

from kgbuild.catalog import Relation, catalog
from kgbuild.cli import building, screen
from kgbuild.cli.asking import about_a_model, ask_model, require_named
from kgbuild.datasets import parallel
from kgbuild.datasets.granola import question_files, resolve
from kgbuild.datasets.granola.build import Options, build, build_one
from kgbuild.datasets.granola.drafts import Ask
from kgbuild.datasets.granola.enrich import Enricher, Source
from kgbuild.datasets.granola.rows import DATASET, REASONS
from kgbuild.datasets.registry import DATASETS
from kgbuild.graph.open import Store, open_store
from kgbuild.rows import Built
from kgbuild.tables import database

_EXAMPLE = (
    "SELECT question, levels FROM granola_questions JOIN granola_levels USING (question_id,"
    " question) WHERE source = '{}' ORDER BY question_id LIMIT 5"
)
_REASONS = {**question_files.REASONS, **resolve.REASONS, **REASONS}


@click.command()
@click.option(
    "--relations",
    multiple=True,
    callback=screen.listed,
    metavar="P19,P69",
    help="The relations to build.  [default: all but those whose answers are coarse themselves]",
)
@click.option(
    "--questions",
    "given_files",
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
    default=Options.min_bits,
    show_default=True,
    help="How much a coarser answer must tell: 1 bit if half of the possible answers are of it.",
)
@click.option(
    "--embedding",
    metavar="MODEL",
    help="With --questions: the folder or name of a sentence-transformers model that tells "
    "which item's description fits a question.",
)
@click.option("--llm", metavar="NAME", help="Let this language model add coarser answers.")
@about_a_model
@click.option(
    "--seed", type=screen.SEED, default=0, show_default=True, help="Seed of the sample's order."
)
@screen.store_option
@screen.db_option
def granola(
    relations: list[str],
    given_files: tuple[Path, ...],
    columns: str | None,
    limit: int | None,
    min_bits: float,
    embedding: str | None,
    llm: str | None,
    base_url: str | None,
    budget: int | None,
    replies: Path | None,
    seed: int,
    store: Path,
    db: Path,
) -> None:
    """Build GRANOLA: questions with answers at every granularity, the finest first.

    A birthplace is a town, and its county, country and continent; a spouse is somebody, and
    an American playwright, and a writer. Each answer has the triples that prove it, and is
    placed by what it tells. A build replaces the questions of the relations, or of the files,
    that it was asked for, and no others.

    \b
    Example:
      kgbuild granola --relations P19,P69
      kgbuild granola --questions P19.dev.json
      kgbuild granola --questions mine.csv --columns question=text,answers=gold
      kgbuild sql "SELECT question, levels FROM granola_levels LIMIT 5"
    """
    _check(relations, given_files, columns, embedding)
    if embedding == "":
        raise click.UsageError("--embedding wants a name.")
    require_named("--llm", llm, base_url, budget, replies)
    options = Options(limit, min_bits, seed)
    ask = ask_model(llm, base_url, budget, replies or db.parent / "replies.sqlite") if llm else None
    chosen = {
        **asdict(options),
        **{"columns": columns, "embedding": embedding, "llm": llm, "base_url": base_url},
    }
    if embedding:
        _similarities(embedding, "", [])  # so that a missing one is told before long work
    with open_store(store) as held:
        database.prepare(db)
        if given_files:
            files = _files(given_files)
            sources = [
                _source(file, question_files.named_columns(columns) if columns else {})
                for file in files
            ]
            builds = _enriched(held, sources, options, embedding, ask)
            labels: Mapping[str, str] = {}
        else:
            files = []
            asked = _relations(relations)
            builds = _built(held, store, asked, options, ask)
            labels = {relation.pid: relation.label for relation in asked}
            if not relations:
                faults = catalog().faults.items()
                builds += [
                    building.malformed(pid, fault, DATASETS[DATASET]) for pid, fault in faults
                ]
    building.keep(db, DATASETS[DATASET], builds, held.manifest, chosen, files)
    _report(labels, builds, db)


def _check(
    relations: Sequence[str],
    given_files: Sequence[Path],
    columns: str | None,
    embedding: str | None,
) -> None:
    if given_files and relations:
        raise click.UsageError("--questions and --relations are two builds: ask for one at a time.")
    if columns and not given_files:
        raise click.UsageError("--columns is about a file of questions: name it: --questions.")
    if embedding is not None and not given_files:
        raise click.UsageError(
            "--embedding is about finding the items of a file's questions: name it: --questions."
        )


def _relations(pids: Sequence[str]) -> list[Relation]:
    known = catalog()
    if not pids:
        return [relation for relation in known.asking(DATASET) if not relation.coarse]
    return list({r.pid: r for r in (known.relation(pid, DATASET) for pid in pids)}.values())


def _files(paths: Sequence[Path]) -> list[Path]:
    """Return the files that are named, and those of the folders that are."""
    found: dict[str, Path] = {}
    for path in paths:
        files = [path]
        if path.is_dir():
            files = [
                one for one in sorted(path.iterdir()) if one.suffix.lower() in database.FORMATS
            ]
        if not files:
            raise click.UsageError(
                f"{path} holds no file of questions: {', '.join(database.FORMATS)}."
            )
        for file in files:
            if file.name in found:
                raise click.UsageError(
                    f"Two files are called {file.name}: the rows of one would replace the other's."
                )
            found[file.name] = file
    return list(found.values())


def _source(file: Path, columns: Mapping[str, str]) -> Source:
    read = database.read_file(file)
    return Source(file.name, *question_files.records(file, read.columns, read.rows, columns))


def _built(
    held: Store, store: Path, relations: Sequence[Relation], options: Options, ask: Ask | None
) -> list[Built]:
    names = {relation.pid: relation for relation in relations}
    if len(relations) >= 2 * parallel.WORTH and not ask and not options.limit:
        made, one = held.manifest, partial(build_one, options)
        # The longest first, so that no core waits for a last one.
        ahead = dict(sorted(names.items(), key=lambda item: -made.properties.get(item[0], 0)))
        builds = _with_progress(
            ahead,
            lambda tell: parallel.build_on_all_cores(
                store, made.generation, ahead, one, lambda name, *_: tell(name, 0, 1)
            ),
        )
        return sorted(builds, key=lambda built: list(names).index(built.relation))
    known = held.knowledge(catalog().kinds)
    return _with_progress(
        names, lambda tell: build(known, catalog(), relations, options, ask, tell)
    )


def _enriched(
    held: Store,
    sources: Sequence[Source],
    options: Options,
    embedding: str | None,
    ask: Ask | None,
) -> list[Built]:
    enricher = Enricher(
        known=held.knowledge(catalog().kinds),
        names=held.names,
        catalog=catalog(),
        min_bits=options.min_bits,
        limit=options.limit,
        score=partial(_similarities, embedding) if embedding else None,
        ask=ask,
    )
    return _with_progress(
        [source.name for source in sources],
        lambda tell: (enricher.enrich(source, tell) for source in sources),
    )


def _similarities(model: str, question: str, descriptions: Sequence[str]) -> list[float]:
    from kgbuild.models import embeddings

    return embeddings.similarities(model, [(question, description) for description in descriptions])


def _with_progress(names: Iterable[str], builds: Callable[[Any], Any]) -> list[Built]:
    places = {name: n for n, name in enumerate(names)}
    with screen.progress() as bar:
        task = bar.add_task("", total=len(places), detail="")

        def tell(name: str, done: int, of: int) -> None:
            bar.update(
                task,
                description=name,
                completed=places[name] + done / max(of, 1),
                detail=f"{done:,} questions" if done else "",
            )

        return list(builds(tell))


def _report(labels: Mapping[str, str], builds: Sequence[Built], db: Path) -> None:
    rows = [
        {
            "made from": built.relation,
            "label": labels.get(built.relation, ""),
            "questions": built.rows,
            "two levels": _with_levels(built, 2),
            "three": _with_levels(built, 3),
            "left out, mostly because": building.mostly(built, _REASONS),
        }
        for built in builds
    ]
    screen.show(rows, as_json=False)
    screen.say(f"\nThe questions are in {db}. Look at them:")
    first = next(built.relation for built in builds if built.rows)
    building.example(db, _EXAMPLE.format(first.replace("'", "''")))


def _with_levels(built: Built, number: int) -> str:
    """Return the share of the questions that have so many levels, or more."""
    having = {
        row["question_id"] for row in built.tables["granola_answers"] if row["level"] >= number
    }
    return f"{len(having) / built.rows:.0%}" if built.rows else ""
