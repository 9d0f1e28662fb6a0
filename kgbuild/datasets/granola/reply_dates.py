"""Write the dates of a reply in English: "MCMXXXIX", "10-XI-1909", "le 3 août 1909", "3 Aug 09"."""

import re
from collections.abc import Mapping
from typing import Any

from kgbuild.datasets.base import read_toml
from kgbuild.datasets.granola.number_words import in_digits
from kgbuild.datasets.granola.spellings import edits
from kgbuild.english.normalize import fold
from kgbuild.wikidata import MONTHS, ordinal

_LETTERS = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}
_MONTH_NUMBERS = {
    form: number for number, name in enumerate(MONTHS, 1) for form in (fold(name), fold(name[:3]))
}
_MONTH = r"(?:{}|sept)\b\.?".format("|".join(f"{name}|{name[:3]}" for name in MONTHS))
_LEAST_LETTERS = 5
"""The least length of the name of a month with a typing error."""
_DAY = r"\d{1,2}(?:st|nd|rd|th|\.)?"
_ROMAN_YEAR = re.compile(
    r"\b(?=[MDCLXVI]{4})M{1,2}(?:CM|CD|D?C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})\b"
)
_ROMAN_MONTH = re.compile(r"\b(\d{1,2})([-./ ])(X?I{1,3}|I?X|IV|VI{0,3})\.?\2(\d{4})\b")
_NAMED_MONTH = re.compile(
    r"\b(?:(?P<day>\d{1,2})(?:\.|er|º)?\s+)?(?:de\s+)?(?P<month>[^\W\d_]{3,10})\.?\s+(?:del?\s+)?"
    r"(?P<year>\d{4})\b"
)
_NUMBERED_MONTH = re.compile(r"(?<![\d/.-])(0?[1-9]|1[0-2])/(\d{4})\b")
_NTH = r"\d{1,2}(?:st|nd|rd|th)?\b"
_AGES = (
    r"(?:(?:early|mid|late)[- ])?"
    r"(?:twenties|thirties|forties|fifties|sixties|seventies|eighties|nineties)"
)
"""The age of a person, which is no decade: "in his late seventies"."""
_FORMS = (
    (re.compile(r"(\d{4})\s?年\s?(\d{1,2})\s?月\s?(\d{1,2})\s?日"), r"\3.\2.\1"),
    (re.compile(r"\b(\d{1,2})\. (\d{1,2})\. (\d{4})\b"), r"\1.\2.\3"),
    (re.compile(rf"\b({_DAY})\s?({_MONTH})\s?(\d{{4}})\b", re.IGNORECASE), r"\1 \2 \3"),
    (re.compile(r"(?<=\dth) day of\b|(?<=\dst) day of\b"), " of"),
    (re.compile(rf"\b(\d{{4}}),? ({_MONTH}) (?:the )?({_NTH})", re.IGNORECASE), r"\2 \3, \1"),
    (re.compile(rf"\b({_MONTH}) (\d{{4}}),? (?:on )?the ({_NTH})", re.IGNORECASE), r"\1 \3, \2"),
    (re.compile(r"(?<=\d{4})-?ish\b"), ""),
    (
        re.compile(rf"\b({_DAY})\s?(?:or|/|–|-)\s?({_DAY}) ({_MONTH}) (\d{{4}})\b", re.IGNORECASE),
        r"\1 \3 \4 or \2 \3 \4",
    ),
    (
        re.compile(rf"\b({_MONTH}) ({_NTH}) or ({_NTH}),? (\d{{4}})\b", re.IGNORECASE),
        r"\1 \2, \4 or \1 \3, \4",
    ),
    (
        re.compile(rf"\b({_MONTH} {_NTH}) or ({_MONTH} {_NTH},? (\d{{4}}))\b", re.IGNORECASE),
        r"\1, \3 or \2",
    ),
    (re.compile(rf"\b(?:in )?(?:his|her|their) {_AGES}\b", re.IGNORECASE), ""),
)
"""Other orders and separators of the parts of a date, and the usual one."""
_ROMAN_CENTURY = re.compile(r"\b(X{0,2}(?:IX|IV|V?I{0,3})) century\b")
_DECADE = re.compile(
    r"\b(?:(?P<german>\d{3}0)er(?:\s+Jahren?)?|ann[ée]es\s+(?P<french>\d{1,3}0))\b"
)
_GUESSES = "|".join(read_toml("granola", "reply_words")["hedges"]["guesses"])
_CUT_YEAR = re.compile(
    rf"(\b(?:(?P<day>{_DAY})\s(?:of\s)?)?{_MONTH}\s(?:\d{{1,2}}(?:st|nd|rd|th)?,\s|of\s)?)"
    r"(?=\d\d(?:[,;)]|\W*$)"
    rf"|(?(day)\d\d|(?:3[2-9]|[4-9]\d))\s[(–—-]*\s?(?:{_GUESSES})\W*$)",
    re.IGNORECASE,
)
"""What stands before a year of two digits: "27 Aug 47", "Aug 47 I think".

Before a guess, a number up to 31 may be the day: "Aug 17 I think".
"""
_FULL_YEAR = re.compile(r"\d{4}|['’]\d\d\b")
_ONLY_A_CUT_YEAR = re.compile(r"\W*(?:(?:in|about|around|circa|ca?\.?)\s)?(\d\d)\W*", re.IGNORECASE)
_TWO_YEARS = re.compile(
    r"(?<![\d/.–-])(?P<first>(?P<century>\d\d|['’])(?P<year>\d\d))\s?(?P<joint>[/–-])\s?"
    r"['’]?(?P<last>\d{4}|\d\d)(?![\d/.–-])"
)
"""A year and one after it: "1992/93"."""
_LAST_MONTH = 12
_LATER_MONTH = re.compile(
    r"\b(?P<year>\d{4})(?P<between>\s?[.,;:(–—-]+\s*(?:\w+\s){0,2}?)"
    rf"(?P<month>(?:{_DAY}\s(?:of\s)?)?{_MONTH}(?:\s\d{{1,2}}(?:st|nd|rd|th)?\b)?)(?![\w']|,?\s\d)",
    re.IGNORECASE,
)
"""A year before its month: "in the autumn of 1960. September, I believe"."""
_LATER_YEAR = re.compile(
    rf"(?P<day>\b(?:{_DAY}\s(?:of\s)?{_MONTH}|{_MONTH}\s\d{{1,2}}(?:st|nd|rd|th)?))"
    r"(?P<between>,?\s(?:in|of)\s(?:the\s)?(?:year\s)?)(?P<year>\d{4})\b",
    re.IGNORECASE,
)
"""A year that a word separates from its day: "on 4 July, in 1826"."""


