"""Skip and compare values of JSON that is written without spaces, as Wikidata writes it.

The functions are compiled with the kernel that calls them. They read the bytes of ``text`` from the
position ``at`` to the position ``end``, which is excluded, and return the end of what they read, or
-1 if it is not of this form. Of a value that is skipped, only the quotation marks and the number of
brackets are checked.
"""

from typing import cast

import numpy as np

from kgbuild.dump import ascii_codes as char
from kgbuild.dump.characters import WIDTH, is_digit, is_letter
from kgbuild.dump.rules import Bytes
from kgbuild.dump.syntax import skip_string
from kgbuild.native.kernel import bit_count, lowest_bit, matching_bytes

# Numbers of 64 bits without a sign, which are integers for the type checker.
_NONE, _ONE, _LAST, _ODD = cast(
    tuple[int, ...], tuple(map(np.uint64, (0, 1, 63, 0xAAAAAAAAAAAAAAAA)))
)
_SHIFTS = cast(tuple[int, ...], tuple(map(np.uint64, (1, 2, 4, 8, 16, 32))))


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
    if at < end and text[at] | char.LOWER_CASE == char.LEFT_BRACE:
        return _skip_container(text, at, end)
    return _skip_slowly(text, at, end)


def _skip_container(text: Bytes, at: int, end: int) -> int:
    """Return the end of an object or a list, reading 64 bytes at a time.

    The bits of a number tell which of the 64 bytes are quotation marks, brackets and so on.
    """
    first, depth = at, 0
    is_escaped = is_in_string = _NONE  # about the byte before
    while text.size - at >= WIDTH:
        backslashes = matching_bytes(text, at, char.BACKSLASH)
        escaped, is_escaped = _escaped(backslashes, is_escaped)
        quotes = matching_bytes(text, at, char.QUOTE) & ~escaped
        strings = _parities(quotes) ^ is_in_string
        is_in_string = _NONE - (strings >> _LAST)
        if backslashes & ~strings:  # no JSON
            break
        opening = matching_bytes(text, at, char.LEFT_BRACE)
        opening = (opening | matching_bytes(text, at, char.LEFT_BRACKET)) & ~strings
        closing = matching_bytes(text, at, char.RIGHT_BRACE)
        closing = (closing | matching_bytes(text, at, char.RIGHT_BRACKET)) & ~strings
        opened, closed = bit_count(opening), bit_count(closing)
        if closed >= depth:
            while closing:
                before = (closing - _ONE) & ~closing
                depth -= 1
                if depth + bit_count(opening & before) == 0:
                    at += lowest_bit(closing) + 1
                    return at if at <= end else -1
                closing &= closing - _ONE
            depth += closed
        depth += opened - closed
        at += WIDTH
    return _skip_slowly(text, first, end)


def _escaped(backslashes: int, is_first_escaped: int) -> tuple[int, int]:
    """Return which bytes a backslash escapes, and whether it is the byte behind the 64 bytes.

    In a row of backslashes, each second one is escaped. The subtraction finds where rows end whose
    first backslash has an even or an odd index; see "Parsing gigabytes of JSON per second" by
    Langdale and Lemire (https://arxiv.org/abs/1902.08318), section 3.1.1.
    """
    escaping = backslashes & ~is_first_escaped
    ends = (((escaping << _ONE) | _ODD) - escaping) ^ _ODD
    return ends ^ (backslashes | is_first_escaped), (ends & backslashes) >> _LAST


def _parities(bits: int) -> int:
    """Return a number whose bit k is whether the number of bits up to bit k is odd."""
    for shift in _SHIFTS:
        bits ^= bits << shift
    return bits


def _skip_slowly(text: Bytes, at: int, end: int) -> int:
    """Return the end of a value, reading one byte at a time outside of strings."""
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
