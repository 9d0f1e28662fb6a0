"""Read the terms of an N-Triples line: IRIs, literals, blank nodes, and the end of the line.

The functions are compiled with the kernel that calls them. They read the bytes of ``text`` from the
position ``at`` to the position ``end``, which is excluded, and return the end of a term, or -1 if
it is invalid. Numbers in brackets are productions of the grammar at
https://www.w3.org/TR/n-triples/. A term is canonical if a store would write it with the same bytes.
"""

import numpy as np

from kgbuild import wikidata
from kgbuild.dump.scanning import ascii_codes as char
from kgbuild.dump.scanning.characters import (
    BACKSLASHES,
    QUOTES,
    codes,
    equal_bytes,
    first_byte,
    is_at,
    is_digit,
    is_hex_digit,
    is_letter,
    read_character,
    read_escape,
    read_number,
    skip_blanks,
)
from kgbuild.dump.scanning.iri_syntax import PASSWORD, SCHEME, next_state
from kgbuild.native.arrays import Bytes
from kgbuild.native.kernel import load_word

_ENTITY = codes(f"<{wikidata.ENTITY}")
_MIDNIGHT = codes("T00:00:00Z")
_TAG_PART = 8
"""Maximum number of letters between the hyphens of a language tag (RFC 5646, section 2.1)."""
_DAYS = np.array([31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31])
# Tables of bytes: whether a byte may occur in a string, or after a backslash.
_IN_STRING = np.ones(256, np.bool_)  # [9] STRING_LITERAL_QUOTE, without escapes
_IN_STRING[list(b'"\\\n\r')] = False
_ECHAR = np.zeros(256, np.bool_)  # [153s] ECHAR
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
    """Return the number in an entity's IRI, and the end of the IRI.

    The number is negative for a property, and 0 if the IRI is not of an item or a property.
    """
    if not is_at(text, at, end, _ENTITY):
        return 0, at
    letter = at + _ENTITY.size
    if letter >= end or (text[letter] != char.Q and text[letter] != char.P):
        return 0, at
    number, after = read_number(text, letter + 1, end)
    if number == 0 or after >= end or text[after] != char.GREATER:
        return 0, at
    return (number if text[letter] == char.Q else -number), after + 1


def skip_iri(text: Bytes, at: int, end: int) -> int:
    """Return the end of an IRI without checking it; -1 if it does not end."""
    while at < end:
        if text[at] == char.GREATER:
            return at + 1
        at += 1
    return -1


def read_iri(text: Bytes, at: int, end: int) -> int:
    """Return the end of an absolute IRI [8]; -1 if it is invalid, also by RFC 3987."""
    scheme = at + 1
    while scheme < end and (
        is_letter(text[scheme])
        or (
            scheme > at + 1
            and (is_digit(text[scheme]) or text[scheme] in (char.PLUS, char.HYPHEN, char.DOT))
        )
    ):
        scheme += 1
    if scheme >= end or scheme == at + 1 or text[scheme] != char.COLON:
        return -1
    state = SCHEME
    hex_digits = 0  # that must follow, after "%"
    at = scheme + 1
    while at < end:
        code = int(text[at])
        if code == char.GREATER:
            return -1 if hex_digits or state == PASSWORD else at + 1
        if code == char.BACKSLASH:
            code, at = read_escape(text, at, end)
        elif code >= char.NON_ASCII:
            code, at = read_character(text, at, end)
        else:
            at += 1
        if code < 0 or (hex_digits and not is_hex_digit(code)):
            return -1
        hex_digits = 2 if code == char.PERCENT else max(0, hex_digits - 1)
        state = next_state(state, code)
        if state < 0:
            return -1
    return -1


def check_string(text: Bytes, at: int, end: int) -> tuple[bool, bool]:
    """Return whether the content of a string is valid [9], and whether it is canonical."""
    is_canonical = True
    while at < end:
        c = text[at]
        if c == char.BACKSLASH:
            is_canonical = False
            if at + 1 < end and _ECHAR[text[at + 1]]:
                at += 2
                continue
            code, at = read_escape(text, at, end)
            if code < 0:
                return False, False
        elif c >= char.NON_ASCII:
            code, at = read_character(text, at, end)
            if code < 0:
                return False, False
            if code == 0xFFFE or code == 0xFFFF:  # a store writes them as escapes
                is_canonical = False
        elif not _IN_STRING[c]:
            return False, False
        else:
            if c < char.SPACE or c == char.DELETE:
                is_canonical = False
            at += 1
    return True, is_canonical


