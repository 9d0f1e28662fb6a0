"""Stable ids, seeded order, splits."""

from collections import Counter

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


def test_splits_are_about_eight_one_one() -> None:
    shares = Counter(rows.split(f"Q{n}") for n in range(10_000))
    # A binomial's deviation at 1,000 of 10,000 is 30; this allows five of them.
    assert abs(shares["train"] - 8000) < 200
    assert abs(shares["validation"] - 1000) < 150
    assert abs(shares["test"] - 1000) < 150


def test_a_subject_is_always_in_one_split() -> None:
    assert [rows.split(f"Q{n}") for n in (42, 255, 937)] == [
        rows.split(f"Q{n}") for n in (42, 255, 937)
    ]
