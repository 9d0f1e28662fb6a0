"""Score answers against the true answers of every granularity, as in the GRANOLA paper.

A question has levels of answers, the finest first, and the answers of a level are
interchangeable. An answer is right if it matches any level, and the more informative the finer
the level is.

Source: G. Yona, R. Aharoni and M. Geva, Narrowing the knowledge evaluation gap: open-domain
question answering with multi-granularity answers (2024): definition 1, and section 5.1 for
answers like "IDK". The paper names no value of τ and λ; ``THRESHOLD``, ``DATE_THRESHOLD``
and ``DECAY`` say how theirs were chosen.
"""

import itertools
import math
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import NamedTuple

from kgbuild.english.dates import KINDS as DATE_KINDS
from kgbuild.evaluate.answers import final
from kgbuild.evaluate.bootstrap import Counted, Estimate, Share, estimates
from kgbuild.evaluate.text_metrics import abstains, f1_of_counts, words

Levels = Sequence[Sequence[str]]
"""The true answers to a question by level, the finest first; aliases stand beside their answer."""

THRESHOLD = 0.5
"""τ: an F1 above it is a match, so the shared words make more than half of the words of both.

The paper's own lies below 0.4, since its table 9 counts an F1 of 0.4 as a match: to compare with
its numbers, take 0.3. Here it is higher because two different gold answers to one relation of
EntityQuestions match in 4 % of random draws at 1/3 (nearly 40 % of the schools, "University of
…", and of the record labels, "… Records"), but in 0.4 % at 0.5 (schools: 7 %).
"""

DATE_THRESHOLD = 0.9
"""τ for dates: one matches only its own level, in whichever order its parts are written.

At 0.5 a wrong day of the right month would match, and so would the month alone. Known weakness:
a date inside a sentence matches nothing.
"""

DECAY = math.log(2)
"""λ: with ln 2, an answer is worth half of one that is a level finer."""


def matched_level(
    answer: str,
    levels: Levels,
    threshold: float = THRESHOLD,
    narrow: Collection[str] = frozenset(),
) -> int | None:
    """Return i*: the number of the first level that an answer matches, from 1; None if none.

    It matches a level if it has all the words of a text of the level and no other; if there is no
    such level, if its F1 with a text of it is above the threshold (0 to 1). The first is no part
    of the definition, but "New York" is to be the state where both it and "New York City" are
    true. So are the texts in ``narrow`` (see ``Gold``), which match in no other way.

    Games it: a coarser answer in other words that shares some with a finer one ("US playwright"
    with "American playwright") is taken for the finer; a wrong town with its right country
    ("Lyon, France") matches the country; and the more levels and aliases a question has, the
    more answers match.

    Source: step 1 of definition 1.
    """
    given = words(final(answer))
    first = None
    for number, texts in enumerate(levels, 1):
        for text in texts:
            found = f1_of_counts(given, words(text))
            if found == 1:
                return number
            if first is None and found > threshold and text not in narrow:
                first = number
    return first


def informativeness(level: int | None, decay: float = DECAY) -> float:
    """Return exp(-λ(i* - 1)): 1 at the first level, less at each coarser one; 0 without a match.

    ``decay`` is λ, at least 0; at 0 it is nothing but the GRANOLA accuracy.

    Known weakness: it counts levels, not what they tell; a question with many levels between a
    town and its country gives less for the country than one with few.

    Source: step 2 of definition 1.
    """
    return 0.0 if level is None else math.exp(-decay * (level - 1))


class Gold(NamedTuple):
    """The true answers to a question by level, and the τ that suits them.

    ``narrow`` are aliases all of whose words, and not only those, stand in a coarser answer:
    "America" of the United States, where "North America" is coarser. What shares such a word may
    as well be about the coarser one, or, as "South America", about neither.
    """

    levels: Levels
    threshold: float
    narrow: frozenset[str] = frozenset()


def gold(rows: Iterable[tuple[int, str, str, Sequence[str]]]) -> Gold:
    """Return the true answers of one question's rows: level (from 1), kind, answer, aliases.

    The threshold is ``DATE_THRESHOLD`` if answers are dates, else ``THRESHOLD``. Rows come in
    any order.
    """
    levels: list[list[str]] = []
    aliases_at: list[tuple[int, str]] = []
    are_dates = False
    for level, kind, answer, aliases in rows:
        levels += [[] for _ in range(level - len(levels))]
        levels[level - 1] += [answer, *aliases]
        aliases_at += [(level, alias) for alias in aliases]
        are_dates |= kind in DATE_KINDS
    if are_dates:
        return Gold(levels, DATE_THRESHOLD)
    return Gold(levels, THRESHOLD, _narrow(levels, aliases_at))


def _narrow(levels: Levels, aliases: Iterable[tuple[int, str]]) -> frozenset[str]:
    """Return the aliases, each with its level, that are a part of a text of a coarser level."""
    sets = [[frozenset(words(text)) for text in texts] for texts in levels]
    return frozenset(
        alias
        for level, alias in aliases
        if (own := frozenset(words(alias)))
        and any(own < other for some in sets[level:] for other in some)
    )


class Outcome(NamedTuple):
    """What became of an answer: the first level that it matches, or that there was none given."""

    level: int | None
    abstained: bool = False

    @property
    def right(self) -> bool:
        """Whether it matches any level: its GRANOLA accuracy."""
        return self.level is not None

    @property
    def exact(self) -> bool:
        """Whether it matches the finest level: its standard accuracy."""
        return self.level == 1


