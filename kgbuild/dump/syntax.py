"""Read the terms of an N-Triples line: IRIs, literals, blank nodes, and the end of the line.

The functions are compiled with the kernel that calls them. They read ``text`` from ``at`` to
``end``, and return the end of a term, or -1 if it is invalid. Numbers in brackets are productions
of https://www.w3.org/TR/n-triples/. Bytes are compared with the numbers of ASCII characters.
"""

import numpy as np

from kgbuild import wikidata
from kgbuild.dump.characters import (
    BACKSLASH,
    QUOTE,
    codes,
    has_byte,
    is_at,
    read_character,
    read_escape,
    read_number,
    skip_blanks,
)
from kgbuild.dump.rules import Bytes
from kgbuild.native.kernel import load_word

_ENTITY = codes(f"<{wikidata.ENTITY}")
_DAYS = np.array([31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31])
_IN_IRI = np.ones(256, np.bool_)  # [8] IRIREF
_IN_IRI[: 0x20 + 1] = False
_IN_IRI[list(b'<>"{}|^`\\')] = False
_IN_STRING = np.ones(256, np.bool_)  # [9] STRING_LITERAL_QUOTE, without escapes
_IN_STRING[list(b'"\\\n\r')] = False
_ECHAR = np.zeros(256, np.bool_)  # [153s]
_ECHAR[list(b"tbnrf\"'\\")] = True
_LABEL_RANGES = np.array(
    # [157s] PN_CHARS_BASE and [160s] PN_CHARS beyond ASCII, of blank nodes' labels
    [
        *((0xB7, 0xB7), (0xC0, 0xD6), (0xD8, 0xF6), (0xF8, 0x37D), (0x37F, 0x1FFF)),
        *((0x200C, 0x200D), (0x203F, 0x2040), (0x2070, 0x218F), (0x2C00, 0x2FEF)),
        *((0x3001, 0xD7FF), (0xF900, 0xFDCF), (0xFDF0, 0xFFFD), (0x10000, 0xEFFFF)),
    ]
)


def read_entity(text: Bytes, at: int, end: int) -> tuple[int, int]:
    """Return the number in an entity's IRI (negative for a property; 0 for others), and its end."""
    if not is_at(text, at, end, _ENTITY):
        return 0, at
    letter = at + _ENTITY.size
    if letter >= end or (text[letter] != 81 and text[letter] != 80):
        return 0, at
    number, after = read_number(text, letter + 1, end)
    if number == 0 or after >= end or text[after] != 62:
        return 0, at
    return (number if text[letter] == 81 else -number), after + 1


def skip_iri(text: Bytes, at: int, end: int) -> int:
    """Return the end of an IRI, which is not checked; -1 if it does not end."""
    while at < end:
        if text[at] == 62:
            return at + 1
        at += 1
    return -1


def read_iri(text: Bytes, at: int, end: int) -> int:
    """Return the end of an absolute IRI [8]; -1 if it is invalid."""
    scheme = at + 1
    while scheme < end and (
        97 <= text[scheme] | 0x20 <= 122
        or (scheme > at + 1 and (48 <= text[scheme] <= 57 or text[scheme] in (43, 45, 46)))
    ):
        scheme += 1
    if scheme >= end or scheme == at + 1 or text[scheme] != 58:
        return -1
    at = scheme
    while at < end:
        c = text[at]
        if c == 62:
            return at + 1
        if c == 92:
            code, at = read_escape(text, at, end)
            if code < 0 or (code < 256 and not _IN_IRI[code]):
                return -1
        elif c >= 0x80:
            code, at = read_character(text, at, end)
            if code < 0:
                return -1
        elif not _IN_IRI[c]:
            return -1
        else:
            at += 1
    return -1


def check_string(text: Bytes, at: int, end: int) -> tuple[bool, bool]:
    """Return whether a string's content is valid [9], and whether it is as a store writes it."""
    plain = True
    while at < end:
        c = text[at]
        if c == 92:
            plain = False
            if at + 1 < end and _ECHAR[text[at + 1]]:
                at += 2
                continue
            code, at = read_escape(text, at, end)
            if code < 0:
                return False, False
        elif c >= 0x80:
            code, at = read_character(text, at, end)
            if code < 0:
                return False, False
            if code == 0xFFFE or code == 0xFFFF:
                plain = False
        elif not _IN_STRING[c]:
            return False, False
        else:
            if c < 32 or c == 127:
                plain = False
            at += 1
    return True, plain


