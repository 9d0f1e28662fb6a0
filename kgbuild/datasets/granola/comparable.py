"""Leave out answers that cannot be compared with others, or that are others by an older name."""

from collections.abc import Sequence

from kgbuild.datasets.granola.levels import Candidate
from kgbuild.datasets.granola.place_tiers import TOWN
from kgbuild.datasets.granola.profiles import PLACE


def without_quarters(finest: Sequence[Candidate], coarser: list[Candidate]) -> list[Candidate]:
    """Return coarser answers without parts of towns, unless they cover all gold answers.

    Manhattan, where one school is, is no finer answer than Coral Gables, where another one is.
    """
    quarters = [answer for answer in coarser if answer.kind == PLACE and answer.tier > TOWN]
    if all(any(answer.facets <= gold.implied for answer in quarters) for gold in finest):
        return coarser
    return [answer for answer in coarser if answer not in quarters]


def without_old_names(gold: Sequence[Candidate]) -> list[Candidate]:
    """Return gold answers without those whose name is an alias of another one.

    A record label and the label that it became are one answer: "Warner Bros. Records".
    """
    kept: list[Candidate] = []
    for answer in gold:
        others = [other for other in gold if other is not answer]
        is_alias = any(answer.text in other.aliases for other in others)
        is_mutual = any(other.text in answer.aliases for other in kept)
        if not (is_alias and (is_mutual or not any(o.text in answer.aliases for o in others))):
            kept.append(answer)
    return kept
