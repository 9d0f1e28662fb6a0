"""Entities of Wikidata's JSON dump as the N-Triples lines of its truthy RDF dump.

The JSON dump has what truthy lost, the precision of times above all; this keeps it in a triple
of its own. What is written follows Wikibase's own RDF writer (its folder repo/includes/Rdf),
down to its way with dates, which other converters do not share.
"""

import hashlib
import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple
from urllib.parse import quote, quote_plus

import orjson

from kgbuild import wikidata

_LETTERS = {"item": "Q", "property": "P"}
_UNWRITTEN = {"lexeme", "mediainfo"}  # nothing here asks about words or files
_ENTITY = re.compile(f"[QPE]{wikidata.NUMBER}|L{wikidata.NUMBER}(?:-[FS]{wikidata.NUMBER})?")
_PROPERTY = re.compile(f"P{wikidata.NUMBER}")
_RANKS = ("preferred", "normal", "deprecated")
# A tag of N-Triples, and none with a part so long or short that no RDF store takes it.
_LANGUAGE = re.compile("[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8})*")
_AMOUNT = re.compile(r"[+-][0-9]+(?:\.[0-9]+)?")
_TIME = re.compile(
    r"([+-])([0-9]{1,16})-(0[0-9]|1[0-2])-([0-2][0-9]|3[01])"
    r"T((?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z)"
)
_YEAR, _MONTH, _DAY, _SECOND = 9, 10, 11, 14  # precisions of times
_GREGORIAN, _JULIAN = f"{wikidata.ENTITY}Q1985727", f"{wikidata.ENTITY}Q1985786"
_EARTH = f"{wikidata.ENTITY}Q2"
_FILE = "http://commons.wikimedia.org/wiki/Special:FilePath/"
_DATA = "http://commons.wikimedia.org/data/main/"
_MATH = "http://www.w3.org/1998/Math/MathML"
_BLANKS = " \t\n\r\0\x0b"  # what PHP trims
_ABSOLUTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:[^\x00-\x20\ud800-\udfff]*")
_FORBIDDEN = str.maketrans({c: f"%{ord(c):02X}" for c in ' "<>\\`^|{}'})


class Converted(NamedTuple):
    """The outcome for one block of JSON lines.

    ``text`` is the N-Triples lines and ``origin`` the number of the JSON line each came from.
    ``held`` counts the lines but for those that are empty, ``[`` or ``]``; ``entities`` those
    of them that hold one, ``faulty`` those that hold none, or one of which a part was left
    out. ``empty`` counts the lines without fault of which no triple is made. ``bad`` are
    (number, reason, line), for each fault; ``last`` is the last line but for empty ones.
    """

    text: bytes
    origin: list[int]
    held: int
    entities: int
    faulty: int
    empty: int
    bad: list[tuple[int, str, bytes]]
    last: bytes


class _MalformedError(ValueError):
    """What is there has not the form it should have."""


def triples(entity: dict[str, Any]) -> list[str]:
    """Return the N-Triples lines of an item or a property, without line ends.

    Labels are written once, as rdfs:label: a truthy dump repeats them as skos:prefLabel and
    schema:name. Not written are its links of external ids (wdtn), which need the properties'
    formatters, and its metadata (rdf:type wikibase:Item and the like). Each time that is a
    dateTime has a second triple with its precision. Lexemes and media files have no lines.
    Parts that are malformed have none either; ``convert`` reports them.

    >>> entity = {"type": "item", "id": "Q42", "descriptions": {}, "aliases": {}, "claims": {}}
    >>> entity["labels"] = {"en": {"language": "en", "value": "Douglas Adams"}}
    >>> triples(entity)[0].split("> ")[-1]
    '"Douglas Adams"@en .'

    Raises:
        ValueError: this is no entity, or it has no valid id.
    """
    return _lines(entity, [])


def convert(text: bytes, first: int) -> Converted:
    """Convert a block of whole lines of a JSON dump, the first having the number ``first``."""
    lines: list[str] = []
    origin: list[int] = []
    bad: list[tuple[int, str, bytes]] = []
    held = entities = empty = 0
    last = b""
    for number, line in enumerate(text.removesuffix(b"\n").split(b"\n") if text else (), first):
        json = line.strip()
        last = json or last
        if json in (b"", b"[", b"]"):
            empty += 1
            continue
        held += 1
        problems: list[str] = []
        try:
            found = _lines(orjson.loads(json.removesuffix(b",")), problems)
        except orjson.JSONDecodeError as error:
            bad.append((number, f"no JSON: {error}", line))
        except _MalformedError as error:
            bad.append((number, str(error), line))
        else:
            entities += 1
            lines += found
            origin += [number] * len(found)
            empty += not (found or problems)
            bad += [(number, problem, line) for problem in problems]
    lines.append("")
    faulty = len({number for number, _, _ in bad})
    return Converted("\n".join(lines).encode(), origin, held, entities, faulty, empty, bad, last)


