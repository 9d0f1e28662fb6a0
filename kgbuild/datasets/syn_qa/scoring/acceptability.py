"""Score answers to questions of pairs by the verdicts of a judging model: see ``judging``."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kgbuild.datasets.asking import Grader
from kgbuild.datasets.scoring import ScoreColumn, ScoreTable, columns
from kgbuild.datasets.syn_qa.scoring.judging import (
    METRICS,
    NO,
    YES,
    Judged,
    request,
    score,
    verdict,
)
from kgbuild.datasets.syn_qa.scoring.prompts import (
    DETECTION,
    LIKELIHOOD,
    WITH_EVIDENCE,
    WITH_SEARCH,
)
from kgbuild.datasets.syn_qa.scoring.scores import SCORING
from kgbuild.evaluate.answers import OF_A_PAIR, OPTIONAL, Answer
from kgbuild.evaluate.bootstrap import Estimates, Share
from kgbuild.evaluate.judge_replies import judged_until, justification, missing
from kgbuild.models.chat import Failure, Reply
from kgbuild.text.replies import answer_of

if TYPE_CHECKING:
    from kgbuild.tables.database import Database


class Acceptability:
    """Scores answers to the questions of pairs by the verdicts of a grader.

    An answer without a text is not acceptable; the grader does not see it.
    """

    def __init__(self, db: "Database", path: Path, grader: Grader):
        self._db = db
        self._grader = grader
        self._verdicts: dict[Answer, str | Failure] = {}
        self._replies: dict[Answer, Reply | Failure] = {}

    def prepare(self, answers: Sequence[Answer]) -> None:
        """Let the grader judge the answers; those without a verdict do not count.

        Raises:
            KgbuildError: no request for a verdict was answered.
        """
        pairs = {record["pair_id"]: record for record in self._db.read("FROM syn_qa_pairs").records}
        texts = {answer: answer_of(answer.text) for answer in answers}
        requests = {
            answer: request(pairs[answer.asked], answer.false_assumption, text)
            for answer, text in texts.items()
            if text
        }
        asked = self._grader.ask([*requests.values()])
        self._replies = dict(zip(requests, asked, strict=True))
        replies = [self._replies.get(answer) for answer in answers]
        # If the budget ended early, empty answers after the last judged one do not count.
        end = judged_until([None if reply is None else missing(reply) is None for reply in replies])
        self._verdicts = {
            answer: NO if reply is None else verdict(reply)
            for answer, reply in zip(answers[:end], replies, strict=False)
            if reply is None or not missing(reply)
        }

    def score(self, answers: Sequence[Answer]) -> Estimates:
        """Return the shares of acceptable answers."""
        return score(
            Judged(answer.asked, answer.false_assumption, self._verdicts[answer])
            for answer in answers
            if answer in self._verdicts
        )

    def share(self, answer: Answer) -> Share:
        """Return whether an answer is acceptable; of none without a readable verdict."""
        said = self._verdicts.get(answer)
        return Share(0, 0) if isinstance(said, Failure | None) else Share(said == YES, 1)

    def abstains(self, answer: Answer) -> bool:
        """Return False: the grader also judges whether a refusal is acceptable."""
        return False

    def judgements(self, answers: Sequence[Answer]) -> Iterator[dict[str, Any]]:
        """Yield a record for each answer: whether it is acceptable, and why."""
        for answer in answers:
            share, reply = self.share(answer), self._replies.get(answer)
            yield {
                **answer.identity(OF_A_PAIR, OPTIONAL),
                "acceptable": bool(share.hits) if share.total else None,
                "justification": justification(reply) if reply else "",
            }


GENERATIVE = replace(
    SCORING,
    scorer=Acceptability,
    compared="acceptable",
    tables=(ScoreTable((ScoreColumn("answers", "acceptable", ""), *columns(*METRICS))),),
    notes=lambda _: (),
    elsewhere=(*DETECTION, WITH_EVIDENCE, WITH_SEARCH, LIKELIHOOD),
    instead="without --generative",
)
"""The scoring of ``SCORING``, but for answers by the protocol "generative"."""
