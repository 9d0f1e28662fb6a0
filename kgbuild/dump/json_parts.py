"""Copy the texts and statements of an entity of a JSON dump that the rules keep.

Qualifiers and references are left out. The functions are compiled with the kernel that calls them;
see ``json_syntax``. ``out`` is the array for the copies, ``written`` the number of bytes in it.
"""

from kgbuild import wikidata
from kgbuild.dump import ascii_codes as char
from kgbuild.dump import rules
from kgbuild.dump.bitmaps import is_in
from kgbuild.dump.characters import codes, is_letter, read_number
from kgbuild.dump.json_syntax import copy, equals, skip_key, skip_value
from kgbuild.dump.parts import is_wanted_language
from kgbuild.dump.rules import Bytes, Numbers
from kgbuild.dump.syntax import read_tag

_INSTANCE_OF = wikidata.number("P31")
_MAINSNAK, _RANK, _ID = codes('"mainsnak":'), codes('"rank":'), codes('"id":')
_SNAKTYPE, _DATATYPE = codes('"snaktype":'), codes('"datatype":')
_VALUE, _TIME, _STRING = codes('"value"'), codes('"time"'), codes('"external-id"')
_PREFERRED, _NORMAL = codes('"preferred"'), codes('"normal"')


def prune_texts(
    text: Bytes,
    at: int,
    end: int,
    table: Bytes,
    predicate: int,
    out: Bytes,
    written: int,
    counts: Numbers,
    rows: int,
) -> tuple[int, int, int]:
    """Copy an object of texts by language; add a row to ``counts`` for those that are left out.

    Returns:
        The end of the object, or -1; ``written``; and ``rows``, the number of rows.
    """
    if at + 1 >= end or text[at] != char.LEFT_BRACE or text[at + 1] == char.RIGHT_BRACE:
        after = skip_value(text, at, end)  # an empty list, too
        return after, copy(text, at, after, out, written), rows
    out[written] = char.LEFT_BRACE
    written += 1
    first, count = written, 0
    while text[at] != char.RIGHT_BRACE:
        key = at + 1
        value = skip_key(text, key, end)
        if value < 0:
            return -1, written, rows
        dropped = 0
        if _is_dropped(text, key + 1, value - 2, table):
            at, dropped = _count(text, value, end, predicate == rules.ALIAS)
        else:
            at = skip_value(text, value, end)
        if at < 0 or at >= end or (text[at] != char.COMMA and text[at] != char.RIGHT_BRACE):
            return -1, written, rows
        count += dropped
        if not dropped:
            if written > first:
                out[written] = char.COMMA
                written += 1
            written = copy(text, key, at, out, written)
    out[written] = char.RIGHT_BRACE
    if count:
        row = counts[rows]
        row[0], row[1], row[2] = rules.OTHER_LANGUAGE, predicate, count
        rows += 1
    return at + 1, written + 1, rows


def _is_dropped(text: Bytes, at: int, end: int, table: Bytes) -> bool:
    """Return whether the text from ``at`` to ``end`` is a language that the rules drop."""
    if table[rules.EVERYTHING_AT] or end - at < 2 or not is_letter(text[at + 1]):
        return False
    after, _ = read_tag(text, at, end)
    return after == end and not is_wanted_language(text, at, end, table)


def _count(text: Bytes, at: int, end: int, is_list: bool) -> tuple[int, int]:
    """Return the end of a text, or of a list of texts, and the number of texts."""
    if text[at] != (char.LEFT_BRACKET if is_list else char.LEFT_BRACE):
        return skip_value(text, at, end), 0
    if not is_list:
        return skip_value(text, at, end), 1
    count = 0
    while text[at] != char.RIGHT_BRACKET:
        at = skip_value(text, at + 1, end)
        count += 1
        if at < 0 or at >= end or (text[at] != char.COMMA and text[at] != char.RIGHT_BRACKET):
            return -1, 0
    return at + 1, count


