"""Write the demonyms of countries with capitals."""

import re

_SMALL_WORDS = frozenset({"and", "of", "the", "de", "da"})


def capitalised(demonym: str) -> str:
    """Return a demonym with an initial capital in each word, except small words.

    >>> capitalised("bosnian and Herzegovinian"), capitalised("Guinea-bissauan")
    ('Bosnian and Herzegovinian', 'Guinea-Bissauan')
    """

    def capitalise(match: re.Match[str]) -> str:
        word = match[0]
        return word if word in _SMALL_WORDS else word[0].upper() + word[1:]

    return re.sub(r"[^\s-]+", capitalise, demonym)
