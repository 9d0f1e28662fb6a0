"""Choose the indefinite article of a phrase by its sound, and write demonyms with capitals."""

import re

from kgbuild.english.normalize import fold

_FIRST = re.compile(r"[^\W_][\w'’]*")
"""The first word of a phrase, or the first part of one with hyphens or stops in it."""
_SPELLED_VOWELS = frozenset("AEFHILMNORSX")
"""Letters whose names begin with a vowel: an F, but a U."""
_ABBREVIATED = 4
"""Maximum number of letters of an abbreviation with vowels that is spelled out."""
_SPOKEN = frozenset(
    (
        *("FARC", "FIBA", "FIDE", "FIFA", "LAN", "MIDI", "NASA", "NATO", "NEMA", "NUTS"),
        *("RADA", "RAM", "REM", "ROM", "SARS", "SIM", "SWAT"),
    )
)
"""Short abbreviations that are spoken as words and begin with a letter of ``_SPELLED_VOWELS``."""
_SMALL_WORDS = frozenset({"and", "of", "the", "de", "da"})
_NUMBER = re.compile(r"8\d*|1[18](?:\d\d|(?:\d{3})+)?(?!\d)")
"""Numbers that begin with eight, eleven or eighteen: 1800 is a year."""
_VOWEL = re.compile(r"[aeiouæøœ]|y(?![aeiou])|hour|heir|honest|honou?r")
_CONSONANT = re.compile(
    r"eu|ewe|once\b|one(?:\b|self|time)|ou[ai]"
    r"|uefa|unesco|unanim|unary|uni(?![mnr]|ss|dent)|ubi|ufo|uga|uk[aru]"
    r"|ur[aeiu]|us[aeu]|ut[aeior]|uve|uvul|uyg"
)
"""Words that begin with a vowel letter, but with the sound of "you" or "one"."""


def indefinite(phrase: str) -> str:
    """Return a noun phrase with its indefinite article.

    >>> indefinite("American playwright"), indefinite("university"), indefinite("MTV award")
    ('an American playwright', 'a university', 'an MTV award')
    """
    return f"{'an' if _sounds_like_vowel(phrase) else 'a'} {phrase}"


def _sounds_like_vowel(phrase: str) -> bool:
    match = _FIRST.search(phrase)
    if match is None:
        return False
    word = match[0]
    if word[0].isdigit():
        return _NUMBER.match(phrase[match.start() :].replace(",", "")) is not None
    if _is_spelled(word):
        return word[0] in _SPELLED_VOWELS
    folded = fold(word)
    return bool(_VOWEL.match(folded)) and not _CONSONANT.match(folded)


def _is_spelled(word: str) -> bool:
    """Return whether a word is spelled out: all capitals, and short or without vowels."""
    letters = word.rstrip("0123456789")
    is_short = len(letters) <= _ABBREVIATED or not set(letters) & set("AEIOUY")
    return word.isupper() and is_short and word not in _SPOKEN


def capitalised(demonym: str) -> str:
    """Return a demonym with an initial capital in each word, except small words.

    >>> capitalised("bosnian and Herzegovinian"), capitalised("Guinea-bissauan")
    ('Bosnian and Herzegovinian', 'Guinea-Bissauan')
    """

    def capitalise(match: re.Match[str]) -> str:
        word = match[0]
        return word if word in _SMALL_WORDS else word[0].upper() + word[1:]

    return re.sub(r"[^\s-]+", capitalise, demonym)
