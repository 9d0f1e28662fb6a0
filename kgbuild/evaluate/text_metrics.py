"""Compare texts by their words: normalisation, token F1, and whether a reply abstains."""

import functools
import re
import string
import unicodedata
from collections import Counter

from kgbuild.english.normalize import plain
from kgbuild.evaluate.answers import final

_ARTICLES = {"a", "an", "the"}
_SILENT_ASCII = dict.fromkeys(map(ord, string.punctuation))
"""The ASCII characters that are removed: most texts are ASCII, for which a table is faster."""
_SENTENCE_ENDS = re.compile(r"[.!?\n]")
# Unless a guess follows: "I don't know, but maybe Paris" is an answer.
_UNGUESSED = r"(?! .*\b(?:but|maybe|perhaps|probably|possibly|think|believe|guess)\b)(?: .*)?"
_KNOWLEDGE = r"(?:information|knowledge|data|details|record|records|evidence|access)"
_SORT = r"(?:(?:any|enough|sufficient|specific|reliable|relevant|further|that|the|an|available) )*"
# Of normalised text.
_ABSTENTION = re.compile(
    r"(?:(?:sorry|unfortunately|but|afraid|im|i|am|apologize|apologise|apologies|my|answer|it|is"
    r"|as|ai|assistant|(?:large )?language|model|however|there|was|were) )*"
    r"(?:idk(?: .*)?|unknown|not known|(?:have )?no idea|no answer"
    rf"|(?:have )?(?:no|insufficient|not enough) {_SORT}{_KNOWLEDGE}{_UNGUESSED}"
    rf"|information (?:is |was )?(?:not available|unavailable|not found){_UNGUESSED}"
    r"|not (?:available|specified|mentioned|stated|given|provided|applicable|enough information)"
    rf"|(?:really )?(?:dont|do not) (?:really )?know{_UNGUESSED}"
    rf"|(?:dont|do not) have {_SORT}(?:{_KNOWLEDGE}|answer){_UNGUESSED}"
    rf"|(?:was |were |am )?(?:cannot|can not|cant|couldnt|could not|unable to|not able to)"
    rf" (?:answer|say|tell|determine|find|locate|identify|confirm|verify|provide){_UNGUESSED}"
    rf"|(?:did not|didnt) find{_UNGUESSED}"
    rf"|not (?:aware of|familiar with){_UNGUESSED}"
    rf"|(?:not sure|not certain|unsure|uncertain){_UNGUESSED})"
)
_ANSWERS_AFTER_ALL = re.compile(
    r"[.!?\n]\W*(?:however|but|that said|still|nevertheless|nonetheless|as of|based on|according to"
    r"|in general|in most|it is possible|it's possible)\b",
    re.IGNORECASE,
)
"""How an answer begins that follows an abstention."""
_NOT_APPLICABLE = re.compile(r"\W*n/a\W*", re.IGNORECASE)
"""Whose letters alone, "NA", may be an answer."""


def normalise(text: str) -> str:
    """Return a text for comparison: without case, punctuation, articles and doubled spaces.

    ASCII is normalised as by SQuAD. In other texts, characters that are compatible in Unicode
    (NFKC) become equal, and accents, symbols and letters without a width are removed, since models
    leave accents out: "São" is "sao". A text of only articles or punctuation keeps them: "The The"
    and "!!!" are bands.

    Known weakness: as in SQuAD, punctuation leaves no gap, so "Stratford-upon-Avon" is one word
    and shares none with "Stratford upon Avon". Words that differ by accents only become equal.

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
    letters = ((letter, unicodedata.category(letter)) for letter in plain(part))
    return "".join(letter for letter, kind in letters if kind[0] not in "PS" and kind != "Cf")


def f1(a: str, b: str) -> float:
    """Return the token F1 of two texts, from 0 to 1: twice the words shared, by all words.

    Words are normalised, and count as often as they occur, in any order. Two texts without words
    have 0.

    Games it: words that many names share ("University of …"). Known weakness: "the father of
    Ann" and "Ann of the father" are equal, and a right answer in a long sentence has a low F1.

    Source: section 6.1 of the SQuAD paper; it goes back to C. J. van Rijsbergen, Information
    retrieval (1979).
    """
    return f1_of_counts(words(a), words(b))


@functools.lru_cache(maxsize=2**16)  # countries and continents are answers to many questions
def words(text: str) -> Counter[str]:
    """Return the words of a text with their counts, which callers must not change."""
    return Counter(normalise(text).split())


def f1_of_counts(counts: Counter[str], other: Counter[str]) -> float:
    """Return the token F1 of two texts by the counts of their words."""
    common = shared(counts, other)
    return 2 * common / (counts.total() + other.total()) if common else 0.0


def shared(counts: Counter[str], other: Counter[str]) -> int:
    """Return how many words two texts share, each as often as both have it."""
    # Equal to (counts & other).total(), but many times faster if one text is much longer.
    both = counts.keys() & other.keys()
    return sum(map(min, map(counts.__getitem__, both), map(other.__getitem__, both)))


def abstains(text: str) -> bool:
    """Return whether a model abstains from an answer.

    It abstains by "IDK", as the paper's prompts ask for, by "N/A", or by a usual sentence ("I don't
    know who wrote it", "Unknown", "I'm not sure", "I could not find any information") at the
    beginning. With a guess in the same sentence ("but maybe Paris"), or an answer behind it
    ("However, …"), it is an answer. An empty text is no abstention, since a failure must not raise
    selective scores.

    Known weakness: other ways to abstain count as wrong answers, and the name of a work such as
    "Don't Know Why" as an abstention.
    """
    answer = final(text)
    if _ANSWERS_AFTER_ALL.search(answer):
        return False
    sentence = normalise(_SENTENCE_ENDS.split(answer)[0])
    return bool(_ABSTENTION.fullmatch(sentence) or _NOT_APPLICABLE.fullmatch(answer))
