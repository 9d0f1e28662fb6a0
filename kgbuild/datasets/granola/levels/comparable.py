"""Leave out answers that cannot be compared with others."""

from collections.abc import Sequence, Set

from kgbuild.datasets.granola.levels.order import Candidate

_WHOLE, _PLACE = "item", "place"
"""The kinds of answers that have a name; all others are descriptions."""


def in_common_tiers(
    finest: Sequence[Candidate], coarser: Sequence[Candidate], trivial: Set[object]
) -> list[Candidate]:
    """Return the coarser answers of several gold answers that can be compared.

    A place stays if its tier has one for each gold answer, or if it covers all of them. What a gold
    answer is a part of always stays: a school of one university is beside another university.
    Descriptions that do not cover all are left out: nobody says "a 1985 film" or "a writer" of some
    of several films or children. Gold answers without a place do not count.
    """
    telling = [answer for answer in coarser if not answer.facets <= trivial]
    covered = {
        answer: {n for n, gold in enumerate(finest) if answer.facets <= gold.implied}
        for answer in telling
        if answer.kind != _WHOLE
    }
    with_place = set[int]().union(*(golds for one, golds in covered.items() if one.kind == _PLACE))
    by_tier: dict[int, set[int]] = {}
    for answer, golds in covered.items():
        by_tier.setdefault(answer.tier, set()).update(golds)
    comparable = {
        answer
        for answer, golds in covered.items()
        if len(golds) == len(finest)
        or (answer.kind == _PLACE and by_tier[answer.tier] >= with_place)
    }
    return [answer for answer in coarser if answer in comparable or answer not in covered]
