"""Build BioKaLMA from the statements that join two subjects, or from written sentences."""

from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from kgbuild.errors import NothingJoinedError, TableFileError
from kgbuild.rows import Build, Built, Progress, no_progress

if TYPE_CHECKING:  # all of it is slow to import
    from kgbuild.datasets.biokalma.coherence import Coherence
    from kgbuild.datasets.biokalma.drafts import Options
    from kgbuild.datasets.biokalma.model_writer import Ask
    from kgbuild.datasets.building import BuildPart
    from kgbuild.graph.knowledge import Knowledge
    from kgbuild.graph.open import Store
    from kgbuild.relations import Relation
    from kgbuild.store.labels import Names

PEOPLE = "Q5"
ROUNDS = 6
ALPHA = 0.01
REMOVE = 3
NONE, EMBEDDING, PERPLEXITY = COHERENCES = ("none", "embedding", "perplexity")
"""What measures coherence: nothing, the nearness of sentences, or a language model."""


def build(
    store: "Store",
    relations: Sequence[str] = (),
    *,
    biographies: Path | None = None,
    of_class: str = PEOPLE,
    limit: int | None = None,
    rounds: int = ROUNDS,
    coherence: str = NONE,
    coherence_model: str | None = None,
    alpha: float = ALPHA,
    remove: int = REMOVE,
    seed: int = 0,
    ask: "Ask | None" = None,
    model: str | None = None,
    base_url: str | None = None,
    progress: Progress = no_progress,
) -> Build:
    """Build questions about two subjects, each with its minimum knowledge set.

    The two are joined by statements of ``relations``, named by id or label; all that join any two
    of the class if none is named. Instead, ``biographies`` is a file of sentences about two
    people (JSON Lines). ``of_class`` is the class of the subjects, ``limit`` the most questions
    of a relation or the file, ``rounds`` the pieces of knowledge that are added, ``alpha`` the
    weight of specificity beside ``coherence`` (one of COHERENCES, by ``coherence_model``),
    ``remove`` the most pieces that are taken away, and ``seed`` orders candidates. ``ask`` lets a
    language model write the texts; ``model`` and ``base_url`` are what is recorded about it.

    Raises:
        UnknownRelationError, NothingJoinedError: no such relation joins two of the class.
        TableFileError: the file has no line.
        NoModelError, MissingExtraError: the model of coherence cannot be loaded.
        NothingBuiltError: nothing became a question.
        DamagedStoreError: the store cannot be read.
    """
    from kgbuild.catalog import catalog
    from kgbuild.datasets import building
    from kgbuild.datasets.biokalma.dataset import DATASET
    from kgbuild.datasets.biokalma.drafts import Options

    options = Options(limit, of_class, rounds, alpha, remove, seed)
    recorded = {
        **asdict(options),
        "coherence": coherence,
        "lm": coherence_model,
        "llm": model,
        "base_url": base_url,
    }
    measure = _coherence(coherence, coherence_model)
    builder = partial(_builder, options=options, coherence=measure, ask=ask, names=store.names)
    if biographies:
        return building.build(
            DATASET,
            store,
            {biographies.name: biographies},
            builder,
            recorded,
            files=[biographies],
            progress=progress,
        )
    named = [catalog().relation(path.rpartition("/")[2], DATASET.name) for path in relations]
    chosen = named or _joining(store, options)
    return building.build(
        DATASET,
        store,
        {relation.pid: relation for relation in chosen},
        builder,
        recorded,
        all_relations=not relations,
        progress=progress,
    )


def _builder(
    knowledge: "Knowledge",
    options: "Options",
    coherence: "Coherence",
    ask: "Ask | None",
    names: "Names",
) -> "BuildPart[Relation | Path]":
    """Return what builds the questions of a relation, or of a file of biographies."""
    from kgbuild.catalog import catalog
    from kgbuild.datasets.biokalma.build import Builder
    from kgbuild.datasets.biokalma.lexicon import lexicon

    builder = Builder(knowledge, catalog(), lexicon(), options, coherence, ask)

    def build_part(part: "Relation | Path", progress: Progress) -> Built:
        if isinstance(part, Path):
            return builder.enrich(part.name, _lines(part), names, progress)
        return builder.build(part, progress)

    return build_part


def _lines(file: Path) -> list[str]:
    lines = file.read_text(encoding="utf-8-sig", errors="replace").split("\n")
    if not any(map(str.strip, lines)):
        raise TableFileError(file, "it holds no line")
    return lines


def _joining(store: "Store", options: "Options") -> "list[Relation]":
    """Return the relations that join any two of the class."""
    from kgbuild.catalog import catalog
    from kgbuild.datasets.biokalma import coherence
    from kgbuild.datasets.biokalma.build import Builder
    from kgbuild.datasets.biokalma.lexicon import lexicon

    knowledge = store.knowledge(catalog().kinds)
    builder = Builder(knowledge, catalog(), lexicon(), options, coherence.none)
    joining = [
        relation for relation in catalog().relations_of("biokalma") if builder.joins(relation)
    ]
    if not joining:
        raise NothingJoinedError(options.of_class)
    return joining


def _coherence(measure: str, model: str | None) -> "Coherence":
    """Return what measures coherence; fail now if the model is missing."""
    from kgbuild.datasets.biokalma import coherence
    from kgbuild.models import embeddings

    if measure == EMBEDDING and model:
        embeddings.similarities(model, [])
        return coherence.by_similarity(partial(embeddings.similarities, model))
    if measure == PERPLEXITY and model:
        embeddings.perplexities(model, [])
        return coherence.by_perplexity(partial(embeddings.perplexities, model))
    return coherence.none