_DECADES: Mapping[str, Any] = read_toml("granola", "reply_dates")["decades"]
_NAMED_DECADE = re.compile(
    rf"(?:\b(?:(?P<early>{'|'.join(_DECADES['early'])})|(?P<late>{'|'.join(_DECADES['late'])}))\s)?"
    rf"\b(?P<name>{'|'.join(_DECADES['names'])})\b",
    re.IGNORECASE,
)


def in_english(reply: str) -> str:
    """Return a reply whose years, months and decades are written in English."""
    reply = _NAMED_DECADE.sub(_with_decade, in_digits(reply))
    reply = _ROMAN_YEAR.sub(lambda match: str(_number(match[0])), reply)
    reply = _ROMAN_MONTH.sub(
        lambda match: f"{match[1]} {MONTHS[_number(match[3]) - 1]} {match[4]}", reply
    )
    reply = _TWO_YEARS.sub(_with_range, reply)
    for pattern, usual in _FORMS:
        reply = pattern.sub(usual, reply)
    reply = _ROMAN_CENTURY.sub(_with_century, reply)
    reply = _NAMED_MONTH.sub(_with_month, reply)
    reply = _NUMBERED_MONTH.sub(lambda match: f"{MONTHS[int(match[1]) - 1]} {match[2]}", reply)
    if year := _ONLY_A_CUT_YEAR.fullmatch(reply):
        reply = f"'{year[1]}"
    if not _FULL_YEAR.search(reply):
        reply = _CUT_YEAR.sub(r"\1'", reply)
    reply = _LATER_YEAR.sub(r"\g<day> \g<year>", reply)
    reply = _LATER_MONTH.sub(r"\g<year>\g<between>\g<month> \g<year>", reply)
    return _DECADE.sub(lambda match: f"{match['german'] or match['french']}s", reply)


def _with_range(match: re.Match[str]) -> str:
    """Return "between 1992 and 1993" for "1992/93"; "1905-06" may be a month."""
    last = match["last"][-2:]
    is_next = int(last) == (int(match["year"]) + 1) % 100
    is_short = len(match["last"]) == len(last)
    is_month = is_short and match["joint"] != "/" and int(last) <= _LAST_MONTH
    if not is_next or is_month:
        return match[0]
    if not match["century"].isdigit():
        return f"between {match['first']} and '{last}"
    return f"between {match['first']} and {int(match['first']) + 1}"


def _with_month(match: re.Match[str]) -> str:
    word = fold(match["month"])
    number = read_toml("granola", "reply_dates")["months"].get(word) or _MONTH_NUMBERS.get(word)
    if number is None and len(word) >= _LEAST_LETTERS:
        misspelt = (n for n, name in enumerate(MONTHS, 1) if edits(word, fold(name)) == 1)
        number = next(misspelt, None)
    if number is None:
        return match[0]
    return " ".join(filter(None, (match["day"], MONTHS[number - 1], match["year"])))


def _with_decade(match: re.Match[str]) -> str:
    part = "early " if match["early"] else "late " if match["late"] else ""
    name = fold(match["name"])
    forms: Mapping[str, str] = _DECADES["names"]
    return part + next(decade for form, decade in forms.items() if re.fullmatch(fold(form), name))


def _with_century(match: re.Match[str]) -> str:
    return f"{ordinal(_number(match[1]))} century" if match[1] else match[0]


def _number(roman: str) -> int:
    """Return the value of a Roman numeral."""
    values = [_LETTERS[letter] for letter in roman]
    return sum(
        -value if value < following else value
        for value, following in zip(values, [*values[1:], 0], strict=True)
    )
