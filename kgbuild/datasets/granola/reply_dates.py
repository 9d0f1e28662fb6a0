"""Write the dates of a reply in English: "MCMXXXIX", "10-XI-1909", "le 3 août 1909"."""

import re

from kgbuild.datasets.base import read_toml
from kgbuild.english.normalize import fold
from kgbuild.wikidata import MONTHS

_LETTERS = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}
_ROMAN_YEAR = re.compile(
    r"\b(?=[MDCLXVI]{4})M{1,2}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})\b"
)
_ROMAN_MONTH = re.compile(r"\b(\d{1,2})([-./ ])(X?I{1,3}|I?X|IV|VI{0,3})\.?\2(\d{4})\b")
_NAMED_MONTH = re.compile(
    r"\b(?:(?P<day>\d{1,2})(?:\.|er|º)?\s+)?(?:de\s+)?(?P<month>[^\W\d_]{3,10})\s+(?:del?\s+)?"
    r"(?P<year>\d{4})\b"
)
_DECADE = re.compile(
    r"\b(?:(?P<german>\d{3}0)er(?:\s+Jahren?)?|ann[ée]es\s+(?P<french>\d{1,3}0))\b"
)


def in_english(reply: str) -> str:
    """Return a reply whose years, months and decades are written in English."""
    reply = _ROMAN_YEAR.sub(lambda match: str(_number(match[0])), reply)
    reply = _ROMAN_MONTH.sub(
        lambda match: f"{match[1]} {MONTHS[_number(match[3]) - 1]} {match[4]}", reply
    )
    reply = _NAMED_MONTH.sub(_with_month, reply)
    return _DECADE.sub(lambda match: f"{match['german'] or match['french']}s", reply)


def _with_month(match: re.Match[str]) -> str:
    number = read_toml("granola", "reply_dates")["months"].get(fold(match["month"]))
    if number is None:
        return match[0]
    return " ".join(filter(None, (match["day"], MONTHS[number - 1], match["year"])))


def _number(roman: str) -> int:
    """Return the value of a Roman numeral."""
    values = [_LETTERS[letter] for letter in roman]
    return sum(
        -value if value < following else value
        for value, following in zip(values, [*values[1:], 0], strict=True)
    )
