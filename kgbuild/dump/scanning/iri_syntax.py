"""Check the characters of IRIs by RFC 3987, section 2.2; the grammar of N-Triples allows more.

The functions are compiled with the kernel that calls them. A table of states says which characters
may follow. Hosts in brackets (``[::1]``), which no link of Wikidata has, are invalid.
"""

import numpy as np

_STATES = range(10)
SCHEME, PASSWORD = 0, 4
"""SCHEME is the first state, after the colon of the scheme; an IRI cannot end in PASSWORD."""
_OTHER, _SLASH, _QUESTION_MARK, _HASH, _COLON, _AT_SIGN, _DIGIT, _PRIVATE, _NONE = range(9)
"""Classes of characters; _NONE are those that no IRI has."""
_INVALID = -1
_NEXT = np.full((len(_STATES), _NONE + 1), _INVALID)
"""The state after a character of each class, in each state."""


def _fill_table() -> None:
    # The first slash after the scheme, and the second one, after which a user or a host comes; then
    # a colon and digits (a password or a port), or other characters, so that an @ must follow.
    scheme, slash, authority, number, password, host, port, path, query, fragment = _STATES
    for state in (scheme, slash, path):
        _NEXT[state, :_PRIVATE] = path
    _NEXT[scheme, _SLASH], _NEXT[slash, _SLASH] = slash, authority
    _NEXT[authority, :_PRIVATE] = authority
    _NEXT[authority, _COLON] = number
    _NEXT[number, [_OTHER, _COLON]], _NEXT[number, _DIGIT] = password, number
    _NEXT[password, [_OTHER, _COLON, _DIGIT]] = password
    _NEXT[[authority, number, password], _AT_SIGN] = host
    _NEXT[host, [_OTHER, _DIGIT]] = host
    _NEXT[host, _COLON] = port
    _NEXT[port, _DIGIT] = port
    _NEXT[[authority, number, host, port], _SLASH] = path
    for state in (scheme, slash, authority, number, host, port, path, query):
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
