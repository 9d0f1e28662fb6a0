"""Syn-(QA)² as one object: how it is built, asked, scored, shown and released."""

import contextlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from kgbuild.calls import Count, OneOf, Range, Seed, Share
from kgbuild.data_files import read_toml
from kgbuild.datasets.asking import Ask
from kgbuild.datasets.base import QUESTION, Dataset, Protocol, Task, package_folder
from kgbuild.datasets.syn_qa import rows
from kgbuild.datasets.syn_qa.scoring import prompts
from kgbuild.datasets.syn_qa.scoring.acceptability import GENERATIVE
from kgbuild.datasets.syn_qa.scoring.requests import requests
from kgbuild.datasets.syn_qa.scoring.scores import SCORING
from kgbuild.datasets.syn_qa.view import view
from kgbuild.errors import WrongCallError
from kgbuild.rows import Build, Built, Progress, no_progress

if TYPE_CHECKING:  # these modules are slow to import
    from kgbuild.catalog import Path as RelationPath
    from kgbuild.datasets.building import BuildPart
    from kgbuild.datasets.syn_qa.verification.assumptions import Source
    from kgbuild.datasets.verifying import Verified
    from kgbuild.graph.knowledge import Knowledge
    from kgbuild.graph.open import Store
    from kgbuild.tables.database import Database

_PROMPTS = """
SELECT protocol, question, prompt
FROM syn_qa_prompts JOIN syn_qa_questions USING (pair_id, false_assumption)
WHERE pair_id = (SELECT min(pair_id) FROM syn_qa_pairs) AND NOT false_assumption
"""


def build(
    store: "Store",
    relations: Sequence[str] | None = None,
    *,
    hops: Annotated[int, Range(1, 2)] = 1,
    templates: Sequence[str] = (),
    hotpotqa: Path | str | None = None,
    categories: Path | str | None = None,
    limit: Count | None = None,
    min_overlap: Count = rows.PairOptions.min_overlap,
    max_risk: Share = rows.PairOptions.max_risk,
    perturb: Annotated[str, OneOf([*rows.PERTURBED])] = rows.BOTH,
    confusability: Sequence[Annotated[str, OneOf(rows.GRADES)]] = (),
    seed: Seed = 0,
    splits: bool = False,
    since: Path | str | None = None,
    progress: Progress = no_progress,
) -> Build:
    """Build minimal pairs of questions, one of which has a false assumption.

    Pairs are made of the statements of ``relations``: ids, labels, or two ids with a slash for a
    path of two relations. The default is all relations, or with ``hops`` 2 all paths.
    ``templates`` are your own questions about one relation, with {subject} and {object}. Or
    ``hotpotqa`` is a file of HotpotQA, in whose questions a year, state or nationality is
    replaced; with ``categories``, a file with categories of titles, titles are replaced instead.

    ``limit`` is the maximum number of pairs of a relation (default 200) or of the file (default
    all). ``min_overlap`` is the minimum number of values that a replacement shares with what it
    replaces. ``max_risk`` is the maximum probability that the assumption is true. ``perturb`` is
    the end of the statements that is replaced: ``subject``, ``object`` or ``both``.
    ``confusability`` has grades: ``near``, ``middle`` or ``far``; each statement gives a pair of
    each, if it has a replacement so near. The limit is for each end and grade. ``seed`` orders the
    candidates. With ``splits``, most pairs are in a split for training, otherwise nearly all are
    for testing.

    ``since`` is an older store, or an older dump or slice: rows are made of statements that it does
    not have.

    Raises:
        WrongCallError: with ``since``, no files can be built; there is no such end or grade; both
            a grade and ``min_overlap`` say how near; a relation has no questions.
        NoStoreError: there is no older store.
        TableFileError: a file cannot be read.
        NothingBuiltError: no candidate became a pair.
        DamagedStoreError: the store cannot be read.
    """
    from kgbuild.datasets import building
    from kgbuild.datasets.ahead import ahead_of
    from kgbuild.datasets.syn_qa.build import path_builder

    if hotpotqa:
        file_options = {"limit": limit, "seed": seed, "splits": splits}
        files = [Path(file) for file in (hotpotqa, categories) if file]
        return building.build(
            DATASET,
            store,
            {files[0].name: files[0]},
            partial(_file_builder, categories=files[1:], options=file_options),
            {**file_options, "categories": categories and Path(categories).name},
            files=files,
            since=since,
            progress=progress,
        )
    if confusability and min_overlap != rows.PairOptions.min_overlap:
        raise WrongCallError("Pass 'confusability' or 'min_overlap': both say how much is shared.")
    options = rows.PairOptions(
        rows.PairOptions.limit if limit is None else limit,
        min_overlap,
        max_risk,
        seed,
        splits,
        perturb=perturb,
        confusability=tuple(dict.fromkeys(confusability)),
    )
    return building.build(
        DATASET,
        store,
        {path.name: path for path in _paths(store, relations, hops, templates)},
        partial(path_builder, options, ahead=ahead_of(store)),
        {**asdict(options), "templates": tuple(templates)},
        all_relations=relations is None,
        parallel=True,
        since=since,
        progress=progress,
    )


def _file_builder(
    _knowledge: "Knowledge", categories: Sequence[Path], options: Mapping[str, Any]
) -> "BuildPart[Path]":
    """Return the function that builds the pairs of a file of HotpotQA.

    ``categories`` has at most one file.
    """
    from kgbuild.datasets.syn_qa.hotpotqa import build as hotpotqa
    from kgbuild.datasets.syn_qa.hotpotqa.titles import read_categories

    categories_by_title = read_categories(*categories) if categories else {}

    def build_part(file: Path, progress: Progress) -> Built:
        return hotpotqa.build(file, categories_by_title, **options, progress=progress)

    return build_part


