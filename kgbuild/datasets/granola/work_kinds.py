"""Name the kind of a work before its title: the American sitcom "Frasier"."""

import re
from collections.abc import Iterator, Sequence

from kgbuild.datasets.base import read_toml
from kgbuild.english.normalize import fold

_WORDS = read_toml("granola", "questions/question_texts")["works"]
_USUAL: dict[str, str] = _WORDS["usual"]
_PAIRS = {tuple(pair.split()) for pair in _WORDS["pairs"]}
_PARTS = frozenset(_WORDS["parts"])
_MEDIA, _FORMS = frozenset(_WORDS["media"]), frozenset(_WORDS["forms"])
_LONG = re.compile(r"[^\W\d_]{4,}")
_LEAST = 2
"""The least number of longer words after the first one of a title that has a case."""


def plain_kind(phrase: str, title: str) -> str:
    """Return what describes a work, with its nationality, one word for its genre, and its noun.

    Of several genres none is kept, except that something is animated; nor is one that the title
    has.

    >>> plain_kind("the American musical comedy-drama TV series", "Glee")
    'the American television series'
    >>> plain_kind("the American horror television series", "American Horror Story")
    'the American television series'
    >>> plain_kind("the British science fiction film", "Alien")
    'the British science fiction film'
    """
    words = [_USUAL.get(word, word) for word in phrase.removeprefix("the ").split()]
    *units, noun = [unit for unit in _units(words) if unit not in _PARTS] or [""]
    named = {*fold(title).split()}
    genres = [
        unit
        for unit in units
        if not _is_of_people(unit) and unit not in _MEDIA and named.isdisjoint(fold(unit).split())
    ]
    if len(genres) > 1:
        genres = [unit for unit in genres if unit in _FORMS][:1]
    kept = [unit for unit in units if _is_of_people(unit) or unit in _MEDIA or unit in genres]
    return " ".join(["the", *dict.fromkeys(kept), noun]) if noun else phrase


def is_in_sentence_case(title: str) -> bool:
    """Return whether most longer words after the first one of a title begin with small letters.

    >>> [*map(is_in_sentence_case, ["Topics in foreign direct investment", "The Old Man and Him"])]
    [True, False]
    """
    _, *others = title.split() or [""]
    words = [match[0] for other in others if (match := _LONG.search(other))]
    small = [word for word in words if word[0].islower()]
    return len(words) >= _LEAST and 2 * len(small) > len(words)


def _is_of_people(unit: str) -> bool:
    return unit[:1].isupper() or unit == "and"


def _units(words: Sequence[str]) -> Iterator[str]:
    """Yield words, of which some pairs are one: "science fiction"."""
    at = 0
    while at < len(words):
        size = 2 if tuple(words[at : at + 2]) in _PAIRS else 1
        yield " ".join(words[at : at + size])
        at += size
