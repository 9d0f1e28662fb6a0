"""Copy the statements of an entity of a JSON dump without their qualifiers and references.

The functions are compiled with the kernel that calls them; see ``json_syntax``. ``out`` is the
array for the copies, ``written`` the number of bytes in it.
"""

from kgbuild.dump import ascii_codes as char
from kgbuild.dump.characters import codes, read_number
from kgbuild.dump.json_syntax import copy, equals, skip_key, skip_value
from kgbuild.dump.rules import Bytes

_MAINSNAK, _RANK, _ID = codes('"mainsnak":'), codes('"rank":'), codes('"id":')
_SNAKTYPE, _DATATYPE = codes('"snaktype":'), codes('"datatype":')
_VALUE, _TIME, _STRING = codes('"value"'), codes('"time"'), codes('"external-id"')
_PREFERRED, _NORMAL = codes('"preferred"'), codes('"normal"')


def read_property(text: Bytes, key: int, end: int) -> int:
    """Return the number in a key such as ``"P31":``; 0 if it has none."""
    if end - key < len('"P1":') or text[key + 1] != char.P:
        return 0
    number, after = read_number(text, key + 2, end)
    return number if after == end - 2 else 0


def copy_statements(
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
    """Return a snak's end, whether it has a value other than a time, and whether an external id."""
    has_value = is_time = is_string = False
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
