"""Two models that answered the same questions, compared question by question."""

from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

import numpy as np

from kgbuild.evaluate.bootstrap import SAMPLES, SEED, Share, ends, resampled

Item: TypeAlias = tuple[str, bool]
"""The id of a question, or of its pair and which of the two it is."""


class Comparison(NamedTuple):
    """How two models did on ``items`` items that both answered.

    ``one`` and ``other`` are their shares, from 0 to 1, ``difference`` what the first is above
    the second, with its 95 % ``interval``, and ``p`` the probability of a difference that is at
    least as large, either way, of models that are equally good.
    """

    one: float
    other: float
    difference: float
    interval: tuple[float, float]
    p: float
    items: int


def compare(one: Mapping[Item, Share], other: Mapping[Item, Share]) -> Comparison | None:
    """Compare what two models have right of each item, over those that both answered.

    Of an item, the shares of both are of as many. The shares over all items are micro averages:
    what is right, among all that could be. Both questions of a pair are drawn together, and so
    are all pieces of an answer, since they depend on each other. None if no item is in both.

    The interval is by the percentile bootstrap over a thousand samples of the questions; p is by
    a thousand permutations, in each of which the two models change places on each question or
    not, by chance, and is never below 1/1001. The same answers have the same numbers, whatever
    their order.

    Known weakness: of a few questions the interval is too narrow, and p cannot be small. Of many
    comparisons, some have a small p by chance: multiply it by their number.

    Source: B. Efron and R. J. Tibshirani, An introduction to the bootstrap (1993), chapter 13;
    E. W. Noreen, Computer-intensive methods for testing hypotheses (1989); B. Phipson and
    G. K. Smyth, Permutation p-values should never be zero (2010), for the 1 that is added.
    """
    both = sorted(item for item in one.keys() & other.keys() if one[item].of)
    if not both:
        return None
    places = {asked: place for place, asked in enumerate(dict.fromkeys(asked for asked, _ in both))}
    counts = np.zeros((len(places), 3), dtype=np.int64)
    for item in both:
        counts[places[item[0]]] += one[item].hits, other[item].hits, one[item].of
    hits, other_hits, of = counts.sum(axis=0)
    ahead = counts[:, 0] - counts[:, 1]
    drawn = resampled(np.column_stack((ahead, counts[:, 2])))
    return Comparison(
        one=float(hits / of),
        other=float(other_hits / of),
        difference=float((hits - other_hits) / of),
        interval=ends(drawn[:, 0] / drawn[:, 1]),
        p=_p(ahead),
        items=len(both),
    )


def _p(ahead: np.ndarray) -> float:
    """Return the share of permutations with at least the difference that there is."""
    draw, found = np.random.default_rng(SEED), abs(ahead.sum())
    differing = ahead[ahead != 0]  # the others add nothing, whichever model is the first
    signs = (draw.choice((-1, 1), len(differing)) for _ in range(SAMPLES))
    as_large = sum(abs(differing @ sign) >= found for sign in signs)
    return float((1 + as_large) / (1 + SAMPLES))
