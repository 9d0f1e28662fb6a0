"""Score answers to questions of pairs by the verdicts of a judging model: see ``judging``."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING

from kgbuild.datasets.asking import Ask
from kgbuild.datasets.scoring import AnswerSet, ScoreColumn, Scores, ScoreTable, columns
from kgbuild.datasets.syn_qa.scoring.judging import (
    METRICS,
    NO,
    YES,
    Judged,
    request,
    score,
    verdict,
)
from kgbuild.datasets.syn_qa.scoring.scores import SCORING
from kgbuild.evaluate.answers import OF_A_PAIR, OPTIONAL, Answer
from kgbuild.evaluate.judge_replies import judged_until, justification, missing
from kgbuild.models.chat import Failure
from kgbuild.text.replies import answer_of

if TYPE_CHECKING:
    from kgbuild.tables.database import Database

GENERATIVE = replace(
    SCORING,
    predictions="SELECT item_id AS pair_id, false_assumption, text AS answer, model, protocol,"
    " finish_reason FROM predictions WHERE dataset = 'syn_qa'"
    " AND regexp_full_match(protocol, 'generative(@[^+]*)?')",
    tables=(ScoreTable((ScoreColumn("answers", "acceptable", ""), *columns(*METRICS))),),
    notes=lambda _: (),
)
"""The scoring of ``SCORING``, but for answers by the protocol "generative"."""


def judge(answer_set: AnswerSet, db: "Database", name: str, ask: Ask) -> Scores:
    """Score answers to the questions of pairs by the verdicts of the model ``name``.

    An answer without a text is not acceptable; the judge does not see it.

    Raises:
        KgbuildError: no request for a verdict was answered.
    """
    pairs = {record["pair_id"]: record for record in db.read("FROM syn_qa_pairs").records}
    texts = [answer_of(answer.text) for answer in answer_set.answers]
    requests = [
        request(pairs[answer.asked], answer.false_assumption, text)
        for answer, text in zip(answer_set.answers, texts, strict=True)
        if text
    ]
    asked = iter(ask(requests))
    replies = [next(asked) if text else None for text in texts]  # None for an empty answer
    verdicts: list[str | Failure | None] = [
        NO if reply is None else None if missing(reply) else verdict(reply) for reply in replies
    ]
    # If the budget ended early, empty answers after the last judged one do not count.
    end = judged_until([None if reply is None else missing(reply) is None for reply in replies])
    verdicts[end:] = [None] * (len(verdicts) - end)
    remaining = iter(verdicts)
    groups = [
        (group, score(_judged(answers, islice(remaining, len(answers)))))
        for group, answers in answer_set.groups
    ]
    judgements = [
        {
            **answer.identity(OF_A_PAIR, OPTIONAL),
            "acceptable": None if isinstance(said, Failure | None) else said == YES,
            "justification": justification(reply) if reply else "",
        }
        for answer, said, reply in zip(answer_set.answers, verdicts, replies, strict=True)
    ]
    return Scores(answer_set, groups, name, lambda: judgements)


def _judged(
    answers: Sequence[Answer], verdicts: Iterable[str | Failure | None]
) -> Iterator[Judged]:
    """Yield the verdicts on answers; those without one do not count."""
    for answer, said in zip(answers, verdicts, strict=True):
        if said is not None:
            yield Judged(answer.asked, answer.false_assumption, said)
