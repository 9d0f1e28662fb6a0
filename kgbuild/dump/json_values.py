"""Write values of Wikidata's JSON dump as N-Triples terms, like Wikibase's RDF writer."""

import calendar
import hashlib
import re
from collections.abc import Callable
from typing import Any, cast
from urllib.parse import quote, quote_plus

import orjson

from kgbuild import wikidata

ENTITY = re.compile(f"[QPE]{wikidata.NUMBER}|L{wikidata.NUMBER}(?:-[FS]{wikidata.NUMBER})?")
"""A regular expression for the id of an entity of any type."""
# A language tag of N-Triples whose parts are as short as RDF stores require.
_LANGUAGE = re.compile("[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*")
_AMOUNT = re.compile(r"[+-][0-9]+(?:\.[0-9]+)?")
_TIME = re.compile(
    r"([+-])([0-9]{1,16})-(0[0-9]|1[0-2])-([0-2][0-9]|3[01])"
    r"T((?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z)"
)
_YEAR, _MONTH, _DAY, _SECOND = 9, 10, 11, 14  # precisions of times
_GREGORIAN, _JULIAN = f"{wikidata.ENTITY}Q1985727", f"{wikidata.ENTITY}Q1985786"
_DAYS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_EARTH = f"{wikidata.ENTITY}Q2"
_FILE = "http://commons.wikimedia.org/wiki/Special:FilePath/"
_DATA = "http://commons.wikimedia.org/data/main/"
_MATH = "http://www.w3.org/1998/Math/MathML"
_BLANKS = " \t\n\r\0\x0b"  # the characters that PHP's trim() removes
_ABSOLUTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\x00-\x20\ud800-\udfff]*")
_FORBIDDEN = str.maketrans({c: f"%{ord(c):02X}" for c in ' "<>\\`^|{}'})


class MalformedError(ValueError):
    """Raised when a part of an entity does not have the form that it should have."""


def _require_match(pattern: re.Pattern[str], value: Any, kind: str) -> str:
    if not isinstance(value, str) or not pattern.fullmatch(value):
        raise MalformedError(f"no {kind}: {value!r:.40}")
    return value


def _quoted(text: Any) -> str:
    """Return a string in quotes, escaped as in JSON: N-Triples has the same escapes."""
    if not isinstance(text, str):
        raise MalformedError("no text")
    return orjson.dumps(text).decode()


def text(text: Any, language: Any) -> str:
    """Return a literal with a language tag."""
    return f"{_quoted(text)}@{_require_match(_LANGUAGE, language, 'language')}"


def unknown(statement: Any) -> str:
    """Return a blank node for a statement's unknown value, the same at each conversion."""
    if not isinstance(statement, str):
        raise MalformedError("no id of the statement")
    return f"_:{hashlib.blake2b(statement.encode(), digest_size=16).hexdigest()}"


def _entity(value: Any, _: Any) -> str:
    return f"<{wikidata.ENTITY}{_require_match(ENTITY, value['id'], 'entity')}>"


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
    "wikibase-entityid": _entity,
    "quantity": _quantity,
    "monolingualtext": lambda value, _: text(value["text"], value["language"]),
    "string": _string,
    "globecoordinate": _point,
}
"""For each type of a value, the function of (value, datatype of its property) that writes it."""


def time_lines(start: str, precise: str, value: Any) -> list[str]:
    """Return the line of a time and, if the time is a dateTime, the line of its precision.

    ``start`` and ``precise`` are the subjects and predicates of these lines.
    """
    text, precision = value["time"], value["precision"]
    match = cast(re.Match[str], _TIME.fullmatch(_require_match(_TIME, text, "time")))
    if type(precision) is not int or not 0 <= precision <= _SECOND:
        raise MalformedError(f"no precision: {precision!r:.40}")
    date = _date(match, precision, value["calendarmodel"])
    if date is None:
        return [f'{start}"{text}" .']
    time = f"{date}T{match[5]}"
    return [f'{start}"{time}"^^<{wikidata.XSD}dateTime> .', f'{precise}"{time}/{precision}" .']


def _date(time: re.Match[str], precision: int, calendar: Any) -> str | None:
    """Return the Gregorian date of a time, or None if it cannot be written as a dateTime."""
    year = int(time[2]) * (-1 if time[1] == "-" else 1)
    month, day = max(int(time[3]), 1), max(int(time[4]), 1)
    if year == 0:  # no calendar has a year 0: it may mean 1 BCE or 1 CE
        return None
    if precision >= _DAY and calendar == _JULIAN:
        return _from_julian(year, month, day) or _cleaned(year, month, day, precision)
    if precision >= _DAY and calendar != _GREGORIAN:
        return None
    return _cleaned(year, month, day, precision)


def _cleaned(year: int, month: int, day: int, precision: int) -> str:
    """Return a Gregorian day: parts finer than the precision are 1; the day fits the month."""
    if precision < _MONTH:
        month = 1
    if precision < _DAY:
        day = 1
    astronomical = year + (year < 0)
    last = 29 if month == 2 and calendar.isleap(astronomical) else _DAYS[month - 1]
    day = min(day, last)
    # Years BCE are shifted by one (1 BCE is 0), but not decades, centuries and so on, so that
    # 10,000 BCE stays a round number.
    return _iso(astronomical if precision >= _YEAR else year, month, day)


def _from_julian(year: int, month: int, day: int) -> str | None:
    """Convert a Julian to a Gregorian day, by way of the Julian day number.

    Returns None outside of the years that PHP can convert: Wikibase treats them as Gregorian.
    """
    if not -4713 <= year <= 1465072 or (year, month, day) == (-4713, 1, 1):
        return None
    # Years start in March here, so that a leap day is their last day.
    early = month < 3
    years = year + (year < 0) + 4800 - early
    number = day + (153 * (month + 12 * early - 3) + 2) // 5 + 365 * years + years // 4 - 32083
    rest = 4 * (number + 32044) + 3
    centuries, rest = divmod(rest, 146097)
    years, rest = divmod(4 * (rest // 4) + 3, 1461)
    months, rest = divmod(5 * (rest // 4) + 2, 153)
    late = months >= 10
    return _iso(100 * centuries + years - 4800 + late, months + 3 - 12 * late, rest // 5 + 1)


def _iso(year: int, month: int, day: int) -> str:
    return f"{'-' if year < 0 else ''}{abs(year):04}-{month:02}-{day:02}"
