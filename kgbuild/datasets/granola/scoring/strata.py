"""Compare answers with the finest gold answers by meaning, as in section 5.4 of the paper."""

import itertools
import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from kgbuild.datasets.granola.scoring.metrics import Levels
from kgbuild.datasets.granola.scoring.truths import Reached
from kgbuild.evaluate.bootstrap import Share
from kgbuild.text.replies import answer_of


def nearness(
    answers: Sequence[str],
    levels: Sequence[Levels],
    similarities: Callable[[Sequence[tuple[str, str]]], Sequence[float]],
) -> list[float]:
    """Return the similarity of each answer to the most similar of its finest gold answers.

    It is 0 without gold answers. ``levels`` has the gold answers to the question of each answer, by
    level; ``similarities`` returns the similarity in meaning of the two texts of each pair.
    """
    finest_answers = [gold_levels[0] if gold_levels else () for gold_levels in levels]
    pairs = [
        (answer_of(answer), gold_answer)
        for answer, gold_answers in zip(answers, finest_answers, strict=True)
        for gold_answer in gold_answers
    ]
    scores = iter(similarities(pairs))
    return [
        max(itertools.islice(scores, len(gold_answers)), default=0.0)
        for gold_answers in finest_answers
    ]


class Stratum(NamedTuple):
    """The answers that the standard judges alike, and GRANOLA accuracy, too.

    The standard accepts only the finest gold answers, GRANOLA accuracy those at all levels.
    ``answers`` is their share of all answers. ``similarity`` is their mean similarity to the finest
    gold answers; None for an empty stratum.
    """

    standard: bool
    granola: bool
    answers: Share
    similarity: float | None


def strata(outcomes: Sequence[Reached], similarities: Sequence[float]) -> list[Stratum]:
    """Return the four strata in the order of table 3 of the paper, each with its mean similarity.

    ``similarities`` has the result of ``nearness`` for each outcome. The third stratum is always
    empty: an answer that is right by the standard is right by GRANOLA accuracy. Answers that
    abstain ("IDK") are left out, since they cannot be compared.

    The strata test whether similarity to a gold answer could replace answers at every granularity.
    It cannot if answers that only GRANOLA accuracy accepts are as dissimilar as wrong answers.
    Known weaknesses: a mean does not show the variance, and the similarity of coarse answers
    depends on the measure.

    Raises:
        ValueError: the numbers of similarities and outcomes differ.
    """
    similarities_by_stratum: dict[tuple[bool, bool], list[float]] = {
        (standard, granola): [] for granola in (True, False) for standard in (True, False)
    }
    for outcome, similarity in zip(outcomes, similarities, strict=True):
        if not outcome.abstained:
            similarities_by_stratum[outcome.exact, outcome.right].append(similarity)
    total = sum(map(len, similarities_by_stratum.values()))
    return [
        Stratum(
            standard,
            granola,
            Share(len(values), total),
            math.fsum(values) / len(values) if values else None,
        )
        for (standard, granola), values in similarities_by_stratum.items()
    ]
