"""Share rows among reviewers: each row has a reviewer, and some rows have two, for Cohen's κ."""

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from itertools import combinations

from kgbuild.review.session import Assigned, RefusedSessionError


def shares(ids: Sequence[str], reviewers: Sequence[str], overlap: float) -> dict[str, list[str]]:
    """Return the ids of the rows of each reviewer, in the order of ``ids``.

    The fraction ``overlap`` of the rows, spread evenly, has two reviewers; each pair of reviewers
    has about the same number of these rows, and each reviewer about the same number of all rows.
    The share of a row depends only on the rows before it, so a larger sample only adds rows.

    >>> shares(["a", "b", "c", "d"], ["Ada", "Bea"], 0.5)
    {'Ada': ['a', 'b', 'd'], 'Bea': ['b', 'c', 'd']}
    """
    rows: dict[str, list[str]] = {reviewer: [] for reviewer in reviewers}
    pairs: Counter[tuple[str, ...]] = Counter(dict.fromkeys(combinations(reviewers, 2), 0))

    def load(group: tuple[str, ...]) -> tuple[int, int]:
        return pairs[group], sum(len(rows[reviewer]) for reviewer in group)

    for number, row_id in enumerate(ids):
        is_shared = math.floor((number + 1) * overlap) > math.floor(number * overlap)
        groups = pairs if pairs and is_shared else [(reviewer,) for reviewer in reviewers]
        group = min(groups, key=load)
        if group in pairs:
            pairs[group] += 1
        for reviewer in group:
            rows[reviewer].append(row_id)
    return rows


def assignment(rows: Mapping[str, Collection[str]]) -> Assigned:
    """Return the function that returns the ids of a reviewer's rows, for ``Session.assigned``.

    The function raises a RefusedSessionError for a name that has no share.
    """

    def assigned(reviewer: str) -> Collection[str]:
        if reviewer not in rows:
            raise RefusedSessionError(
                f"The rows are shared among {', '.join(rows)}: enter one of these names."
            )
        return rows[reviewer]

    return assigned
