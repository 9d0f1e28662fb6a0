"""The rows of GRANOLA's tables."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from kgbuild.datasets.granola.levels import Levelled
from kgbuild.graph.knowledge import Knowledge
from kgbuild.rows import Evidence, split, stable_id


@dataclass(frozen=True)
class Question:
    """A row of ``granola_questions``; docs/tables.md describes the columns."""

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
    """A row of ``granola_answers``; docs/tables.md describes the columns."""

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


class DraftQuestion(NamedTuple):
    """A question whose subject and gold answers, as (item, name), are draft.

    ``mention`` is the name of the subject in the question; ``resolution`` is the rule that chose
    the subject, ``source`` the relation or file of the question.
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
    knowledge: Knowledge, draft: DraftQuestion, answers: Sequence[Levelled]
) -> tuple[Question, list[Answer]]:
    """Return the rows of a question and of its answers."""
    subject, source = draft.subject, draft.source
    labels = knowledge.labels
    question = Question(
        question_id=stable_id("granola", source, draft.relation, subject or "", draft.question),
        relation=draft.relation,
        question=draft.question,
        subject_qid=subject,
        subject_label=(labels.label(subject) if subject else None) or draft.mention,
        subject_description=labels.description(subject) if subject else None,
        answers=[{"qid": qid, "label": name} for qid, name in draft.gold],
        popularity=knowledge.statements.popularity(subject) if subject else 0,
        resolution=draft.resolution,
        source=source,
        evidence=[one._asdict() for one in draft.evidence],
        split=split(subject or draft.question),
    )
    return question, [
        Answer(
            question_id=question.question_id,
            level=one.level,
            answer=one.candidate.text,
            aliases=list(one.candidate.aliases),
            qid=one.candidate.qid,
            kind=one.candidate.kind,
            bits=round(one.bits, 3),
            capped=one.was_capped,
            evidence=[triple._asdict() for triple in one.candidate.evidence],
            source=source,
        )
        for one in answers
    ]
