"""Compare two models on the questions that both answered: paired bootstrap and an exact test."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from kgbuild.evaluate.bootstrap import Item, Share, ends, resampled


class Comparison(NamedTuple):
    """The results of two models on ``items`` items that both answered.

    ``one`` and ``other`` are their shares, from 0 to 1. ``interval`` is the 95 % interval of their
    ``difference``, and ``p`` the probability of a difference at least as large, in either
    direction, if the models are equally good.
    """

    one: float
    other: float
    difference: float
    interval: tuple[float, float]
    p: float
    items: int


def compare(one: Mapping[Item, Share], other: Mapping[Item, Share]) -> Comparison | None:
    """Compare two models on the items that both answered.

    The two shares of an item have the same number of cases, or one has none and the item does not
    count. The shares over all items are micro
    averages. Both questions of a pair are drawn together, and so are all parts of an answer, since
    they depend on each other. None if no item is in both.

    The interval is by the percentile bootstrap over 1,000 samples of the questions. p is that of
    the permutation test over all ways to swap the models on some of the questions; with one
    question an item, it is the binomial (sign) test. The order of the answers does not matter.

    Known weakness: of few questions the interval is too narrow, and p cannot be small. Of many
    comparisons, some have a small p by chance: see ``holm``.

    Source: B. Efron and R. J. Tibshirani, An introduction to the bootstrap (1993), chapter 13;
    E. W. Noreen, Computer-intensive methods for testing hypotheses (1989); R. A. Fisher, The
    design of experiments (1935), section 21, for the test over all permutations.
    """
    import numpy as np

    both = sorted(i for i in one.keys() & other.keys() if one[i].total and other[i].total)
    if not both:
        return None
    ids = dict.fromkeys(item_id for item_id, _ in both)
    places = {item_id: place for place, item_id in enumerate(ids)}
    counts = np.zeros((len(places), 3), dtype=np.int64)
    for item in both:
        counts[places[item[0]]] += one[item].hits, other[item].hits, one[item].total
    hits, other_hits, of = counts.sum(axis=0)
    ahead = counts[:, 0] - counts[:, 1]
    sums = resampled(np.column_stack((ahead, counts[:, 2])))
    return Comparison(
        one=float(hits / of),
        other=float(other_hits / of),
        difference=float((hits - other_hits) / of),
        interval=ends(sums[:, 0] / sums[:, 1]),
        p=_permutation_p([int(difference) for difference in ahead]),
        items=len(both),
    )


def holm(ps: Sequence[float]) -> list[float]:
    """Return probabilities that are corrected for the number of comparisons, in their order.

    The smallest is multiplied by their number, the next by one less, and so on; none is smaller
    than one before it. The probability that any comparison falls below a level by chance is at most
    this level.

    Source: S. Holm, A simple sequentially rejective multiple test procedure (1979).

    >>> holm([0.01, 0.04, 0.5])
    [0.03, 0.08, 0.5]
    """
    corrected, least = [0.0] * len(ps), 0.0
    for rank, place in enumerate(sorted(range(len(ps)), key=ps.__getitem__)):
        least = corrected[place] = max(least, min(1.0, (len(ps) - rank) * ps[place]))
    return corrected


def _permutation_p(differences: Sequence[int]) -> float:
    """Return the share of all choices of signs whose sum is at least as far from 0.

    The differences with the sign + sum up to X, all of them to S: the sum is 2X - S. The
    distribution of X is the convolution of a binomial distribution for each size of difference.
    """
    import numpy as np

    sizes = Counter(abs(difference) for difference in differences if difference)
    shares = np.ones(1)
    for size, count in sorted(sizes.items()):
        of_size = np.zeros(size * count + 1)
        of_size[::size] = [
            math.exp(_log_choose(count, plus) - count * math.log(2)) for plus in range(count + 1)
        ]
        shares = np.convolve(shares, of_size)
    sums = abs(2 * np.arange(len(shares)) - (len(shares) - 1))
    smallest = math.ulp(0.0)  # no probability is zero
    return min(1.0, max(math.fsum(shares[sums >= abs(sum(differences))]), smallest))


def _log_choose(count: int, chosen: int) -> float:
    return math.lgamma(count + 1) - math.lgamma(chosen + 1) - math.lgamma(count - chosen + 1)
