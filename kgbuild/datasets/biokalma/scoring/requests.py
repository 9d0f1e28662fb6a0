"""Make the requests that ask models BioKaLMA's questions, each with a pool of pieces to cite."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from kgbuild.calls import OneOf, Range
from kgbuild.datasets.biokalma.rows import ACCURACIES
from kgbuild.datasets.biokalma.scoring import prompts
from kgbuild.datasets.biokalma.scoring.citations import Triple
from kgbuild.datasets.item_requests import ItemRequest, Sample
from kgbuild.rows import Progress, no_progress

if TYPE_CHECKING:
    from kgbuild.tables.database import Database

OWN, RETRIEVED, IRRELEVANT = "own", "retrieved", "irrelevant"
"""The pool (the pieces that a model may cite) in a request.

OWN is the pool of the question, RETRIEVED has the pieces about the items that its text names, and
IRRELEVANT is the pool of another question.
"""
ALL_RIGHT = 100
"""The percentage of subjects whose pieces are right in a pool; the ablation lowers it."""

QUESTIONS = "SELECT question_id, specific_question, general_question FROM biokalma_questions"
"""The questions by protocol, in the order of ``prompts.PROTOCOLS``."""
_POOLS = """
    SELECT question_id, qid, property_label, "value" FROM {} AS pool WHERE pool.{} = {}
    ORDER BY question_id, qid, property, "value"
"""
"""Selects pools from a view; the blanks are the view, and a column with its required value."""
LABELS = """
    SELECT value_qid, "value" FROM biokalma_pool WHERE value_qid IS NOT NULL
    UNION
    SELECT subject.qid, subject."label"
    FROM (SELECT unnest(subjects) AS subject FROM biokalma_questions)
    ORDER BY ALL
"""
"""The labels of all subjects and values of pools."""
_SUBJECTS = "SELECT question_id, [subject.qid FOR subject IN subjects] FROM biokalma_questions"
_POOL_ITEMS = """
    SELECT question_id, list(qid) || list(value_qid) FROM biokalma_pool GROUP BY question_id
"""


def requests(
    db: "Database",
    protocols: Sequence[str],
    sample: Sample,
    *,
    removed: Annotated[int, Range(0, 3)] = 0,
    accuracy: Annotated[int, OneOf((ALL_RIGHT, *ACCURACIES))] = ALL_RIGHT,
    knowledge: Annotated[str, OneOf((OWN, RETRIEVED, IRRELEVANT))] = OWN,
    store: Path | None = None,
    progress: Progress = no_progress,
) -> list[ItemRequest]:
    """Return the requests about a sample of the questions, one per question and protocol.

    A protocol asks the specific or the general question. ``removed`` is the number of pieces of
    knowledge that the pools lack (see ``biokalma_rounds``). ``accuracy`` is the percentage of
    subjects with right pieces (see ``biokalma_ablation``). ``knowledge`` is OWN, RETRIEVED (from
    the folder ``store``) or IRRELEVANT.

    Raises:
        NoStoreError, DamagedStoreError: the store cannot be opened.
    """
    with db.reading():
        questions = {
            question_id: dict(zip(prompts.PROTOCOLS, texts, strict=True))
            for question_id, *texts in db.read(QUESTIONS).rows
        }
        pools = _pools(db, removed, accuracy)
        labels = dict(db.read(LABELS).rows)
    if knowledge == IRRELEVANT:
        from kgbuild.datasets.biokalma.sets.ablation import unrelated_questions

        subjects, pool_items = (dict(db.read(query).rows) for query in (_SUBJECTS, _POOL_ITEMS))
        unrelated = unrelated_questions(subjects, pool_items, sample.seed)
        pools = {question_id: pools[pool_id] for question_id, pool_id in unrelated.items()}
    asked = [
        (item_id, protocol, questions[item_id][protocol], pools[item_id])
        for item_id in sample.choose(pools)
        for protocol in protocols
    ]
    if knowledge == RETRIEVED and store:  # by the text of each question of a row
        retrieved, more_labels = retrieve_pools(store, [text for *_, text, _ in asked], progress)
        asked = [(*item, text, retrieved[text]) for *item, text, _ in asked]
        labels |= more_labels
    return [
        ItemRequest(
            item_id,
            protocol if knowledge == OWN else f"{protocol}-{knowledge}",
            prompts.request(text, pool, labels),
            removed=removed,
            accuracy=accuracy,
            fields=(("question", text), ("knowledge", prompts.pool_lines(pool, labels))),
        )
        for item_id, protocol, text, pool in asked
    ]


def _pools(db: "Database", removed: int, accuracy: int) -> Mapping[str, Sequence[Triple]]:
    """Return the pool of each question that has one."""
    query = _POOLS.format("biokalma_rounds", "removed", removed)
    if accuracy != ALL_RIGHT:
        query = _POOLS.format("biokalma_ablation", "accuracy", accuracy)
    pools = defaultdict(list)
    for question_id, *triple in db.read(query).rows:
        pools[question_id].append(Triple(*triple))
    return pools


def retrieve_pools(
    store: Path, questions: Sequence[str], progress: Progress = no_progress
) -> tuple[dict[str, list[Triple]], dict[str, str]]:
    """Return a pool for each question, and the labels of the items in the pools.

    A pool has the subgraphs of the items that the retriever recognises in the question.

    Raises:
        NoStoreError, DamagedStoreError: the store cannot be opened.
        KgbuildError: the retriever needs a library that is not installed.
    """
    from kgbuild.catalog import catalog
    from kgbuild.datasets.biokalma.retrieval.retriever import Retriever
    from kgbuild.datasets.biokalma.sets.pool import Pools
    from kgbuild.graph.open import open_store

    pools: dict[str, list[Triple]] = {}
    labels: dict[str, str] = {}
    with open_store(store) as opened:
        knowledge = opened.knowledge(catalog().kinds)
        retriever, pools_by_item = Retriever(knowledge, opened.names), Pools(knowledge)
        for number, question in enumerate(questions):
            progress("retrieving", number, len(questions))
            qids = dict.fromkeys(match.qid for match in retriever.retrieve(question))
            labels.update((qid, pools_by_item.label(qid) or qid) for qid in qids)
            pools[question] = [
                Triple(qid, pools_by_item.property_label(piece.pid), piece.value_text)
                for qid in qids
                for piece in pools_by_item.pieces(qid)
            ]
    return pools, labels