def _lines(entity: Any, problems: list[str]) -> list[str]:
    """Return the lines of an entity; what is wrong with parts of it goes to ``problems``."""
    if not isinstance(entity, dict):
        raise _MalformedError("no entity: not an object")
    kind, name = entity.get("type"), entity.get("id")
    if not isinstance(kind, str) or not isinstance(name, str):
        raise _MalformedError("no entity: no type or no id")
    if kind in _UNWRITTEN:
        return []
    if kind not in _LETTERS:
        raise _MalformedError(f"no entity: of unknown type {kind!r:.40}")
    if not _ENTITY.fullmatch(name) or name[0] != _LETTERS[kind]:
        raise _MalformedError(f"no entity: {name!r:.40} is no id of this type")
    subject = f"<{wikidata.ENTITY}{name}>"
    lines = list(_texts(entity, subject, problems))
    for key, statements in _members(entity, "claims", problems):
        _claims(subject, key, statements, lines, problems)
    return lines


def _members(entity: dict[str, Any], part: str, problems: list[str]) -> Iterator[tuple[str, Any]]:
    """Yield the keys and values of a part of an entity; an empty one may be written as ``[]``."""
    members = entity.get(part)
    if isinstance(members, dict):
        yield from members.items()
    elif members != []:
        problems.append(f"{part}: missing" if part not in entity else f"{part}: not an object")


def _texts(entity: dict[str, Any], subject: str, problems: list[str]) -> Iterator[str]:
    for part, predicate in (
        ("labels", wikidata.LABEL),
        ("descriptions", wikidata.DESCRIPTION),
        ("aliases", wikidata.ALIAS),
    ):
        start = f"{subject} <{predicate}> "
        for key, entries in _members(entity, part, problems):
            for entry in entries if part == "aliases" and isinstance(entries, list) else (entries,):
                try:
                    yield f"{start}{_text(entry['value'], entry['language'])} ."
                except (KeyError, TypeError, ValueError) as error:
                    problems.append(f"{part} {key!r:.40}: {_reason(error)}")


def _claims(
    subject: str, name: str, statements: Any, lines: list[str], problems: list[str]
) -> None:
    """Add the lines of the best-ranked statements of one property."""
    if not _PROPERTY.fullmatch(name):
        problems.append(f"{name!r:.40}: no property")
        return
    if not isinstance(statements, list):
        problems.append(f"{name}: not a list")
        return
    ranked: dict[str, list[Any]] = {rank: [] for rank in _RANKS}
    for statement in statements:
        try:
            ranked[statement["rank"]].append(statement)
        except (KeyError, TypeError) as error:
            problems.append(f"{name}: {_reason(error)}")
    for statement in ranked["preferred"] or ranked["normal"]:
        try:
            lines += _statement(subject, name, statement)
        except (KeyError, TypeError, ValueError) as error:
            problems.append(f"{name}: {_reason(error)}")


def _statement(subject: str, name: str, statement: Any) -> list[str]:
    snak = statement["mainsnak"]
    if snak["property"] != name:
        raise _MalformedError("a statement of another property")
    start = f"{subject} <{wikidata.DIRECT}{name}> "
    match snak["snaktype"]:
        case "value":
            value, kind = snak["datavalue"]["value"], snak["datavalue"]["type"]
            if kind == "time":
                return _time_lines(start, f"{subject} <{wikidata.PRECISION}{name}> ", value)
            write = _VALUES.get(kind)
            if write is None:
                raise _MalformedError(f"a value of unknown type {kind!r:.40}")
            return [f"{start}{write(value, snak['datatype'])} ."]
        case "somevalue":
            return [f"{start}{_unknown(statement['id'])} ."]
        case "novalue":
            return [f"{subject} <{wikidata.TYPE}> <{wikidata.NO_VALUE}{name}> ."]
    raise _MalformedError(f"of unknown snaktype {snak['snaktype']!r:.40}")


def _reason(error: Exception) -> str:
    """Say what is wrong with a part, in words for readers of a dump rather than of this code."""
    if isinstance(error, KeyError):
        return f"no or unknown {error.args[0]!r:.40}"
    return str(error) if isinstance(error, _MalformedError) else "not of the known form"


def _quoted(text: Any) -> str:
    """Return a string in quotes: JSON's escapes are all escapes of N-Triples too."""
    if not isinstance(text, str):
        raise _MalformedError("no text")
    return orjson.dumps(text).decode()


def _text(text: Any, language: Any) -> str:
    if not isinstance(language, str) or not _LANGUAGE.fullmatch(language):
        raise _MalformedError(f"no language: {language!r:.40}")
    return f"{_quoted(text)}@{language}"


def _unknown(statement: Any) -> str:
    """Return a blank node that is the same at each conversion."""
    if not isinstance(statement, str):
        raise _MalformedError("no id of the statement")
    return f"_:{hashlib.blake2b(statement.encode(), digest_size=16).hexdigest()}"


