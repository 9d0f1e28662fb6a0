"""Leave out answers that cannot be compared with others, or that are others by an older name."""

from collections.abc import Sequence, Set

from kgbuild.datasets.granola.levels import Candidate


def in_common_tiers(
    finest: Sequence[Candidate], coarser: Sequence[Candidate], trivial: Set[object]
) -> list[Candidate]:
    """Return the coarser answers of several gold answers that can be compared.

    A tier stays if each gold answer has an answer in it, or if its answer covers all: "a film by
    Max Orr" is no finer than "a 1999 film" about another film. In a tier, an answer that follows
    from another one stays if it covers all: "an American writer" beside "an American screenwriter"
    and "an American animator" is no answer. Gold answers without coarser ones do not count.
    """
    telling = [answer for answer in coarser if not answer.facets <= trivial]
    covered = [
        {n for n, gold in enumerate(finest) if answer.facets <= gold.implied} for answer in telling
    ]
    every = set[int]().union(*covered)
    by_tier: dict[int, set[int]] = {}
    for answer, golds in zip(telling, covered, strict=True):
        by_tier.setdefault(answer.tier, set()).update(golds)
    comparable = [
        answer
        for answer, golds in zip(telling, covered, strict=True)
        if golds >= every
        or (
            by_tier[answer.tier] >= every
            and not any(
                other.tier == answer.tier
                and answer.facets <= other.implied
                and not other.facets <= answer.implied
                for other in telling
            )
        )
    ]
    return [answer for answer in coarser if answer in comparable or answer not in telling]


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
