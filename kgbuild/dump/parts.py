"""Read the predicate and the object of a line, as far as the rules require.

The functions are compiled with the kernel that calls them. Bytes are compared with the numbers of
ASCII characters: 34 is a quotation mark, 60 and 62 are < and >, 64 is @, 94 is ^, 95 is _.
"""

from kgbuild import wikidata
from kgbuild.dump import rules
from kgbuild.dump.characters import codes, is_at, read_number
from kgbuild.dump.rules import Bytes
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
    codes(f"<{iri}>") for iri in rules.NAMED[:7]
)
_WDTN, _PRECISION = (codes(f"<{iri}P") for iri in rules.NAMED[7:])
_TIME, _QUANTITY = (codes(f"<{wikidata.XSD}{name}>") for name in ("dateTime", "decimal"))
_POINT = codes(f"<{wikidata.WKT}>")


def property_code(number: int) -> int:
    """Return the code under which statements of a property are counted; 0 for high numbers."""
    return number if number < rules.PROPERTIES else 0


def read_predicate(text: Bytes, at: int, end: int) -> tuple[int, int, int]:
    """Return a predicate's code, its end (-1 if invalid), and the property in it (or 0)."""
    if is_at(text, at, end, _DIRECT):
        number, after = _read_property(text, at + _DIRECT.size, end)
        if number >= 0:
            return number, after, number
    elif is_at(text, at, end, _LABEL):
        return rules.LABEL, at + _LABEL.size, 0
    elif is_at(text, at, end, _PREF_LABEL):
        return rules.PREF_LABEL, at + _PREF_LABEL.size, 0
    elif is_at(text, at, end, _SCHEMA_NAME):
        return rules.SCHEMA_NAME, at + _SCHEMA_NAME.size, 0
    elif is_at(text, at, end, _DESCRIPTION):
        return rules.DESCRIPTION, at + _DESCRIPTION.size, 0
    elif is_at(text, at, end, _ALIAS):
        return rules.ALIAS, at + _ALIAS.size, 0
    elif is_at(text, at, end, _TYPE):
        return rules.TYPE, at + _TYPE.size, 0
    elif is_at(text, at, end, _SAME_AS):
        return rules.SAME_AS, at + _SAME_AS.size, 0
    elif is_at(text, at, end, _WDTN):
        number, after = _read_property(text, at + _WDTN.size, end)
        if number >= 0:
            return rules.WDTN, after, number
    elif is_at(text, at, end, _PRECISION):
        number, after = _read_property(text, at + _PRECISION.size, end)
        if number >= 0:
            return rules.PRECISION, after, number
    if at < end and text[at] == 60:
        return rules.OTHER_PREDICATE, skip_iri(text, at, end), 0
    return rules.OTHER_PREDICATE, -1, 0


def _read_property(text: Bytes, at: int, end: int) -> tuple[int, int]:
    """Return the code of the property at the end of an IRI, and the IRI's end; -1 if invalid."""
    number, after = read_number(text, at, end)
    if number == 0 or after >= end or text[after] != 62:
        return -1, after
    return property_code(number), after + 1


def read_object(
    text: Bytes, at: int, end: int, table: Bytes, names: bool
) -> tuple[int, int, int, bool, bool]:
    """Return an object's kind, end (-1 if it is invalid), number, and whether it is wanted, plain.

    It is wanted if the rules keep such an object; only then it is validated in full. It is plain
    if a store would write it the same way. If ``names``, it is a name: only the language decides.
    """
    c = text[at] if at < end else 0
    if c == 60:
        number, after = read_entity(text, at, end)
        if number:
            kind = rules.ITEM if number > 0 else rules.PROPERTY
            return kind, after, number, table[rules.KINDS_AT + kind], True
        kind = rules.UNKNOWN if is_at(text, at, end, _GENID) else rules.LINK
        if table[rules.KINDS_AT + kind]:
            return kind, read_iri(text, at, end), 0, True, False
        return kind, skip_iri(text, at, end), 0, False, False
    if c == 95:
        wanted = table[rules.KINDS_AT + rules.UNKNOWN]
        return rules.UNKNOWN, read_blank_node(text, at, end), 0, wanted, True
    if c != 34:
        return rules.OTHER, -1, 0, False, False
    return _read_literal(text, at, end, table, names)


def _read_literal(
    text: Bytes, at: int, end: int, table: Bytes, names: bool
) -> tuple[int, int, int, bool, bool]:
    close = skip_string(text, at, end)
    if close < 0:
        return rules.STRING, -1, 0, False, False
    kind, after, plain, wanted = rules.STRING, close, True, True
    if close < end and text[close] == 64:
        kind = rules.TEXT
        after, plain = read_tag(text, close + 1, end)
        wanted = after > 0 and _is_wanted_language(text, close + 1, after, table)
    elif close + 2 < end and text[close] == 94:
        if text[close + 1] != 94 or text[close + 2] != 60:
            return rules.OTHER, -1, 0, False, False
        kind = rules.OTHER
        if is_at(text, close + 2, end, _TIME):
            kind, plain = rules.TIME, is_plain_time(text, at + 1, close - 1)
            after = close + 2 + _TIME.size
        elif is_at(text, close + 2, end, _QUANTITY):
            kind, plain = rules.QUANTITY, False
            after = close + 2 + _QUANTITY.size
        elif is_at(text, close + 2, end, _POINT):
            kind = rules.POINT
            after = close + 2 + _POINT.size
        else:
            plain = False
            after = read_iri(text, close + 2, end)
    if after < 0 or not wanted or not (names or table[rules.KINDS_AT + kind]):
        return kind, after, 0, False, False
    valid, as_written = check_string(text, at + 1, close - 1)
    return kind, (after if valid else -1), 0, True, plain and as_written


def _is_wanted_language(text: Bytes, at: int, end: int, table: Bytes) -> bool:
    """Return whether a tag is one of the languages of the rules, or a regional form of one."""
    code = rules.LANGUAGES_AT
    while code < table.size:
        same = True
        k = at
        while table[code] != 10:
            if k >= end or text[k] != table[code]:
                same = False
            k += 1
            code += 1
        code += 1
        if same and (k == end or text[k] == 45):
            return True
    return False
