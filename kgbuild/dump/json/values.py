"""Write values of Wikidata's JSON dump as N-Triples terms, like Wikibase's RDF writer."""

import calendar
import hashlib
import re
from collections.abc import Callable
from typing import Any, cast
from urllib.parse import quote, quote_plus

import msgspec

from kgbuild import wikidata
from kgbuild.dump.json.model import TYPES, MalformedError

ENTITY = re.compile(f"[QPE]{wikidata.NUMBER}|L{wikidata.NUMBER}(?:-[FS]{wikidata.NUMBER})?")
"""A regular expression for the id of an entity of any type."""
# A language tag, such as zh-hans. RDF stores require that its parts have at most eight letters.
LANGUAGE = re.compile("[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*")
# A number with a sign, such as +1.5.
_AMOUNT = re.compile(r"[+-][0-9]+(?:\.[0-9]+)?")
# A time, such as +2001-12-31T00:00:00Z; a month or day of 00 is unknown.
_TIME = re.compile(
    r"(?P<sign>[+-])(?P<year>[0-9]{1,16})-(?P<month>0[0-9]|1[0-2])-(?P<day>[0-2][0-9]|3[01])"
    r"T(?P<clock>(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z)"
)
_YEAR, _MONTH, _DAY, _SECOND = 9, 10, 11, 14  # Wikibase's codes of the precision of a time
_GREGORIAN, _JULIAN = f"{wikidata.ENTITY}Q1985727", f"{wikidata.ENTITY}Q1985786"
_DAYS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_EARTH = f"{wikidata.ENTITY}Q2"
_FILE = "http://commons.wikimedia.org/wiki/Special:FilePath/"
_DATA = "http://commons.wikimedia.org/data/main/"
_MATH = "http://www.w3.org/1998/Math/MathML"
_BLANKS = " \t\n\r\0\x0b"  # the characters that PHP's trim() removes
# An absolute IRI: a scheme, a colon, and characters other than controls, spaces and surrogates.
_ABSOLUTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\x00-\x20\ud800-\udfff]*")
# Characters that N-Triples forbids in IRIs, with their percent-encoded forms.
_FORBIDDEN = str.maketrans({c: f"%{ord(c):02X}" for c in ' "<>\\`^|{}'})


def _require_match(pattern: re.Pattern[str], value: Any, kind: str) -> str:
    """Return a string that a pattern matches; the error for others names the ``kind``."""
    if not isinstance(value, str) or not pattern.fullmatch(value):
        raise MalformedError(f"no {kind}: {value!r:.40}")
    return value


def _quoted(text: Any) -> str:
    """Return a string in quotes, escaped as in JSON: N-Triples has the same escapes."""
    if not isinstance(text, str):
        raise MalformedError("no text")
    return msgspec.json.encode(text).decode()


def text(text: Any, language: Any) -> str:
    """Return a text in a language as a literal; raise MalformedError if one of them is none."""
    tag = _require_match(LANGUAGE, language, "language")
    return f"{_quoted(text)}@{tag}"


def unknown(statement_id: Any) -> str:
    """Return a blank node for the unknown value of the statement with this id.

    A statement has the same blank node in each conversion.
    """
    if not isinstance(statement_id, str):
        raise MalformedError("no id of the statement")
    return f"_:{hashlib.blake2b(statement_id.encode(), digest_size=16).hexdigest()}"


def entity_id(value: Any) -> str:
    """Return the id of an entity that is a value."""
    return _require_match(ENTITY, value["id"] if "id" in value else _old_id(value), "entity")


def _old_id(value: Any) -> str:
    """Return the id of a value as dumps before 2016 have it: the type and the number."""
    letters = [letter for letter, name in TYPES.items() if name == value["entity-type"]]
    return f"{''.join(letters)}{value['numeric-id']}"


def _quantity(value: Any, _: Any) -> str:
    amount = _require_match(_AMOUNT, value["amount"], "amount")
    return f'"{amount}"^^<{wikidata.XSD}decimal>'


def _string(value: Any, datatype: Any) -> str:
    """Return the term of a string; the datatype of its property says whether it is a link."""
    if not isinstance(value, str):
        raise MalformedError("no text")
    match datatype:
        case "url":
            return _iri(value.strip(_BLANKS))
        case "commonsMedia":
            return _iri(_FILE + quote(value, ""))
        case "geo-shape" | "tabular-data":
            return _iri(_DATA + quote_plus(value, ";@$!*(),/~:"))  # as in MediaWiki's URLs
        case "math":
            # A truthy dump has MathML here; the JSON dump has only TeX.
            return f"{_quoted(value)}^^<{_MATH}>"
    return _quoted(value)


def _iri(text: str) -> str:
    iri = text.translate(_FORBIDDEN)
    if not _ABSOLUTE.fullmatch(iri):
        raise MalformedError(f"no IRI: {text!r:.80}")
    return f"<{iri}>"


