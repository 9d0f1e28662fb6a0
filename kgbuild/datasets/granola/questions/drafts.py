"""Turn drafts of questions into rows: assign levels to answers of the store and of a model."""

import functools
import time
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from kgbuild.datasets.asking import Ask
from kgbuild.datasets.granola import model_prompts
from kgbuild.datasets.granola.levels.order import Gold, Level, Levelled, Levels
from kgbuild.datasets.granola.relation_facts import RelationFacts
from kgbuild.graph.knowledge import Knowledge
from kgbuild.models.chat import Failure
from kgbuild.rows import Built, Evidence, Progress, Rejected, Rejection, Row, split, stable_id
from kgbuild.store.arrays import forgetting

# It is cached because many answers have the same triples: a country is on its continent.
_as_row = functools.lru_cache(1 << 16)(Evidence._asdict)


class RowDraft(NamedTuple):
    """A question without coarser answers.

    ``key`` names the draft in the table of rejections. ``mention`` is the name of the subject in
    the question; None if the question is made from a template. ``resolution`` is the rule that
    chose the subject. ``source`` is the relation or the file of the question.
    """

    key: str
    relation: str
    question: str
    subject: str | None
    mention: str | None
    gold: Sequence[Gold]
    resolution: str
    source: str
    level: Level


def complete(
    knowledge: Knowledge,
    source: str,
    drafts: Sequence[RowDraft],
    rejections: Sequence[Rejection],
    started: float,
    splits: bool,
    ask: Ask | None,
    progress: Progress,
) -> Built:
    """Return the rows of a relation or a file, with the ``rejections`` so far.

    ``ask`` sends requests for coarser answers to a model; ``started`` is the time, by the monotonic
    clock, at which the build began. With ``splits``, most questions are in a split for training.
    """
    model_answers = _model_answers(knowledge, drafts, ask) if ask else [[] for _ in drafts]
    single = RelationFacts(knowledge).share_with_one_value
    questions: list[Row] = []
    answers: list[Row] = []
    all_rejections = [*rejections]
    for number, (draft, texts) in enumerate(forgetting(zip(drafts, model_answers, strict=True))):
        progress(source, number, len(drafts))
        if isinstance(texts, Failure):
            all_rejections.append(Rejection(draft.key, texts.reason, texts.detail))
            continue
        levels, dropped = draft.level(texts)
        question = _question(knowledge, draft, splits, single(draft.relation))
        questions.append(question)
        answers += [_answer(question["question_id"], draft.source, answer) for answer in levels]
        all_rejections.extend(Rejection(draft.key, reason, text) for text, reason in dropped)
    return Built(
        relation=source,
        tables={"granola_questions": questions, "granola_answers": answers},
        rejections=all_rejections,
        candidates=len(drafts) + len(rejections),
        seconds=time.monotonic() - started,
    )


def with_levels(draft: RowDraft) -> RowDraft:
    """Return a draft that has its levels, without answers of a model, so that it can be pickled.

    Raises:
        Rejected: there is no coarser answer, not even one that is left out.
    """
    levelled, dropped = draft.level(())
    if not dropped and all(answer.level == 1 for answer in levelled):
        raise Rejected("no coarser answer", ", ".join(gold.names[0] for gold in draft.gold))
    nothing = frozenset[object]()  # facets are large, and levels are made of them
    slim = [
        answer._replace(candidate=answer.candidate._replace(facets=nothing, implied=nothing))
        for answer in levelled
    ]
    return draft._replace(level=functools.partial(_known_levels, (slim, dropped)))


def _known_levels(levels: Levels, _: Sequence[str]) -> Levels:
    return levels


def _question(knowledge: Knowledge, draft: RowDraft, splits: bool, complete: float | None) -> Row:
    """Return the row of ``granola_questions``."""
    subject, labels = draft.subject, knowledge.labels
    parts = (draft.source, draft.relation, subject or "", draft.question)
    return {
        "question_id": stable_id("granola", *parts),
        "relation": draft.relation,
        "question": draft.question,
        "subject_qid": subject,
        "subject_label": (labels.label(subject) if subject else None) or draft.mention,
        "subject_description": labels.description(subject) if subject else None,
        "answers": [{"qid": gold.qid, "label": gold.names[0]} for gold in draft.gold],
        "popularity": knowledge.statements.popularity(subject) if subject else 0,
        "resolution": draft.resolution,
        "source": draft.source,
        "evidence": [_as_row(triple) for gold in draft.gold for triple in gold.evidence],
        "split": split(subject or draft.question, splits),
        "complete": complete,
    }


def _answer(question_id: str, source: str, answer: Levelled) -> Row:
    """Return the row of ``granola_answers``."""
    candidate = answer.candidate
    return {
        "question_id": question_id,
        "level": answer.level,
        "answer": candidate.text,
        "aliases": list(candidate.aliases),
        "qid": candidate.qid,
        "kind": candidate.kind,
        "bits": round(answer.bits, 3),
        "capped": answer.was_capped,
        "golds": list(answer.golds),
        "evidence": [_as_row(triple) for triple in candidate.evidence],
        "source": source,
    }


def consistent(
    knowledge: Knowledge, drafts: Sequence[RowDraft], ask: Ask
) -> tuple[list[RowDraft], list[Rejection]]:
    """Return the drafts whose question fits the description of the subject, as a model judges.

    Drafts without a description are kept; all others become rejections.

    Source: appendix C of the paper.
    """
    descriptions = [_description(knowledge, draft.subject) for draft in drafts]
    requests = [
        model_prompts.consistency_requests(draft.question, text) if text else []
        for draft, text in zip(drafts, descriptions, strict=True)
    ]
    replies = iter(ask([request for samples in requests for request in samples]))
    kept: list[RowDraft] = []
    rejections: list[Rejection] = []
    for draft, text, samples in zip(drafts, descriptions, requests, strict=True):
        share = model_prompts.inconsistency([next(replies) for _ in samples]) if samples else 0.0
        if isinstance(share, Failure):
            rejections.append(Rejection(draft.key, share.reason, share.detail))
        elif share > model_prompts.MAX_INCONSISTENCY:
            rejections.append(Rejection(draft.key, "inconsistent", f"{text}: {share:.0%} say no"))
        else:
            kept.append(draft)
    return kept, rejections


def _model_answers(
    knowledge: Knowledge, drafts: Sequence[RowDraft], ask: Ask
) -> list[list[str] | Failure]:
    """Return the coarser answers of a model to each draft, the finest first."""
    requests = []
    for draft in drafts:
        gold = draft.gold[0]
        subject, answer = (_description(knowledge, qid) for qid in (draft.subject, gold.qid))
        requests.append(
            model_prompts.coarser_request(draft.question, gold.names[0], subject, answer)
        )
    answers = map(model_prompts.read_answers, ask(requests))
    return [texts if isinstance(texts, Failure) else texts[1:] for texts in answers]


def _description(knowledge: Knowledge, qid: str | None) -> str | None:
    return knowledge.labels.description(qid) if qid else None


def with_distinct_questions(drafts: Sequence[RowDraft]) -> tuple[list[RowDraft], list[Rejection]]:
    """Return drafts without those with the question of another one, which become rejections."""
    counts = Counter(draft.question for draft in drafts)
    same = [draft for draft in drafts if counts[draft.question] > 1]
    kept = [draft for draft in drafts if counts[draft.question] == 1]
    return kept, [Rejection(draft.key, "same name", draft.question) for draft in same]
