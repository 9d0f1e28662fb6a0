"""Read dates as people write them: all that ``english.date_levels`` writes, and some more."""

import re
from collections.abc import Callable

from kgbuild.english.date_levels import KINDS, NO_ERA, finest
from kgbuild.english.number_words import ORDINALS
from kgbuild.wikidata import DAY, MONTHS, Value

_YEAR = r"(?:(?P<before>ad) )?(?P<year>\d{1,4})(?: ?(?P<era>bce?|ad|ce))?"
_NAMES = [name.lower() for name in MONTHS]
_MONTH = rf"(?P<month>{'|'.join(f'{name}|{name[:3]}' for name in _NAMES)}|sept)"
_NTH = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_OF = r"(?: of)? "
_NUMBER = r"(?P<number>0?[1-9]|1[0-2])"
_LATE_DAY = r"(?P<day>1[3-9]|2\d|3[01])"
"""A day that is no month, so that the order of a date in numbers is clear."""
_ERA = r"(?: (?P<era>bce?|ad|ce))?"
_MACHINE = re.compile(
    r"\+?(\d{4})(?:\.0|-(\d\d)-(\d\d)(?:[t ]00:00:00(?:\.0+)?(?:z|[+-]\d\d(?::?\d\d)?)?)?)",
    re.ASCII,
)
"""How programs write a date or a year: +1881-10-25T00:00:00Z, 1881-00-00, 1881.0."""
_ABOUT = re.compile(r"^(?:ca?|circa) ?(?=\d{3,4}$)")
_STOP = re.compile(r"(?<=[a-z])\.")
_WORDS = {word: number for number, word in enumerate(ORDINALS, 1)}
_FORMS = [
    (kind, re.compile(pattern, re.ASCII))
    for kind, pattern in (
        ("day", rf"{_NTH}{_OF}{_MONTH}{_OF}{_YEAR}"),
        ("day", rf"{_MONTH} {_NTH}{_OF}{_YEAR}"),
        ("day", r"(?P<year>\d{4})-(?P<number>0[1-9]|1[0-2])-(?P<day>\d\d)"),
        ("day", rf"(?P<year>\d{{4}})[./]{_NUMBER}[./](?P<day>\d\d?)"),
        ("day", rf"{_LATE_DAY}[./-]{_NUMBER}[./-](?P<year>\d{{4}})"),
        ("day", rf"{_NUMBER}[./-]{_LATE_DAY}[./-](?P<year>\d{{4}})"),
        ("month", rf"{_MONTH}{_OF}{_YEAR}"),
        ("month", r"(?P<year>\d{4})-(?P<number>0[1-9]|1[0-2])"),
        ("year", _YEAR),
        ("decade", rf"(?:the )?(?P<year>\d{{1,3}}0)s{_ERA}"),
        ("decade", r"(?P<year>(?P<hundreds>\d{1,2})00)[–-](?P=hundreds)09"),
        (
            "century",
            rf"(?:the )?(?P<nth>\d{{1,3}}(?:st|nd|rd|th)|{'|'.join(_WORDS)}) century{_ERA}",
        ),
    )
]


def read(text: str) -> Value | None:
    """Return the time that a text means, with its precision; None if it is not a date.

    Case, doubled spaces, commas, and stops after months and eras make no difference. Dates of three
    numbers are read only if the year comes first, as in ISO 8601, or if the day is no month. A time
    of midnight, zeros for an unknown month and day, and "c." are ignored.

    >>> read("March 22, 1958")
    Value(kind='time', text='1958-03-22T00:00:00Z', language=None, precision=11)
    >>> read("30.07.2007") == read("7/30/2007") == read("30 July 2007"), read("3/4/2007")
    (True, None)
    >>> read("the 40s BC").text
    '-0039-01-01T00:00:00Z'
    """
    plain = " ".join(_STOP.sub("", text.lower()).replace(",", " ").split())
    if machine := _MACHINE.fullmatch(plain):
        plain = "-".join(part for part in machine.groups() if part not in (None, "00"))
    plain = _ABOUT.sub("", plain)
    for kind, form in _FORMS:
        if match := form.fullmatch(plain):
            value = _value(kind, match.groupdict().get)
            # There is no 30 February.
            return value if value and finest(value) == kind else None
    return None


def _value(kind: str, part: Callable[[str], str | None]) -> Value | None:
    """Return the time that the parts of a match name."""
    era = part("era") or part("before") or ""
    if part("before") and part("era"):
        return None
    number = _century(part("nth") or "") if kind == "century" else int(part("year") or 0)
    if number == 0 or (kind == "decade" and number < NO_ERA and not era):
        return None
    year = 1 - number if era.startswith("bc") else number
    month = int(part("number") or 0) or _month(part("month") or "")
    sign, day = "-" * (year < 0), int(part("day") or 1)
    text = f"{sign}{abs(year):04}-{month:02}-{day:02}T00:00:00Z"
    return Value("time", text, precision=DAY - KINDS.index(kind))


def _century(nth: str) -> int:
    """Return the first year of a century."""
    number = _WORDS[nth] if nth in _WORDS else int(nth[:-2])
    return max(0, 100 * number - 99)


def _month(name: str) -> int:
    """Return the number of a month; the first one where there is none."""
    return next((n for n, full in enumerate(_NAMES, 1) if name and full.startswith(name[:3])), 1)