def _point(value: Any, _: Any) -> str:
    point = f"Point({_float(value['longitude'])} {_float(value['latitude'])})"
    globe = value["globe"]
    if globe and globe != _EARTH:
        if not isinstance(globe, str):
            raise MalformedError("no globe")
        point = f"{_iri(globe)} {point}"
    return f"{_quoted(point)}^^<{wikidata.WKT}>"


def _float(number: Any) -> str:
    """Return a number in the form that PHP prints: 14 digits, and an exponent such as 1.0E-5."""
    if type(number) not in (int, float):
        raise MalformedError("no coordinate")
    digits, _, exponent = f"{number:.14g}".partition("e")
    if not exponent:
        return digits
    return f"{digits if '.' in digits else f'{digits}.0'}E{int(exponent):+d}"


WRITERS: dict[Any, Callable[[Any, Any], str]] = {
    "wikibase-entityid": lambda value, _: f"<{wikidata.ENTITY}{entity_id(value)}>",
    "quantity": _quantity,
    "monolingualtext": lambda value, _: text(value["text"], value["language"]),
    "string": _string,
    "globecoordinate": _point,
}
"""Functions that write a value as a term, by the type of the value.

They take the value and the datatype of its property.
"""


def time_lines(start: str, precision_start: str, value: Any) -> list[str]:
    """Return the line of a time and, if it is an xsd:dateTime, the line of its precision.

    ``start`` and ``precision_start`` are the subject and predicate of these lines.
    """
    text, precision = value["time"], value["precision"]
    match = cast(re.Match[str], _TIME.fullmatch(_require_match(_TIME, text, "time")))
    if type(precision) is not int or not 0 <= precision <= _SECOND:
        raise MalformedError(f"no precision: {precision!r:.40}")
    date = _date(match, precision, value["calendarmodel"])
    if date is None:
        return [f'{start}"{text}" .']
    time = f"{date}T{match['clock']}"
    return [
        f'{start}"{time}"^^<{wikidata.XSD}dateTime> .',
        f'{precision_start}"{time}/{precision}" .',
    ]


def _date(time: re.Match[str], precision: int, calendar: Any) -> str | None:
    """Return the Gregorian date of a time, or None if it cannot be written as a dateTime."""
    year = int(time["year"]) * (-1 if time["sign"] == "-" else 1)
    month, day = max(int(time["month"]), 1), max(int(time["day"]), 1)
    if year == 0:  # no calendar has a year 0: it may mean 1 BCE or 1 CE
        return None
    if precision >= _DAY and calendar == _JULIAN:
        return _from_julian(year, month, day) or _gregorian(year, month, day, precision)
    if precision >= _DAY and calendar != _GREGORIAN:
        return None
    return _gregorian(year, month, day, precision)


def _gregorian(year: int, month: int, day: int, precision: int) -> str:
    """Return the date of a Gregorian day; a month or day finer than the precision becomes 1.

    A day after the end of its month becomes the last day of the month.
    """
    if precision < _MONTH:
        month = 1
    if precision < _DAY:
        day = 1
    astronomical_year = year + (year < 0)  # 1 BCE is the year 0
    last = 29 if month == 2 and calendar.isleap(astronomical_year) else _DAYS[month - 1]
    day = min(day, last)
    # A year that is a decade, a century and so on is not shifted: 10,000 BCE stays a round number.
    return _iso(astronomical_year if precision >= _YEAR else year, month, day)


def _from_julian(year: int, month: int, day: int) -> str | None:
    """Convert a day from the Julian to the Gregorian calendar.

    The Julian day number, which both calendars share, is computed first. A Gregorian cycle of 400
    years has 146,097 days, four Julian years have 1,461, and five months from March on 153.

    Returns:
        The date, or None outside of the years that PHP can convert, which Wikibase treats as
        Gregorian.
    """
    if not -4713 <= year <= 1465072 or (year, month, day) == (-4713, 1, 1):
        return None
    # Years start in March here, so that a leap day is their last day.
    early = month < 3
    years = year + (year < 0) + 4800 - early
    number = day + (153 * (month + 12 * early - 3) + 2) // 5 + 365 * years + years // 4 - 32083
    remainder = 4 * (number + 32044) + 3
    centuries, remainder = divmod(remainder, 146097)
    years, remainder = divmod(4 * (remainder // 4) + 3, 1461)
    months, remainder = divmod(5 * (remainder // 4) + 2, 153)
    late = months >= 10
    return _iso(100 * centuries + years - 4800 + late, months + 3 - 12 * late, remainder // 5 + 1)


def _iso(year: int, month: int, day: int) -> str:
    return f"{'-' if year < 0 else ''}{abs(year):04}-{month:02}-{day:02}"
