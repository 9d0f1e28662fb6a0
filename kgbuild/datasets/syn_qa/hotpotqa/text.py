"""Texts in which names are looked up, and the stems of their words."""

import functools
import re
import unicodedata
from collections.abc import Iterable
from typing import NamedTuple

from kgbuild.datasets.syn_qa.hotpotqa.vocabulary import STOP_WORDS

WORD = re.compile(r"&|\w+")
_WORD_BEFORE = re.compile(r"\W(\w+) $")
_WORD_AFTER = re.compile(r" (\w+)")
_JOINED_BEFORE = re.compile(r"(?<=\S )[A-Z]\w* (?:of|for) (?:the )?$|\w(?:[-/–]| & )$")
_JOINED = re.compile(r": [A-Z]| (?:of|for) (?:the )?[A-Z]|(?:[-/–]| & )\w")
"""What joins a name to a longer one: 'Duke of', ': A Romance'."""
_SHORTEST_STEM = 4
_ENDINGS = (
    *("ations", "ation", "ings", "ing", "ions", "ion", "ers", "ors"),
    *("ies", "er", "or", "ed", "es", "s", "e", "y"),
)


class _Letters(dict[int, str]):
    """Letters without case and accents, one for one; each is looked up once."""

    def __missing__(self, code: int) -> str:
        letter = chr(code)
        base = unicodedata.normalize("NFKD", letter)[0]
        lower = (base if base.isascii() else letter).lower()
        self[code] = lower if len(lower) == 1 else letter
        return self[code]


_LETTERS = _Letters(
    zip(map(ord, "‘’ʻ`´“”–—‐‑−"), "'''''\"\"-----", strict=True)  # signs with the same meaning
)


def plain(text: str) -> str:
    """Return a text without case and accents, of the same length.

    >>> plain("Téa – “O’Hara”")
    'tea - "o\\'hara"'
    """
    return text.lower() if text.isascii() else text.translate(_LETTERS)


def words(text: str) -> list[str]:
    """Return the words of a text, plain; signs do not count, but ``&`` is ``and``."""
    return ["and" if word == "&" else word for word in WORD.findall(plain(text))]


def stems(words: Iterable[str]) -> frozenset[str]:
    """Return the stems of the words that carry meaning: director and directed have the same."""
    return frozenset(_stem(word) for word in words if word not in STOP_WORDS and len(word) > 1)


@functools.lru_cache(maxsize=1 << 16)
def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM:
            return word.removesuffix(ending)
    return word


class Span(NamedTuple):
    """A part of a text: its first place, and the place after its last."""

    start: int
    end: int


class Text:
    """A text in which names are looked up, whatever the case, the accents and the signs."""

    def __init__(self, text: str):
        self.text = text
        self._spaced = f" {' '.join(words(text))} "  # the only copy: a file has many texts

    @property
    def words(self) -> list[str]:
        """The words of the text, plain."""
        return self._spaced.split()

    def has(self, name: str) -> bool:
        """Tell whether the words of a name stand in the text, one after the other."""
        wanted = words(name)
        return bool(wanted) and f" {' '.join(wanted)} " in self._spaced

    def spans(self, name: str) -> list[Span]:
        """Return where a name stands as a name, by itself and not within a longer one.

        A name of one word must have the same first letter, large or small: 'poison' is not Poison.
        """
        if not self.has(name):
            return []
        wanted, own, bare = words(name), self.words, plain(self.text)
        places = [(word.start(), word.end()) for word in WORD.finditer(bare)]
        signs = re.search(r"\W*$", plain(name))
        ending = signs[0] if signs else ""
        spans = []
        for first in range(len(own) - len(wanted) + 1):
            last = first + len(wanted)
            if own[first:last] == wanted:
                start, end = places[first][0], places[last - 1][1]
                end += len(ending) * bare.startswith(ending, end)
                spans.append(Span(start, end))
        return [span for span in spans if self._is_name(span, name)]

    def _is_name(self, span: Span, name: str) -> bool:
        """Tell whether a part is no common word, and not within a longer name."""
        before, after = self.text[: span.start], self.text[span.end :]
        if self._is_quoted(span):
            return True
        if plain(before).count('"') % 2 or _JOINED_BEFORE.search(before) or _JOINED.match(after):
            return False
        wanted = words(name)
        if len(wanted) == 1 and self.text[span.start] != name.lstrip("\"'(")[:1]:
            return False
        # The first word of a question is always capitalised, and has no word before it.
        neighbours = (_WORD_BEFORE.search(before), _WORD_AFTER.match(after))
        capitalised = [match[1] for match in neighbours if match and match[1][0].isupper()]
        is_within = any(plain(word) not in STOP_WORDS for word in capitalised)
        return not set(wanted) <= STOP_WORDS and not is_within

    def _is_quoted(self, span: Span) -> bool:
        before, after = plain(self.text[: span.start]), plain(self.text[span.end :])
        return before[-1:] == '"' and after.lstrip(".,;?!")[:1] == '"'
