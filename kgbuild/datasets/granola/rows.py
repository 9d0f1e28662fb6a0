"""What the builder gives: the rows of questions and answers, and why something is not there."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from kgbuild.datasets.granola.levels import Levelled
from kgbuild.graph.knowledge import Knowledge
from kgbuild.rows import Evidence, split, stable_id

DATASET = "granola"

REASONS = {
    "malformed": "relations.toml breaks its rules about the relation",
    "no label": "the subject, or each of its answers, has no label in English",
    "same name": "another subject of the relation, or an answer, has the subject's name",
    "wrong kind": "the subject is a person or a film, and the question is about something else",
    "no date": "the time is known less well than to a century, or no date that people write",
    "inconsistent": "by the model's word, the subject's description is that of something else",
    "no answer": "the model's server was down, slow or broken at every try",
    "nonsense": "the model said nothing that can be read as answers",
    "refused": "the model's server does not take the request",
    "budget": "the budget was spent before the model was asked",
}
"""Why there is no question."""

ANSWER_REASONS = {
    "trivial": "it says no more than what every answer is expected to be",
    "tells little": "it covers too many of the possible answers",
    "gives the subject away": "the name of the subject stands in it",
    "same answer": "it reads like a finer one",
    "unconfirmed": "a model says it, and of what it says the store knows another, but not this",
}
"""Why a coarser answer of a question is not there."""


@dataclass(frozen=True)
class Question:
    """A row of ``granola_questions``; the columns are described in docs/tables.md."""

    question_id: str
    relation: str
    question: str
    subject_qid: str | None
    subject_label: str | None
    subject_description: str | None
    answers: list[dict[str, str | None]]
    popularity: int
    resolution: str
    source: str
    evidence: list[dict[str, str]]
    split: str


@dataclass(frozen=True)
class Answer:
    """A row of ``granola_answers``; the columns are described in docs/tables.md."""

    question_id: str
    level: int
    answer: str
    aliases: list[str]
    qid: str | None
    kind: str
    bits: float
    capped: bool
    evidence: list[dict[str, str]]
    source: str


class Asked(NamedTuple):
    """A question, what it is about, and its gold answers as (item, name).

    ``mention`` is how the question names the subject; ``resolution`` says by which rule the item
    was found, ``source`` what the question was made from.
    """

    relation: str
    question: str
    subject: str | None
    mention: str | None
    gold: Sequence[tuple[str | None, str]]
    evidence: Sequence[Evidence]
    resolution: str
    source: str


def rows(
    known: Knowledge, asked: Asked, answers: Sequence[Levelled]
) -> tuple[Question, list[Answer]]:
    """Return the rows of a question and of its answers."""
    subject = asked.subject
    question_id = stable_id(DATASET, asked.source, asked.relation, subject or "", asked.question)
    question = Question(
        question_id=question_id,
        relation=asked.relation,
        question=asked.question,
        subject_qid=subject,
        subject_label=(known.labels.label(subject) if subject else None) or asked.mention,
        subject_description=known.labels.description(subject) if subject else None,
        answers=[{"qid": qid, "label": name} for qid, name in asked.gold],
        popularity=known.statements.popularity(subject) if subject else 0,
        resolution=asked.resolution,
        source=asked.source,
        evidence=[one._asdict() for one in asked.evidence],
        split=split(subject or asked.question),
    )
    return question, [
        Answer(
            question_id=question_id,
            level=one.level,
            answer=one.candidate.text,
            aliases=list(one.candidate.aliases),
            qid=one.candidate.qid,
            kind=one.candidate.kind,
            bits=round(one.bits, 3),
            capped=one.was_capped,
            evidence=[triple._asdict() for triple in one.candidate.evidence],
            source=asked.source,
        )
        for one in answers
    ]
