"""Read the predicate and the object of a line, as far as the rules need them.

The functions are compiled with the kernel that calls them.
"""

from kgbuild import wikidata
from kgbuild.dump.characters import codes, is_at, read_number
from kgbuild.dump.rules import (
    ALIAS,
    DESCRIPTION,
    ITEM,
    KINDS_AT,
    LABEL,
    LANGUAGES_AT,
    LINK,
    NAMED,
    OTHER,
    OTHER_PREDICATE,
    POINT,
    PRECISION,
    PREF_LABEL,
    PROPERTIES,
    PROPERTY,
    QUANTITY,
    SAME_AS,
    SCHEMA_NAME,
    STRING,
    TEXT,
    TIME,
    TYPE,
    UNKNOWN,
    WDTN,
    Bytes,
)
from kgbuild.dump.syntax import (
    check_string,
    is_plain_time,
    read_blank_node,
    read_entity,
    read_iri,
    read_tag,
    skip_iri,
    skip_string,
)

_DIRECT = codes(f"<{wikidata.DIRECT}P")
_GENID = codes(f"<{wikidata.UNKNOWN_VALUE}")
_LABEL, _ALIAS, _DESCRIPTION, _SAME_AS, _TYPE, _PREF_LABEL, _SCHEMA_NAME = (
    codes(f"<{iri}>") for iri in NAMED[:7]
)
_WDTN, _PRECISION = (codes(f"<{iri}P") for iri in NAMED[7:])
_TIME, _QUANTITY = (codes(f"<{wikidata.XSD}{name}>") for name in ("dateTime", "decimal"))
_POINT = codes(f"<{wikidata.WKT}>")


def property_code(number: int) -> int:
    """Return the code under which a property is counted."""
    return number if number < PROPERTIES else 0


def read_predicate(text: Bytes, at: int, end: int) -> tuple[int, int, int]:
    """Return a predicate's code, its end (-1: it is none), and the property in it."""
    if is_at(text, at, end, _DIRECT):
        number, after = read_number(text, at + _DIRECT.size, end)
        if number and after < end and text[after] == 62:
            number = property_code(number)
            return number, after + 1, number
    elif is_at(text, at, end, _LABEL):
        return LABEL, at + _LABEL.size, 0
    elif is_at(text, at, end, _PREF_LABEL):
        return PREF_LABEL, at + _PREF_LABEL.size, 0
    elif is_at(text, at, end, _SCHEMA_NAME):
        return SCHEMA_NAME, at + _SCHEMA_NAME.size, 0
    elif is_at(text, at, end, _DESCRIPTION):
        return DESCRIPTION, at + _DESCRIPTION.size, 0
    elif is_at(text, at, end, _ALIAS):
        return ALIAS, at + _ALIAS.size, 0
    elif is_at(text, at, end, _TYPE):
        return TYPE, at + _TYPE.size, 0
    elif is_at(text, at, end, _SAME_AS):
        return SAME_AS, at + _SAME_AS.size, 0
    elif is_at(text, at, end, _WDTN):
        number, after = read_number(text, at + _WDTN.size, end)
        if number and after < end and text[after] == 62:
            return WDTN, after + 1, property_code(number)
    elif is_at(text, at, end, _PRECISION):
        number, after = read_number(text, at + _PRECISION.size, end)
        if number and after < end and text[after] == 62:
            return PRECISION, after + 1, property_code(number)
    if at < end and text[at] == 60:
        return OTHER_PREDICATE, skip_iri(text, at, end), 0
    return OTHER_PREDICATE, -1, 0


def read_object(
    text: Bytes, at: int, end: int, rules: Bytes, names: bool
) -> tuple[int, int, int, bool, bool]:
    """Read an object: its kind, its end (-1: it is none), its number, wanted, plain.

    ``wanted`` tells that the rules keep such an object; only then it is validated in full.
    ``names`` tells that it is to be a name, of which only the language matters.
    """
    c = text[at] if at < end else 0
    if c == 60:
        number, after = read_entity(text, at, end)
        if number:
            kind = ITEM if number > 0 else PROPERTY
            return kind, after, number, rules[KINDS_AT + kind], True
        kind = UNKNOWN if is_at(text, at, end, _GENID) else LINK
        if rules[KINDS_AT + kind]:
            return kind, read_iri(text, at, end), 0, True, False
        return kind, skip_iri(text, at, end), 0, False, False
    if c == 95:
        return UNKNOWN, read_blank_node(text, at, end), 0, rules[KINDS_AT + UNKNOWN], True
    if c != 34:
        return OTHER, -1, 0, False, False
    return _read_literal(text, at, end, rules, names)


def _read_literal(
    text: Bytes, at: int, end: int, rules: Bytes, names: bool
) -> tuple[int, int, int, bool, bool]:
    close = skip_string(text, at, end)
    if close < 0:
        return STRING, -1, 0, False, False
    kind, after, plain, wanted = STRING, close, True, True
    if close < end and text[close] == 64:
        kind = TEXT
        after, plain = read_tag(text, close + 1, end)
        wanted = after > 0 and _is_wanted_language(text, close + 1, after, rules)
    elif close + 2 < end and text[close] == 94:
        if text[close + 1] != 94 or text[close + 2] != 60:
            return OTHER, -1, 0, False, False
        kind = OTHER
        if is_at(text, close + 2, end, _TIME):
            kind, plain = TIME, is_plain_time(text, at + 1, close - 1)
            after = close + 2 + _TIME.size
        elif is_at(text, close + 2, end, _QUANTITY):
            kind, plain = QUANTITY, False
            after = close + 2 + _QUANTITY.size
        elif is_at(text, close + 2, end, _POINT):
            kind = POINT
            after = close + 2 + _POINT.size
        else:
            plain = False
            after = read_iri(text, close + 2, end)
    if after < 0 or not wanted or not (names or rules[KINDS_AT + kind]):
        return kind, after, 0, False, False
    valid, as_written = check_string(text, at + 1, close - 1)
    return kind, (after if valid else -1), 0, True, plain and as_written


def _is_wanted_language(text: Bytes, at: int, end: int, rules: Bytes) -> bool:
    """Tell whether a tag is one of the languages, or a regional form of one."""
    code = LANGUAGES_AT
    while code < rules.size:
        same = True
        k = at
        while rules[code] != 10:
            if k >= end or text[k] != rules[code]:
                same = False
            k += 1
            code += 1
        code += 1
        if same and (k == end or text[k] == 45):
            return True
    return False
