"""Score answers against the true answers of every granularity, as in the GRANOLA paper.

``judge`` matches by the token F1 of the paper; ``match`` in ``matcher`` is the default. ``strata``
compares answers with the finest ones by meaning, as in section 5.4.

A question has levels of answers, the finest first, and the answers of a level are
interchangeable. An answer is right if it matches any level, and more informative at a finer level.

Source: G. Yona, R. Aharoni and M. Geva, Narrowing the knowledge evaluation gap: open-domain
question answering with multi-granularity answers (2024): definition 1, and section 5.1 for
answers like "IDK". The paper has no values of τ and λ; see ``THRESHOLD``, ``DATE_THRESHOLD`` and
``DECAY``.
"""

import functools
import itertools
import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from kgbuild.datasets.granola.scoring.truths import Reached
from kgbuild.evaluate.bootstrap import Counted, Estimate, Share, estimates
from kgbuild.evaluate.text_metrics import f1_of_counts, words
from kgbuild.text.replies import answer_of, refuses

Levels = Sequence[Sequence[str]]
"""The true answers to a question by level, the finest first, each with its aliases."""

THRESHOLD = 0.5
"""τ: the F1 of words above which an answer matches; at 0.5, half of the words of both are shared.

The value of the paper is below 0.4, since its table 9 counts an F1 of 0.4 as a match: to compare
with its numbers, take 0.3. Here it is higher because two different gold answers to one relation of
EntityQuestions match in 4 % of random draws at 1/3 (nearly 40 % of the schools, "University of
…", and of the record labels, "… Records"), but in 0.4 % at 0.5 (schools: 7 %).
"""

DATE_THRESHOLD = 0.9
"""τ for dates: a date matches only its own level, in any order of its parts.

At 0.5 a wrong day of the right month would match, and so would the month alone. Known weakness:
a date inside a sentence matches nothing, nor does a date in numbers.
"""

DECAY = math.log(2)
"""λ: with ln 2, each coarser level halves the value of an answer."""


def matched_level(answer: str, levels: Levels, threshold: float = THRESHOLD) -> int | None:
    """Return i*: the number of the first level that an answer matches, from 1; None if none.

    It matches the first level with a text of exactly its words. Without such a level, it matches
    the first level with a text whose F1 is above the threshold (0 to 1). The rule of exact words is
    not part of the definition: by it, "New York" is the state where both the state and "New York
    City" are true.

    Games it: a coarser answer that shares words with a finer one ("US playwright" with "American
    playwright") counts as the finer; a wrong town with its right country ("Lyon, France") matches
    the country, and "South America" matches "America", an alias of the United States; and the more
    levels and aliases a question has, the more answers match.

    Source: step 1 of definition 1.
    """
    answer_words = words(answer_of(answer))
    first = None
    for number, texts in enumerate(levels, 1):
        for text in texts:
            f1 = f1_of_counts(answer_words, words(text))
            if f1 == 1:
                return number
            if first is None and f1 > threshold:
                first = number
    return first


def informativeness(level: int | None, decay: float = DECAY) -> float:
    """Return exp(-λ(i* - 1)): 1 at the first level, less at each coarser one; 0 without a match.

    ``decay`` is λ, at least 0; at 0 it is the GRANOLA accuracy.

    Known weakness: it counts levels, not their information; a question with many levels between a
    town and its country gives less for the country than one with few.

    Source: step 2 of definition 1.
    """
    return 0.0 if level is None else math.exp(-decay * (level - 1))


def judge(answer: str, levels: Levels, threshold: float = THRESHOLD) -> Reached:
    """Judge the answer of a model; an answer that abstains matches no level."""
    if refuses(answer):
        return Reached(None, abstained=True)
    return Reached(matched_level(answer, levels, threshold))


def score(outcomes: Sequence[Reached], decay: float = DECAY) -> dict[str, Estimate]:
    """Score the outcomes of answers to different questions, in any order.

    - ``accuracy``: the share of answers that match any level. Games it: coarse answers, since
      "Europe" is right of most births. So it means little without the informativeness.
    - ``standard``: the share that match the finest level, as question answering is scored
      elsewhere. Never above ``accuracy``.
    - ``informativeness``: the mean, where "IDK" and wrong answers have 0; between ``standard`` and
      ``accuracy``. Games it: never to abstain, since a guess costs nothing.
    - ``information``: the mean share of the bits of the finest answer, where "IDK" and wrong
      answers have 0. It does not depend on the number of levels between two answers, but on the
      store, which has more answers of one region than of another.
    - ``abstained``: the share of answers like "IDK".
    - ``selective_accuracy``, ``selective_standard``, …: the same
      without the answers like "IDK". Games them: to abstain wherever in doubt; they mean little
      without ``abstained``. The first is the paper's selective GRANOLA accuracy; the paper has no
      selective informativeness.
    - ``level_1``, ``level_2``, …: the share that match this level and none before, as in figure 8;
      down to the last that is matched.

    A match games all of them: see ``matched_level``. A list of guesses gains little: of equally
    long ones, two still match at a threshold of 0.5, three do not.
    """
    deepest = max((outcome.level or 0 for outcome in outcomes), default=0)
    # Few outcomes differ in what counts.
    counted = functools.cache(lambda outcome: _counted(outcome, decay, deepest))
    bare = (Reached(one.level, one.abstained, one.information) for one in outcomes)
    return estimates([*map(counted, bare)])


def _counted(outcome: Reached, decay: float, deepest: int) -> Counted:
    shares = {
        "accuracy": float(outcome.right),
        "standard": float(outcome.exact),
        "informativeness": informativeness(outcome.level, decay),
        "information": outcome.information,
    }
    answered = not outcome.abstained
    return {
        **{name: Share(hits, 1) for name, hits in shares.items()},
        "abstained": Share(outcome.abstained, 1),
        **{f"selective_{name}": Share(hits, answered) for name, hits in shares.items()},
        **{f"level_{n}": Share(outcome.level == n, 1) for n in range(1, deepest + 1)},
    }


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
