"""BioKaLMA as one object: how it is built, asked, scored, shown and released."""

from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from kgbuild.calls import Count, OneOf, Range, Seed, Share
from kgbuild.data_files import read_toml
from kgbuild.datasets.asking import Ask
from kgbuild.datasets.base import Dataset, Protocol, Task, package_folder
from kgbuild.datasets.biokalma import rows
from kgbuild.datasets.biokalma.rows import PEOPLE, SetOptions
from kgbuild.datasets.biokalma.scoring import prompts
from kgbuild.datasets.biokalma.scoring.attribution import SCORING
from kgbuild.datasets.biokalma.scoring.requests import requests
from kgbuild.datasets.biokalma.sets.verification import verify
from kgbuild.datasets.biokalma.view import claims, view
from kgbuild.errors import KgbuildError
from kgbuild.net import urls
from kgbuild.rows import Build, Progress, no_progress
from kgbuild.wikidata import parse_item

if TYPE_CHECKING:  # these modules are slow to import
    from kgbuild.datasets.biokalma.sets.coherence import Coherence
    from kgbuild.graph.open import Store
    from kgbuild.tables.database import Database

NONE, EMBEDDING, PERPLEXITY = COHERENCES = ("none", "embedding", "perplexity")
"""The measures of coherence: no measure, the similarity of sentences, a causal language model."""


def build(
    store: "Store",
    relations: Sequence[str] | None = None,
    *,
    biographies: Path | str | None = None,
    of_class: str = PEOPLE,
    limit: Count | None = None,
    rounds: Annotated[int, Range(4, 12)] = SetOptions.rounds,
    coherence: Annotated[str, OneOf(COHERENCES)] = NONE,
    coherence_model: str | None = None,
    alpha: Share = SetOptions.alpha,
    remove: Annotated[int, Range(0, 3)] = SetOptions.remove,
    seed: Seed = 0,
    splits: bool = False,
    since: Path | str | None = None,
    ask: Ask | None = None,
    model: str | None = None,
    base_url: str | None = None,
    progress: Progress = no_progress,
) -> Build:
    """Build questions about two subjects, each with its minimum knowledge set.

    This set has the pieces that a complete answer needs, and no piece that follows from the others.
    ``relations`` (ids, labels or paths) are the relations that join the two subjects, or paths of
    two properties such as P800/P57, whose last property is the relation; the default is all
    relations that join items of the class. ``biographies`` is a file of sentences about two people
    (JSON Lines), which replaces the relations. ``of_class`` is the class of the subjects.
    ``coherence`` is a measure of COHERENCES, and ``coherence_model`` its model. ``limit`` is the
    maximum number of questions of a relation, ``rounds`` of pieces that are added to the pieces
    that a set begins with, and ``remove`` of pieces that are removed from a pool to test whether a
    model marks missing knowledge. ``alpha`` is the weight of specificity against coherence, from 0
    to 1. ``seed`` orders candidates. With ``splits``, most questions are in a split for training,
    otherwise nearly all are for testing. ``ask`` sends requests to a language model that writes the
    texts; ``model`` and ``base_url`` are recorded as its name and server. ``since`` is an older
    store, or an older dump or slice: rows are made of statements that it does not have.

    Raises:
        WrongCallError: with ``since``, no files can be built.
        NoStoreError: there is no older store.
        WrongCallError: a relation does not exist or cannot join subjects.
        KgbuildError: no relation joins two items of the class.
        TableFileError: the file has no line.
        NoModelError, KgbuildError: the model of coherence cannot be loaded.
        NothingBuiltError: no candidate became a question.
        DamagedStoreError: the store cannot be read.
    """
    from kgbuild.catalog import catalog
    from kgbuild.datasets import building
    from kgbuild.datasets.ahead import ahead_of
    from kgbuild.datasets.biokalma.sets.build import Builder
    from kgbuild.datasets.biokalma.sets.minimal import Minimality
    from kgbuild.datasets.biokalma.sets.pairs import SubjectPairs
    from kgbuild.relations import Relation

    of_class = parse_item(of_class)
    options = SetOptions(limit, of_class, rounds, alpha, remove, seed, splits)
    measure = _coherence(coherence, coherence_model)
    parts: dict[str, Relation | Path]  # by name; the parts are built one after the other
    files = [Path(biographies)] if biographies else []
    if files:
        parts = {files[0].name: files[0]}
    elif relations is not None:
        chosen = [catalog().relation(path.rpartition("/")[2], DATASET.name) for path in relations]
        parts = {relation.pid: relation for relation in chosen}
    else:
        knowledge = store.knowledge(catalog().kinds)
        pairs = SubjectPairs(knowledge, Minimality(knowledge), of_class)
        joining = [relation for relation in pairs.relations.values() if pairs.joins(relation)]
        parts = {relation.pid: relation for relation in joining}
        if not parts:
            raise KgbuildError(
                f"No relation with questions links two items of the class {of_class} in this "
                "store. 'kgbuild stats' lists the store's classes, 'kgbuild relations' lists "
                "the relations."
            )
    return building.build(
        DATASET,
        store,
        parts,
        partial(
            Builder,
            names=store.names,
            options=options,
            coherence=measure,
            ask=ask,
            ahead=ahead_of(store),
        ),
        {
            **asdict(options),
            "coherence": coherence,
            "coherence_model": coherence_model,
            "model": model,
            "base_url": base_url and urls.public(base_url),
        },
        files=files,
        all_relations=not files and relations is None,
        since=since,
        progress=progress,
    )


