"""Texts in which names are looked up, and the stems of their words."""

import re
import unicodedata
from collections.abc import Iterable
from typing import NamedTuple

from kgbuild.datasets.syn_qa.hotpotqa.vocabulary import STOP_WORDS
from kgbuild.english.stems import stem
from kgbuild.text.spans import places
from kgbuild.text.words import split

WORD = re.compile(r"&|\w+")


class _Letters(dict[int, str]):
    """A table for ``str.translate``: one letter without case and accent for each letter."""

    def __missing__(self, code: int) -> str:
        letter = chr(code)
        base = unicodedata.normalize("NFKD", letter)[0]
        lower = (base if base.isascii() else letter).lower()
        self[code] = lower if len(lower) == 1 else letter
        return self[code]


_LETTERS = _Letters(
    zip(map(ord, "‘’ʻ`´“”–—‐‑−"), "'''''\"\"-----", strict=True)  # signs with the same meaning
)


def fold_letters(text: str) -> str:
    """Return a text of the same length without case, accents and variants of signs.

    >>> fold_letters("Téa – “O’Hara”")
    'tea - "o\\'hara"'
    """
    return text.lower() if text.isascii() else text.translate(_LETTERS)


def words(text: str) -> list[str]:
    """Return the folded words of a text; signs are left out, but ``&`` is ``and``."""
    return ["and" if word == "&" else word for word in WORD.findall(fold_letters(text))]


def stems(words: Iterable[str]) -> frozenset[str]:
    """Return the stems of words that are no stop words: director and directed share a stem."""
    return frozenset(stem(word) for word in words if word not in STOP_WORDS and len(word) > 1)


class NameSpan(NamedTuple):
    """A part of a text: the index of its first letter, and the index after its last letter."""

    start: int
    end: int


class SearchedText:
    """A text in which names are looked up; case, accents and signs do not count."""

    def __init__(self, text: str):
        self.text = text
        # No further copies are kept, because a file has many texts.
        self._words = f" {' '.join(words(text))} "

    @property
    def words(self) -> list[str]:
        """The folded words of the text."""
        return self._words.split()

    def has(self, name: str) -> bool:
        """Return whether the text has the words of a name, one after the other."""
        name_words = words(name)
        return bool(name_words) and f" {' '.join(name_words)} " in self._words

    def spans(self, name: str) -> list[NameSpan]:
        """Return the spans of a name in the text, without those within a longer name."""
        if not self.has(name):
            return []
        last_signs = re.search(r"\W*$", fold_letters(name))
        ending = last_signs[0] if last_signs else ""  # of "Help!": the exclamation mark
        read, spans = split(self.text), []
        for first, last in places(read, name):
            start, end = read.words[first].start, read.words[last].end
            end += len(ending) if fold_letters(self.text).startswith(ending, end) else 0
            spans.append(NameSpan(start, end))
        return spans