def _entity(value: Any, _: Any) -> str:
    name = value["id"]
    if not isinstance(name, str) or not _ENTITY.fullmatch(name):
        raise _MalformedError(f"no entity: {name!r:.40}")
    return f"<{wikidata.ENTITY}{name}>"


def _quantity(value: Any, _: Any) -> str:
    amount = value["amount"]
    if not isinstance(amount, str) or not _AMOUNT.fullmatch(amount):
        raise _MalformedError(f"no amount: {amount!r:.40}")
    return f'"{amount}"^^<{wikidata.XSD}decimal>'


def _monolingual(value: Any, _: Any) -> str:
    return _text(value["text"], value["language"])


def _string(value: Any, datatype: Any) -> str:
    """Return a string as its property means it: most are texts, some are links."""
    if not isinstance(value, str):
        raise _MalformedError("no text")
    match datatype:
        case "url":
            return _iri(value.strip(_BLANKS))
        case "commonsMedia":
            return _iri(_FILE + quote(value, ""))
        case "geo-shape" | "tabular-data":
            return _iri(_DATA + quote_plus(value, ";@$!*(),/~:"))  # as MediaWiki's addresses
        case "math":
            # Truthy has rendered MathML here, which a JSON dump lacks: this is the TeX.
            return f"{_quoted(value)}^^<{_MATH}>"
    return _quoted(value)


def _iri(text: str) -> str:
    iri = text.translate(_FORBIDDEN)
    if not _ABSOLUTE.fullmatch(iri):
        raise _MalformedError(f"no IRI: {text!r:.80}")
    return f"<{iri}>"


def _point(value: Any, _: Any) -> str:
    point = f"Point({_float(value['longitude'])} {_float(value['latitude'])})"
    globe = value["globe"]
    if globe and globe != _EARTH:
        if not isinstance(globe, str):
            raise _MalformedError("no globe")
        point = f"{_iri(globe)} {point}"
    return f"{_quoted(point)}^^<{wikidata.WKT}>"


def _float(number: Any) -> str:
    """Return a number as PHP prints it: 14 digits, and an exponent as in 1.0E-5."""
    if type(number) not in (int, float):
        raise _MalformedError("no coordinate")
    digits, _, exponent = f"{number:.14g}".partition("e")
    if not exponent:
        return digits
    return f"{digits if '.' in digits else f'{digits}.0'}E{int(exponent):+d}"


_VALUES: dict[Any, Callable[[Any, Any], str]] = {
    "wikibase-entityid": _entity,
    "quantity": _quantity,
    "monolingualtext": _monolingual,
    "string": _string,
    "globecoordinate": _point,
}


def _time_lines(start: str, precise: str, value: Any) -> list[str]:
    text, precision = value["time"], value["precision"]
    match = _TIME.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        raise _MalformedError(f"no time: {text!r:.40}")
    if type(precision) is not int or not 0 <= precision <= _SECOND:
        raise _MalformedError(f"no precision: {precision!r:.40}")
    date = _date(match, precision, value["calendarmodel"])
    if date is None:
        return [f'{start}"{text}" .']
    time = f"{date}T{match[5]}"
    return [f'{start}"{time}"^^<{wikidata.XSD}dateTime> .', f'{precise}"{time}/{precision}" .']


def _date(time: re.Match[str], precision: int, calendar: Any) -> str | None:
    """Return the day of a time as Wikibase cleans it, or None if that cannot be done."""
    year = int(time[2]) * (-1 if time[1] == "-" else 1)
    month, day = max(int(time[3]), 1), max(int(time[4]), 1)
    if year == 0:  # there was none, and who wrote it may have meant 1 BCE or 1 CE
        return None
    if precision >= _DAY and calendar == _JULIAN:
        return _from_julian(year, month, day) or _cleaned(year, month, day, precision)
    if precision >= _DAY and calendar != _GREGORIAN:
        return None
    return _cleaned(year, month, day, precision)


def _cleaned(year: int, month: int, day: int, precision: int) -> str:
    """Return a Gregorian day: what is finer than the precision is 1, what no month has its last."""
    if precision < _MONTH:
        month = 1
    if precision < _DAY:
        day = 1
    astronomical = year + (year < 0)
    leap = astronomical % 4 == 0 and (astronomical % 100 != 0 or astronomical % 400 == 0)
    day = min(day, 29 if month == 2 and leap else _DAYS[month - 1])
    # The years of decades, centuries and so on before our era are not shifted: 10,000 BCE
    # is a round number and stays one.
    return _iso(astronomical if precision >= _YEAR else year, month, day)


_DAYS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def _from_julian(year: int, month: int, day: int) -> str | None:
    """Return the Gregorian day of a Julian one, by way of the Julian day number.

    Outside the years that PHP can convert, Wikibase takes a date for a Gregorian one.
    """
    if not -4713 <= year <= 1465072 or (year, month, day) == (-4713, 1, 1):
        return None
    # Years are counted from March, so that leap days stand at the end.
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
