"""Tell whether a question gives its answer away: where the University of York is."""

import re
from collections.abc import Iterator, Sequence

from kgbuild.datasets.base import read_toml
from kgbuild.datasets.granola.levels.order import Gold
from kgbuild.english.dates import DateAnswer
from kgbuild.english.normalize import fold
from kgbuild.evaluate.text_metrics import normalise

_POSSESSIVE = re.compile(r"['’]s\b")
_WORD = re.compile(r"[^\W_]+")
_SHORTEST, _SHORTEST_STEM = 3, 5
"""The least numbers of letters of a word that says something, and of the beginning of another."""


def is_evident(question: str, name: str, places: Sequence[Gold]) -> bool:
    """Return whether a question names a place where something is, or the place names the thing.

    York and "the University of York", Erie County and Erie.
    """
    labels = [_spaced(place.names[0]) for place in places]
    return any(label in _spaced(question) or _spaced(name) in label for label in labels)


def shares_a_name(label: str, answers: Sequence[Gold]) -> bool:
    """Return whether the name of something has a word of a name of an answer, or begins with it.

    Words that names share by chance do not count, such as "Records".

    >>> shares_a_name("Geffen Records", [Gold(("David Geffen",))])
    True
    >>> shares_a_name("Epic Records", [Gold(("Columbia Records",))])
    False
    """
    words = {*_names(label)}
    return any(
        word == own or (len(word) >= _SHORTEST_STEM and own.startswith(word))
        for answer in answers
        for name in answer.names
        for word in _names(name)
        for own in words
    )


def is_dated(question: str, forms: Sequence[DateAnswer]) -> bool:
    """Return whether a question names the year of a date: when the Holy League of 1511 began."""
    words = {*_WORD.findall(question)}
    return any(form.text in words for form in forms)


def _names(text: str) -> Iterator[str]:
    """Yield the folded words of a name that few other names have."""
    shared = read_toml("granola", "questions/question_texts")["shared"]
    for word in _WORD.findall(text):
        folded = fold(word)
        if word[0].isupper() and len(folded) >= _SHORTEST and folded not in shared:
            yield folded


def _spaced(text: str) -> str:
    """Return the words of a text between spaces, without hyphens: "Erie's" has Erie."""
    return f" {normalise(_POSSESSIVE.sub('', text).replace('-', ' '))} "
