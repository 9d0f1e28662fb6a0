"""Find the dates in a sentence, in the forms that people use: "in the sixties", "22/1/1909"."""

import re
from collections.abc import Callable
from typing import NamedTuple

from kgbuild.english import date_parsing
from kgbuild.english.number_words import ORDINALS
from kgbuild.wikidata import MONTHS, Value, ordinal

_MONTH = r"(?:{}|sept)\.?".format("|".join(f"{name}|{name[:3]}" for name in MONTHS))
_NTH = r"\d{1,2}(?:st|nd|rd|th)?"
_ERA = r"(?:\ ?(?:b\.?c\.?(?:e\.?)?|a\.?d\.?|c\.?e\.?)(?![a-z]))"
# "AD 79", "1909", "907 BC", and "'88".
_YEAR = rf"a\.?d\.?\ ?\d{{1,4}}(?!\d)|\d{{3,4}}(?!\d){_ERA}?|\d{{1,4}}{_ERA}"
_CUT_YEAR = r"'\d\d(?!\d|'?s)"
_CENTURY = rf"(?:\d{{1,2}}(?:st|nd|rd|th)|{'|'.join(ORDINALS)})"
_TENS = ("twent", "thirt", "fort", "fift", "sixt", "sevent", "eight", "ninet")
_DECADES = {
    f"{name}ies": f"{year}s" for name, year in zip(_TENS, range(1920, 2000, 10), strict=True)
}
"""The decades that are named without a century."""
# Group names are the keys of ``_SPELLINGS``; earlier alternatives win.
_DATE = re.compile(
    rf"""
    (?<![\w.])
    (?:
        (?P<iso>    \d{{4}}-\d\d-\d\d | \d{{4}} (?P<mark>[/.]) \d\d? (?P=mark) \d\d? )
                    (?:T[\d:]+Z?)?
      | (?P<numbers> (?P<first>\d{{1,2}}) [/.-] (?P<second>\d{{1,2}}) [/.-] (?P<year>\d{{4}}|\d\d) )
      | (?P<text>   {_NTH} (?:\ of)? [\ -] {_MONTH} (?:\ of)? [,]? [\ -]
                        (?:{_YEAR}|{_CUT_YEAR})
                  | {_MONTH} \ {_NTH} (?:,|\ of)? \ ?(?:{_YEAR}|{_CUT_YEAR})
                  | {_MONTH} (?:\ of)? ,? \ (?:{_YEAR}|{_CUT_YEAR})
                  | \d{{4}}-(?:0[1-9]|1[0-2])(?![-\d]) )
      | (?P<hundreds> \d{{1,2}}00 '?s )
      | (?P<short>  '? [2-9]0 '?s \b (?!{_ERA}) )
      | (?P<decade> \d{{1,3}}0 '?s \b {_ERA}? )
      | (?P<words>  (?:{"|".join(_DECADES)}) \b )
      | (?P<century> {_CENTURY} [ -] c(?:entur(?:y|ies)|ent\.|\.|\b) {_ERA}? )
      | (?P<bare>   {_YEAR} )
      | (?P<cut>    {_CUT_YEAR} )
    )
    (?!\w|[/.]\d)
    """,
    re.VERBOSE | re.IGNORECASE | re.ASCII,
)
_LAST_CUT_YEAR = 30
"""The last year of the 21st century that people write with two digits."""
_LEAST_BARE_YEAR = 1000
"""Smaller numbers without an era are years only after a word such as "in", or alone."""
_BEFORE_A_YEAR = re.compile(
    r"\b(?:in|year|around|about|circa|ca?\.?|approximately|roughly|since|of)\W*$", re.IGNORECASE
)
# The forms of "century" that ``date_parsing.read`` does not read: "15th c.", "15th cent."
_CENTURY_END = re.compile(r"\bc(?:ent)?\.|\bc\b|\bcenturies\b", re.IGNORECASE)
# Typographic apostrophes and dashes become ASCII, so that positions stay.
_QUOTES = str.maketrans("’‘`‐‑‒–—−", "'''------")