def skip_string(text: Bytes, at: int, end: int) -> int:
    """Return the end of the string that begins at the quotation mark; -1 if it does not end."""
    at += 1
    while at < end:
        while end - at >= 8:
            word = load_word(text, at)
            if has_byte(word, QUOTE) or has_byte(word, BACKSLASH):
                break
            at += 8
        c = text[at]
        if c == 34:
            return at + 1
        at += 2 if c == 92 else 1
    return -1


def read_tag(text: Bytes, at: int, end: int) -> tuple[int, bool]:
    """Return the end of a language tag [144s] (-1 if invalid), and whether it has no capitals.

    Its parts have at most eight letters (RFC 5646, section 2.1).
    """
    first = at
    part = at
    plain = True
    while at < end:
        c = text[at]
        if 97 <= c <= 122 or (48 <= c <= 57 and part != first):
            at += 1
        elif 65 <= c <= 90:
            plain = False
            at += 1
        elif c == 45 and 0 < at - part <= 8:
            at += 1
            part = at
        else:
            break
    return (at if 0 < at - part <= 8 else -1), plain


def is_plain_time(text: Bytes, at: int, end: int) -> bool:
    """Return whether a time has its canonical form: a day of the years 1 to 9999."""
    if end - at != 20:
        return False
    for k in (0, 1, 2, 3, 5, 6, 8, 9, 11, 12, 14, 15, 17, 18):
        if not 48 <= text[at + k] <= 57:
            return False
    if text[at + 4] != 45 or text[at + 7] != 45 or text[at + 10] != 84:
        return False
    if text[at + 13] != 58 or text[at + 16] != 58 or text[at + 19] != 90:
        return False
    year = 0
    for k in range(4):
        year += text[at + k] - 48
    month = (text[at + 5] - 48) * 10 + text[at + 6] - 48
    day = (text[at + 8] - 48) * 10 + text[at + 9] - 48
    if year == 0 or not 1 <= month <= 12 or not 1 <= day <= _DAYS[month - 1]:
        return False
    clock = 0  # midnight in Wikidata's times
    for k in (11, 12, 14, 15, 17, 18):
        clock += text[at + k] - 48
    return clock == 0


def read_blank_node(text: Bytes, at: int, end: int) -> int:
    """Return the end of a blank node [141s], or -1."""
    if end - at < 3 or text[at + 1] != 58:
        return -1
    at += 2
    first = at
    while at < end:
        c = text[at]
        letter = 97 <= c | 0x20 <= 122 or c == 95 or c == 58 or 48 <= c <= 57
        if letter or (at > first and (c == 45 or c == 46)):
            at += 1
        elif c >= 0x80:
            code, after = read_character(text, at, end)
            is_letter = False
            for k in range(_LABEL_RANGES.shape[0]):
                is_letter = is_letter or _LABEL_RANGES[k, 0] <= code <= _LABEL_RANGES[k, 1]
            later = code == 0xB7 or 0x300 <= code <= 0x36F or 0x203F <= code <= 0x2040
            if not is_letter or (at == first and later):
                return -1
            at = after
        else:
            break
    while at > first and text[at - 1] == 46:  # the full stop belongs to the line
        at -= 1
    return at if at > first else -1


def is_ended(text: Bytes, at: int, end: int) -> bool:
    """Return whether the rest of a line is a full stop, and maybe a comment."""
    at = skip_blanks(text, at, end)
    if at >= end or text[at] != 46:
        return False
    at = skip_blanks(text, at + 1, end)
    if at < end and text[at] != 35:
        return False
    while at < end:
        if text[at] == 13:  # it ends a line, so more text may follow
            return False
        if text[at] >= 0x80:
            code, at = read_character(text, at, end)
            if code < 0:
                return False
        else:
            at += 1
    return True


def is_ended_plainly(text: Bytes, at: int, end: int) -> bool:
    """Return whether the rest of a valid line is a space and the full stop."""
    return at + 2 == end and text[at] == 32