def judge(
    answer: str,
    levels: Levels,
    threshold: float = THRESHOLD,
    narrow: Collection[str] = frozenset(),
) -> Outcome:
    """Judge a model's answer; one that abstains matches nothing, whatever the levels hold."""
    if abstains(answer):
        return Outcome(None, abstained=True)
    return Outcome(matched_level(answer, levels, threshold, narrow))


def score(outcomes: Sequence[Outcome], decay: float = DECAY) -> dict[str, Estimate]:
    """Score the outcomes of answers to different questions, in any order.

    What is selective leaves out the answers like "IDK".

    ``accuracy``: answers that match any level, among all. Games it: coarse answers; "Europe"
    is right of most births. So it says little without the informativeness.

    ``standard``: answers that match the finest level, among all, as question answering is
    scored elsewhere. Never above ``accuracy``.

    ``informativeness``: the mean over all answers, where "IDK" and wrong ones have 0; from 0 to
    1. Always between ``standard`` and ``accuracy``. Games it: guessing costs nothing, so whoever
    never abstains has the most.

    ``abstained``: the answers like "IDK" among all.

    ``selective_accuracy``, ``selective_standard``, ``selective_informativeness``: the same among
    the answers given. Game each: abstaining wherever in doubt; none says anything without
    ``abstained``. The first is the paper's selective GRANOLA accuracy; the paper leaves the
    informativeness unselective.

    ``level_1``, ``level_2``, …: answers that match the first level, the second and so on and
    none before, among all, as in figure 8; down to the last that is matched.

    All are gamed by whatever makes a match: see ``matched_level``. A list of guesses is not worth
    much: of equally long ones, two still match at a threshold of 0.5, three no more.
    """
    deepest = max((outcome.level or 0 for outcome in outcomes), default=0)
    return estimates([_counted(outcome, decay, deepest) for outcome in outcomes])


def _counted(outcome: Outcome, decay: float, deepest: int) -> Counted:
    """Return what an answer adds; it matches none of the levels if it abstains."""
    shares = {
        "accuracy": float(outcome.right),
        "standard": float(outcome.exact),
        "informativeness": informativeness(outcome.level, decay),
    }
    answered = not outcome.abstained
    return {
        **{name: Share(hits, 1) for name, hits in shares.items()},
        "abstained": Share(outcome.abstained, 1),
        **{f"selective_{name}": Share(hits, answered) for name, hits in shares.items()},
        **{f"level_{n}": Share(outcome.level == n, 1) for n in range(1, deepest + 1)},
    }


class Bin(NamedTuple):
    """A range of popularities, both ends within it."""

    low: int
    high: int


def popularity_bin(popularity: int) -> Bin:
    """Return the bin of a popularity (an in-degree, at least 0): 0, 1–2, 3–9, 10–29, 30–99 ….

    The bins begin at 1 and 3 times the powers of ten, so they are about equally wide on a
    logarithmic scale, as popularity needs it: of most items little is said, of few very much.
    They depend on no data, so a popularity falls into the same bin in every table.

    Known weakness: the bins hold unequal numbers of questions (those of the paper's figure 6
    hold equally many), so look at the intervals.
    """
    if popularity == 0:
        return Bin(0, 0)
    power = 10 ** (len(str(popularity)) - 1)
    if popularity < 3 * power:
        return Bin(power, 3 * power - 1)
    return Bin(3 * power, 10 * power - 1)


def nearness(
    answers: Sequence[str],
    levels: Sequence[Levels],
    similarities: Callable[[Sequence[tuple[str, str]]], Sequence[float]],
) -> list[float]:
    """Return how near each answer is in meaning to the nearest text of its finest level.

    ``levels`` are those of the questions that were answered, one by one, and ``similarities``
    tells how near the two texts of each pair are. Without a text there is nothing near: 0.
    """
    said = [final(answer) for answer in answers]
    finest = [levels_of_one[0] if levels_of_one else () for levels_of_one in levels]
    pairs = [(one, text) for one, texts in zip(said, finest, strict=True) for text in texts]
    found = iter(similarities(pairs))
    return [max(itertools.islice(found, len(texts)), default=0.0) for texts in finest]


class Stratum(NamedTuple):
    """The answers that standard and GRANOLA accuracy judge in one of four ways.

    ``answers`` counts them among all that were given; ``similarity`` is their mean, None if
    there are none.
    """

    standard: bool
    granola: bool
    answers: Share
    similarity: float | None


def strata(outcomes: Sequence[Outcome], similarities: Sequence[float]) -> list[Stratum]:
    """Return the mean similarity in each stratum of standard × GRANOLA correctness.

    ``similarities`` are one number an outcome: how near the answer is in meaning to the gold
    answer. Strata come in the order of the paper's table 3; the third, right only by the
    standard, is empty by definition. Answers like "IDK" are left out: there is no answer whose
    meaning could be compared.

    If those right by GRANOLA accuracy only are no nearer than the wrong ones, similarity to a
    gold answer cannot stand in for answers at every granularity. Known weakness: the mean
    hides the spread, and which of the coarse answers are near depends on the measure.

    Source: section 5.4.

    Raises:
        ValueError: there are not as many similarities as outcomes.
    """
    found: dict[tuple[bool, bool], list[float]] = {
        (standard, granola): [] for granola in (True, False) for standard in (True, False)
    }
    for outcome, similarity in zip(outcomes, similarities, strict=True):
        if not outcome.abstained:
            found[outcome.exact, outcome.right].append(similarity)
    given = sum(map(len, found.values()))
    return [
        Stratum(*judged, Share(len(near), given), math.fsum(near) / len(near) if near else None)
        for judged, near in found.items()
    ]