class DateMention(NamedTuple):
    """A date in a text from ``start`` to ``end``, with all its readings.

    "3/4/1909" has two readings: 3 April and 4 March. "The 1800s" are a decade or a century.
    """

    start: int
    end: int
    readings: tuple[Value, ...]


def find_dates(text: str) -> list[DateMention]:
    """Return the dates in a text, in their order; they do not overlap.

    Decades without a century ("the sixties", "the 60s") and years without one ("'94") are those
    of the 20th century; years until "'30" also those of the 21st.

    >>> [mention.readings[0].text for mention in find_dates("born on 22.1.1909, in the sixties")]
    ['1909-01-22T00:00:00Z', '1960-01-01T00:00:00Z']
    """
    plain = text.translate(_QUOTES)
    mentions = []
    end = 0
    while match := _DATE.search(plain, end):
        if match.lastgroup == "cut":  # the quote of "'22 May 1939'" opens a quotation
            match = _DATE.match(plain, match.start() + 1) or match
        end = match.end()
        spell = _SPELLINGS[match.lastgroup or ""]
        readings = [value for form in spell(match) if (value := date_parsing.read(form))]
        if readings:
            mentions.append(DateMention(match.start(), end, tuple(readings)))
    return mentions


def _numbers(match: re.Match[str]) -> list[str]:
    """Return both readings of a date such as 3/4/1909, or the only one of 22/1/1909."""
    first, second = int(match["first"]), int(match["second"])
    orders = dict.fromkeys([(first, second), (second, first)])
    return [
        f"{day} {MONTHS[month - 1]} {year}"
        for day, month in orders
        if 1 <= month <= len(MONTHS)
        for year in _full_years(match["year"])
    ]


def _text(match: re.Match[str]) -> list[str]:
    """Return a date with a month; "22-Jan-1909" without its hyphens, but not ISO's "1909-01"."""
    text = match[0] if match[0][:4].isdigit() else match[0].replace("-", " ")
    before, apostrophe, year = text.partition("'")
    return [before + full for full in _full_years(year)] if apostrophe else [text]


def _full_years(year: str) -> list[str]:
    """Return the years that a year of two digits may be: "'88" is 1988, "'10" is 1910 or 2010."""
    if len(year) > len("88"):
        return [year]
    centuries = ("19", "20") if int(year) <= _LAST_CUT_YEAR else ("19",)
    return [century + year for century in centuries]


def _hundreds(match: re.Match[str]) -> list[str]:
    """Return a decade and a century: "the 1800s" are one or the other."""
    year = _number(match)
    return [f"{year}s", f"{ordinal(year // 100 + 1)} century"]


def _century(match: re.Match[str]) -> list[str]:
    return [_CENTURY_END.sub("century", match[0].replace("-", " ", 1))]


def _bare(match: re.Match[str]) -> list[str]:
    """Return a year; a small number is a year only alone or after a word such as "in"."""
    is_small = match[0].isdigit() and int(match[0]) < _LEAST_BARE_YEAR
    is_alone = match.string.strip(" .") == match[0]
    is_dated = is_alone or _BEFORE_A_YEAR.search(match.string[: match.start()])
    return [match[0]] if is_dated or not is_small else []


def _number(match: re.Match[str]) -> int:
    return int(re.sub(r"\D", "", match[0]))


_SPELLINGS: dict[str, Callable[[re.Match[str]], list[str]]] = {
    "iso": lambda match: [match["iso"]],
    "numbers": _numbers,
    "text": _text,
    "hundreds": _hundreds,
    "short": lambda match: [f"19{_number(match)}s"],
    "decade": lambda match: [match[0].replace("'", "")],
    "words": lambda match: [_DECADES[match[0].lower()]],
    "century": _century,
    "bare": _bare,
    "cut": lambda match: _full_years(match[0].strip("'")),
}
"""Functions from a match to the forms that ``date_parsing.read`` reads, one for each reading."""
