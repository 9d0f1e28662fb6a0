"""Texts in which names are looked up, and the stems of their words."""

import re
from collections.abc import Iterable
from typing import NamedTuple

from kgbuild.datasets.syn_qa.hotpotqa.vocabulary import STOP_WORDS
from kgbuild.english.normalize import fold
from kgbuild.english.stems import stem
from kgbuild.text.spans import places
from kgbuild.text.words import split

WORD = re.compile(r"&|\w+")


def words(text: str) -> list[str]:
    """Return the folded words of a text; signs are left out, but ``&`` is ``and``."""
    return ["and" if word == "&" else word for word in WORD.findall(fold(text))]


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
        last_signs = re.search(r"\W*$", name)
        ending = last_signs[0] if last_signs else ""  # of "Help!": the exclamation mark
        read, spans = split(self.text), []
        for first, last in places(read, name):
            start, end = read.words[first].start, read.words[last].end
            end += len(ending) if self.text.startswith(ending, end) else 0
            spans.append(NameSpan(start, end))
        return spans
