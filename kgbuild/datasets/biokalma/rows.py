"""The tables of BioKaLMA, and the options of a build."""

from dataclasses import dataclass

DATASET = "biokalma"
"""The name of the dataset, and of the key in relations.toml for the openings of its questions."""
TABLES = tuple(
    f"{DATASET}_{name}"
    for name in ("questions", "knowledge", "pool", "equivalents", "absent", "graphs")
)
PEOPLE = "Q5"
"""The class "human": the default class of subjects."""
SPECIFIC, GENERAL = "specific", "general"
"""The scopes of pieces: of both questions, and of the general question alone."""
INCOMPLETE = "incomplete"
"""The verdict of another source that a property has more values than the set of a question."""
MORE_VALUES = "more values"
"""The reason for the rejection of a question with an incomplete set."""
ACCURACIES = (80, 60, 40, 20)
"""Percentages of subjects whose pieces are right in the ablation of retrieval, beside 100."""


@dataclass(frozen=True)
class SetOptions:
    """The options of a build, which ``dataset.build`` explains."""

    limit: int | None = None
    of_class: str = PEOPLE
    rounds: int = 6
    alpha: float = 0.01
    remove: int = 3
    seed: int = 0
    splits: bool = False


def scope_of(protocol: str) -> str:
    """Return which question a protocol asks; names as "general-retrieved" begin with it."""
    return GENERAL if protocol.startswith(GENERAL) else SPECIFIC
