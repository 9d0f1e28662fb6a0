"""Answers to questions about dates: the day, month, year, decade and century of a time.

Centuries begin with their year 1, so that 1900 is of the 19th; decades begin with a year that
ends in 0, so that "the 1900s" are the years 1900 to 1909. Before Christ both are mirrored: 44 BC
is in "the 40s BC", 49 to 40 BC, and in the 1st century BC, 100 to 1 BC. Each answer lies within
the coarser ones, except in the first decade of a century, whose first year belongs to the century
before: there the century is that of the date, and none if only the decade is known.
"""

import calendar
import functools
import math
from typing import NamedTuple

from kgbuild import wikidata
from kgbuild.english.number_words import ORDINALS
from kgbuild.wikidata import DAY, MONTHS, Value, ordinal

KINDS = ("day", "month", "year", "decade", "century")
"""The granularities, the finest first."""

_LATEST = 9999
"""The last year, before or after year 0, that has answers."""
NO_ERA = 100
"""The first year that needs no era: 79 is a number, and the 70s are recent."""
_LATEST_CENTURY = 2000
"""The first year of the century of which nobody speaks as "the 2000s"."""
_EARLY = 1000
"""Before this year, people often write the era although it is clear."""


class DateAnswer(NamedTuple):
    """A date at one granularity.

    ``kind`` is one of ``KINDS``, ``text`` is the date as people write it, ``aliases`` are other
    ways to write it, ``days`` is the length of the period.
    """

    kind: str
    text: str
    aliases: tuple[str, ...]
    days: float


class _WrittenDate(NamedTuple):
    """A date that is known at ``kinds``. Years count astronomically: 0 is 1 BC."""

    year: int
    month: int
    day: int
    kinds: tuple[str, ...]

    @property
    def is_before_christ(self) -> bool:
        return self.year <= 0

    @property
    def number(self) -> int:
        """The year as people count it, from 1, before Christ backwards."""
        return 1 - self.year if self.is_before_christ else self.year


def answers(value: Value) -> list[DateAnswer]:
    """Return a time at every granularity at which it is known, the finest first.

    There is no answer for a value that is not a time, for a time that is less precise than a
    century, and for years beyond 9999 and before -9999. A dump without precisions writes a year as
    its 1 January and a month as its first day, so these count as a year and as a month.

    >>> [answer.text for answer in answers(Value("time", "-0043-03-15T00:00:00Z"))]
    ['15 March 44 BC', 'March 44 BC', '44 BC', 'the 40s BC', 'the 1st century BC']
    """
    date = _read(value)
    return [_form(kind, date.year, date.month, date.day) for kind in date.kinds] if date else []


def finest(value: Value) -> str | None:
    """Return the kind of the finest answer to a time, without its forms; None if it has none."""
    date = _read(value)
    return next(iter(date.kinds), None) if date else None


def spellings(value: Value) -> tuple[str, ...]:
    """Return the usual ways to write a time as precisely as it is known; none if unknown."""
    return next(((answer.text, *answer.aliases) for answer in answers(value)), ())


def bits(days: float, span_days: float) -> float:
    """Return the surprise of an interval, in bits: −log2 of its share of the whole.

    ``span_days`` is the time between the first and the last date of a relation; both are above
    0. An interval that covers all of it has 0 bits.

    >>> bits(1.0, 1024.0)
    10.0
    """
    return max(0.0, math.log2(span_days / days))


def _read(value: Value) -> _WrittenDate | None:
    written = wikidata.day(value)
    if written is None or abs(written[0]) > _LATEST:
        return None
    year, month, day = written
    date = _WrittenDate(year, month, day, KINDS[_finest(year, month, day, value.precision) :])
    left_out = {"decade"} if date.number < 10 else set()  # nobody speaks of "the 0s"
    if date.kinds[:1] == ("decade",) and date.number % 100 < 10 <= date.number:
        left_out = {"century"}
    if _is_like_century(date) and date.kinds[:1] != ("decade",):
        left_out |= {"decade"}  # many people read "the 1900s" as a century
    if date.number % 100 == 0 and date.kinds[:1] != ("century",):
        left_out |= {"century"}  # few people count 1900 in the 19th century
    return date._replace(kinds=tuple(kind for kind in date.kinds if kind not in left_out))


def _is_like_century(date: _WrittenDate) -> bool:
    """Return whether the decade of a date sounds like a century: "the 1900s", not "the 2000s"."""
    is_first = date.number % 100 < 10 and NO_ERA <= date.number < _LATEST_CENTURY
    return is_first and not date.is_before_christ


