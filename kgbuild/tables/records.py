"""Rows of the tables that all datasets share: predictions, scores, reviews, results."""

import datetime
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Prediction:
    """A row of ``predictions``; the columns are described in docs/tables.md."""

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


@dataclass(frozen=True)
class Scored:
    """A row of ``scores``; the columns are described in docs/tables.md."""

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
    """A row of ``reviews``; the columns are described in docs/tables.md."""

    dataset: str
    item_id: str
    reviewer: str
    question: str
    answer: str
    answered_at: datetime.datetime


@dataclass(frozen=True)
class GrouseResult:
    """A row of ``grouse_results``. Answers that are only graded have no conditions."""

    judge: str
    source: str
    test_id: str
    test_type: str
    metric: str
    condition: str | None
    grade: int | None
    outcome: str


FOR_SCORES: Mapping[str, str] = {
    "granola": "SELECT item_id AS question_id, text AS answer, model, protocol FROM predictions "
    "WHERE dataset = 'granola' AND protocol <> 'sampled'",
    "syn_qa": "SELECT item_id AS pair_id, false_assumption, text AS answer, model, protocol "
    "FROM predictions WHERE dataset = 'syn_qa' AND protocol <> 'generative'",
    "biokalma": "SELECT item_id AS question_id, text AS answer, model, protocol, removed, "
    "accuracy FROM predictions WHERE dataset = 'biokalma'",
}
"""By dataset, the SQL that gives the predictions that can be scored, as docs/asking.md has it."""
