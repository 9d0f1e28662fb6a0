"""The rows of the tables that all datasets share; docs/tables.md describes the columns."""

import datetime
from dataclasses import dataclass

VERIFIED = "verified true"
"""The reason for the rejection of a row whose false assumption is true by another source."""


@dataclass(frozen=True)
class Prediction:
    """A row of ``predictions``."""

    dataset: str
    item_id: str
    false_assumption: bool | None
    model: str
    protocol: str
    removed: int | None
    accuracy: int | None
    sample: int
    prompt_hash: str
    text: str
    tokens_in: int
    tokens_out: int
    seconds: float
    finish_reason: str = ""
    reasoning: str = ""
    server_model: str = ""
    parameters: str = ""
    confidence: float | None = None


@dataclass(frozen=True)
class Scored:
    """A row of ``scores``."""

    dataset: str
    model: str
    protocol: str
    removed: int | None
    accuracy: int | None
    grouped_by: str
    group: str
    judge: str
    metric: str
    value: float
    low: float | None
    high: float | None
    answers: int
    source: str


@dataclass(frozen=True)
class Review:
    """A row of ``reviews``."""

    dataset: str
    item_id: str
    reviewer: str
    question: str
    answer: str
    answered_at: datetime.datetime


@dataclass(frozen=True)
class Verification:
    """A row of ``verifications``."""

    dataset: str
    relation: str
    item_id: str
    split: str
    role: str
    source_kind: str
    source: str
    verdict: str
    form: str | None
    evidence: str
    verified_at: datetime.datetime


@dataclass(frozen=True)
class GrouseResult:
    """A row of ``grouse_results``. Answers that are only graded have no conditions.

    ``justification`` is what a language model says about its grade.
    """

    judge: str
    source: str
    test_id: str
    test_type: str
    metric: str
    condition: str | None
    grade: int | None
    outcome: str
    justification: str | None = None
