"""Read the predicate and the object of a line, as far as the rules require.

The functions are compiled with the kernel that calls them. They read the bytes of ``text`` from the
position ``at`` to the position ``end``. ``table`` is the table of the rules (``rules.Rules``).
"""

from kgbuild import wikidata
from kgbuild.dump.scanning import ascii_codes as char
from kgbuild.dump.scanning import rules
from kgbuild.dump.scanning.characters import codes, is_at, read_number
from kgbuild.dump.scanning.syntax import (
    check_string,
    is_canonical_time,
    read_blank_node,
    read_entity,
    read_iri,
    read_tag,
    skip_iri,
    skip_string,
)
from kgbuild.native.arrays import Bytes

_DIRECT = codes(f"<{wikidata.DIRECT}P")
_GENID = codes(f"<{wikidata.UNKNOWN_VALUE}")
_LABEL, _ALIAS, _DESCRIPTION, _SAME_AS, _TYPE, _PREF_LABEL, _SCHEMA_NAME = (
    codes(f"<{iri}>") for iri in rules.OTHER_IRIS[:7]
)
_WDTN, _PRECISION = (codes(f"<{iri}P") for iri in rules.OTHER_IRIS[7:])
_TIME, _QUANTITY = (codes(f"<{wikidata.XSD}{name}>") for name in ("dateTime", "decimal"))
_POINT = codes(f"<{wikidata.WKT}>")


def property_code(number: int) -> int:
    """Return the code under which statements of a property are counted; 0 for high numbers."""
    return number if number < rules.PROPERTIES else 0


def read_predicate(text: Bytes, at: int, end: int) -> tuple[int, int, int]:
    """Return a predicate's code, its end (-1 if invalid), and the code of the property in it.

    The code of the property is 0 if the predicate has no property.
    """
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
    if at < end and text[at] == char.LESS:
        return rules.OTHER_PREDICATE, skip_iri(text, at, end), 0
    return rules.OTHER_PREDICATE, -1, 0


def _read_property(text: Bytes, at: int, end: int) -> tuple[int, int]:
    """Return the code of the property at the end of an IRI, and the IRI's end; -1 if invalid."""
    number, after = read_number(text, at, end)
    if number == 0 or after >= end or text[after] != char.GREATER:
        return -1, after
    return property_code(number), after + 1


def read_object(
    text: Bytes, at: int, end: int, table: Bytes, is_name: bool
) -> tuple[int, int, int, bool, bool]:
    """Read the object of a line, which is a label, alias or description if ``is_name``.

    Returns:
        The code of its kind; its end, or -1 if it is invalid; its number, as from ``read_entity``;
        whether the rules keep it, judged by its kind and language (of a name, by its language
        only); and whether it is canonical. Only an object that is kept is validated in full.
    """
    c = text[at] if at < end else 0
    if c == char.LESS:
        number, after = read_entity(text, at, end)
        if number:
            kind = rules.ITEM if number > 0 else rules.PROPERTY
            return kind, after, number, table[rules.KINDS_AT + kind], True
        kind = rules.UNKNOWN if is_at(text, at, end, _GENID) else rules.LINK
        if table[rules.KINDS_AT + kind]:
            return kind, read_iri(text, at, end), 0, True, False
        return kind, skip_iri(text, at, end), 0, False, False
    if c == char.UNDERSCORE:
        is_wanted = table[rules.KINDS_AT + rules.UNKNOWN]
        return rules.UNKNOWN, read_blank_node(text, at, end), 0, is_wanted, True
    if c != char.QUOTE:
        return rules.OTHER, -1, 0, False, False
    return _read_literal(text, at, end, table, is_name)


def _read_literal(
    text: Bytes, at: int, end: int, table: Bytes, is_name: bool
) -> tuple[int, int, int, bool, bool]:
    after = skip_string(text, at, end)
    if after < 0:
        return rules.STRING, -1, 0, False, False
    content_end, suffix = after - 1, after
    kind, is_canonical, is_wanted = rules.STRING, True, True
    if suffix < end and text[suffix] == char.AT_SIGN:
        kind = rules.TEXT
        after, is_canonical = read_tag(text, suffix + 1, end)
        is_wanted = after > 0 and is_wanted_language(text, suffix + 1, after, table)
    elif suffix + 2 < end and text[suffix] == char.CARET:
        if text[suffix + 1] != char.CARET or text[suffix + 2] != char.LESS:
            return rules.OTHER, -1, 0, False, False
        kind = rules.OTHER
        if is_at(text, suffix + 2, end, _TIME):
            kind, is_canonical = rules.TIME, is_canonical_time(text, at + 1, content_end)
            after = suffix + 2 + _TIME.size
        elif is_at(text, suffix + 2, end, _QUANTITY):
            kind, is_canonical = rules.QUANTITY, False
            after = suffix + 2 + _QUANTITY.size
        elif is_at(text, suffix + 2, end, _POINT):
            kind = rules.POINT
            after = suffix + 2 + _POINT.size
        else:
            is_canonical = False
            after = read_iri(text, suffix + 2, end)
    if after < 0 or not is_wanted or not (is_name or table[rules.KINDS_AT + kind]):
        return kind, after, 0, False, False
    is_valid, has_canonical_content = check_string(text, at + 1, content_end)
    return kind, (after if is_valid else -1), 0, True, is_canonical and has_canonical_content


def is_wanted_language(text: Bytes, at: int, end: int, table: Bytes) -> bool:
    """Return whether the rules keep a valid language tag: its language, or all regions of it."""
    code = rules.LANGUAGES_AT
    while code < table.size:
        is_equal = True
        k = at
        while table[code] != char.NEWLINE:
            if k >= end or text[k] | char.LOWER_CASE != table[code]:
                is_equal = False
            k += 1
            code += 1
        code += 1
        if is_equal and (k == end or text[k] == char.HYPHEN):
            return True
    return False
