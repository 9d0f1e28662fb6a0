"""The tables of BioKaLMA, and the options of a build."""

from dataclasses import dataclass

DATASET = "biokalma"
"""The name of the dataset, and of the field of relations.toml with its openings."""
TABLES = tuple(
    f"{DATASET}_{name}" for name in ("questions", "knowledge", "pool", "absent", "graphs")
)
PEOPLE = "Q5"
"""The default class of subjects."""
MIN_FACTS = 5
"""Minimum number of facts in a minimum knowledge set."""
MAX_USES = 5
"""Maximum number of questions of a relation with the same subject."""
ACCURACIES = (80, 60, 40, 20)
"""The shares of right graphs in percent, beside 100."""


@dataclass(frozen=True)
class Options:
    """The options of a build.

    ``limit`` is the maximum number of questions of a relation, ``of_class`` the class of the
    subjects, ``rounds`` the number of facts added to the first ones of a set, ``alpha`` the weight
    of specificity against coherence, ``remove`` the maximum number of facts that are removed to
    test whether a model marks missing knowledge.
    """

    limit: int | None = None
    of_class: str = PEOPLE
    rounds: int = 6
    alpha: float = 0.01
    remove: int = 3
    seed: int = 0