def _finest(year: int, month: int, day: int, precision: int | None) -> int:
    """Return the place in ``KINDS`` of the finest known kind; beyond its end if there is none."""
    if precision is not None:
        known = max(0, DAY - precision)  # each coarser kind has a precision less by one
    elif day != 1:
        known = KINDS.index("day")
    else:
        known = KINDS.index("month" if month != 1 else "year")
    if month == 0:
        return max(known, KINDS.index("year"))
    is_day = 1 <= day <= calendar.monthrange(year, month)[1]
    return known if is_day else max(known, KINDS.index("month"))


def _day(date: _WrittenDate) -> DateAnswer:
    name = MONTHS[date.month - 1]
    nth = ordinal(date.day)
    texts = [
        text
        for year in _years(date)
        for text in (
            f"{date.day} {name} {year}",
            f"{name} {date.day}, {year}",
            f"{nth} {name} {year}",
            f"{nth} of {name} {year}",
            f"{name} {nth}, {year}",
            f"{date.day} {name[:3]} {year}",
            f"{name[:3]} {date.day}, {year}",
        )
    ]
    return _answer("day", [*texts, *_iso(date, f"-{date.month:02}-{date.day:02}")], 1)


def _month(date: _WrittenDate) -> DateAnswer:
    name = MONTHS[date.month - 1]
    forms = ("{} {}", "{} of {}")
    texts = [form.format(name, year) for year in _years(date) for form in forms]
    texts += [f"{name[:3]} {year}" for year in _years(date)]
    texts += _iso(date, f"-{date.month:02}")
    return _answer("month", texts, calendar.monthrange(date.year, date.month)[1])


def _year(date: _WrittenDate) -> DateAnswer:
    return _answer("year", _years(date), _length(date, date.number, date.number))


def _decade(date: _WrittenDate) -> DateAnswer:
    first = date.number // 10 * 10
    if date.is_before_christ:
        eras = [" BC", " BCE"]
    else:
        eras = ["", " AD", " CE"] if date.number >= NO_ERA else [" AD", " CE"]
    texts = [
        f"{article}{first}s{era}" for era in _worth(date.year, eras) for article in ("the ", "")
    ]
    if _is_like_century(date):
        texts.insert(0, f"{first}–{first + 9}")
    return _answer("decade", texts, _length(date, first, first + 9))


def _century(date: _WrittenDate) -> DateAnswer:
    number = -(-date.number // 100)
    # The year 1000 is not early, but its century is.
    began = date.year if date.is_before_christ else number * 100 - 99
    eras = [" BC", " BCE"] if date.is_before_christ else ["", " AD", " CE"]
    names = [ordinal(number), *ORDINALS[number - 1 : number]]
    texts = [
        f"{article}{name} century{era}"
        for era in _worth(began, eras)
        for name in names
        for article in ("the ", "")
    ]
    return _answer("century", texts, _length(date, number * 100 - 99, number * 100))


_ANSWERS = {"day": _day, "month": _month, "year": _year, "decade": _decade, "century": _century}


def _form(kind: str, year: int, month: int, day: int) -> DateAnswer:
    """Return a date at one granularity; those from the month on are kept, as many dates share them.

    A month has no day, and a year no month.
    """
    if kind == "day":
        return _day(_WrittenDate(year, month, day, ()))
    return _coarse_form(kind, year, month if kind == "month" else 0)


@functools.lru_cache(1 << 13)
def _coarse_form(kind: str, year: int, month: int) -> DateAnswer:
    return _ANSWERS[kind](_WrittenDate(year, month, 0, ()))


def _answer(kind: str, texts: list[str], days: int) -> DateAnswer:
    """Return an answer with the first text and the others as aliases, without repetitions."""
    text, *aliases = dict.fromkeys(texts)
    return DateAnswer(kind, text, tuple(aliases), float(days))


def _years(date: _WrittenDate) -> list[str]:
    """Return the ways to write a year, the usual one first."""
    year = str(date.number)
    if date.is_before_christ:
        return [f"{year} BC", f"{year} BCE"]
    with_era = [f"{year} AD", f"AD {year}", f"{year} CE"]
    return [*with_era, year] if date.number < NO_ERA else _worth(date.year, [year, *with_era])


def _worth(year: int, forms: list[str]) -> list[str]:
    """Return the forms that people use: only the first one for a year that needs no era."""
    return forms if year < _EARLY else forms[:1]


def _iso(date: _WrittenDate, rest: str) -> list[str]:
    return [] if date.is_before_christ else [f"{date.year:04}{rest}"]


def _length(date: _WrittenDate, first: int, last: int) -> int:
    """Return the days from one year to another, as people count them in the era of a date."""
    if date.is_before_christ:
        first, last = 1 - last, 1 - first
    return 365 * (last - first + 1) + calendar.leapdays(first, last + 1)
