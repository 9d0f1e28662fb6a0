"""Ids, IRIs and values of Wikidata, and its namespaces.

Source of the namespaces: the RDF dump format of Wikibase
(https://www.mediawiki.org/wiki/Wikibase/Indexing/RDF_Dump_Format).
"""

import re
from typing import NamedTuple
from urllib.parse import quote

from kgbuild.errors import MalformedIdError

# Namespaces and IRIs.
ENTITY = "http://www.wikidata.org/entity/"
DIRECT = "http://www.wikidata.org/prop/direct/"
CLAIM = "http://www.wikidata.org/prop/"
MAIN_VALUE = "http://www.wikidata.org/prop/statement/"
NORMALIZED = "http://www.wikidata.org/prop/direct-normalized/"
NO_VALUE = "http://www.wikidata.org/prop/novalue/"
UNKNOWN_VALUE = "http://www.wikidata.org/.well-known/genid/"
ENTITY_PAGE = "https://www.wikidata.org/wiki/Special:EntityData/"
PAGE = "https://www.wikidata.org/wiki/"
LABEL = "http://www.w3.org/2000/01/rdf-schema#label"
ALIAS = "http://www.w3.org/2004/02/skos/core#altLabel"
DESCRIPTION = "http://schema.org/description"
REPEATED_LABELS = ("http://www.w3.org/2004/02/skos/core#prefLabel", "http://schema.org/name")
TYPE = "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"
SAME_AS = "http://www.w3.org/2002/07/owl#sameAs"
XSD = "http://www.w3.org/2001/XMLSchema#"
WKT = "http://www.opengis.net/ont/geosparql#wktLiteral"
PRECISION = "urn:kgbuild:precision:"

PREFIXES = {
    "wd": ENTITY,
    "wdt": DIRECT,
    "wdtn": NORMALIZED,
    "wdno": NO_VALUE,
    "wikibase": "http://wikiba.se/ontology#",
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "owl": "http://www.w3.org/2002/07/owl#",
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "schema": "http://schema.org/",
    "xsd": XSD,
    "geo": "http://www.opengis.net/ont/geosparql#",
}

# Beginnings of addresses of entities, besides their IRIs.
_PAGES = ("https://www.wikidata.org/entity/", f"{PAGE}Property:", PAGE)

NUMBER = "[1-9][0-9]{0,8}"
"""A regular expression for the number in an id: up to 9 digits, for 140 million items."""

MILLENNIUM, CENTURY, DECADE, YEAR, MONTH, DAY = range(6, 12)
"""Wikidata's codes of the precision of a time."""

NO_LABEL = 3
"""The rank of a missing label (see ``language_rank``)."""

_ID = re.compile(f"[QP]{NUMBER}")
_NAME = re.compile("[A-Za-z0-9_-]+")
"""The part of an IRI after its namespace, if SPARQL needs no escapes in it."""
# A date, such as -0043-03-15T00:00:00Z: its sign, year, month and day.
_TIME = re.compile(r"(-?)(\d{4,16})-(0\d|1[0-2])-(\d\d)(?:T.*)?", re.ASCII | re.DOTALL)
MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_KINDS = {"Q": "item", "P": "property"}
_KINDS_BY_DATATYPE = {
    f"{XSD}dateTime": "time",
    f"{XSD}decimal": "quantity",
    f"{XSD}integer": "quantity",
    WKT: "point",
}
_ROUND_YEARS = ((100, 50), (10, 10), (1, 1))
"""Pairs (length, divisor). A year of unknown precision can mean a period of ``length`` years if
``divisor`` divides it; the first such pair applies."""


class Value(NamedTuple):
    """The value of a statement.

    ``kind`` is item, property, time, quantity, text (in a language), string, point, link
    or unknown (Wikidata's "unknown value"); ``text`` is the id, the IRI or the lexical form.
    ``precision`` is the code of the precision of a time, such as YEAR, or None if it is unknown.
    """

    kind: str
    text: str
    language: str | None = None
    precision: int | None = None


