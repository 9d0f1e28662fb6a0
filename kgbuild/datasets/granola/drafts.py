"""Complete drafts of questions: ask a model, if there is one, and put the answers at levels."""

import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

from kgbuild.datasets.asking import Ask
from kgbuild.datasets.granola import model_prompts
from kgbuild.datasets.granola.levels import Levels
from kgbuild.datasets.granola.rows import DraftQuestion, rows
from kgbuild.graph.knowledge import Knowledge
from kgbuild.models.chat import Failure
from kgbuild.rows import Built, Progress, Rejection, Row


class Draft(NamedTuple):
    """A question without coarser answers.

    ``key`` names it among the rejections; ``level`` puts its answers, and those of a model, at
    their levels.
    """

    key: str
    question: DraftQuestion
    level: Callable[[Sequence[str]], Levels]


def complete(
    knowledge: Knowledge,
    source: str,
    drafts: Sequence[Draft],
    rejections: Sequence[Rejection],
    started: float,
    ask: Ask | None,
    progress: Progress,
) -> Built:
    """Return the rows of a relation or a file, with the ``rejections`` so far.

    ``ask`` asks a model for coarser answers; ``started`` is the time at which the build began.
    """
    replies = _model_answers(knowledge, drafts, ask) if ask else [[] for _ in drafts]
    questions: list[Row] = []
    answers: list[Row] = []
    rejected = [*rejections]
    for number, (draft, texts) in enumerate(zip(drafts, replies, strict=True)):
        progress(source, number, len(drafts))
        if isinstance(texts, Failure):
            rejected.append(Rejection(draft.key, texts.reason, texts.detail))
            continue
        levels, dropped = draft.level(texts)
        question, of_it = rows(knowledge, draft.question, levels)
        questions.append(vars(question))
        answers.extend(map(vars, of_it))
        rejected.extend(Rejection(draft.key, reason, text) for text, reason in dropped)
    return Built(
        relation=source,
        tables={"granola_questions": questions, "granola_answers": answers},
        rejections=rejected,
        candidates=len(drafts) + len(rejections),
        seconds=time.monotonic() - started,
    )


def consistent(
    knowledge: Knowledge, drafts: Sequence[Draft], ask: Ask
) -> tuple[list[Draft], list[Rejection]]:
    """Return the drafts whose subject has a description that fits, according to a model.

    Subjects without a description fit.

    Source: appendix C of the paper.
    """
    descriptions = [_description(knowledge, draft.question.subject) for draft in drafts]
    requests = [
        model_prompts.consistency_requests(draft.question.question, text) if text else []
        for draft, text in zip(drafts, descriptions, strict=True)
    ]
    replies = iter(ask([request for samples in requests for request in samples]))
    kept: list[Draft] = []
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
    knowledge: Knowledge, drafts: Sequence[Draft], ask: Ask
) -> list[list[str] | Failure]:
    """Return the coarser answers of a model to each draft, the finest first."""
    requests = []
    for draft in drafts:
        qid, name = draft.question.gold[0]
        subject, answer = (_description(knowledge, one) for one in (draft.question.subject, qid))
        requests.append(
            model_prompts.coarser_request(draft.question.question, name, subject, answer)
        )
    answers = map(model_prompts.read_answers, ask(requests))
    return [texts if isinstance(texts, Failure) else texts[1:] for texts in answers]


def _description(knowledge: Knowledge, qid: str | None) -> str | None:
    return knowledge.labels.description(qid) if qid else None
