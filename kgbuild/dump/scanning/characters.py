"""Read single characters and numbers of N-Triples: the lowest level of the scanner.

The functions are compiled with the kernel that calls them. They read the bytes of ``text`` from the
position ``at`` to the position ``end``, which is excluded. Numbers in brackets are productions of
the grammar at https://www.w3.org/TR/n-triples/.
"""

import numpy as np

from kgbuild.dump.scanning import ascii_codes as char
from kgbuild.native.arrays import Bytes
from kgbuild.native.kernel import load_word, lowest_bit, matching_bytes

_LOW_BITS, _HIGH_BITS = np.uint64(0x0101010101010101), np.uint64(0x8080808080808080)
QUOTES, BACKSLASHES = (np.uint64(_LOW_BITS * np.uint64(c)) for c in b'"\\')
"""Words of eight equal bytes, for ``equal_bytes``."""
WIDTH = 64
"""Number of bytes that the function ``matching_bytes`` compares."""
_MAX_DIGITS = 9
"""Maximum number of digits of an entity's number: bitmaps have bits for numbers below 10^9."""


def codes(text: str) -> Bytes:
    """Return the bytes of a text as an array, which compiled code can use as a constant."""
    return np.frombuffer(text.encode(), np.uint8)


def equal_bytes(word: int | np.uint64, repeated: int | np.uint64) -> int:
    """Return a word whose lowest bit tells where a word first has the same byte as ``repeated``.

    The bytes that are equal become 0, and subtracting 1 from a byte of 0 sets its high bit. Above
    the first such byte, the bits mean nothing. Without such a byte, the word is 0.
    """
    difference = word ^ repeated
    return int((difference - _LOW_BITS) & ~difference & _HIGH_BITS)


def first_byte(word: int) -> int:
    """Return the index, from 0 to 7, of the byte with the lowest bit of a word from equal_bytes."""
    return lowest_bit(word) >> 3


def line_end(text: Bytes, at: int) -> int:
    """Return the position of the next line end, searching 64 bytes at a time."""
    while text.size - at >= WIDTH:
        newlines = matching_bytes(text, at, char.NEWLINE)
        if newlines:
            return at + lowest_bit(newlines)
        at += WIDTH
    while text[at] != char.NEWLINE:
        at += 1
    return at


def is_digit(c: int) -> bool:
    """Return whether a byte is a decimal digit."""
    return char.ZERO <= c <= char.NINE


def is_letter(c: int) -> bool:
    """Return whether a byte is an ASCII letter."""
    return char.SMALL_A <= c | char.LOWER_CASE <= char.SMALL_Z


def is_at(text: Bytes, at: int, end: int, prefix: Bytes) -> bool:
    """Return whether the text at ``at`` starts with a prefix of at least eight bytes."""
    last = prefix.size - 8  # the last word may overlap the one before
    if end - at < prefix.size:
        return False
    for k in range(0, last, 8):
        if load_word(text, at + k) != load_word(prefix, k):
            return False
    return load_word(text, at + last) == load_word(prefix, last)


def skip_blanks(text: Bytes, at: int, end: int) -> int:
    """Return the position of the next byte that is neither a space nor a tab."""
    while at < end and (text[at] == char.SPACE or text[at] == char.TAB):
        at += 1
    return at


def read_number(text: Bytes, at: int, end: int) -> tuple[int, int]:
    """Return a number of one to nine digits without leading zeros (0 if invalid), and its end."""
    number = 0
    first = at
    while at < end and is_digit(text[at]) and at - first <= _MAX_DIGITS:
        number = number * 10 + (text[at] - char.ZERO)
        at += 1
    if at == first or at - first > _MAX_DIGITS or text[first] == char.ZERO:
        return 0, at
    return number, at


def read_character(text: Bytes, at: int, end: int) -> tuple[int, int]:
    """Return the code point of a UTF-8 sequence beyond ASCII (-1 if invalid), and its end.

    The first byte says how many bytes follow, which have six bits of the code point each. A code
    point that has a shorter sequence, and a surrogate (D800 to DFFF), are invalid (RFC 3629).
    """
    first = text[at]
    if 0xC2 <= first <= 0xDF:
        following, code, minimum = 1, first & 0x1F, 0x80
    elif 0xE0 <= first <= 0xEF:
        following, code, minimum = 2, first & 0x0F, 0x800
    elif 0xF0 <= first <= 0xF4:
        following, code, minimum = 3, first & 0x07, 0x10000
    else:
        return -1, at
    if at + following >= end:
        return -1, at
    for k in range(1, following + 1):
        if text[at + k] & 0xC0 != 0x80:
            return -1, at
        code = code << 6 | (text[at + k] & 0x3F)
    if code < minimum or code > 0x10FFFF or 0xD800 <= code <= 0xDFFF:
        return -1, at
    return code, at + following + 1


def is_hex_digit(code: int) -> bool:
    """Return whether a code point is a digit or a letter from A to F, of either case."""
    letter = code & ~char.LOWER_CASE
    return char.ZERO <= code <= char.NINE or (char.A <= letter <= char.F and code < char.NON_ASCII)


def read_escape(text: Bytes, at: int, end: int) -> tuple[int, int]:
    r"""Return the code point of a ``\u`` or ``\U`` escape [10] (-1 if invalid), and its end."""
    if at + 1 >= end:
        return -1, at
    if text[at + 1] == char.SMALL_U:
        digits = 4
    elif text[at + 1] == char.U:
        digits = 8
    else:
        return -1, at
    if at + 2 + digits > end:
        return -1, at
    code = 0
    for k in range(at + 2, at + 2 + digits):
        c = text[k]
        if is_digit(c):
            code = code << 4 | (c - char.ZERO)
        elif char.A <= c <= char.F or char.SMALL_A <= c <= char.SMALL_F:
            code = code << 4 | ((c & ~char.LOWER_CASE) - char.A + 10)
        else:
            return -1, at
    if code > 0x10FFFF or 0xD800 <= code <= 0xDFFF:
        return -1, at
    return code, at + 2 + digits