def prune_claims(
    text: Bytes,
    at: int,
    end: int,
    table: Bytes,
    is_cut: bool,
    classes: Bytes,
    out: Bytes,
    written: int,
    counts: Numbers,
    rows: int,
) -> tuple[int, int, int]:
    """Copy an object of statements by property; add rows to ``counts`` for those left out.

    If the object ``is_cut``, only statements with basic properties are copied, and the others are
    not counted.

    Returns:
        The end of the object, or -1, which also means that it must not be cut, since its item is an
        instance of one of the ``classes``; ``written``; and ``rows``, the number of rows.
    """
    if at + 1 >= end or text[at] != char.LEFT_BRACE or text[at + 1] == char.RIGHT_BRACE:
        after = skip_value(text, at, end)  # an empty list, too
        return after, copy(text, at, after, out, written), rows
    out[written] = char.LEFT_BRACE
    written += 1
    first = written
    while text[at] != char.RIGHT_BRACE:
        key, before = at + 1, written
        value = skip_key(text, key, end)
        if value < 0:
            return -1, written, rows
        if written > first:
            out[written] = char.COMMA
            written += 1
        written = copy(text, key, value, out, written)
        number, copied, count = _read_property(text, key, value), written, 0
        is_plain = is_string = False
        is_left_out = is_cut and not _is_basic(number, table)
        if number and not is_left_out:
            at, written, count, is_plain, is_string = _copy_statements(
                text, value, end, out, written
            )
        else:
            at = skip_value(text, value, end)
            if not is_left_out:
                written = copy(text, value, at, out, written)
        if at < 0 or at >= end or (text[at] != char.COMMA and text[at] != char.RIGHT_BRACE):
            return -1, written, rows
        if is_left_out:
            written = before
            continue
        if is_cut and number == _INSTANCE_OF and _mentions(out, copied, written, classes):
            return -1, written, rows
        verdict = _verdict(number, is_string, table)
        if verdict != rules.KEEP and count and is_plain:
            written = before
            row = counts[rows]
            row[0], row[1], row[2] = verdict, number, count
            rows += 1
    out[written] = char.RIGHT_BRACE
    return at + 1, written + 1, rows


def _verdict(number: int, is_string: bool, table: Bytes) -> int:
    """Return the verdict on statements of a property, which are strings if ``is_string``."""
    if table[rules.EVERYTHING_AT] or not 0 < number < rules.PROPERTIES:
        return rules.KEEP
    if not table[number]:
        return rules.OTHER_PROPERTY
    is_dropped = is_string and not table[rules.KINDS_AT + rules.STRING]
    return rules.DROP_STRING if is_dropped else rules.KEEP


def _is_basic(number: int, table: Bytes) -> bool:
    """Return whether a property is one of HIERARCHY."""
    return bool(0 < number < rules.PROPERTIES and table[rules.BASIC_AT + number])


def _mentions(text: Bytes, at: int, end: int, classes: Bytes) -> bool:
    """Return whether a text has the id of one of the classes."""
    while at < end:
        at += 1
        if text[at - 1] == char.Q:
            number, at = read_number(text, at, end)
            if is_in(classes, number):
                return True
    return False


def _read_property(text: Bytes, key: int, end: int) -> int:
    """Return the number in a key such as ``"P31":``; 0 if it has none."""
    if end - key < len('"P1":') or text[key + 1] != char.P:
        return 0
    number, after = read_number(text, key + 2, end)
    return number if after == end - 2 else 0


