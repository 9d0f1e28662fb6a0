"""Metrics over many questions, and their intervals."""

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kgbuild.evaluate.bootstrap import Estimate, Share, estimates, harmonic_mean, means

SHARES = st.integers(0, 5).flatmap(lambda of: st.tuples(st.integers(0, of), st.just(of)))


def alone(*hits: float) -> list[dict[str, Share]]:
    return [{"right": Share(hit, 1)} for hit in hits]


def test_the_interval_of_a_share_of_many() -> None:
    results = estimates(alone(*[0] * 300, *[1] * 100))["right"]
    assert (results.value, results.total) == (0.25, 400)
    # By the normal approximation 0.25 ± 1.96 √(0.25 · 0.75 / 400) = 0.208 … 0.292.
    assert results.interval == pytest.approx((0.208, 0.292), abs=0.006)


@pytest.mark.parametrize(
    ("hit", "interval"),
    # Wilson's of 0 of 10 ends at z² / (10 + z²), with z² = 3.8415.
    [(0, (0.0, 0.2775)), (1, (0.7225, 1.0))],
)
def test_where_all_are_alike_the_interval_is_wilsons(
    hit: int, interval: tuple[float, float]
) -> None:
    assert estimates(alone(*[hit] * 10))["right"].interval == pytest.approx(interval, abs=5e-5)
    # Of ten answers with five citations each there are ten that are independent, not fifty.
    cited = [{"right": Share(5 * hit, 5)}] * 10
    assert estimates(cited)["right"].interval == pytest.approx(interval, abs=5e-5)
    # What may be below 0, or above 1, could be so.
    unbounded = estimates(alone(*[hit] * 10), unbounded=["right"])["right"]
    assert unbounded.interval is None


def test_dependent_cases_are_drawn_together() -> None:
    # A hundred questions of which one is right and one is wrong say more than fifty pairs that
    # are both one or the other: with those the interval is √2 as wide.
    told = estimates(alone(*[0, 1] * 50))["right"]
    pairs = estimates([{"right": Share(2 * (n % 2), 2)} for n in range(50)])["right"]
    assert told.value == pairs.value == 0.5 and told.total == pairs.total == 100
    widths = [high - low for low, high in (told.interval or (0, 0), pairs.interval or (0, 0))]
    assert widths[1] / widths[0] == pytest.approx(2**0.5, abs=0.15)


def test_a_harmonic_mean_has_an_interval_of_its_own() -> None:
    counted = [{"p": Share(n % 2, 1), "r": Share(1, 4)} for n in range(100)]
    results = estimates(counted, {"f1": ("p", "r")})["f1"]
    assert results.value == pytest.approx(2 * 0.5 * 0.25 / 0.75) and results.total == 100
    # p is 0.402 to 0.598, and the harmonic mean with a quarter goes up with it.
    ends = [2 * p * 0.25 / (p + 0.25) for p in (0.402, 0.598)]
    assert results.interval == pytest.approx(ends, abs=0.005)


def test_metrics_without_cases() -> None:
    counted = [{"none": Share(0, 0), "missed": Share(0, 3)}] * 5
    results = estimates(counted, {"f1": ("none", "missed"), "other": ("missed", "none")})
    assert results["none"] == Estimate(None, 0, None)
    # Whoever cites nothing has no precision, but has found nothing.
    assert (results["f1"].value, results["other"].value) == (0.0, None)
    assert estimates([]) == {} and harmonic_mean(0.0, 0.0) == 0.0


def test_means_over_the_answers_with_a_number() -> None:
    results = means([{"grade": 5}, {"grade": 1, "other": 2}, {}], unbounded=["grade", "other"])
    # Two of three that are drawn may be the one, or the other; of one there is no telling.
    assert results == {"grade": Estimate(3.0, 2, (1.0, 5.0)), "other": Estimate(2.0, 1, None)}
    assert means([]) == {}


@settings(max_examples=20)  # each draws thousands of samples
@given(st.lists(st.tuples(SHARES, SHARES), min_size=1), st.randoms(use_true_random=False))
def test_the_order_makes_no_difference(
    counts: list[tuple[tuple[int, int], tuple[int, int]]], shuffle: random.Random
) -> None:
    counted = [{"p": Share(*one), "r": Share(*other)} for one, other in counts]
    results = estimates(counted, {"f1": ("p", "r")})
    shuffle.shuffle(counted)
    assert estimates(counted, {"f1": ("p", "r")}) == results
    for one in results.values():
        if one.interval is not None and one.value is not None:
            low, high = one.interval
            assert 0 <= low <= high <= 1
