"""GRANOLA as one object: how it is built, asked, scored, shown and released."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from kgbuild.calls import Count, Range, Seed
from kgbuild.data_files import read_toml
from kgbuild.datasets.asking import Ask
from kgbuild.datasets.base import QUESTION, Dataset, Protocol, Task, package_folder
from kgbuild.datasets.granola import prompts
from kgbuild.datasets.granola.scoring.scorer import SCORING
from kgbuild.datasets.granola.view import view
from kgbuild.errors import WrongCallError
from kgbuild.evaluate.calibration import STATED
from kgbuild.net import urls
from kgbuild.rows import Build, Progress, listed, no_progress
from kgbuild.tables.files import Frame

if TYPE_CHECKING:  # these modules are slow to import
    from kgbuild.datasets.granola.files.choose_reading import Score
    from kgbuild.graph.open import Store
    from kgbuild.relations import Relation
    from kgbuild.tables.database import Database

MIN_BITS = 0.5
"""The default minimum bits of a coarser answer; ``measure`` explains bits."""


def build(
    store: "Store",
    relations: Sequence[str] | None = None,
    *,
    questions: Frame | Sequence[Path | str] | Path | str | None = None,
    columns: Mapping[str, str] | None = None,
    limit: Count | None = None,
    min_bits: Annotated[float, Range(0)] = MIN_BITS,
    seed: Seed = 0,
    splits: bool = False,
    since: Path | str | None = None,
    embedding: str | None = None,
    ask: Ask | None = None,
    model: str | None = None,
    base_url: str | None = None,
    progress: Progress = no_progress,
) -> Build:
    """Build questions with answers at every granularity, the finest first.

    The questions come from the statements of ``relations`` (ids or labels); the default is all
    relations except those whose exact answers are coarse. Or they come from files: ``questions``
    has files or folders of files, or is a table of pandas, Polars or Arrow; ``columns`` has the
    column of each field whose column has a different name.

    ``limit`` is the maximum number of questions of a relation or a file. ``min_bits`` is the
    minimum of a coarser answer. ``seed`` orders the subjects. With ``splits``, most questions are
    in a split for training, otherwise nearly all are for testing. For files, ``embedding`` is the
    name of a sentence-transformers model that compares descriptions with questions. ``ask`` sends
    requests for coarser answers to a language model; ``model`` and ``base_url`` are recorded as its
    name and server.

    ``since`` is an older store, or an older dump or slice: rows are made of statements that it does
    not have.

    Raises:
        WrongCallError: with ``since``, no files can be built.
        NoStoreError: there is no older store.
        WrongCallError: both relations and questions are passed; a relation has no questions.
        TableFileError, WrongCallError: a file has no questions.
        NoModelError: the embedding model cannot be loaded.
        NothingBuiltError: no candidate became a question.
        DamagedStoreError: the store cannot be read.
    """
    from kgbuild.datasets import building
    from kgbuild.datasets.ahead import ahead_of
    from kgbuild.datasets.granola.files import records
    from kgbuild.datasets.granola.files.build import FileBuilder
    from kgbuild.datasets.granola.questions import from_store

    if questions is not None and relations is not None:
        raise WrongCallError("Build from relations or from files of questions, not from both.")
    options = from_store.GranolaOptions(limit, min_bits, seed, splits)
    column_names = ",".join(f"{field}={column}" for field, column in (columns or {}).items())
    files: list[Path] = []
    sources: list[records.QuestionFile] = []
    parts: dict[str, Any]
    builder: Any
    if questions is None:
        parts = {relation.pid: relation for relation in _relations(relations)}
        builder = partial(from_store.builder, ahead=ahead_of(store))
    else:
        if isinstance(questions, Frame):
            sources = [records.of_frame(questions, columns or {})]
            if since:
                raise building.no_statements("the questions")
        else:
            files = records.find(map(Path, listed(questions)))
            sources = [records.read(file, columns or {}) for file in files]
        score = _description_score(embedding) if embedding else None
        parts = {source.name: source for source in sources}
        builder = partial(FileBuilder, names=store.names, score=score)
    return building.build(
        DATASET,
        store,
        parts,
        partial(builder, options=options, ask=ask),
        {
            **asdict(options),
            "columns": column_names or None,
            "embedding": embedding,
            "model": model,
            "base_url": base_url and urls.public(base_url),
        },
        files=files,
        all_relations=questions is relations is None,
        parallel=questions is None and not (ask or limit),
        since=since,
        remarks=[
            f"{source.name} has no column that is known for answers, so those of the store are "
            f"used. If they are in one of {', '.join(source.unused)}, name it: --columns "
            "answers=COLUMN."
            for source in sources
            if source.unused
        ],
        progress=progress,
    )


def _relations(names: Sequence[str] | None) -> "list[Relation]":
    """Return the relations with these ids or labels, or the default relations."""
    from kgbuild.catalog import catalog

    if names is None:
        return [relation for relation in catalog().relations_of("granola") if not relation.coarse]
    return [catalog().relation(name, "granola") for name in names]


def _description_score(model: str) -> "Score":
    """Return the function that scores descriptions; a missing model fails before the build."""
    from kgbuild.models.local import embeddings

    embeddings.similarities(model, [])
    return lambda question, descriptions: embeddings.similarities(
        model, [(question, description) for description in descriptions]
    )


def task(_db: "Database") -> Task:
    """Return the tasks for evaluation harnesses, without that of stated confidences.

    Of the answers by the protocol ``sampled``, the most frequent one counts.
    """
    from kgbuild.datasets.granola.lm_eval_task import METRICS

    texts = {
        protocol: prompts.request(protocol, QUESTION).messages[0].content
        for protocol in prompts.INSTRUCTIONS
        if protocol != STATED
    }
    return Task(
        prompts={**texts, prompts.SAMPLED: texts["vanilla"]},
        samples={prompts.SAMPLED: (prompts.SAMPLES, prompts.TEMPERATURE)},
        metrics=METRICS,
        lower_is_better=("abstained",),
    )


_REASONS = read_toml("datasets/granola/reasons.toml")
DATASET = Dataset(
    name="granola",
    title="GRANOLA",
    summary="Questions with answers at every granularity: the finest first, each coarser one at a "
    "level of its own.",
    unit="questions",
    tables=("granola_questions", "granola_answers"),
    key="question_id",
    source_column="source",
    folder=package_folder("granola"),
    requests=prompts.requests,
    task=task,
    build=build,
    scoring=SCORING,
    reasons={reason: text for table in _REASONS.values() for reason, text in table.items()},
    part_reasons=(*_REASONS["answer"],),
    protocols=tuple(
        Protocol(name, on_demand=name not in prompts.INSTRUCTIONS or name == STATED)
        for name in (*prompts.INSTRUCTIONS, prompts.SAMPLED, prompts.LIKELIHOOD)
    ),
    view=view,
    shown_tables=("granola_questions", "granola_answers"),
)
