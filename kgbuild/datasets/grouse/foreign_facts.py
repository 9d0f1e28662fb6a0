"""Facts about similar items, which a test has as references that do not answer its question."""

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from kgbuild.datasets.biokalma.sets.pool import Piece
from kgbuild.datasets.grouse.cases import REFERENCES
from kgbuild.datasets.grouse.fact_values import reveals

FOREIGN_FACTS = REFERENCES + 1
"""Number of facts about other items; one more than references, as two facts may share one."""
_FACTS_PER_ITEM = 3
"""Maximum number of facts about one similar item."""

Facts: TypeAlias = dict[str, Piece]
"""The facts of an item that a question can ask for, by property id."""


def foreign_facts(targets: Sequence[Piece], extra: Piece, items: Iterable[Facts]) -> list[Piece]:
    """Return facts of similar items that reveal no target of the subject and not its extra fact.

    Of each item, facts with a property of a target come first.
    """
    target_pids = [fact.pid for fact in targets]
    foreign: list[Piece] = []
    for item_facts in items:
        candidates = [
            candidate
            for candidate in item_facts.values()
            if not any(reveals(candidate, fact) for fact in [*targets, extra])
        ]
        candidates.sort(key=lambda candidate: candidate.pid not in target_pids)
        foreign += candidates[:_FACTS_PER_ITEM]
    return foreign[:FOREIGN_FACTS]