def _paths(
    store: "Store", relations: Sequence[str] | None, hops: int, templates: Sequence[str]
) -> "list[RelationPath]":
    """Return the paths of the relations, or the path with the user's templates, or all paths."""
    from kgbuild.catalog import Path as RelationPath
    from kgbuild.catalog import catalog

    relation_catalog = catalog()
    if templates:
        (relation,) = relations or ()
        custom = relation_catalog.custom_relation(relation, store.labels.label, tuple(templates))
        return [RelationPath(custom)]
    if relations is not None:
        return [*map(relation_catalog.path, relations)]
    if hops == 2:
        return relation_catalog.paths()
    return [*map(RelationPath, relation_catalog.relations_of("syn_qa"))]


def verify(
    db: "Database",
    *,
    endpoint: str | None = None,
    texts: Path | str | None = None,
    model: str | None = None,
    true: bool = False,
    keep: bool = False,
    store: "Store | None" = None,
    base_url: str = "",
    budget: int | None = None,
    cache: Path | str | None = None,
    ask: Ask | None = None,
    notice: Callable[[str], None] = lambda _: None,
    progress: Progress = no_progress,
) -> "Verified":
    """Verify all false assumptions of the pairs by a second source.

    Pass one source: ``endpoint``, the URL of a SPARQL endpoint with a larger graph; ``texts``, a
    file with the columns id or title, and text; or ``model``, the name of a language model.
    ``true`` verifies the true assumptions, too. ``store`` has aliases of items for texts.
    ``base_url``, ``budget`` and ``cache`` belong to the model, as for ``kgbuild.ask``; ``ask``
    replaces them by a function that sends requests to the model. ``notice`` receives a sentence
    when the endpoint requires a pause.

    Verdicts are written to the table ``verifications``. Pairs whose false assumption holds become
    rejections, unless ``keep`` is true. After an interruption of an endpoint, only the remaining
    assumptions are verified.

    Raises:
        WrongCallError: no source or several sources are passed.
        KgbuildError: there are no pairs; the source failed after some assumptions were verified;
            the source or the database cannot be used.
    """
    from kgbuild.datasets.syn_qa.verification.run import run

    if sum(map(bool, (endpoint, texts, model))) != 1:
        raise WrongCallError("Pass one source: endpoint, texts or model.")
    with contextlib.ExitStack() as stack:
        source: Source
        if endpoint:
            from kgbuild.datasets.syn_qa.verification.by_endpoint import EndpointSource
            from kgbuild.datasets.verifying import opened_endpoint

            source = EndpointSource(*stack.enter_context(opened_endpoint(endpoint, notice)))
        elif texts:
            from kgbuild.datasets.syn_qa.verification.by_texts import TextSource

            source = TextSource(Path(texts), store.labels if store else None)
        elif model:
            from kgbuild.datasets.syn_qa.verification.by_model import ModelSource

            if ask is None:
                from kgbuild.models.llm import Model
                from kgbuild.models.reply_cache import replies_beside

                replies = Path(cache) if cache else replies_beside(db.path)
                send = Model(model, replies, base_url, budget).ask
                ask = partial(send, progress=partial(progress, f"asking {model}"))
            source = ModelSource(model, ask)
        return run(db, DATASET, source, true=true, keep=keep, progress=progress)


def task(db: "Database") -> Task:
    """Return the tasks for evaluation harnesses: detection, and answers that another model judges.

    The prompts of detection are those of one pair, with a placeholder in the place of its question,
    which is the last occurrence of its text in the prompt.
    """
    from kgbuild.datasets.syn_qa.lm_eval_task import METRICS

    templates = {
        protocol: QUESTION.join(prompt.rsplit(question, 1))
        for protocol, question, prompt in db.read(_PROMPTS).rows
    }
    detection = {name: templates[name] for name in prompts.DETECTION if name in templates}
    (asked,) = prompts.generative(QUESTION).messages
    return Task(
        prompts={**detection, prompts.GENERATIVE: asked.content},
        metrics=METRICS,
        lower_is_better=("unparsed",),
        judged=(prompts.GENERATIVE,),
    )


_REASONS = read_toml("datasets/syn_qa/reasons.toml")
"""The reasons of rejection: the names of tables, each with explanations by reason."""
DATASET = Dataset(
    name="syn_qa",
    title="Syn-(QA)²",
    summary="Minimal pairs: the same question about a subject of which a relation holds, and about "
    "a similar item of which it does not.",
    unit="pairs",
    tables=("syn_qa_pairs",),
    key="pair_id",
    source_column="relation",
    folder=package_folder("syn_qa"),
    build=build,
    requests=requests,
    scoring=replace(SCORING, by_judge=GENERATIVE),
    task=task,
    reasons={reason: text for table in _REASONS.values() for reason, text in table.items()},
    part_reasons=(*_REASONS["replacement"], *_REASONS["distractor"]),
    protocols=(
        *map(Protocol, prompts.DETECTION),
        Protocol(prompts.WITH_EVIDENCE, on_demand=True),
        Protocol(prompts.WITH_SEARCH, on_demand=True),
        Protocol(prompts.GENERATIVE),
        Protocol(prompts.LIKELIHOOD, on_demand=True),
    ),
    verify=verify,
    view=view,
    shown_tables=("syn_qa_pairs",),
)
