"""Compare two models on the questions that both answered: paired bootstrap and permutations."""

from collections.abc import Mapping
from typing import NamedTuple

from kgbuild.evaluate.bootstrap import SAMPLES, SEED, Item, Share, ends, resampled


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

    The two shares of an item have the same number of cases. The shares over all items are micro
    averages. Both questions of a pair are drawn together, and so are all parts of an answer, since
    they depend on each other. None if no item is in both.

    The interval is by the percentile bootstrap over 1,000 samples of the questions. p is by 1,000
    permutations, each of which randomly swaps the models on some questions; it is never
    below 1/1001. The order of the answers does not matter.

    Known weakness: of few questions the interval is too narrow, and p cannot be small. Of many
    comparisons, some have a small p by chance: multiply it by their number.

    Source: B. Efron and R. J. Tibshirani, An introduction to the bootstrap (1993), chapter 13;
    E. W. Noreen, Computer-intensive methods for testing hypotheses (1989); B. Phipson and
    G. K. Smyth, Permutation p-values should never be zero (2010), for the 1 that is added.
    """
    import numpy as np

    both = sorted(item for item in one.keys() & other.keys() if one[item].of)
    if not both:
        return None
    ids = dict.fromkeys(item_id for item_id, _ in both)
    places = {item_id: place for place, item_id in enumerate(ids)}
    counts = np.zeros((len(places), 3), dtype=np.int64)
    for item in both:
        counts[places[item[0]]] += one[item].hits, other[item].hits, one[item].of
    hits, other_hits, of = counts.sum(axis=0)
    ahead = counts[:, 0] - counts[:, 1]
    generator, difference = np.random.default_rng(SEED), abs(ahead.sum())
    differing = ahead[ahead != 0]  # the others add nothing in either direction
    signs = (generator.choice((-1, 1), len(differing)) for _ in range(SAMPLES))
    as_large = sum(abs(differing @ sign) >= difference for sign in signs)
    sums = resampled(np.column_stack((ahead, counts[:, 2])))
    return Comparison(
        one=float(hits / of),
        other=float(other_hits / of),
        difference=float((hits - other_hits) / of),
        interval=ends(sums[:, 0] / sums[:, 1]),
        p=float((1 + as_large) / (1 + SAMPLES)),
        items=len(both),
    )
