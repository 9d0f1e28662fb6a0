"""Give communities to a split until it has its share of the pairs of each relation."""

from typing import Annotated, TypeAlias

import numpy as np
import numpy.typing as npt

from kgbuild.native.kernel import kernel
from kgbuild.store.arrays import Array, Positions

Shares: TypeAlias = npt.NDArray[np.float64]
_FACTORS = np.array([0x9E3779B97F4A7C15, 0xC2B2AE3D27D4EB4F], np.uint64)
"""Odd numbers that mix the bits of a hash."""


def count_relations(
    homes: Positions, relations: Positions, home_count: int, relation_count: int
) -> Array:
    """Return the numbers of pairs of each community by relation.

    ``homes`` and ``relations`` are the community and the relation of each pair. A community has a
    row of (relation, number), in the order in which its relations occur first, and at the end pairs
    (``relation_count``, 0).
    """
    codes, firsts, sizes = np.unique(
        homes * relation_count + relations, return_index=True, return_counts=True
    )
    order = np.lexsort((firsts, codes // relation_count))
    owners = codes[order] // relation_count
    starts = np.flatnonzero(np.diff(owners, prepend=-1))
    lengths = np.diff(starts, append=len(owners))
    places = np.arange(len(owners)) - np.repeat(starts, lengths)
    counts = np.zeros((home_count, int(lengths.max(initial=0)), 2), np.int64)
    counts[..., 0] = relation_count
    counts[owners, places, 0] = codes[order] % relation_count
    counts[owners, places, 1] = sizes[order]
    return counts


def take(counts: Array, free: Positions, goal: Shares) -> Positions:
    """Return those of the ``free`` communities whose pairs together come near a goal.

    ``counts`` is the result of ``count_relations``, ``goal`` the number of pairs by relation. In
    each step, the first community whose pairs lessen the distance most is taken: the sum of the
    distances by relation, relative to the goal.
    """
    rows = counts[free]
    hashes = np.zeros(len(free), np.uint64)
    for column in rows.reshape(len(free), rows.shape[1] * rows.shape[2]).T:
        hashes = (hashes + column.astype(np.uint64) + _FACTORS[0]) * _FACTORS[1]
        hashes ^= hashes >> np.uint64(29)
    # Communities with equal rows are taken one after the other.
    _, firsts, groups = np.unique(hashes, return_index=True, return_inverse=True)
    order = np.argsort(groups, kind="stable")
    ends = np.concatenate([[0], np.cumsum(np.bincount(groups, minlength=len(firsts)))])
    heads = ends[:-1].copy()
    padded = np.append(goal, 1.0)  # for the pairs (relation_count, 0)
    lacking = np.append(goal, 0.0)
    taken = np.zeros(len(free), np.int64)
    size = _take(
        order,
        ends,
        heads,
        np.ascontiguousarray(rows[firsts, :, 0]),
        np.ascontiguousarray(rows[firsts, :, 1]),
        padded,
        lacking,
        taken,
    )
    return free[taken[:size]]


@kernel
def _take(
    order: Positions,
    ends: Positions,
    heads: Positions,
    relations: Annotated[Positions, 2],
    sizes: Annotated[Positions, 2],
    goal: Shares,
    lacking: Shares,
    taken: Positions,
) -> int:
    """Write the taken communities, and return their number.

    The communities of group g are ``order[heads[g]:ends[g + 1]]``.
    """
    count = 0
    while True:
        best, best_gain = -1, 0.0
        for group in range(heads.size):
            if heads[group] == ends[group + 1]:
                continue
            gain = 0.0
            for n in range(relations.shape[1]):
                relation = relations[group, n]
                missing = lacking[relation]
                gain += (abs(missing) - abs(missing - sizes[group, n])) / goal[relation]
            if gain > best_gain or (
                gain == best_gain and best >= 0 and order[heads[group]] < order[heads[best]]
            ):
                best, best_gain = group, gain
        if best < 0:
            return count
        taken[count] = order[heads[best]]
        count += 1
        heads[best] += 1
        for n in range(relations.shape[1]):
            lacking[relations[best, n]] -= sizes[best, n]
