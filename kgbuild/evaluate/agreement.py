"""Measure the agreement of judgements: Cohen's κ, Krippendorff's α, rank correlations, and AUC."""

import math
from bisect import bisect_left, bisect_right, insort
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from itertools import combinations, groupby
from statistics import correlation


def cohen_kappa(a: Sequence[Hashable], b: Sequence[Hashable]) -> float | None:
    """Return Cohen's κ of two annotators' answers to the same questions, from -1 to 1.

    It is (observed - expected) / (1 - expected) of the share of equal answers; expected are those
    of annotators who draw at random from their own answers. None without answers, or if both
    always gave the same answer.

    Known weakness: where nearly all answers are the same, κ is low however well two agree. All
    disagreements weigh the same, even between grades: 1 and 5 counts like 4 and 5.

    Source: J. Cohen, A coefficient of agreement for nominal scales (1960), formula 1.

    >>> cohen_kappa(["yes", "yes", "no", "no"], ["yes", "no", "no", "no"])
    0.5
    """
    pairs = list(zip(a, b, strict=True))
    if not pairs:
        return None
    counts, other_counts = Counter(a), Counter(b)
    # Counted by whole numbers, so that full agreement is 1 exactly.
    equal = sum(answer == other_answer for answer, other_answer in pairs) * len(pairs)
    chance = sum(count * other_counts[answer] for answer, count in counts.items())
    most = len(pairs) ** 2
    return (equal - chance) / (most - chance) if chance < most else None


def krippendorff_alpha(units: Iterable[Sequence[int]], is_ordinal: bool = False) -> float | None:
    """Return Krippendorff's α of any number of annotators, at most 1; 0 is chance.

    ``units`` are the answers to each question, of whoever answered it. α is 1 - observed / expected
    disagreement of two answers, which is the same for all that differ, or grows with the number of
    answers between them if ``is_ordinal``. Questions with a single answer do not count. None
    without others, or if all answers are the same.

    Known weakness: as κ, it is low where nearly all answers are the same.

    Source: K. Krippendorff, Computing Krippendorff's Alpha-Reliability (2011), parts C and D.

    >>> round(krippendorff_alpha([[1, 1], [1, 0], [0, 0, 0]]), 3)
    0.5
    """
    counted = [Counter(answers) for answers in units if len(answers) > 1]
    totals = sum(counted, Counter[int]())
    answers = sorted(totals)

    def distance(a: int, b: int) -> float:
        between = sum(totals[answer] for answer in answers if a <= answer <= b)
        return (between - (totals[a] + totals[b]) / 2) ** 2 if is_ordinal else 1

    pairs = [(a, b, distance(a, b)) for a, b in combinations(answers, 2)]
    observed = math.fsum(
        distance * unit[a] * unit[b] / (unit.total() - 1)
        for unit in counted
        for a, b, distance in pairs
    )
    expected = math.fsum(distance * totals[a] * totals[b] for a, b, distance in pairs)
    return 1 - observed * (totals.total() - 1) / expected if pairs else None


def spearman(a: Sequence[float], b: Sequence[float]) -> float | None:
    """Return Spearman's ρ of two equally long series of numbers, from -1 to 1.

    It is the correlation of their ranks, where equal numbers share the mean of their ranks. None
    if there are fewer than two pairs, or if all numbers of a series are equal.

    Known weakness: with judgements by yes and no most pairs are tied, so that even a perfect
    metric scores well below 1.

    Source: C. Spearman, The proof and measurement of association between two things (1904).
    """
    if len({*a}) < 2 or len({*b}) < 2:
        return None
    return correlation(_ranks(a), _ranks(b))


def _ranks(numbers: Sequence[float]) -> list[float]:
    """Return the rank of each number, from 1; equal ones share the mean of their ranks."""
    ordered = sorted(numbers)
    return [(bisect_left(ordered, n) + 1 + bisect_right(ordered, n)) / 2 for n in numbers]


def auc(scores: Sequence[float], judgements: Sequence[float]) -> float | None:
    """Return the probability that a score of a good case is above one of a bad case.

    It is the area under the ROC curve; ties count half. 1 is a perfect order, 0.5 chance.
    ``judgements`` has two different numbers, of which the larger is good; for others, the area is
    not defined, and the result is None.

    Known weakness: it ignores which threshold to choose, and how many cases are good.

    Source: J. A. Hanley and B. J. McNeil, The meaning and use of the area under a receiver
    operating characteristic (ROC) curve, Radiology 143 (1982).
    """
    if len({*judgements}) != 2:
        return None
    good = max(judgements)
    rank_sum = math.fsum(
        rank
        for rank, judgement in zip(_ranks(scores), judgements, strict=True)
        if judgement == good
    )
    count = sum(judgement == good for judgement in judgements)
    return (rank_sum - count * (count + 1) / 2) / (count * (len(judgements) - count))


def kendall(a: Sequence[float], b: Sequence[float]) -> float | None:
    """Return Kendall's τ-b of two equally long series of numbers, from -1 to 1.

    It is the number of concordant minus discordant pairs, divided by the geometric mean of the
    numbers of pairs that are not tied in ``a`` and in ``b``. None as for ``spearman``.

    Known weakness: as for ``spearman``. It is usually smaller, so compare it with τ-b only.

    Source: M. G. Kendall, The treatment of ties in ranking problems, Biometrika 33 (1945).
    """
    untied = math.sqrt(_untied(a) * _untied(b))
    return _balance(a, b) / untied if untied else None


def _untied(numbers: Sequence[float]) -> int:
    """Return how many pairs of places hold different numbers."""
    return math.comb(len(numbers), 2) - sum(math.comb(n, 2) for n in Counter(numbers).values())


def _balance(a: Sequence[float], b: Sequence[float]) -> int:
    """Return how many pairs of places have the same order in both series, less the opposite."""
    below: list[float] = []
    balance = 0
    pairs = sorted(zip(a, b, strict=True))
    for _, tied in groupby(pairs, key=lambda pair: pair[0]):
        numbers = [number for _, number in tied]
        for number in numbers:
            balance += bisect_left(below, number) - (len(below) - bisect_right(below, number))
        for number in numbers:
            insort(below, number)
    return balance
