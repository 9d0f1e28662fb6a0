"""Read bytes, characters and numbers of N-Triples: the smallest parts of the scanner.

The functions are compiled with the kernel that calls them. They read ``text`` from ``at`` to
``end``. Numbers in brackets are productions of https://www.w3.org/TR/n-triples/. Bytes are compared
with the numbers of ASCII characters, which are faster than texts.
"""

import numpy as np

from kgbuild.dump.rules import Bytes
from kgbuild.native.kernel import load_word

ONES, _HIGH = np.uint64(0x0101010101010101), np.uint64(0x8080808080808080)
LINE_END, QUOTE, BACKSLASH = (np.uint64(ONES * np.uint64(c)) for c in b'\n"\\')


def codes(text: str) -> Bytes:
    """Return the bytes of a text as an array, which compiled code can use as a constant."""
    return np.frombuffer(text.encode(), np.uint8)


def has_byte(word: int, repeated: int | np.uint64) -> bool:
    """Return whether a word of eight bytes contains a byte, which ``repeated`` has eight times."""
    x = word ^ repeated
    return bool((x - ONES) & ~x & _HIGH != 0)


def is_at(text: Bytes, at: int, end: int, prefix: Bytes) -> bool:
    """Return whether the text from ``at`` on begins with a prefix of eight bytes or more."""
    last = prefix.size - 8
    if end - at < prefix.size:
        return False
    for k in range(0, last, 8):
        if load_word(text, at + k) != load_word(prefix, k):
            return False
    return load_word(text, at + last) == load_word(prefix, last)


def skip_blanks(text: Bytes, at: int, end: int) -> int:
    """Return the position of the next byte that is neither a space nor a tab."""
    while at < end and (text[at] == 32 or text[at] == 9):
        at += 1
    return at


def read_number(text: Bytes, at: int, end: int) -> tuple[int, int]:
    """Return a number of one to nine digits without leading zeros, and its end; 0 if invalid."""
    number = 0
    first = at
    while at < end and 48 <= text[at] <= 57 and at - first < 10:
        number = number * 10 + (text[at] - 48)
        at += 1
    if at == first or at - first > 9 or text[first] == 48:
        return 0, at
    return number, at


def read_character(text: Bytes, at: int, end: int) -> tuple[int, int]:
    """Return the code point of a UTF-8 sequence beyond ASCII, and its end; -1 if invalid."""
    first = text[at]
    if 0xC2 <= first <= 0xDF:
        more, code, least = 1, first & 0x1F, 0x80
    elif 0xE0 <= first <= 0xEF:
        more, code, least = 2, first & 0x0F, 0x800
    elif 0xF0 <= first <= 0xF4:
        more, code, least = 3, first & 0x07, 0x10000
    else:
        return -1, at
    if at + more >= end:
        return -1, at
    for k in range(1, more + 1):
        if text[at + k] & 0xC0 != 0x80:
            return -1, at
        code = code << 6 | (text[at + k] & 0x3F)
    if code < least or code > 0x10FFFF or 0xD800 <= code <= 0xDFFF:
        return -1, at
    return code, at + more + 1


def read_escape(text: Bytes, at: int, end: int) -> tuple[int, int]:
    r"""Return the code point of a ``\u`` or ``\U`` escape [10], and its end; -1 if invalid."""
    if at + 1 >= end:
        return -1, at
    if text[at + 1] == 117:
        digits = 4
    elif text[at + 1] == 85:
        digits = 8
    else:
        return -1, at
    if at + 2 + digits > end:
        return -1, at
    code = 0
    for k in range(at + 2, at + 2 + digits):
        c = text[k]
        if 48 <= c <= 57:
            code = code << 4 | (c - 48)
        elif 65 <= c <= 70 or 97 <= c <= 102:
            code = code << 4 | ((c & 0xDF) - 55)
        else:
            return -1, at
    if code > 0x10FFFF or 0xD800 <= code <= 0xDFFF:
        return -1, at
    return code, at + 2 + digits
