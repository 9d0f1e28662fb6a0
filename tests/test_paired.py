"""Compare two models question by question."""

from itertools import product
from math import comb

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgbuild.evaluate.bootstrap import Item, Share
from kgbuild.evaluate.paired import compare

SHARES = st.dictionaries(
    st.tuples(st.sampled_from("abcdefgh"), st.booleans()),
    st.tuples(st.integers(0, 3), st.integers(0, 3)),
    min_size=1,
)


def alone(*hits: int) -> dict[Item, Share]:
    return {(str(number), False): Share(hit, 1) for number, hit in enumerate(hits)}


def test_a_model_against_itself() -> None:
    results = compare(alone(1, 0, 1), alone(1, 0, 1))
    assert results and (results.difference, results.interval, results.p) == (0, (0, 0), 1)


def test_p_is_that_of_the_sign_test() -> None:
    # Of ten questions that one of two has right, the first has nine: as large a difference have
    # 2 · (1 + 10) of 1,024 permutations. Forty that both have right change nothing.
    results = compare(alone(*[1] * 9, 0, *[1] * 40), alone(*[0] * 9, 1, *[1] * 40))
    exact = 2 * (comb(10, 0) + comb(10, 1)) / 2**10
    assert results and results.p == pytest.approx(exact, rel=1e-12)
    assert (results.one, results.other, results.difference) == (0.98, 0.82, pytest.approx(0.16))
    # The normal approximation: 0.16 ± 1.96 · √((0.2 − 0.16²) / 50) is 0.044 to 0.276.
    assert results.interval == pytest.approx((0.044, 0.276), abs=0.021)  # a question is 0.02


def test_p_is_never_zero() -> None:
    results = compare(alone(*[1] * 100), alone(*[0] * 100))
    assert results and results.interval == (1, 1)
    assert results.p == pytest.approx(2 / 2**100, rel=1e-9)  # all or none of 100 are swapped
    results = compare(alone(*[1] * 5000), alone(*[0] * 5000))
    assert results and 0 < results.p < 1e-300  # less than a number can hold


@given(st.lists(st.integers(-3, 3), min_size=1, max_size=8))
def test_p_is_that_of_all_permutations(differences: list[int]) -> None:
    one = {(str(n), False): Share(max(ahead, 0), 3) for n, ahead in enumerate(differences)}
    other = {(str(n), False): Share(max(-ahead, 0), 3) for n, ahead in enumerate(differences)}
    sums = [
        abs(sum(sign * ahead for sign, ahead in zip(signs, differences, strict=True)))
        for signs in product((-1, 1), repeat=len(differences))
    ]
    exact = sum(total >= abs(sum(differences)) for total in sums) / len(sums)
    results = compare(one, other)
    assert results and results.p == pytest.approx(exact, rel=1e-9)


def test_both_questions_of_a_pair_are_drawn_together() -> None:
    # Ten pairs, of which always one question is right and one is wrong: 0 in each sample.
    items = [(str(number), truth) for number in range(10) for truth in (False, True)]
    one = {(asked, truth): Share(truth, 1) for asked, truth in items}
    other = {(asked, truth): Share(not truth, 1) for asked, truth in items}
    results = compare(one, other)
    assert results and (results.items, results.interval, results.p) == (20, (0, 0), 1)


def test_a_share_over_all_is_a_micro_average() -> None:
    # Three pieces of one answer and one of another: 3 of 4, not the mean of 1 and 0.
    one = {("a", False): Share(3, 3), ("b", False): Share(0, 1), ("c", False): Share(0, 0)}
    other = {item: Share(0, share.total) for item, share in one.items()}
    results = compare(one, other)
    # c needs nothing.
    assert results and (results.one, results.other, results.items) == (0.75, 0, 2)


@pytest.mark.parametrize(
    "other", [{}, {("b", False): Share(1, 1)}, *({("a", False): Share(n, n)} for n in (0, 1))]
)
def test_nothing_in_common_is_no_comparison(other: dict[Item, Share]) -> None:
    assert compare({("a", False): Share(0, 0)}, other) is None
    assert compare(other, {("a", False): Share(0, 0)}) is None


@settings(max_examples=20)  # each draws thousands of samples
@given(SHARES)
def test_the_order_makes_no_difference_and_sides_change_the_sign(
    hits: dict[Item, tuple[int, int]],
) -> None:
    one = {item: Share(first, 3) for item, (first, _) in hits.items()}
    other = {item: Share(second, 3) for item, (_, second) in hits.items()}
    results, turned = compare(one, other), compare(other, one)
    assert results == compare(dict(reversed(one.items())), dict(reversed(other.items())))
    assert results and turned and (results.difference, results.p) == (-turned.difference, turned.p)
    assert results.interval == pytest.approx(tuple(-end for end in reversed(turned.interval)))
