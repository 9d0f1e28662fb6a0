"""Decide by words whether a sentence entails a piece of knowledge."""

import re
from collections.abc import Callable, Sequence
from typing import TypeAlias

from kgbuild.datasets.biokalma.citations import Triple
from kgbuild.text.sentences import MONTHS

Claim: TypeAlias = tuple[str, Triple]
"""A sentence, and a piece of knowledge that it may entail."""
# "1815-12" or "1815-12-10"
_DATE = re.compile(r"(\d{3,})-(0[1-9]|1[0-2])(?:-(\d\d))?")
_ORDINALS = ("", "st", "nd", "rd", "th")
_SMALL_WORDS = frozenset(("the", "a", "an", "of", "and", "in", "at", "on", "for", "to", "de", "la"))
_MIN_PLURAL_LETTERS = 4
"""Minimum number of letters of a word whose final s counts as that of a plural."""


def entails_by_words(claims: Sequence[Claim], fold: Callable[[str], str]) -> list[bool]:
    """Return for each claim whether its sentence has all words of the value.

    Words are compared after ``fold``, without the s of a plural; small words like "of" and "the"
    may be missing. The sentence must have each part of a date, the month as its name, short or
    long: "born on December 10th, 1815" has ``1815-12-10``, "born in 1815" does not. No sentence
    entails a value without a word.

    Games it (raises the score of a bad answer): naming many things. The property is ignored, so
    "Ada Lovelace" is entailed as a child and as a mother, and even by "not Ada Lovelace". Known
    weakness: it misses other words ("American", "he" for male, "nineteenth century").
    """
    sentences, values = {text for text, _ in claims}, {triple.value for _, triple in claims}
    words_by_sentence = {sentence: _words(fold(sentence)) for sentence in sentences}
    forms_by_value = {value: _forms_of_words(fold(value)) for value in values}

    def entails(sentence: str, value: str) -> bool:
        words, forms_of_words = words_by_sentence[sentence], forms_by_value[value]
        return bool(forms_of_words) and not any(map(words.isdisjoint, forms_of_words))

    return [entails(sentence, triple.value) for sentence, triple in claims]


def _words(folded: str) -> set[str]:
    """Return the words of a normalised text, also without the s of a plural."""
    words = re.findall(r"\w+", folded)
    return {*words, *map(_singular, words)}


def _singular(word: str) -> str:
    return word.removesuffix("s") if len(word) >= _MIN_PLURAL_LETTERS else word


def _forms_of_words(folded: str) -> list[set[str]]:
    """Return the forms of each significant word of a value, or of each part of a date."""
    if date := _DATE.fullmatch(folded):
        year, month, day = date.groups()
        name = MONTHS[int(month) - 1]
        forms = [{year, str(int(year))}, {month, name, name[:3], name[:4]}]
        return [*forms, {day, *(f"{int(day)}{end}" for end in _ORDINALS)}] if day else forms
    words = re.findall(r"\w+", folded)
    significant = [word for word in words if word not in _SMALL_WORDS] or words
    return [{"bce", "bc"} if word == "bce" else {_singular(word)} for word in significant]
