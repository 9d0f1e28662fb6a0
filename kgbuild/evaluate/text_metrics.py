"""Compare texts by their words: normalisation, and token F1."""

import functools
import string
import unicodedata
from collections import Counter

from kgbuild.english.normalize import plain

_ARTICLES = {"a", "an", "the"}
_SILENT_ASCII = dict.fromkeys(map(ord, string.punctuation))
"""The ASCII characters that are removed: most texts are ASCII, for which a table is faster."""
_LONGEST_NAME = 64
"""Maximum number of characters of the texts whose normalised form is kept."""


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
    return _normalise_name(text) if len(text) <= _LONGEST_NAME else _normalise(text)


def _normalise(text: str) -> str:
    if text.isascii():
        folded = text.lower()
        words = folded.translate(_SILENT_ASCII).split()
        kept = [word for word in words if word not in _ARTICLES]
        return " ".join(kept or words or folded.split())
    words = " ".join(map(_voiced, text.split())).split()
    kept = [word for word in words if word not in _ARTICLES]
    return unicodedata.normalize("NFKC", " ".join(kept or words or plain(text).split()))


# A dataset repeats the names of places many times.
_normalise_name = functools.lru_cache(maxsize=2**17)(_normalise)


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
