"""How far two annotators agree beyond what chance alone would give."""

from collections import Counter
from collections.abc import Sequence


def cohen_kappa(one: Sequence[str], other: Sequence[str]) -> float | None:
    """Return Cohen's κ of two annotators' answers to the same questions, from -1 to 1.

    It is the share of equal answers less the share that chance gives, by what chance leaves to
    be gained: chance draws for each annotator from all that she answered. None without answers,
    or if both gave one and the same answer throughout: then there is nothing to be gained.

    Known weakness: where nearly all answers are the same, κ is low however well two agree. All
    disagreements count alike, of grades too: 1 and 5 as much as 4 and 5.

    Source: J. Cohen, A coefficient of agreement for nominal scales (1960), formula 1.

    >>> cohen_kappa(["yes", "yes", "no", "no"], ["yes", "no", "no", "no"])
    0.5
    """
    pairs = list(zip(one, other, strict=True))
    if not pairs:
        return None
    ours, theirs = Counter(one), Counter(other)
    # Counted by whole numbers, so that full agreement is 1 exactly.
    equal = sum(mine == hers for mine, hers in pairs) * len(pairs)
    chance = sum(count * theirs[answer] for answer, count in ours.items())
    most = len(pairs) ** 2
    return (equal - chance) / (most - chance) if chance < most else None
