"""Demonyms in English: the adjectives of countries, as in "an American playwright"."""

import functools
import re
import tomllib
from collections.abc import Mapping
from importlib import resources

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


@functools.cache
def demonyms() -> Mapping[str, str]:
    """Return the demonym of each country in ``demonyms.toml``, by item."""
    text = (resources.files("kgbuild.datasets.granola") / "demonyms.toml").read_text(
        encoding="utf-8"
    )
    return tomllib.loads(text)