def _copy_statements(
    text: Bytes, at: int, end: int, out: Bytes, written: int
) -> tuple[int, int, int, bool, bool]:
    """Copy a list of statements.

    Returns:
        The end of the list, or -1; ``written``; the number of truthy statements; whether all of
        these have values other than times; and whether all of them have external ids.
    """
    if at + 1 >= end or text[at] != char.LEFT_BRACKET:
        return -1, written, 0, False, False
    out[written] = char.LEFT_BRACKET
    written += 1
    preferred = normal = 0
    preferred_are_plain = preferred_are_strings = True
    normal_are_plain = normal_are_strings = True
    while text[at] != char.RIGHT_BRACKET:
        if at + 1 < end and text[at + 1] == char.RIGHT_BRACKET:  # an empty list
            at += 1
            break
        at, written, rank, is_plain, is_string = _copy_statement(text, at + 1, end, out, written)
        if at < 0 or at >= end or (text[at] != char.COMMA and text[at] != char.RIGHT_BRACKET):
            return -1, written, 0, False, False
        if rank == _PREFERRED.size:
            preferred += 1
            preferred_are_plain &= is_plain
            preferred_are_strings &= is_string
        elif rank == _NORMAL.size:
            normal += 1
            normal_are_plain &= is_plain
            normal_are_strings &= is_string
        out[written] = text[at]
        written += 1
    if out[written - 1] != char.RIGHT_BRACKET:
        out[written] = char.RIGHT_BRACKET
        written += 1
    if preferred:
        return at + 1, written, preferred, preferred_are_plain, preferred_are_strings
    return at + 1, written, normal, normal_are_plain, normal_are_strings


def _copy_statement(
    text: Bytes, at: int, end: int, out: Bytes, written: int
) -> tuple[int, int, int, bool, bool]:
    """Copy a statement.

    Returns:
        Its end, or -1; ``written``; the size of its rank; whether it has a value other than a time;
        and whether it has an external id.
    """
    rank = 0
    is_plain = is_string = False
    if at >= end or text[at] != char.LEFT_BRACE:
        return -1, written, rank, is_plain, is_string
    first = written
    while text[at] != char.RIGHT_BRACE:
        key = at + 1
        value = skip_key(text, key, end)
        if value < 0:
            return -1, written, rank, is_plain, is_string
        is_snak, is_rank = equals(text, key, value, _MAINSNAK), equals(text, key, value, _RANK)
        if is_snak:
            at, is_plain, is_string = _read_snak(text, value, end)
        else:
            at = skip_value(text, value, end)
        if at < 0 or at >= end or (text[at] != char.COMMA and text[at] != char.RIGHT_BRACE):
            return -1, written, rank, is_plain, is_string
        if is_rank:
            is_known = equals(text, value, at, _PREFERRED) or equals(text, value, at, _NORMAL)
            rank = at - value if is_known else 0
        if is_snak or is_rank or equals(text, key, value, _ID):
            out[written] = char.COMMA if written > first else char.LEFT_BRACE
            written = copy(text, key, at, out, written + 1)
    if written == first:
        return -1, written, rank, is_plain, is_string
    out[written] = char.RIGHT_BRACE
    return at + 1, written + 1, rank, is_plain, is_string


def _read_snak(text: Bytes, at: int, end: int) -> tuple[int, bool, bool]:
    """Return a snak's end, whether it has a value other than a time, and whether an external id.

    Without a datatype, which shows that it is a time, it counts as one.
    """
    has_value = is_string = False
    is_time = True
    if at >= end or text[at] != char.LEFT_BRACE:
        return -1, False, False
    while text[at] != char.RIGHT_BRACE:
        key = at + 1
        value = skip_key(text, key, end)
        at = skip_value(text, value, end) if value > 0 else -1
        if at < 0 or at >= end or (text[at] != char.COMMA and text[at] != char.RIGHT_BRACE):
            return -1, False, False
        if equals(text, key, value, _SNAKTYPE):
            has_value = equals(text, value, at, _VALUE)
        elif equals(text, key, value, _DATATYPE):
            is_time = equals(text, value, at, _TIME)
            is_string = equals(text, value, at, _STRING)
    return at + 1, has_value and not is_time, is_string
