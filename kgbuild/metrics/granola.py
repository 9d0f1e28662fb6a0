"""Score answers against the true answers of every granularity, as in the GRANOLA paper.

A question has levels of answers, the finest first, and the answers of a level are
interchangeable. An answer is right if it matches any level, and the more informative the finer
the level is.

Source: G. Yona, R. Aharoni and M. Geva, Narrowing the knowledge evaluation gap: open-domain
question answering with multi-granularity answers (2024): definition 1, and section 5.1 for
answers like "IDK". The paper names no value of τ and λ; ``THRESHOLD``, ``DATE_THRESHOLD``
and ``DECAY`` say how theirs were chosen.
"""

import functools
import itertools
import math
import re
import string
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import NamedTuple

from kgbuild.folding import plain
from kgbuild.metrics.answers import final
from kgbuild.metrics.estimates import Counted, Estimate, Share, estimates

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

DATE_KINDS = ("day", "month", "year", "decade", "century")
"""The kinds of answers that are dates, the finest first."""

_ARTICLES = {"a", "an", "the"}
_SILENT_ASCII = dict.fromkeys(map(ord, string.punctuation))
"""What ``_is_silent`` tells of ASCII: most texts have no other letters, and many are compared."""
_SENTENCE_ENDS = re.compile(r"[.!?\n]")
# Unless a guess follows: "I don't know, but maybe Paris" is an answer.
_UNGUESSED = r"(?! .*\b(?:but|maybe|perhaps|probably|possibly|think|believe|guess)\b)(?: .*)?"
# As it stands after normalisation.
_ABSTENTION = re.compile(
    r"(?:(?:sorry|unfortunately|but|afraid|im|i|am|answer|it|is) )*"
    r"(?:idk(?: .*)?|unknown|not known|(?:have )?no idea"
    rf"|(?:really )?(?:dont|do not) (?:really )?know{_UNGUESSED}"
    rf"|(?:dont|do not) have (?:enough |any |that )?information{_UNGUESSED}"
    rf"|(?:cannot|can not|cant|unable to|not able to) (?:answer|say|tell|determine){_UNGUESSED}"
    rf"|(?:not sure|not certain|unsure|uncertain){_UNGUESSED})"
)


def normalise(text: str) -> str:
    """Return a text as it is compared: without case, punctuation, articles and doubled spaces.

    For ASCII it is the normalisation of SQuAD. Beyond, what Unicode (NFKC) takes for the same
    becomes the same, and accents go, since models leave them out: "São" is "sao"; so do symbols
    and letters without a width. A text of nothing but articles or punctuation keeps them: "The
    The" and "!!!" are bands.

    Known weakness: as in SQuAD, punctuation leaves no gap, so "Stratford-upon-Avon" is one word
    and shares none with "Stratford upon Avon". Different words that differ by accents alone
    become the same.

    Source: P. Rajpurkar, J. Zhang, K. Lopyrev and P. Liang, SQuAD: 100,000+ questions for
    machine comprehension of text (2016), section 6.1.
    """
    if text.isascii():
        folded = text.lower()
        words = folded.translate(_SILENT_ASCII).split()
        kept = [word for word in words if word not in _ARTICLES]
        return " ".join(kept or words or folded.split())
    words = " ".join(map(_voiced, text.split())).split()
    kept = [word for word in words if word not in _ARTICLES]
    return unicodedata.normalize("NFKC", " ".join(kept or words or plain(text).split()))


@functools.lru_cache(maxsize=2**16)
def _voiced(part: str) -> str:
    """Return a part of a text that has no space in it, without case and punctuation."""
    return "".join(c for c in plain(part) if not _is_silent(c))


def _is_silent(letter: str) -> bool:
    category = unicodedata.category(letter)
    return category[0] in "PS" or category == "Cf"


def f1(one: str, other: str) -> float:
    """Return the token F1 of two texts, from 0 to 1: twice the words shared, by all words.

    It is the harmonic mean of precision and recall, with words counted as often as they stand
    there, after normalisation, in any order. Two texts without words have 0.

    Games it: what is common to many names ("University of …"). Known weakness: "the father of
    Ann" and "Ann of the father" are the same to it, and a right answer in a long sentence has
    a low one.

    Source: section 6.1 of the SQuAD paper; it goes back to C. J. van Rijsbergen, Information
    retrieval (1979).
    """
    return f1_of_counts(_words(one), _words(other))


@functools.lru_cache(maxsize=2**16)  # countries and continents are answers to many questions
def _words(text: str) -> Counter[str]:
    """Return the words of a text, counted; nobody changes them."""
    return Counter(normalise(text).split())


def f1_of_counts(one: Counter[str], other: Counter[str]) -> float:
    """Return the token F1 of two texts of which the words are counted already."""
    common = shared(one, other)
    return 2 * common / (one.total() + other.total()) if common else 0.0


def shared(one: Counter[str], other: Counter[str]) -> int:
    """Return how many words two texts share, each as often as it stands in both."""
    # What (one & other).total() is, but many times faster if one text is much longer.
    both = one.keys() & other.keys()
    return sum(map(min, map(one.__getitem__, both), map(other.__getitem__, both)))


def abstains(text: str) -> bool:
    """Return whether a model says that it doesn't know, rather than giving an answer.

    It does by "IDK", as the paper's prompts ask for, or by the usual sentences to that effect
    ("I don't know who wrote it", "Unknown", "I'm not sure", "I cannot answer that"), if they
    come first. With a guess in the same sentence ("but maybe Paris") it is an answer. So is an
    empty text: whoever sends nothing has failed, and a failure must not raise selective scores.

    Known weakness: other ways to say so count as wrong answers, and the name of a work that
    says so ("Don't Know Why") as no answer.
    """
    return bool(_ABSTENTION.fullmatch(normalise(_SENTENCE_ENDS.split(final(text))[0])))


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
    given = _words(final(answer))
    first = None
    for number, texts in enumerate(levels, 1):
        for text in texts:
            found = f1_of_counts(given, _words(text))
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
    words = [[frozenset(_words(text)) for text in texts] for texts in levels]
    return frozenset(
        alias
        for level, alias in aliases
        if (own := frozenset(_words(alias)))
        and any(own < other for some in words[level:] for other in some)
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
