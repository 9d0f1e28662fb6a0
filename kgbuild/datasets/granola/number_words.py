"""Write the days and years of a reply in digits: "the seventeenth of July, nineteen fifty-two"."""

import re
from collections.abc import Iterator

from kgbuild.wikidata import MONTHS, ordinal

_UNITS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_TEENS = (
    *("ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen"),
    *("eighteen", "nineteen"),
)
_TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_NUMBERS = {
    **{word: number for number, word in enumerate((*_UNITS, *_TEENS), 1)},
    **{word: 10 * number for number, word in enumerate(_TENS, 2)},
}
_DIGITS = {word: str(number) for number, word in enumerate((*_UNITS, *_TEENS), 1)}
_IN_WORDS = {digits: word for word, digits in _DIGITS.items()}
_DAYS = (
    *("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth"),
    *("tenth", "eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth"),
    *("seventeenth", "eighteenth", "nineteenth", "twentieth"),
)
_DAY_NUMBERS = {
    **{word: number for number, word in enumerate(_DAYS, 1)},
    **{f"twenty-{word}": 20 + number for number, word in enumerate(_DAYS[:9], 1)},
    "thirtieth": 30,
    "thirty-first": 31,
}
_LAST_DAYS = "|".join(sorted(_DAY_NUMBERS, key=len, reverse=True)).replace("-", "[ -]")
_MONTH = "|".join(MONTHS)
_DAY = re.compile(
    rf"\b(?:(?P<day>{_LAST_DAYS})(?= (?:day )?(?:of )?(?:{_MONTH})\b)"
    rf"|(?<=\w )(?P<after>{_LAST_DAYS})\b)",
    re.IGNORECASE,
)
_ENDS_WITH_MONTH = re.compile(rf"\b(?:{_MONTH}) (?:the )?$", re.IGNORECASE)
_UNIT, _TEEN, _TEN = map("|".join, (_UNITS, _TEENS, _TENS))
_TWO = rf"(?:{_TEN})(?:[ -](?:{_UNIT}))?|{_TEEN}|oh?[ -](?:{_UNIT})"
_YEAR = re.compile(
    rf"\b(?:(?P<century>{_TEEN}|twenty)(?: hundred(?:(?: and)? (?P<rest>{_TWO}|{_UNIT}))?"
    rf"|[ -](?P<years>{_TWO}))"
    rf"|two thousand(?:(?: and)? (?P<later>{_TWO}|{_UNIT}))?)\b",
    re.IGNORECASE,
)


def in_digits(reply: str) -> str:
    """Return a reply whose days and years are in digits.

    >>> in_digits("the seventeenth of July, nineteen fifty-two")
    'the 17th of July, 1952'
    """
    return _DAY.sub(_with_day, _YEAR.sub(_with_year, reply))


def in_other_figures(name: str) -> Iterator[str]:
    """Yield a normalised name with a small number in digits, or in words.

    >>> [*in_other_figures("fast five")]
    ['fast 5']
    """
    words = name.split()
    for position, word in enumerate(words):
        if other := _DIGITS.get(word) or _IN_WORDS.get(word):
            yield " ".join([*words[:position], other, *words[position + 1 :]])


def _with_day(match: re.Match[str]) -> str:
    word = match["day"] or match["after"]
    if not match["day"] and not _ENDS_WITH_MONTH.search(match.string[: match.start()]):
        return match[0]
    return ordinal(_DAY_NUMBERS[word.lower().replace(" ", "-")])


def _with_year(match: re.Match[str]) -> str:
    rest = match["rest"] or match["years"] or match["later"] or ""
    century = _NUMBERS[match["century"].lower()] if match["century"] else 20
    words = re.split("[ -]", rest.lower())
    return str(100 * century + sum(_NUMBERS.get(word, 0) for word in words))
