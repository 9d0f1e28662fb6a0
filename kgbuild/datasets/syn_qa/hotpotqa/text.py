"""Texts in which names are looked up."""

import re
from typing import NamedTuple

from kgbuild.english.normalize import fold
from kgbuild.text.spans import places
from kgbuild.text.words import split

_WORD = re.compile(r"&|\w+")


def words(text: str) -> list[str]:
    """Return the folded words of a text; signs are left out, but ``&`` is ``and``."""
    return ["and" if word == "&" else word for word in _WORD.findall(fold(text))]


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
