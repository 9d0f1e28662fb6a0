"""Write the places of a reply in English: "Milan, Italy" for "Mailand, Italien"."""

import functools
import re

from kgbuild.datasets.base import read_toml

_ELISION = re.compile(r"(\b(?:dans|de|à|en|est)|,) l['’](?=\w)")
"""The French article in "dans l'Ariège"."""


def in_english(reply: str) -> str:
    """Return a reply whose names of states and cities in other languages are in English.

    >>> in_english("in Mailand, Italien")
    'in Milan, Italy'
    """
    pattern, english = _names()
    return pattern.sub(lambda match: english[match[0]], _ELISION.sub(r"\1 ", reply))


@functools.cache
def _names() -> tuple[re.Pattern[str], dict[str, str]]:
    """Return a pattern of all names in other languages, and the English ones by them."""
    english = {
        other: name
        for name, others in read_toml("granola", "exonyms")["names"].items()
        for other in others
    }
    names = sorted(english, key=len, reverse=True)
    return re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, names))})(?!\w)"), english
