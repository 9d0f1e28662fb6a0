"""Stable ids, seeded order, splits."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgbuild import rows

IDS = st.integers(1, 10**9).map("Q{}".format)


def test_ids_are_the_same_in_every_process_and_version() -> None:
    # A change of this value would change all pair_ids that users have stored.
    assert rows.stable_id("syn_qa", "P26", "Q1") == "9be1b53081628510"


def test_ids_depend_on_the_limits_of_parts() -> None:
    assert rows.stable_id("ab", "c") != rows.stable_id("a", "bc")


@given(st.sets(IDS, max_size=50), st.integers(0, 5))
def test_order_depends_on_each_item_alone(items: set[str], seed: int) -> None:
    order = rows.shuffled(sorted(items), key=lambda item: (item,), seed=seed)
    fewer = sorted(items)[::2]
    assert sorted(order) == sorted(items)
    assert rows.shuffled(fewer, key=lambda item: (item,), seed=seed) == [
        item for item in order if item in fewer
    ]


def test_another_seed_gives_another_order() -> None:
    items = [f"Q{n}" for n in range(1, 50)]
    orders = [rows.shuffled(items, key=lambda item: (item,), seed=seed) for seed in (0, 1)]
    assert orders[0] != orders[1]


@pytest.mark.parametrize(
    ("train", "expected"),
    [(False, {"dev": 500, "test": 9500}), (True, {"train": 8000, "dev": 1000, "test": 1000})],
)
def test_splits_have_their_shares(train: bool, expected: dict[str, int]) -> None:
    shares = Counter(rows.split(f"Q{n}", train) for n in range(10_000))
    # A binomial's deviation at 8,000 of 10,000 is 40; this allows five of them.
    assert shares == {name: pytest.approx(count, abs=200) for name, count in expected.items()}


def test_a_subject_is_always_in_one_split() -> None:
    # Published releases depend on it, so a change of the hash is a change of version.
    assert [rows.split(f"Q{n}") for n in (1, 33, 42, 255)] == ["test", "dev", "test", "test"]
    assert [rows.split(f"Q{n}", True) for n in (1, 5, 33)] == ["train", "test", "dev"]
