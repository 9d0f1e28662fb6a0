"""Rank correlations, against their definitions, and means with their intervals."""

from itertools import combinations
from math import sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kgbuild.evaluate.agreement import auc, kendall, krippendorff_alpha, spearman

pairs = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 6)), min_size=2, max_size=25)


def test_ranks_with_ties_by_hand() -> None:
    one, other = [1, 2, 2, 3], [1, 3, 2, 3]
    # Ranks 1, 2.5, 2.5, 4 and 1, 3.5, 2, 3.5: about their means, the products of the deviations
    # sum up to 3.75, the squares to 4.5 each.
    assert spearman(one, other) == pytest.approx(3.75 / 4.5)
    # Of six pairs, four go the same way, none the other; each row has one tie.
    assert kendall(one, other) == pytest.approx(4 / sqrt(5 * 5))


def test_constant_series_have_no_correlation() -> None:
    for told in (spearman, kendall):
        assert told([1, 1, 1], [1, 2, 3]) is None
        assert told([1, 2, 3], [0, 0, 0]) is None
        assert told([1], [2]) is None
        assert told([], []) is None


@given(pairs)
def test_kendall_is_its_definition(rows: list[tuple[int, int]]) -> None:
    signs = [((a > c) - (a < c), (b > d) - (b < d)) for (a, b), (c, d) in combinations(rows, 2)]
    untied = sqrt(sum(bool(x) for x, _ in signs) * sum(bool(y) for _, y in signs))
    results = kendall(*zip(*rows, strict=True))
    assert results == (pytest.approx(sum(x * y for x, y in signs) / untied) if untied else None)


@given(pairs)
def test_correlations_are_of_ranks_alone(rows: list[tuple[int, int]]) -> None:
    one, other = zip(*rows, strict=True)
    stretched = [2.0**number for number in other]
    turned = [-number for number in other]
    for told in (spearman, kendall):
        results = told(one, other)
        assert told(one, stretched) == results
        assert told(other, one) == pytest.approx(results)
        if results is not None:
            assert -1 - 1e-12 <= results <= 1 + 1e-12
            assert told(one, turned) == pytest.approx(-results)
            assert told(one, one) == pytest.approx(1)


def test_auc_by_hand() -> None:
    # Of the four pairs of a good and a bad case, two are in order and one is tied.
    assert auc([3, 1, 2, 1], [1, 1, 0, 0]) == (2 + 0.5) / 4
    assert auc([3, 2], [5, 4]) == 1  # the larger judgement is the good one
    for judgements in ([1, 1, 1], [1, 2, 3], []):
        assert auc([1.0] * len(judgements), judgements) is None


@given(st.lists(st.tuples(st.integers(0, 4), st.booleans()), max_size=25))
def test_auc_is_its_definition(rows: list[tuple[int, bool]]) -> None:
    good = [score for score, is_good in rows if is_good]
    bad = [score for score, is_good in rows if not is_good]
    wins = [(a > b) + (a == b) / 2 for a in good for b in bad]
    result = auc([score for score, _ in rows], [is_good for _, is_good in rows])
    assert result == (pytest.approx(sum(wins) / len(wins)) if wins else None)


def test_alpha_of_the_published_example() -> None:
    # K. Krippendorff, Computing Krippendorff's Alpha-Reliability (2011): four observers of twelve
    # units, with gaps; nominal 0.743, ordinal 0.815.
    observers = ("123321412...", "1233224125.3", ".3332342251.", "12332441251.")
    units = [
        [int(answer) for answer in unit if answer != "."] for unit in zip(*observers, strict=True)
    ]
    assert krippendorff_alpha(units) == pytest.approx(0.743, abs=5e-4)
    assert krippendorff_alpha(units, is_ordinal=True) == pytest.approx(0.815, abs=5e-4)


def test_alpha_of_nothing_to_be_gained() -> None:
    for units in ([], [[1], [2]], [[1, 1], [1, 1]]):
        assert krippendorff_alpha(units) is None
        assert krippendorff_alpha(units, is_ordinal=True) is None
    assert krippendorff_alpha([[1, 1], [2, 2]]) == 1


@given(st.lists(st.lists(st.integers(1, 2), max_size=4), max_size=12))
def test_alpha_of_two_answers_is_the_same_on_both_scales(units: list[list[int]]) -> None:
    nominal = krippendorff_alpha(units)
    ordinal = krippendorff_alpha(units, is_ordinal=True)
    assert ordinal == (None if nominal is None else pytest.approx(nominal))
