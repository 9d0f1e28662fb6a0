"""Texts in which names are looked up, and the stems of their words."""

import functools
import re
import unicodedata
from collections.abc import Iterable
from typing import NamedTuple

from kgbuild.datasets.syn_qa.hotpotqa.vocabulary import STOP_WORDS

WORD = re.compile(r"&|\w+")
# The words directly before and after a name
_WORD_BEFORE = re.compile(r"\W(\w+) $")
_WORD_AFTER = re.compile(r" (\w+)")
# The parts of a longer name directly before and after a name: 'Duke of', ': A Romance', '-'
_JOINED_BEFORE = re.compile(r"(?<=\S )[A-Z]\w* (?:of|for) (?:the )?$|\w(?:[-/–]| & )$")
_JOINED = re.compile(r": [A-Z]| (?:of|for) (?:the )?[A-Z]|(?:[-/–]| & )\w")
_MIN_STEM = 4
"""Minimum number of letters of a word without its ending."""
_ENDINGS = (
    *("ations", "ation", "ings", "ing", "ions", "ion", "ers", "ors"),
    *("ies", "er", "or", "ed", "es", "s", "e", "y"),
)


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
    return frozenset(_stem(word) for word in words if word not in STOP_WORDS and len(word) > 1)


@functools.lru_cache(maxsize=1 << 16)
def _stem(word: str) -> str:
    """Return a word without the first of the endings that leaves enough letters."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _MIN_STEM:
            return word.removesuffix(ending)
    return word


class Span(NamedTuple):
    """A part of a text: the index of its first letter, and the index after its last letter."""

    start: int
    end: int


class Text:
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

    def spans(self, name: str) -> list[Span]:
        """Return the spans of a name in the text, without those within a longer name.

        The first letter of a name of one word must have the same case: 'poison' is not Poison.
        """
        if not self.has(name):
            return []
        name_words, text_words, folded = words(name), self.words, fold_letters(self.text)
        word_spans = [(word.start(), word.end()) for word in WORD.finditer(folded)]
        last_signs = re.search(r"\W*$", fold_letters(name))
        ending = last_signs[0] if last_signs else ""  # of "Help!": the exclamation mark
        spans = []
        for first in range(len(text_words) - len(name_words) + 1):
            stop = first + len(name_words)
            if text_words[first:stop] == name_words:
                (start, _), (_, end) = word_spans[first], word_spans[stop - 1]
                if folded.startswith(ending, end):
                    end += len(ending)
                spans.append(Span(start, end))
        return [span for span in spans if self._is_name(span, name)]

    def _is_name(self, span: Span, name: str) -> bool:
        """Return whether a span is a name by itself: no common word, and not in a longer name."""
        before, after = self.text[: span.start], self.text[span.end :]
        if self._is_quoted(span):
            return True
        if (
            fold_letters(before).count('"') % 2
            or _JOINED_BEFORE.search(before)
            or _JOINED.match(after)
        ):
            return False
        name_words = words(name)
        if len(name_words) == 1 and self.text[span.start] != name.lstrip("\"'(")[:1]:
            return False
        # The first word of a question does not count: it is always capitalised.
        neighbours = (_WORD_BEFORE.search(before), _WORD_AFTER.match(after))
        capitalised = [match[1] for match in neighbours if match and match[1][0].isupper()]
        is_within = any(fold_letters(word) not in STOP_WORDS for word in capitalised)
        return not set(name_words) <= STOP_WORDS and not is_within

    def _is_quoted(self, span: Span) -> bool:
        """Return whether quotes are directly around a span."""
        before, after = fold_letters(self.text[: span.start]), fold_letters(self.text[span.end :])
        return before[-1:] == '"' and after.lstrip(".,;?!")[:1] == '"'