def parse_item(text: str) -> str:
    """Return the id of an item from its id in upper or lower case, or from its IRI.

    >>> parse_item(" q42 ")
    'Q42'

    Raises:
        MalformedIdError: ``text`` is not such an id.
    """
    return _parse(text, "Q")


def parse_property(text: str) -> str:
    """Return the id of a property from its id in upper or lower case, or from its IRI.

    >>> parse_property("http://www.wikidata.org/prop/direct/P26")
    'P26'

    Raises:
        MalformedIdError: ``text`` is not such an id.
    """
    return _parse(text, "P")


def _parse(text: str, letter: str) -> str:
    candidate = text.strip()
    for namespace in (ENTITY, DIRECT, *_PAGES):
        candidate = candidate.removeprefix(namespace)
    candidate = candidate.upper()
    if not _ID.fullmatch(candidate) or candidate[0] != letter:
        raise MalformedIdError(text, _KINDS[letter])
    return candidate


def is_id(text: str) -> bool:
    """Return whether a text is the id of an item or a property."""
    return _ID.fullmatch(text) is not None


def href_of(value: Value) -> str | None:
    """Return the URL of the page of an item or a property, or None for other values."""
    page = {"item": PAGE, "property": f"{PAGE}Property:"}.get(value.kind)
    return None if page is None else page + quote(value.text, safe="")


def page_of(text: str) -> str | None:
    """Return the URL of the page of an item or a property by its id, or None for other texts."""
    return href_of(Value(_KINDS[text[0]], text)) if is_id(text) else None


def number(entity: str) -> int:
    """Return the number in an id.

    >>> number("Q42")
    42
    """
    return int(entity[1:])


def entity_key(entity: str) -> int:
    """Return the key of an entity in the columns of a store: 42 of Q42, -42 of P42.

    Raises:
        MalformedIdError: it is not the id of an item or a property.
    """
    try:
        number = int(entity[1:])
    except (TypeError, ValueError) as error:
        raise MalformedIdError(str(entity), _KINDS["Q"]) from error
    return number if entity[0] == "Q" else -number


def of_iri(iri: str) -> str | None:
    """Return the id in the IRI of an entity or of a direct property, or None for other IRIs.

    >>> of_iri("http://www.wikidata.org/entity/Q42")
    'Q42'
    >>> of_iri("http://example.org/Q42") is None
    True
    """
    namespace = ENTITY if iri.startswith(ENTITY) else DIRECT
    candidate = iri.removeprefix(namespace)
    return candidate if candidate != iri and _ID.fullmatch(candidate) else None


def with_prefix(iri: str) -> str:
    """Return an IRI as SPARQL writes it with one of PREFIXES, or as it is.

    >>> with_prefix("http://www.wikidata.org/prop/direct/P26")
    'wdt:P26'
    """
    for prefix, namespace in PREFIXES.items():
        name = iri.removeprefix(namespace)
        if name != iri and _NAME.fullmatch(name):
            return f"{prefix}:{name}"
    return iri


def without_prefix(name: str) -> str | None:
    """Return the IRI of a name with one of PREFIXES, or None for any other text.

    >>> without_prefix("wdt:P26")
    'http://www.wikidata.org/prop/direct/P26'
    """
    prefix, colon, rest = name.partition(":")
    is_name = colon and prefix in PREFIXES and _NAME.fullmatch(rest)
    return PREFIXES[prefix] + rest if is_name else None


def value_of_iri(iri: str) -> Value:
    """Return the value of an IRI: an entity, an unknown value or a link."""
    entity = of_iri(iri) if iri.startswith(ENTITY) else None
    if entity is not None:
        return Value(_KINDS[entity[0]], entity)
    return Value("unknown", "") if iri.startswith(UNKNOWN_VALUE) else Value("link", iri)


def value_of_literal(text: str, datatype: str, language: str | None) -> Value:
    """Return the value of an RDF literal."""
    if language:
        return Value("text", text, language)
    return Value(_KINDS_BY_DATATYPE.get(datatype, "string"), text)


