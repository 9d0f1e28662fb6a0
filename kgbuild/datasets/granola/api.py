"""Build GRANOLA from the statements of a store, or from files of questions."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from kgbuild.rows import Build, Progress, no_progress

if TYPE_CHECKING:  # all of it is slow to import
    from kgbuild.datasets.asking import Ask
    from kgbuild.datasets.granola.resolve import Score
    from kgbuild.graph.open import Store
    from kgbuild.relations import Relation

MIN_BITS = 0.5


def build(
    store: "Store",
    relations: Sequence[str] | None = None,
    *,
    questions: Sequence[Path] = (),
    columns: Mapping[str, str] | None = None,
    limit: int | None = None,
    min_bits: float = MIN_BITS,
    seed: int = 0,
    embedding: str | None = None,
    ask: "Ask | None" = None,
    model: str | None = None,
    base_url: str | None = None,
    progress: Progress = no_progress,
) -> Build:
    """Build questions with answers at every granularity, the finest first.

    They are made of the statements of ``relations``, named by id or label; of all but those whose
    answers are coarse themselves if none is named. Instead, the questions of files can be given
    such answers: ``questions`` are files, or folders of files, and ``columns`` names the columns
    of fields that have other names there.

    ``limit`` is the most questions of a relation or a file; coarser answers have at least
    ``min_bits``; ``seed`` orders the subjects. For files, ``embedding`` names a
    sentence-transformers model that compares descriptions with questions. ``ask`` asks a language
    model for coarser answers; ``model`` and ``base_url`` are what is recorded about it.

    Raises:
        UnknownRelationError: a relation has no questions.
        TableFileError, MissingColumnError, ColumnsError: a file has no questions.
        NoModelError: the embedding model cannot be loaded.
        NothingBuiltError: nothing became a question.
        DamagedStoreError: the store cannot be read.
    """
    from kgbuild.datasets import building
    from kgbuild.datasets.granola import from_store
    from kgbuild.datasets.granola.dataset import DATASET

    options = from_store.Options(limit, min_bits, seed)
    recorded = {
        **asdict(options),
        "columns": ",".join(f"{field}={column}" for field, column in (columns or {}).items())
        or None,
        "embedding": embedding,
        "llm": model,
        "base_url": base_url,
    }
    if questions:
        from kgbuild.datasets.granola import from_files, question_files

        if relations:
            raise ValueError("Build from relations or from files of questions, not from both.")
        files = question_files.find(questions)
        score = _description_score(embedding) if embedding else None
        return building.build(
            DATASET,
            store,
            {file.name: question_files.read(file, columns or {}) for file in files},
            partial(from_files.builder, names=store.names, options=options, score=score, ask=ask),
            recorded,
            files=files,
            progress=progress,
        )
    return building.build(
        DATASET,
        store,
        {relation.pid: relation for relation in _relations(relations)},
        partial(from_store.builder, options=options, ask=ask),
        recorded,
        all_relations=not relations,
        parallel=not ask and not limit,
        progress=progress,
    )


def _relations(names: Sequence[str] | None) -> "list[Relation]":
    from kgbuild.catalog import catalog

    if not names:
        return [relation for relation in catalog().relations_of("granola") if not relation.coarse]
    return [catalog().relation(name, "granola") for name in names]


def _description_score(model: str) -> "Score":
    """Return what compares descriptions with questions; fail now if the model is missing."""
    from kgbuild.models import embeddings

    embeddings.similarities(model, [])
    return lambda question, descriptions: embeddings.similarities(
        model, [(question, description) for description in descriptions]
    )
