"""English wording of answers: "a" or "an", and what people of a country are called."""

import functools
import re
import tomllib
from collections.abc import Mapping
from importlib import resources

from kgbuild.kg.labels import fold

_FIRST = re.compile(r"[^\W_][\w'’]*")
"""The first word of a phrase, or the first part of one with hyphens or stops in it."""
_SPELLED_VOWELS = frozenset("AEFHILMNORSX")
"""Letters whose names begin with a vowel: an F, but a U."""
_ABBREVIATED = 4
"""How many letters an abbreviation has at most that is spelled out although it has vowels."""
_SPOKEN = frozenset(
    (
        *("FARC", "FIBA", "FIDE", "FIFA", "LAN", "MIDI", "NASA", "NATO", "NEMA", "NUTS"),
        *("RADA", "RAM", "REM", "ROM", "SARS", "SIM", "SWAT"),
    )
)
"""Short abbreviations that are spoken as words and begin with a letter of ``_SPELLED_VOWELS``."""
_NUMBER = re.compile(r"8\d*|1[18](?:\d\d|(?:\d{3})+)?(?!\d)")
"""Numbers that begin with eight, eleven or eighteen: 1800 is a year."""
_VOWEL = re.compile(r"[aeiouæøœ]|y(?![aeiou])|hour|heir|honest|honou?r")
_CONSONANT = re.compile(
    r"eu|ewe|once\b|one(?:\b|self|time)|ou[ai]"
    r"|uefa|unesco|unanim|unary|uni(?![mnr]|ss|dent)|ubi|ufo|uga|uk[aru]"
    r"|ur[aeiu]|us[aeu]|ut[aeior]|uve|uvul|uyg"
)
"""What begins with the sound of "you" or "one" although it is written with a vowel."""
_SMALL = frozenset({"and", "of", "the", "de", "da"})


def indefinite(phrase: str) -> str:
    """Return a noun phrase with the article that its sound asks for.

    >>> indefinite("American playwright"), indefinite("university"), indefinite("MTV award")
    ('an American playwright', 'a university', 'an MTV award')
    """
    return f"{'an' if _sounds_like_vowel(phrase) else 'a'} {phrase}"


def described(demonym: str, noun: str) -> str:
    """Return somebody or something by nationality and kind.

    >>> described("american", "playwright")
    'an American playwright'
    """
    return indefinite(f"{capitalised(demonym)} {noun}")


def capitalised(demonym: str) -> str:
    """Return a demonym in capitals as English writes it, whatever its source does.

    All its words have one but the small ones; other letters stay as they are.

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
    """Return the adjective of each state in ``demonyms.toml``, by item."""
    text = (resources.files("kgbuild.granola") / "demonyms.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def _sounds_like_vowel(phrase: str) -> bool:
    found = _FIRST.search(phrase)
    if found is None:
        return False
    word = found[0]
    if word[0].isdigit():
        return _NUMBER.match(phrase[found.start() :].replace(",", "")) is not None
    if _is_spelled(word):
        return word[0] in _SPELLED_VOWELS
    folded = fold(word)
    return bool(_VOWEL.match(folded)) and not _CONSONANT.match(folded)


def _is_spelled(word: str) -> bool:
    """Tell whether a word is spoken letter by letter: all capitals, and short or without vowels."""
    letters = word.rstrip("0123456789")
    is_short = len(letters) <= _ABBREVIATED or not set(letters) & set("AEIOUY")
    return word.isupper() and is_short and word not in _SPOKEN