def _coherence(measure: str, model: str | None) -> "Coherence | None":
    """Return what measures coherence; None without a measure.

    It is called without texts, so that a missing model is an error before the build begins.
    """
    from kgbuild.datasets.biokalma.sets.coherence import Coherence, by_perplexity
    from kgbuild.models.local import embeddings

    if measure == NONE or not model:
        return None
    # Similarity, which the paper does not use, is for users without a causal language model.
    by_model = (
        partial(embeddings.similarities, model)
        if measure == EMBEDDING
        else by_perplexity(partial(embeddings.perplexities, model))
    )
    by_model([])
    return Coherence(by_model)


def task(_db: "Database") -> Task:
    """Return the description of the tasks for evaluation harnesses, one for each protocol.

    ``lm_eval_task.py`` makes their prompts from a question and its pool. The example of
    ``kgbuild ask`` comes before each question, as a shot.
    """
    from kgbuild.datasets.biokalma.lm_eval_task import METRICS

    # Any request begins with the example and its answer.
    example, answer, _ = prompts.request("", (), {}).messages
    return Task(
        prompts=dict.fromkeys(prompts.PROTOCOLS, "{{prompt}}"),
        metrics=METRICS,
        lower_is_better=("refused", "uncited"),
        shots=((example.content, answer.content),),
    )


_REASONS = read_toml("datasets/biokalma/reasons.toml")
"""The reasons of rejection: the names of tables, each with explanations by reason."""
DATASET = Dataset(
    name=rows.DATASET,
    title="BioKaLMA",
    summary="Questions about two subjects, the minimum knowledge that answers them, and the pool "
    "of statements that it was chosen from.",
    unit="questions",
    tables=rows.TABLES,
    key="question_id",
    source_column="source",
    folder=package_folder(rows.DATASET),
    build=build,
    requests=requests,
    scoring=SCORING,
    task=task,
    verify=verify,
    reasons={reason: text for table in _REASONS.values() for reason, text in table.items()},
    part_reasons=(*_REASONS["knowledge"],),  # they reject a piece, not the question
    protocols=tuple(map(Protocol, prompts.PROTOCOLS)),
    view=view,
    shown_tables=("biokalma_questions", "biokalma_knowledge"),
    claims=claims,
)
