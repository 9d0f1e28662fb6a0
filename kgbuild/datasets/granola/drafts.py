"""From drafts to rows: a model is asked, if one is wanted, and answers are put at their levels."""

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

from kgbuild.datasets.granola import model
from kgbuild.datasets.granola.levels import Dropped, Levelled
from kgbuild.datasets.granola.rows import Asked, rows
from kgbuild.graph.knowledge import Knowledge
from kgbuild.models.chat import Failure, Reply, Request
from kgbuild.rows import Rejection, Row

Ask: TypeAlias = Callable[[Sequence[Request]], Sequence[Reply | Failure]]
"""Asks a model, many requests at once."""
Levels: TypeAlias = tuple[list[Levelled], list[Dropped]]


class Draft(NamedTuple):
    """A question whose answers are known, but not yet their levels.

    ``key`` names it among what is left out; ``level`` puts its answers, and those that a model
    said, at their levels.
    """

    key: str
    asked: Asked
    level: Callable[[Sequence[str]], Levels]


class Completed(NamedTuple):
    """The rows of questions and answers, and what was left out."""

    questions: list[Row]
    answers: list[Row]
    rejections: list[Rejection]


def completed(
    known: Knowledge,
    drafts: Sequence[Draft],
    ask: Ask | None,
    progress: Callable[[int], None] = lambda _: None,
) -> Completed:
    """Return the rows of drafts; of those to which a model, if there is one, has an answer.

    ``progress`` counts drafts.
    """
    said = _said(known, drafts, ask) if ask else [[] for _ in drafts]
    done = Completed([], [], [])
    for number, (draft, texts) in enumerate(zip(drafts, said, strict=True)):
        progress(number)
        if isinstance(texts, Failure):
            done.rejections.append(Rejection(draft.key, texts.reason, texts.detail))
            continue
        levels, dropped = draft.level(texts)
        question, answers = rows(known, draft.asked, levels)
        done.questions.append(vars(question))
        done.answers.extend(map(vars, answers))
        done.rejections.extend(Rejection(draft.key, reason, text) for text, reason in dropped)
    return done


def consistent(
    known: Knowledge, drafts: Sequence[Draft], ask: Ask
) -> tuple[list[Draft], list[Rejection]]:
    """Return the drafts whose subject's description fits the question, as a model sees it.

    Those without a description stay.

    Source: appendix C of the paper.
    """
    about = [_described(known, draft.asked.subject) for draft in drafts]
    requests = [
        model.consistency(draft.asked.question, text) if text else []
        for draft, text in zip(drafts, about, strict=True)
    ]
    replies = iter(ask([request for several in requests for request in several]))
    kept: list[Draft] = []
    rejections: list[Rejection] = []
    for draft, several in zip(drafts, requests, strict=True):
        share = model.inconsistency([next(replies) for _ in several]) if several else 0.0
        if isinstance(share, Failure):
            rejections.append(Rejection(draft.key, share.reason, share.detail))
        elif share > model.MOST_INCONSISTENT:
            detail = f"{_described(known, draft.asked.subject)}: {share:.0%} say no"
            rejections.append(Rejection(draft.key, "inconsistent", detail))
        else:
            kept.append(draft)
    return kept, rejections


def _said(known: Knowledge, drafts: Sequence[Draft], ask: Ask) -> list[list[str] | Failure]:
    """Return what a model says to each draft besides its gold answer, the finest first."""
    requests = []
    for draft in drafts:
        qid, name = draft.asked.gold[0]
        about_subject, about_answer = (_described(known, one) for one in (draft.asked.subject, qid))
        requests.append(model.coarser(draft.asked.question, name, about_subject, about_answer))
    found = map(model.answers, ask(requests))
    return [texts if isinstance(texts, Failure) else texts[1:] for texts in found]


def _described(known: Knowledge, qid: str | None) -> str | None:
    return known.labels.description(qid) if qid else None
