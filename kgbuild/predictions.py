"""What models answered, as the table ``predictions`` has it."""

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


FOR_SCORES: Mapping[str, str] = {
    "granola": "SELECT item_id AS question_id, text AS answer, model, protocol FROM predictions "
    "WHERE dataset = 'granola' AND protocol <> 'sampled'",
    "syn_qa": "SELECT item_id AS pair_id, false_assumption, text AS answer, model, protocol "
    "FROM predictions WHERE dataset = 'syn_qa' AND protocol <> 'generative'",
    "biokalma": "SELECT item_id AS question_id, text AS answer, model, protocol, removed, "
    "accuracy FROM predictions WHERE dataset = 'biokalma'",
}
"""By dataset, the SQL that gives the predictions that can be scored, as docs/asking.md has it."""
