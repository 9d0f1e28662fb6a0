"""Demonyms in English: the adjectives of countries, as in "an American playwright"."""

import re
from collections.abc import Mapping

from kgbuild.datasets.granola.word_tables import word_tables
from kgbuild.english.articles import indefinite

_SMALL = frozenset({"and", "of", "the", "de", "da"})


def described(demonym: str, noun: str) -> str:
    """Return a noun phrase with a nationality.

    >>> described("american", "playwright")
    'an American playwright'
    """
    return indefinite(f"{capitalised(demonym)} {noun}")


def capitalised(demonym: str) -> str:
    """Return a demonym with an initial capital in each word, except small words.

    >>> capitalised("bosnian and Herzegovinian"), capitalised("Guinea-bissauan")
    ('Bosnian and Herzegovinian', 'Guinea-Bissauan')
    """
    return re.sub(
        r"[^\s-]+",
        lambda word: word[0] if word[0] in _SMALL else word[0][0].upper() + word[0][1:],
        demonym,
    )


def demonyms() -> Mapping[str, str]:
    """Return the demonym of each country in ``demonyms.toml``, by item."""
    return word_tables("demonyms")
