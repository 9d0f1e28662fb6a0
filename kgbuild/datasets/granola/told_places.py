"""Recognise a reply that says no more of a place than the question: Canada, of its academy."""

from collections.abc import Iterator

from kgbuild.datasets.granola.gazetteer import Gazetteer
from kgbuild.datasets.granola.reply_words import names_stranger, split_words
from kgbuild.datasets.granola.truths import Truth

_MOST_WORDS = 4
"""The greatest number of words of a place."""
_OF_LIVES = {"P19", "P20", "P69"}
"""Relations that ask about people, who are called like a place by chance, unless after "of"."""


def says_what_is_told(text: str, truth: Truth, gazetteer: Gazetteer) -> bool:
    """Return whether a reply names only places that the question names, or that lie around these.

    The places must be possible: the American Hospital of Paris is not in the United States.
    """
    named = {*_places(text, gazetteer)} if gazetteer.asks_for_place(truth.relation) else set()
    if not named or not named <= (told := {*_told(truth, gazetteer)}):
        return False
    if not all(_is_possible(place, truth, gazetteer) for place in named):
        return False
    return not names_stranger(text, f"{truth.question} {' '.join(told)}")


def _told(truth: Truth, gazetteer: Gazetteer) -> Iterator[str]:
    """Yield the normalised names of the places in a question, and of those around them."""
    words = [word.text for word in split_words(truth.question)]
    for start in range(1, len(words)):
        if truth.relation in _OF_LIVES and words[start - 1] != "of":
            continue
        for end in range(start + 1, min(start + _MOST_WORDS, len(words)) + 1):
            name = " ".join(words[start:end])
            for place in gazetteer.places_called(name):
                yield place
                yield from gazetteer.around(place)


def _is_possible(place: str, truth: Truth, gazetteer: Gazetteer) -> bool:
    """Return whether a place is around a true answer, or nothing is known to be around it."""
    golds = [answer for answer in truth.answers if answer.level == 1]
    return any(gazetteer.contains(place, gold) or not gazetteer.is_located(gold) for gold in golds)


def _places(text: str, gazetteer: Gazetteer) -> Iterator[str]:
    """Yield the places that a text names, each by its longest name."""
    words = [word.text for word in split_words(text)]
    start = 0
    while start < len(words):
        ends = range(min(start + _MOST_WORDS, len(words)), start, -1)
        names = ((" ".join(words[start:end]), end) for end in ends)
        name, start = next(
            ((name, end) for name, end in names if gazetteer.is_place(name)), ("", start + 1)
        )
        if name:
            yield name
