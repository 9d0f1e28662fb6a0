"""Check the characters of IRIs by RFC 3987, section 2.2; the grammar of N-Triples allows more.

The functions are compiled with the kernel that calls them. A table of states says which characters
may follow; hosts in brackets (``[::1]``) are read by a function.
"""

import numpy as np

from kgbuild.dump import ascii_codes as char
from kgbuild.dump.characters import is_digit, is_hex_digit
from kgbuild.dump.rules import Bytes

_STATES = (
    "SCHEME",  # after the colon of the scheme
    "SLASH",  # after its first slash
    "AUTHORITY",  # after its second slash: a user or a host
    "NUMBER",  # then a colon and digits: a password or a port
    "PASSWORD",  # then a colon and other characters, so an @ must follow
    "HOST",  # after the @
    "BRACKETS",  # after a host in brackets
    "PORT",
    "PATH",
    "QUERY",
    "FRAGMENT",
)
SCHEME, _, AUTHORITY, _, PASSWORD, HOST, BRACKETS = range(7)
"""SCHEME is the first state; a host begins in AUTHORITY or HOST; an IRI cannot end in PASSWORD."""
_OTHER, _SLASH, _QUESTION_MARK, _HASH, _COLON, _AT_SIGN, _DIGIT, _PRIVATE, _NONE = range(9)
"""Classes of characters; _NONE are those that no IRI has."""
_INVALID = -1
_NEXT = np.full((len(_STATES), _NONE + 1), _INVALID)
"""The state after a character of each class, in each state."""


def _fill_table() -> None:
    states = range(len(_STATES))
    scheme, slash, authority, number, password, host, brackets, port, path, query, fragment = states
    for state in (scheme, slash, path):
        _NEXT[state, :_PRIVATE] = path
    _NEXT[scheme, _SLASH], _NEXT[slash, _SLASH] = slash, authority
    _NEXT[authority, :_PRIVATE] = authority
    _NEXT[authority, _COLON] = number
    _NEXT[number, [_OTHER, _COLON]], _NEXT[number, _DIGIT] = password, number
    _NEXT[password, [_OTHER, _COLON, _DIGIT]] = password
    _NEXT[[authority, number, password], _AT_SIGN] = host
    _NEXT[host, [_OTHER, _DIGIT]] = host
    _NEXT[[host, brackets], _COLON] = port
    _NEXT[port, _DIGIT] = port
    _NEXT[[authority, number, host, brackets, port], _SLASH] = path
    for state in (scheme, slash, authority, number, host, brackets, port, path, query):
        _NEXT[state, _QUESTION_MARK], _NEXT[state, _HASH] = query, fragment
    _NEXT[query, [_OTHER, _SLASH, _COLON, _AT_SIGN, _DIGIT, _PRIVATE]] = query
    _NEXT[fragment, :_PRIVATE] = fragment
    _NEXT[fragment, _HASH] = _INVALID


_fill_table()
_CLASSES = np.full(128, _NONE)
_CLASSES[list(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz-._~!$&'()*+,;=%")] = _OTHER
_CLASSES[list(b"0123456789")] = _DIGIT
_CLASSES[list(b"/?#:@")] = _SLASH, _QUESTION_MARK, _HASH, _COLON, _AT_SIGN
_RANGES = np.array([(0xA0, 0xD7FF), (0xF900, 0xFDCF), (0xFDF0, 0xFFEF)])  # ucschar
_PRIVATE_RANGES = np.array([(0xE000, 0xF8FF), (0xF0000, 0xFFFFD), (0x100000, 0x10FFFD)])
_FIRST_PLANE, _LAST_PLANE = 0x10000, 0xEFFFD
_SPECIAL_PLANE = (0xE0000, 0xE0FFF)
_PLANE, _LAST_TWO = 0xFFFF, 0xFFFE
"""A mask of the code points of a plane, of which the last two are no characters."""
_GROUPS, _GROUP_DIGITS, _BYTES, _MAX_BYTE = 8, 4, 4, 255
"""An IPv6 address has eight groups of up to four digits; the last two may be four bytes."""


def next_state(state: int, code: int) -> int:
    """Return the state after a code point of an IRI; -1 if it is not allowed there."""
    return int(_NEXT[state, _class(code)])


def _class(code: int) -> int:
    if code < _CLASSES.size:
        return int(_CLASSES[code])
    for k in range(len(_RANGES)):
        if _RANGES[k, 0] <= code <= _RANGES[k, 1]:
            return _OTHER
        if _PRIVATE_RANGES[k, 0] <= code <= _PRIVATE_RANGES[k, 1]:
            return _PRIVATE
    is_special = _SPECIAL_PLANE[0] <= code <= _SPECIAL_PLANE[1]
    if _FIRST_PLANE <= code <= _LAST_PLANE and code & _PLANE < _LAST_TWO and not is_special:
        return _OTHER
    return _NONE


def read_brackets(text: Bytes, at: int, end: int) -> int:
    """Return the end of an IPv6 address in brackets (RFC 3986, section 3.2.2); -1 if invalid.

    Addresses of future versions (``[v1.a]``) are invalid, because there are none.
    """
    at += 1
    groups = 0
    is_shortened = False
    while at < end and text[at] != char.RIGHT_BRACKET:
        if text[at] == char.COLON and at + 1 < end and text[at + 1] == char.COLON:
            if is_shortened:
                return -1
            is_shortened = True
            at += 2
            continue
        if groups and not (text[at - 1] == char.COLON and text[at - 2] == char.COLON):
            if text[at] != char.COLON:
                return -1
            at += 1
        digits = 0
        while at + digits < end and is_hex_digit(int(text[at + digits])):
            digits += 1
        if at + digits < end and text[at + digits] == char.DOT:
            at = _read_bytes(text, at, end)
            groups += 2
            if at < 0 or text[at] != char.RIGHT_BRACKET:
                return -1
        else:
            if not 0 < digits <= _GROUP_DIGITS:
                return -1
            at += digits
            groups += 1
    is_complete = groups < _GROUPS if is_shortened else groups == _GROUPS
    return at + 1 if at < end and is_complete else -1


def _read_bytes(text: Bytes, at: int, end: int) -> int:
    """Return the end of four decimal bytes with dots between them; -1 if invalid."""
    for k in range(_BYTES):
        if k:
            if at >= end or text[at] != char.DOT:
                return -1
            at += 1
        first = at
        value = 0
        while at < end and is_digit(text[at]) and value <= _MAX_BYTE:
            value = value * 10 + text[at] - char.ZERO
            at += 1
        has_leading_zero = at - first > 1 and text[first] == char.ZERO
        if at == first or at >= end or value > _MAX_BYTE or has_leading_zero:
            return -1
    return at
