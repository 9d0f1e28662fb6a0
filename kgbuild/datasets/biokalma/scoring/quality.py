"""Score how well answers are written, without their citations, by the grades of a judging model.

The wording of criteria and steps is our own; the metrics, with grades from 1 to 5, are the metrics
of the BioKaLMA paper (section 4.1), which takes them from G-Eval.

Known weaknesses: a model prefers texts in its own style and especially its own texts, so no model
should judge itself. Most texts get the same high grades; only the worst texts get others. Games it:
long, smooth sentences.
"""

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from kgbuild.data_files import read_toml
from kgbuild.datasets.asking import Ask
from kgbuild.datasets.biokalma.rows import GENERAL, scope_of
from kgbuild.datasets.biokalma.scoring.answer_pools import AnswerPools
from kgbuild.datasets.biokalma.scoring.citations import Pool, parse
from kgbuild.datasets.biokalma.scoring.requests import LABELS, QUESTIONS
from kgbuild.datasets.scoring import AnswerSet, Scores
from kgbuild.evaluate.answers import ALONE, OF_A_POOL
from kgbuild.evaluate.bootstrap import Counted, Share, estimates
from kgbuild.evaluate.judge_replies import grade, judged_until, justification, missing, request
from kgbuild.models.chat import Failure, Reply, Request

if TYPE_CHECKING:
    from kgbuild.tables.database import Database

_GRADES = ("1", "2", "3", "4", "5")
_PROMPTS = read_toml("datasets/biokalma/quality.toml")
METRICS = tuple(_PROMPTS["tasks"])


class GradeSampling(NamedTuple):
    """How the judge grades a text for a metric: the mean of ``samples`` grades is used.

    ``unparsable`` is the grade of a reply without a readable one; None if it does not count.
    """

    samples: int = 5
    temperature: float = 1.0
    unparsable: int | None = None


OURS = GradeSampling()
PUBLISHED = GradeSampling(1, 0.0, 3)
"""The sampling of the authors' code."""


class AnswerText(NamedTuple):
    """An answer without its citations, its question, and the knowledge in its prompt."""

    question: str
    knowledge: Sequence[str]
    text: str


class Quality(NamedTuple):
    """The mean grade of a text (None without grades), and the numbers of its replies.

    ``unparsable`` is the number of replies without a readable grade. ``justifications`` are what
    the judge says before each grade.
    """

    value: float | None
    unparsable: int
    replies: int
    justifications: Sequence[str] = ()


def requests(answer: AnswerText, sampling: GradeSampling = OURS) -> Mapping[str, list[Request]]:
    """Return the requests for the grades of a text by metric.

    Source: section 4.1 of the paper.
    """
    question, text = {"Question": answer.question}, {"Answer": answer.text}
    fields: Mapping[str, Mapping[str, str | Sequence[str]]] = {
        "coherence": question | text,
        "consistency": {"Knowledge": answer.knowledge, **text},
        "fluency": text,
        "relevance": question | text,
    }
    return {
        name: [
            request(f"{task} {_PROMPTS['scale']}", fields[name], _GRADES)._replace(
                temperature=sampling.temperature, sample=sample
            )
            for sample in range(sampling.samples)
        ]
        for name, task in _PROMPTS["tasks"].items()
    }


def quality(replies: Sequence[Reply | Failure], sampling: GradeSampling = OURS) -> Quality:
    """Return the quality of a text from the replies to the requests for a metric."""
    outcomes = [grade(reply, _GRADES) for reply in replies if not missing(reply)]
    read = [int(outcome) for outcome in outcomes if not isinstance(outcome, Failure)]
    unread = [] if sampling.unparsable is None else [sampling.unparsable]
    grades = [*read, *unread * (len(outcomes) - len(read))]
    value = sum(grades) / len(grades) if grades else None
    reasons = [justification(reply) for reply in replies if not missing(reply)]
    return Quality(value, len(outcomes) - len(read), len(outcomes), reasons)


def score_quality(
    answer_set: AnswerSet, db: "Database", judge: str, ask: Ask, as_published: bool = False
) -> Scores:
    """Score the texts of answers by the grades of a model.

    ``judge`` is the name of the model, and ``ask`` sends requests to it. ``as_published`` samples
    and counts grades as the code of the authors does.

    Raises:
        KgbuildError: no request for a grade was answered.
    """
    sampling = PUBLISHED if as_published else OURS
    answers = _answer_texts(answer_set, db)
    all_requests = [
        request
        for answer in answers
        if answer.text
        for samples in requests(answer, sampling).values()
        for request in samples
    ]
    replies = iter(ask(all_requests))
    judged = [
        {metric: quality([*islice(replies, sampling.samples)], sampling) for metric in METRICS}
        if answer.text
        else None
        for answer in answers
    ]
    end = judged_until(
        [any(one.replies for one in item.values()) if item else None for item in judged]
    )
    # Empty texts have the lowest grade without a judge, or none behind the end of the budget.
    grades = [
        item or dict.fromkeys(METRICS, Quality(1 if number < end else None, 0, 0))
        for number, item in enumerate(judged)
    ]
    counted = map(_counted, grades)
    groups = [
        (group, estimates([*islice(counted, len(members))], unbounded=METRICS))
        for group, members in answer_set.groups
    ]
    judgements = [
        {
            **answer.identity(ALONE, OF_A_POOL),
            "grades": {metric: quality.value for metric, quality in item.items()},
            "justifications": {metric: quality.justifications for metric, quality in item.items()},
        }
        for answer, item in zip(answer_set.answers, grades, strict=True)
    ]
    return Scores(answer_set, groups, judge, lambda: judgements)


def unparsable_metric(metric: str) -> str:
    """Return the name of the share of replies without a readable grade of a metric."""
    return f"{metric}_unparsable"


def _answer_texts(answer_set: AnswerSet, db: "Database") -> list[AnswerText]:
    labels = dict(db.read(LABELS).rows)
    questions = {question_id: wordings for question_id, *wordings in db.read(QUESTIONS).rows}
    pools = AnswerPools(lambda query: db.read(query).rows, answer_set.path)
    texts = []
    for answer in answer_set.answers:
        pool = pools.pool(answer)
        sentences = parse(answer.text, Pool(pool))
        knowledge = [f"{labels.get(qid, qid)}, {label}: {value}" for qid, label, value in pool]
        specific, general = questions[answer.asked]
        question = general if scope_of(answer.protocol) == GENERAL else specific
        text = " ".join(sentence.text for sentence in sentences).strip()
        texts.append(AnswerText(question, knowledge, text))
    return texts


def _counted(grades: Mapping[str, Quality]) -> Counted:
    """Return the shares of an answer by metric: its grades, and its replies without a grade."""
    shares = {
        name: Share(0, 0) if grade.value is None else Share(grade.value, 1)
        for name, grade in grades.items()
    }
    unparsable_shares = {
        unparsable_metric(name): Share(grade.unparsable, grade.replies)
        for name, grade in grades.items()
    }
    return {**shares, **unparsable_shares}