def skip_string(text: Bytes, at: int, end: int) -> int:
    """Return the end of the string that begins at the quotation mark; -1 if it does not end."""
    at += 1
    while at < end:
        while end - at >= 8:
            word = load_word(text, at)
            stops = equal_bytes(word, QUOTES) | equal_bytes(word, BACKSLASHES)
            if stops:
                at += first_byte(stops)
                break
            at += 8
        c = text[at]
        if c == char.QUOTE:
            return at + 1
        at += 2 if c == char.BACKSLASH else 1
    return -1


def read_tag(text: Bytes, at: int, end: int) -> tuple[int, bool]:
    """Return the end of a language tag [144s] (-1 if invalid), and whether it is canonical."""
    first = at
    part = at
    is_canonical = True
    while at < end:
        c = text[at]
        if char.SMALL_A <= c <= char.SMALL_Z or (is_digit(c) and part != first):
            at += 1
        elif char.A <= c <= char.Z:
            is_canonical = False
            at += 1
        elif c == char.HYPHEN and 0 < at - part <= _TAG_PART:
            at += 1
            part = at
        else:
            break
    return (at if 0 < at - part <= _TAG_PART else -1), is_canonical


def is_canonical_time(text: Bytes, at: int, end: int) -> bool:
    """Return whether a time has its canonical form, such as 2001-12-31T00:00:00Z.

    The day must exist and be in the years 1 to 9999, and the clock must show midnight, as it does
    in all times of Wikidata.
    """
    if end - at != len("2001-12-31T00:00:00Z") or not is_at(text, at + 10, end, _MIDNIGHT):
        return False
    for k in range(10):
        is_valid = text[at + k] == char.HYPHEN if k in (4, 7) else is_digit(text[at + k])
        if not is_valid:
            return False
    has_year = False
    for k in range(4):
        has_year = has_year or text[at + k] != char.ZERO
    month = (text[at + 5] - char.ZERO) * 10 + text[at + 6] - char.ZERO
    day = (text[at + 8] - char.ZERO) * 10 + text[at + 9] - char.ZERO
    return has_year and 1 <= month <= 12 and bool(1 <= day <= _DAYS[month - 1])


def read_blank_node(text: Bytes, at: int, end: int) -> int:
    """Return the end of a blank node [141s], or -1."""
    if end - at < 3 or text[at + 1] != char.COLON:
        return -1
    at += 2
    first = at
    while at < end:
        c = text[at]
        may_start = is_letter(c) or c == char.UNDERSCORE or c == char.COLON or is_digit(c)
        if may_start or (at > first and (c == char.HYPHEN or c == char.DOT)):
            at += 1
        elif c >= char.NON_ASCII:
            code, after = read_character(text, at, end)
            is_in_range = False
            for k in range(_LABEL_RANGES.shape[0]):
                is_in_range = is_in_range or _LABEL_RANGES[k, 0] <= code <= _LABEL_RANGES[k, 1]
            may_not_start = code == 0xB7 or 0x300 <= code <= 0x36F or 0x203F <= code <= 0x2040
            if not is_in_range or (at == first and may_not_start):
                return -1
            at = after
        else:
            break
    while at > first and text[at - 1] == char.DOT:  # the full stop belongs to the line
        at -= 1
    return at if at > first else -1


def is_line_end(text: Bytes, at: int, end: int) -> bool:
    """Return whether the rest of a line is a full stop, which a comment may follow."""
    at = skip_blanks(text, at, end)
    if at >= end or text[at] != char.DOT:
        return False
    at = skip_blanks(text, at + 1, end)
    if at < end and text[at] != char.HASH:
        return False
    while at < end:
        if text[at] == char.RETURN:  # it ends the comment, so more text may follow
            return False
        if text[at] >= char.NON_ASCII:
            code, at = read_character(text, at, end)
            if code < 0:
                return False
        else:
            at += 1
    return True


def ends_canonically(text: Bytes, at: int, end: int) -> bool:
    """Return whether the rest of a valid line is a space and a full stop."""
    return at + 2 == end and text[at] == char.SPACE
