"""Skip and compare values of JSON that is written without spaces, as Wikidata writes it.

The functions are compiled with the kernel that calls them. They read the bytes of ``text`` from the
position ``at`` to the position ``end``, which is excluded, and return the end of what they read, or
-1 if it is not of this form. Of a value that is skipped, only the quotation marks and the number of
brackets are checked.
"""

import numpy as np

from kgbuild.dump import ascii_codes as char
from kgbuild.dump.characters import (
    BRACKETS,
    LETTERS_M,
    codes,
    equal_bytes,
    first_byte,
    is_digit,
    is_letter,
)
from kgbuild.dump.rules import Bytes
from kgbuild.dump.syntax import skip_string
from kgbuild.native.kernel import load_word

_STATEMENTS = codes('[{"mainsnak":')
_ZEROS = np.uint64(0)


def equals(text: Bytes, at: int, end: int, expected: Bytes) -> bool:
    """Return whether the text from ``at`` to ``end`` is the expected one."""
    if end - at != expected.size:
        return False
    k = 0
    while k < expected.size and text[at + k] == expected[k]:
        k += 1
    return k == expected.size


def copy(text: Bytes, at: int, end: int, out: Bytes, written: int) -> int:
    """Copy the text from ``at`` to ``end`` to ``out[written:]``; return the end of the copy."""
    for k in range(end - at):
        out[written + k] = text[at + k]
    return written + end - at


def skip_key(text: Bytes, at: int, end: int) -> int:
    """Return the end of a key and its colon."""
    if at >= end or text[at] != char.QUOTE:
        return -1
    at = skip_string(text, at, end)
    return at + 1 if 0 < at < end and text[at] == char.COLON else -1


def skip_value(text: Bytes, at: int, end: int) -> int:
    """Return the end of a value."""
    depth = 0
    while at < end:
        c = text[at]
        if c == char.QUOTE:
            at = skip_string(text, at, end)
            if at < 0:
                return -1
        elif c | char.LOWER_CASE == char.LEFT_BRACE:
            depth += 1
            at += 1
        elif c | char.LOWER_CASE == char.RIGHT_BRACE:
            depth -= 1
            at += 1
        elif depth:
            at += 1
        else:
            first = at
            while at < end and _is_in_word(text[at]):
                at += 1
            if at == first:
                return -1
        if depth <= 0:
            return at if depth == 0 else -1
    return -1


def _is_in_word(c: int) -> bool:
    """Return whether a byte may be in a number, in true, in false or in null."""
    is_sign = c == char.PLUS or c == char.HYPHEN or c == char.DOT
    return is_digit(c) or is_letter(c) or is_sign


def next_statements(text: Bytes, at: int, end: int) -> int:
    """Return the next position of the bytes ``[{"mainsnak":``, or -1.

    As quotation marks in texts are escaped, only a list of statements begins with them.
    """
    last = end - _STATEMENTS.size
    while at <= last:
        # A byte is 0 if it is a bracket and the third byte after it is an m.
        start = (load_word(text, at) ^ BRACKETS) | (load_word(text, at + 3) ^ LETTERS_M)
        starts = equal_bytes(start, _ZEROS)
        if not starts:
            at += 8
            continue
        at += first_byte(starts)
        if at <= last and equals(text, at, at + _STATEMENTS.size, _STATEMENTS):
            return at
        at += 1
    return -1
