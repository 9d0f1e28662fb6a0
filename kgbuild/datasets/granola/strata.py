"""Compare the meaning of answers with the finest answers, as section 5.4 of the GRANOLA paper."""

import itertools
import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from kgbuild.datasets.granola.metrics import Levels, Outcome
from kgbuild.evaluate.answers import final
from kgbuild.evaluate.bootstrap import Share


def nearness(
    answers: Sequence[str],
    levels: Sequence[Levels],
    similarities: Callable[[Sequence[tuple[str, str]]], Sequence[float]],
) -> list[float]:
    """Return the similarity of each answer to the most similar text of its finest level, else 0.

    ``levels`` are those of the question of each answer; ``similarities`` compares the two texts of
    each pair by their meaning.
    """
    finest = [question_levels[0] if question_levels else () for question_levels in levels]
    pairs = [
        (final(answer), text)
        for answer, texts in zip(answers, finest, strict=True)
        for text in texts
    ]
    scores = iter(similarities(pairs))
    return [max(itertools.islice(scores, len(texts)), default=0.0) for texts in finest]


class Stratum(NamedTuple):
    """The answers with one of the four judgements by standard and GRANOLA accuracy.

    ``answers`` is their share of all answers; ``similarity`` is their mean, None if there are none.
    """

    standard: bool
    granola: bool
    answers: Share
    similarity: float | None


def strata(outcomes: Sequence[Outcome], similarities: Sequence[float]) -> list[Stratum]:
    """Return the mean similarity in each stratum of standard × GRANOLA correctness.

    ``similarities`` has a number for each outcome: the similarity of the answer to the gold answer.
    Strata come in the order of the paper's table 3; the third, right only by the standard, is
    empty by definition. Answers like "IDK" are left out, since they cannot be compared.

    If the answers right by GRANOLA accuracy only are not more similar than the wrong ones,
    similarity to a gold answer cannot replace answers at every granularity. Known weakness: the
    mean hides the spread, and the similarity of coarse answers depends on the measure.

    Source: section 5.4.

    Raises:
        ValueError: there are not as many similarities as outcomes.
    """
    by_stratum: dict[tuple[bool, bool], list[float]] = {
        (standard, granola): [] for granola in (True, False) for standard in (True, False)
    }
    for outcome, similarity in zip(outcomes, similarities, strict=True):
        if not outcome.abstained:
            by_stratum[outcome.exact, outcome.right].append(similarity)
    total = sum(map(len, by_stratum.values()))
    return [
        Stratum(*key, Share(len(members), total), math.fsum(members) / len(members))
        if members
        else Stratum(*key, Share(0, total), None)
        for key, members in by_stratum.items()
    ]
