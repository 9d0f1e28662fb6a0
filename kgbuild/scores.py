"""What answers scored, as the table ``scores`` has it."""

from dataclasses import dataclass


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
