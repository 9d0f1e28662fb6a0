"""Score how well answers to BioKaLMA are written, by the grades of a judging model."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from kgbuild.datasets.asking import Ask
from kgbuild.datasets.biokalma.citations import Pool, parse
from kgbuild.datasets.biokalma.quality import (
    LOWEST,
    METRICS,
    SAMPLES,
    Quality,
    Written,
    quality,
    requests,
)
from kgbuild.datasets.biokalma.requests import LABELS
from kgbuild.datasets.biokalma.scoring import Attribution
from kgbuild.datasets.scoring import AnswerSet, Scores
from kgbuild.english.normalize import fold
from kgbuild.evaluate.bootstrap import Counted, Share, estimates
from kgbuild.evaluate.grading import judged_until
from kgbuild.models.chat import Failure, Reply

if TYPE_CHECKING:
    from kgbuild.tables.database import Database

_QUESTIONS = "SELECT question_id, specific_question, general_question FROM biokalma_questions"
_GENERAL = "general"
"""The protocol of answers to general questions; all others are to specific ones."""
_EMPTY: Mapping[str, Quality] = dict.fromkeys(METRICS, Quality(LOWEST, 0, 0))
_NOT_JUDGED: Mapping[str, Quality] = dict.fromkeys(METRICS, Quality(None, 0, 0))


def score_quality(answer_set: AnswerSet, db: "Database", judge: str, ask: Ask) -> Scores:
    """Score the texts of answers by the grades of the model ``judge``, which ``ask`` asks.

    Raises:
        NoAnswersError: no request for a grade was answered.
    """
    texts = _texts(answer_set, db)
    grades = iter(_grades(texts, ask))
    groups = [
        (group, estimates([_counted(next(grades)) for _ in answers], unbounded=METRICS))
        for group, answers in answer_set.groups
    ]
    return Scores(answer_set, groups, judge)


def unparsable(metric: str) -> str:
    """Return the name of the share of replies without a readable grade of a metric."""
    return f"{metric}_unparsable"


def _texts(answer_set: AnswerSet, db: "Database") -> list[Written]:
    labels = dict(db.sql(LABELS).rows)
    questions = {question_id: texts for question_id, *texts in db.sql(_QUESTIONS).rows}
    scorer = Attribution(db, answer_set.path)
    written = []
    for answer in answer_set.answers:
        pool = scorer.pool(answer)
        sentences = parse(answer.text, Pool(pool, fold))
        knowledge = [f"{labels.get(qid, qid)}, {label}: {value}" for qid, label, value in pool]
        question = questions[answer.asked][answer.protocol == _GENERAL]
        text = " ".join(sentence.text for sentence in sentences).strip()
        written.append(Written(question, knowledge, text))
    return written


def _grades(texts: Sequence[Written], ask: Ask) -> list[Mapping[str, Quality]]:
    """Return the grades of each text by metric; an empty one has the lowest."""
    replies = iter(
        ask(
            [
                request
                for text in texts
                if text.text
                for sampled in requests(text).values()
                for request in sampled
            ]
        )
    )
    grades = [_read(replies) if text.text else _EMPTY for text in texts]
    end = judged_until([None if one is _EMPTY else _is_judged(one) for one in grades])
    return [*grades[:end], *(_NOT_JUDGED if one is _EMPTY else one for one in grades[end:])]


def _read(replies: Iterator[Reply | Failure]) -> Mapping[str, Quality]:
    """Return the grades of a text, whose replies come next."""
    return {name: quality([*islice(replies, SAMPLES)]) for name in METRICS}


def _is_judged(grades: Mapping[str, Quality]) -> bool:
    return any(grade.replies for grade in grades.values())


def _counted(grades: Mapping[str, Quality]) -> Counted:
    """Return what an answer adds: its grades, and the replies without a grade."""
    shares = {
        name: Share(0, 0) if grade.value is None else Share(grade.value, 1)
        for name, grade in grades.items()
    }
    unread = {
        unparsable(name): Share(grade.unparsable, grade.replies) for name, grade in grades.items()
    }
    return {**shares, **unread}