def language_rank(tag: str, language: str) -> int:
    """Return the rank of a label's language: 0 is best, and ``NO_LABEL`` that of other ones."""
    if tag == language:
        return 0
    if tag == "mul":  # for all languages
        return 1
    return 2 if tag.startswith(f"{language}-") else NO_LABEL


def show(value: Value) -> str:
    """Return a value as readable text. The text of an item is its id.

    A truthy dump lacks the precision of times and writes a year as its 1 January, so a 1 January
    of unknown precision is shown as the year alone. The year 0000 is 1 BCE (XML Schema 1.1).
    Centuries are counted as on the pages of Wikidata: 1900 is in the 19th century.

    >>> show(Value("time", "1770-12-17T00:00:00Z"))
    '1770-12-17'
    >>> show(Value("time", "-0043-01-01T00:00:00Z"))
    '44 BCE'
    >>> show(Value("time", "1850-01-01T00:00:00Z", precision=7))
    '19th century'
    """
    if value.kind == "unknown":
        return "unknown value"
    date = day(value)
    if date is None:
        return value.text.removeprefix("+") if value.kind == "quantity" else value.text
    year, month, day_of_month = date
    precision = value.precision
    if precision is None:
        precision = YEAR if (month, day_of_month) == (1, 1) else DAY
    if precision < YEAR:
        return _period(year, precision)
    if year <= 0:
        year_text = f"{1 - year} BCE"
        month_text = f"{('month 0', *MONTHS)[month]} {year_text}"
        day_text = f"{day_of_month} {month_text}"
    else:
        year_text, month_text = str(year), f"{year:04}-{month:02}"
        day_text = f"{month_text}-{day_of_month:02}"
    return {YEAR: year_text, MONTH: month_text}.get(precision, day_text)


def day(value: Value) -> tuple[int, int, int] | None:
    """Return the year, month and day of a time as they are written, or None for other values.

    Years are astronomical: 0 is 1 BCE.

    >>> day(Value("time", "-0043-03-15T00:00:00Z"))
    (-43, 3, 15)
    """
    match = _TIME.fullmatch(value.text) if value.kind == "time" else None
    if match is None:
        return None
    sign, digits, month, day = match.groups()
    return (-int(digits) if sign else int(digits)), int(month), int(day)


def years(value: Value) -> tuple[int, int] | None:
    """Return the first and the last year that a time can mean, or None for other values.

    Years are astronomical: 0 is 1 BCE. A truthy dump lacks the precision of times: the
    1 January of a round year can stand for a decade or a century.

    >>> years(Value("time", "1770-12-17T00:00:00Z"))
    (1770, 1770)
    >>> years(Value("time", "1800-01-01T00:00:00Z"))
    (1701, 1899)
    """
    date = day(value)
    if date is None:
        return None
    year, *month_and_day = date
    if value.precision is not None:
        length = 10 ** max(0, YEAR - value.precision)  # each lower code is ten times as long
    elif month_and_day != [1, 1]:
        length = 1
    else:
        length = next(length for length, divisor in _ROUND_YEARS if year % divisor == 0)
    return year - length + 1, year + length - 1


def _period(year: int, precision: int) -> str:
    """Return the decade, century or longer period of a year."""
    era, count = ("", year) if year > 0 else (" BCE", 1 - year)
    if precision == DECADE:
        return f"{count // 10 * 10}s{era}"
    if precision in (MILLENNIUM, CENTURY):
        length, name = (100, "century") if precision == CENTURY else (1000, "millennium")
        rounded_up = -(-count // length)
        return f"{ordinal(rounded_up)} {name}{era}"
    return f"about {count:,}{era}"


def ordinal(number: int) -> str:
    """Return an ordinal number: 1st, 2nd, 3rd, 4th, 11th."""
    is_teen = 10 < number % 100 < 20
    suffix = "th" if is_teen else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{suffix}"
