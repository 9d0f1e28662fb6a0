"""Pairs of items in arrays: their order in a sample, what is joined, and what counts once."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from kgbuild.graph.pairs import (
    Pairs,
    distinct,
    joined,
    shuffled_items,
    shuffled_pairs,
    shuffled_statements,
)
from kgbuild.rows import shuffled

NUMBERS = st.integers(1, 40) | st.integers(1, 999_999_999)
PAIRS = st.lists(st.tuples(NUMBERS, NUMBERS), max_size=60)


def arrays(pairs: list[tuple[int, int]]) -> Pairs:
    numbers = np.array(pairs, np.int32).reshape(-1, 2)
    return Pairs(numbers[:, 0], numbers[:, 1])


def listed(pairs: Pairs) -> list[tuple[int, int]]:
    return [*zip(pairs.subjects.tolist(), pairs.values.tolist(), strict=True)]


@given(PAIRS.map(set), st.integers(0, 3), st.sampled_from(["P26", "P800/P57"]))
def test_the_order_is_that_of_rows(pairs, seed, name):
    ids = [(f"Q{x}", f"Q{y}") for x, y in pairs]
    expected = shuffled(ids, lambda pair: (name, *pair), seed)
    assert [*shuffled_pairs(name, arrays(sorted(pairs)), seed)] == expected
    statements = [(x, name, y) for x, y in ids]
    in_order = shuffled(statements, lambda statement: statement, seed)
    assert [*shuffled_statements(name, arrays(sorted(pairs)), seed)] == in_order
    subjects = [*{x for x, _ in pairs}]
    expected = shuffled([f"Q{x}" for x in subjects], lambda qid: (name, qid), seed)
    assert [*shuffled_items(name, np.array(subjects, np.int32), seed)] == expected


@given(PAIRS, PAIRS)
def test_joined_and_distinct_pairs(first, last):
    pairs = {(x, y) for x, z in first for subject, y in last if subject == z}
    assert listed(joined(arrays(first), arrays(last))) == sorted(pairs)
    both = distinct([arrays(first), arrays(last).swapped()])
    assert listed(both) == sorted({*first, *((y, x) for x, y in last)})
