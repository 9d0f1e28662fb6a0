"""Read N-Triples lines byte by byte and decide which to keep: compiled, at the speed of memory.

The only importer of ``numba``. Lines that are kept are validated in full (RDF 1.1 N-Triples,
https://www.w3.org/TR/n-triples/, productions in brackets below); of a dropped line only as
much is read as its verdict needs, and that it ends as a triple does.
"""

from collections.abc import Sequence
from typing import Annotated, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from kgbuild import wikidata
from kgbuild.dump.kinds import KINDS
from kgbuild.native.kernel import kernel, load_word

Bytes: TypeAlias = npt.NDArray[np.uint8]
Flags: TypeAlias = npt.NDArray[np.bool_]
Numbers: TypeAlias = npt.NDArray[np.int64]

ITEM, PROPERTY, TIME, QUANTITY, TEXT, POINT, UNKNOWN, STRING, LINK, OTHER = range(len(KINDS))

REASONS = (
    *("keep", "other_item", "other_property", "name", "other_language", "repeated_label"),
    *("string", "normalized", "link", "other_value", "type", "page", "blank_subject"),
    *("metadata", "not_triple", "bad"),
)
"""The verdicts on a line, by their code."""
KEEP, OTHER_ITEM, OTHER_PROPERTY, NAME, OTHER_LANGUAGE, REPEATED_LABEL = range(6)
DROP_STRING, NORMALIZED, DROP_LINK, OTHER_VALUE, DROP_TYPE, PAGE, BLANK_SUBJECT = range(6, 13)
METADATA, NOT_TRIPLE, BAD = range(13, 16)

PROPERTIES = 1 << 17
"""Properties with a number from here on are counted together, under 0. Wikidata has 13,000."""
NAMED = (
    *(wikidata.LABEL, wikidata.ALIAS, wikidata.DESCRIPTION, wikidata.SAME_AS, wikidata.TYPE),
    *(*wikidata.REPEATED_LABELS, wikidata.NORMALIZED, wikidata.PRECISION),
)
"""Predicates that are no direct properties: the n-th has the code PROPERTIES + n."""
LABEL, ALIAS, DESCRIPTION, SAME_AS, TYPE, PREF_LABEL, SCHEMA_NAME, WDTN, PRECISION = range(
    PROPERTIES, PROPERTIES + len(NAMED)
)
PREDICATES = PROPERTIES + len(NAMED)
_KINDS_AT = 2 * PROPERTIES
_NAMES_AT = _KINDS_AT + len(KINDS)
_EVERYTHING_AT = _NAMES_AT + 3
_SELECTING_AT = _EVERYTHING_AT + 1
_LANGUAGES_AT = _SELECTING_AT + 1
_ANOTHER = -1  # a predicate that is neither; the caller counts it by its text


class Rules:
    """What to keep, as the kernel reads it.

    ``properties`` and ``basic`` are PROPERTIES flags, the first of them for larger numbers;
    ``kinds`` are flags of KINDS; ``names`` says of label, alias and description whether they
    are kept; ``languages`` are codes of languages. ``everything`` keeps all that looks like a
    triple. With ``select``, two bitmaps, only the items of the first one are kept with all
    their lines, and those of the second one with their names and the ``basic`` properties.
    """

    def __init__(
        self,
        properties: Flags,
        kinds: Flags,
        names: Flags,
        languages: Sequence[str],
        everything: bool = False,
        basic: Flags | None = None,
        select: tuple[Bytes, Bytes] | None = None,
    ):
        codes = "".join(f"{code}\n" for code in languages).encode()
        # One array for all: each one that a compiled function is given costs it some time.
        self.table = np.zeros(_LANGUAGES_AT + len(codes), np.uint8)
        self.table[:PROPERTIES] = properties
        if basic is not None:
            self.table[PROPERTIES : 2 * PROPERTIES] = basic
        self.table[_KINDS_AT : _KINDS_AT + len(KINDS)] = kinds
        self.table[_NAMES_AT : _NAMES_AT + 3] = names
        self.table[_EVERYTHING_AT] = everything
        self.table[_SELECTING_AT] = select is not None
        self.table[_LANGUAGES_AT:] = np.frombuffer(codes, np.uint8)
        self.subjects, self.pointed = select or (np.zeros(0, np.uint8), np.zeros(0, np.uint8))


class Scanned(NamedTuple):
    """The outcome for one block. Arrays have an element for each kept line, in order.

    ``text`` holds the kept lines, ``ends`` where each one ends in it; ``numbers`` are places in
    the block, from 0; ``subject`` is the number of an item, negative for a property;
    ``predicate`` is the number of a property, or a code; ``object`` as subject, or 0;
    ``plain`` tells of a line that it stands as a store would write it, ``blank`` that it has
    a blank node. ``others`` are the (verdict, start, end, hash) of predicates without a code,
    in the block; ``bad`` the (place, start, end) of bad lines; ``lines`` is the number of all.
    """

    text: Bytes
    ends: Numbers
    numbers: Numbers
    subject: Numbers
    predicate: Numbers
    object: Numbers
    plain: Flags
    blank: Flags
    others: Numbers
    bad: Numbers
    lines: int

    def line(self, n: int) -> bytes:
        """Return the n-th kept line."""
        start = int(self.ends[n - 1]) if n else 0
        return self.text[start : int(self.ends[n]) - 1].tobytes()


def _codes(text: str) -> Bytes:
    return np.frombuffer(text.encode(), np.uint8)


_ENTITY = _codes(f"<{wikidata.ENTITY}")
_DIRECT = _codes(f"<{wikidata.DIRECT}P")
_PAGE = _codes(f"<{wikidata.ENTITY_PAGE}")
_NO_VALUE = _codes(f"<{wikidata.NO_VALUE}P")
_GENID = _codes(f"<{wikidata.UNKNOWN_VALUE}")
_LABEL, _ALIAS, _DESCRIPTION, _SAME_AS, _TYPE, _PREF_LABEL, _SCHEMA_NAME = (
    _codes(f"<{iri}>") for iri in NAMED[:7]
)
_WDTN, _PRECISION = (_codes(f"<{iri}P") for iri in NAMED[7:])
_TIME, _QUANTITY = (_codes(f"<{wikidata.XSD}{name}>") for name in ("dateTime", "decimal"))
_POINT = _codes(f"<{wikidata.WKT}>")
_ONES, _HIGH = np.uint64(0x0101010101010101), np.uint64(0x8080808080808080)
_LINE_END, _QUOTE, _BACKSLASH = (np.uint64(_ONES * np.uint64(c)) for c in b'\n"\\')
_DAYS = np.array([31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31])
_IN_IRI = np.ones(256, np.bool_)  # [8] IRIREF
_IN_IRI[: 0x20 + 1] = False
_IN_IRI[list(b'<>"{}|^`\\')] = False
_IN_STRING = np.ones(256, np.bool_)  # [9] STRING_LITERAL_QUOTE, what stands there for itself
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


def _has_byte(word: int, repeated: int | np.uint64) -> bool:
    """Tell whether one of eight bytes is the byte that ``repeated`` holds eight times."""
    x = word ^ repeated
    return bool((x - _ONES) & ~x & _HIGH != 0)


def _is_at(text: Bytes, at: int, end: int, what: Bytes) -> bool:
    """Tell whether ``what``, of eight bytes or more, stands at a place."""
    last = what.size - 8
    if end - at < what.size:
        return False
    for k in range(0, last, 8):
        if load_word(text, at + k) != load_word(what, k):
            return False
    return load_word(text, at + last) == load_word(what, last)


def _blanks(text: Bytes, at: int, end: int) -> int:
    while at < end and (text[at] == 32 or text[at] == 9):
        at += 1
    return at


def _number(text: Bytes, at: int, end: int) -> tuple[int, int]:
    """Return the number of an id of at most nine digits, and its end; 0 if there is none."""
    number = 0
    first = at
    while at < end and 48 <= text[at] <= 57 and at - first < 10:
        number = number * 10 + (text[at] - 48)
        at += 1
    if at == first or at - first > 9 or text[first] == 48:
        return 0, at
    return number, at


def _entity(text: Bytes, at: int, end: int) -> tuple[int, int]:
    """Return the number of an entity's IRI (negative for a property), and its end; or 0."""
    if not _is_at(text, at, end, _ENTITY):
        return 0, at
    letter = at + _ENTITY.size
    if letter >= end or (text[letter] != 81 and text[letter] != 80):
        return 0, at
    number, after = _number(text, letter + 1, end)
    if number == 0 or after >= end or text[after] != 62:
        return 0, at
    return (number if text[letter] == 81 else -number), after + 1


def _closed(text: Bytes, at: int, end: int) -> int:
    """Return the end of an IRI that is not looked into, or -1."""
    while at < end:
        if text[at] == 62:
            return at + 1
        at += 1
    return -1


def _letter(text: Bytes, at: int, end: int) -> tuple[int, int]:
    """Return the code point of a UTF-8 sequence beyond ASCII, and its end; or -1."""
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


def _uchar(text: Bytes, at: int, end: int) -> tuple[int, int]:
    r"""Return the code point of a ``\u`` or ``\U`` escape [10], and its end; or -1."""
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


def _iri(text: Bytes, at: int, end: int) -> int:
    """Return the end of an absolute IRI [8], or -1."""
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
            code, at = _uchar(text, at, end)
            if code < 0 or (code < 256 and not _IN_IRI[code]):
                return -1
        elif c >= 0x80:
            code, at = _letter(text, at, end)
            if code < 0:
                return -1
        elif not _IN_IRI[c]:
            return -1
        else:
            at += 1
    return -1


def _valid(text: Bytes, at: int, end: int) -> tuple[bool, bool]:
    """Tell whether a string's content is valid [9], and stands as a store would write it."""
    plain = True
    while at < end:
        c = text[at]
        if c == 92:
            plain = False
            if at + 1 < end and _ECHAR[text[at + 1]]:
                at += 2
                continue
            code, at = _uchar(text, at, end)
            if code < 0:
                return False, False
        elif c >= 0x80:
            code, at = _letter(text, at, end)
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


def _quoted(text: Bytes, at: int, end: int) -> int:
    """Return the end of the string that begins at the quotation mark, or -1."""
    at += 1
    while at < end:
        while end - at >= 8:
            word = load_word(text, at)
            if _has_byte(word, _QUOTE) or _has_byte(word, _BACKSLASH):
                break
            at += 8
        c = text[at]
        if c == 34:
            return at + 1
        at += 2 if c == 92 else 1
    return -1


def _tag(text: Bytes, at: int, end: int) -> tuple[int, bool]:
    """Return the end of a language tag [144s], or -1, and whether it has no capitals.

    Its parts have eight letters at most (RFC 5646, section 2.1).
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


def _wanted(text: Bytes, at: int, end: int, rules: Bytes) -> bool:
    """Tell whether a tag is one of the languages, or a regional form of one."""
    code = _LANGUAGES_AT
    while code < rules.size:
        same = True
        k = at
        while rules[code] != 10:
            if k >= end or text[k] != rules[code]:
                same = False
            k += 1
            code += 1
        code += 1
        if same and (k == end or text[k] == 45):
            return True
    return False


def _plain_time(text: Bytes, at: int, end: int) -> bool:
    """Tell whether a time stands in its canonical form: a day from the year 1 to 9999."""
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
    clock = 0  # which Wikidata's times leave at midnight
    for k in (11, 12, 14, 15, 17, 18):
        clock += text[at + k] - 48
    return clock == 0


def _blank_node(text: Bytes, at: int, end: int) -> int:
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
            code, after = _letter(text, at, end)
            known = False
            for k in range(_LABEL_RANGES.shape[0]):
                known = known or _LABEL_RANGES[k, 0] <= code <= _LABEL_RANGES[k, 1]
            later = code == 0xB7 or 0x300 <= code <= 0x36F or 0x203F <= code <= 0x2040
            if not known or (at == first and later):
                return -1
            at = after
        else:
            break
    while at > first and text[at - 1] == 46:  # the stop belongs to the line
        at -= 1
    return at if at > first else -1


def _object(
    text: Bytes, at: int, end: int, rules: Bytes, names: bool
) -> tuple[int, int, int, bool, bool]:
    """Read an object: its kind, its end (-1: it is none), its number, wanted, plain.

    ``wanted`` tells that the rules keep such an object; only then it is validated in full.
    ``names`` tells that it is to be a name, of which only the language matters.
    """
    c = text[at] if at < end else 0
    if c == 60:
        number, after = _entity(text, at, end)
        if number:
            kind = ITEM if number > 0 else PROPERTY
            return kind, after, number, rules[_KINDS_AT + kind], True
        kind = UNKNOWN if _is_at(text, at, end, _GENID) else LINK
        if rules[_KINDS_AT + kind]:
            return kind, _iri(text, at, end), 0, True, False
        return kind, _closed(text, at, end), 0, False, False
    if c == 95:
        return UNKNOWN, _blank_node(text, at, end), 0, rules[_KINDS_AT + UNKNOWN], True
    if c != 34:
        return OTHER, -1, 0, False, False
    return _literal(text, at, end, rules, names)


def _literal(
    text: Bytes, at: int, end: int, rules: Bytes, names: bool
) -> tuple[int, int, int, bool, bool]:
    close = _quoted(text, at, end)
    if close < 0:
        return STRING, -1, 0, False, False
    kind, after, plain, wanted = STRING, close, True, True
    if close < end and text[close] == 64:
        kind = TEXT
        after, plain = _tag(text, close + 1, end)
        wanted = after > 0 and _wanted(text, close + 1, after, rules)
    elif close + 2 < end and text[close] == 94:
        if text[close + 1] != 94 or text[close + 2] != 60:
            return OTHER, -1, 0, False, False
        kind = OTHER
        if _is_at(text, close + 2, end, _TIME):
            kind, plain = TIME, _plain_time(text, at + 1, close - 1)
            after = close + 2 + _TIME.size
        elif _is_at(text, close + 2, end, _QUANTITY):
            kind, plain = QUANTITY, False
            after = close + 2 + _QUANTITY.size
        elif _is_at(text, close + 2, end, _POINT):
            kind = POINT
            after = close + 2 + _POINT.size
        else:
            plain = False
            after = _iri(text, close + 2, end)
    if after < 0 or not wanted or not (names or rules[_KINDS_AT + kind]):
        return kind, after, 0, False, False
    valid, as_written = _valid(text, at + 1, close - 1)
    return kind, (after if valid else -1), 0, True, plain and as_written


def _ends(text: Bytes, at: int, end: int) -> bool:
    """Tell whether a line is over but for its stop and a comment."""
    at = _blanks(text, at, end)
    if at >= end or text[at] != 46:
        return False
    at = _blanks(text, at + 1, end)
    if at < end and text[at] != 35:
        return False
    while at < end:
        if text[at] == 13:  # which ends a line, and a comment: what follows is not looked at
            return False
        if text[at] >= 0x80:
            code, at = _letter(text, at, end)
            if code < 0:
                return False
        else:
            at += 1
    return True


def _stops(text: Bytes, at: int, end: int) -> bool:
    """Tell whether of a line that is over a space and the stop are left, and nothing else."""
    return at + 2 == end and text[at] == 32


def _looks_ended(text: Bytes, at: int, end: int, rules: Bytes) -> bool:
    """Tell whether something and a stop are left of a line that is dropped anyway."""
    last = end - 1
    while last > at and (text[last] == 32 or text[last] == 9):
        last -= 1
    if last > at and text[last] == 46:
        return True
    _, after, _, _, _ = _object(text, at, end, rules, bool(np.bool_(False)))
    return after > 0 and _ends(text, after, end)


def _code(number: int) -> int:
    return number if number < PROPERTIES else 0


def _predicate(text: Bytes, at: int, end: int) -> tuple[int, int, int]:
    """Return a predicate's code, its end (-1: it is none), and the property in it."""
    if _is_at(text, at, end, _DIRECT):
        number, after = _number(text, at + _DIRECT.size, end)
        if number and after < end and text[after] == 62:
            number = _code(number)
            return number, after + 1, number
    elif _is_at(text, at, end, _LABEL):
        return LABEL, at + _LABEL.size, 0
    elif _is_at(text, at, end, _PREF_LABEL):
        return PREF_LABEL, at + _PREF_LABEL.size, 0
    elif _is_at(text, at, end, _SCHEMA_NAME):
        return SCHEMA_NAME, at + _SCHEMA_NAME.size, 0
    elif _is_at(text, at, end, _DESCRIPTION):
        return DESCRIPTION, at + _DESCRIPTION.size, 0
    elif _is_at(text, at, end, _ALIAS):
        return ALIAS, at + _ALIAS.size, 0
    elif _is_at(text, at, end, _TYPE):
        return TYPE, at + _TYPE.size, 0
    elif _is_at(text, at, end, _SAME_AS):
        return SAME_AS, at + _SAME_AS.size, 0
    elif _is_at(text, at, end, _WDTN):
        number, after = _number(text, at + _WDTN.size, end)
        if number and after < end and text[after] == 62:
            return WDTN, after + 1, _code(number)
    elif _is_at(text, at, end, _PRECISION):
        number, after = _number(text, at + _PRECISION.size, end)
        if number and after < end and text[after] == 62:
            return PRECISION, after + 1, _code(number)
    if at < end and text[at] == 60:
        return _ANOTHER, _closed(text, at, end), 0
    return _ANOTHER, -1, 0


def _in(bits: Bytes, number: int) -> bool:
    return bool(number >> 3 < bits.size and bits[number >> 3] >> (number & 7) & 1 != 0)


def _selected(
    subject: int, predicate: int, target: int, rules: Bytes, subjects: Bytes, pointed: Bytes
) -> bool:
    """Tell whether the selection of items keeps a line that all other rules keep."""
    if subject < 0 or _in(subjects, subject):
        return True
    if predicate == SAME_AS:
        return target > 0 and (_in(subjects, target) or _in(pointed, target))
    if not _in(pointed, subject):
        return False
    if predicate == PRECISION:
        return False
    if 0 <= predicate < PROPERTIES:
        return bool(rules[PROPERTIES + predicate])
    return LABEL <= predicate <= DESCRIPTION


def _verdict(
    text: Bytes, at: int, end: int, subject: int, predicate: int, prop: int, rules: Bytes
) -> tuple[int, int, bool]:
    """Judge what is known up to the object: the verdict, the object's number, plain."""
    ended = METADATA
    if predicate in (PREF_LABEL, SCHEMA_NAME):
        ended = REPEATED_LABEL
    elif predicate == WDTN:
        ended = NORMALIZED
    elif LABEL <= predicate <= DESCRIPTION and not rules[_NAMES_AT + predicate - LABEL]:
        ended = NAME
    elif predicate == PRECISION or 0 <= predicate < PROPERTIES:
        ended = KEEP if rules[prop] else OTHER_PROPERTY
    elif predicate != _ANOTHER:
        ended = KEEP
    if ended != KEEP:
        return (ended if _looks_ended(text, at, end, rules) else BAD), 0, False

    if predicate == TYPE and _is_at(text, at, end, _NO_VALUE):
        number, after = _number(text, at + _NO_VALUE.size, end)
        if number and after < end and text[after] == 62 and _ends(text, after + 1, end):
            kept = rules[_code(number)]
            return (KEEP if kept else OTHER_PROPERTY), 0, _stops(text, after + 1, end)
    names = LABEL <= predicate <= DESCRIPTION
    kind, after, number, wanted, plain = _object(text, at, end, rules, names)
    if after < 0 or not _ends(text, after, end):
        return BAD, 0, False
    plain = plain and _stops(text, after, end)
    if predicate == TYPE:
        return DROP_TYPE, 0, False
    if predicate == SAME_AS:
        return (KEEP if number else METADATA), number, number != 0 and _stops(text, after, end)
    if predicate == PRECISION:
        valid, as_written = _valid(text, at + 1, after - 1)
        if kind != STRING or not valid:
            return METADATA, 0, False
        return KEEP, 0, as_written and _stops(text, after, end)
    if predicate >= PROPERTIES and kind != TEXT:
        return METADATA, 0, False
    if wanted:
        return KEEP, number, plain
    if kind == TEXT and (names or rules[_KINDS_AT + TEXT]):
        return OTHER_LANGUAGE, 0, False
    if kind == STRING:
        return DROP_STRING, 0, False
    return (DROP_LINK if kind == LINK else OTHER_VALUE), 0, False


def _spaced(text: Bytes, start: int, after: int, where: int, stop: int, at: int) -> bool:
    """Tell whether a line begins at once, and single spaces part its terms."""
    if text[start] != 60 or text[after] != 32 or text[stop] != 32:
        return False
    return where == after + 1 and at == stop + 1


def _line(
    text: Bytes, start: int, end: int, rules: Bytes
) -> tuple[int, int, int, int, bool, bool, int, int]:
    """Judge a line: verdict, subject, predicate, object, plain, blank, predicate's place."""
    at = _blanks(text, start, end)
    if at >= end or text[at] == 35:
        return NOT_TRIPLE, 0, 0, 0, False, False, 0, 0
    subject, after = _entity(text, at, end)
    first = METADATA
    if subject == 0:
        if text[at] == 60:
            first = PAGE if _is_at(text, at, end, _PAGE) else METADATA
            after = _closed(text, at, end)
        else:
            first = BLANK_SUBJECT
            after = _blank_node(text, at, end) if text[at] == 95 else -1
        if after < 0:
            return BAD, 0, 0, 0, False, False, 0, 0
    where = _blanks(text, after, end)
    predicate, stop, prop = _predicate(text, where, end)
    if stop < 0:
        return BAD, 0, 0, 0, False, False, 0, 0
    at = _blanks(text, stop, end)
    if subject == 0:
        verdict = first if _looks_ended(text, at, end, rules) else BAD
        blank = first == BLANK_SUBJECT or (at < end and text[at] == 95)
        return verdict, 0, predicate, 0, False, blank, where, stop
    verdict, number, plain = _verdict(text, at, end, subject, predicate, prop, rules)
    blank = at < end and text[at] == 95
    if verdict == KEEP and subject < 0 and not rules[_code(-subject)]:
        verdict = OTHER_PROPERTY
    plain = plain and not blank and _spaced(text, start, after, where, stop, at)
    return verdict, subject, predicate, number, plain, blank, where, stop


def _next_line(text: Bytes, at: int) -> int:
    """Return the place of the next line end, looking at eight bytes at a time."""
    while text.size - at >= 8 and not _has_byte(load_word(text, at), _LINE_END):
        at += 8
    while text[at] != 10:
        at += 1
    return at


def _hash(text: Bytes, at: int, end: int) -> int:
    """Return a hash of some bytes (FNV-1a, a byte at a time)."""
    value = np.uint64(0xCBF29CE484222325)
    for k in range(at, end):
        value = (value ^ np.uint64(text[k])) * np.uint64(0x100000001B3)
    return int(np.int64(value))


@kernel
def _scan(
    text: Bytes,
    rules: Bytes,
    subjects: Bytes,
    pointed: Bytes,
    dropped: Annotated[Numbers, 2],
    kept: Bytes,
    found: Annotated[Numbers, 2],
    flags: Annotated[Flags, 2],
    others: Annotated[Numbers, 2],
    bad: Annotated[Numbers, 2],
    sizes: Numbers,
) -> None:
    selecting, everything = rules[_SELECTING_AT], rules[_EVERYTHING_AT]
    start = int(sizes[0])  # a variable, where a 0 would have all it calls compiled twice
    written = number = lines = strange = wrong = 0
    while start < text.size:
        stop = _next_line(text, start)
        end = stop - 1 if stop > start and text[stop - 1] == 13 else stop
        verdict, subject, predicate, target, plain, blank, at, after = _line(
            text, start, end, rules
        )
        if everything and verdict < NOT_TRIPLE:
            verdict = KEEP
        if (
            selecting
            and verdict == KEEP
            and not _selected(subject, predicate, target, rules, subjects, pointed)
        ):
            verdict = OTHER_ITEM
        if verdict == KEEP:
            for k in range(end - start):
                kept[written + k] = text[start + k]
            written += end - start + 1
            kept[written - 1] = 10
            found[0, lines], found[1, lines], found[2, lines] = written, number, subject
            found[3, lines], found[4, lines] = predicate, target
            flags[0, lines], flags[1, lines] = plain, blank
            lines += 1
        elif verdict == BAD:
            bad[wrong, 0], bad[wrong, 1], bad[wrong, 2] = number, start, end
            wrong += 1
        elif predicate >= 0:
            dropped[verdict, predicate] += 1
        else:
            others[strange, 0], others[strange, 1], others[strange, 2] = verdict, at, after
            others[strange, 3] = _hash(text, at, after) ^ verdict
            strange += 1
        start = stop + 1
        number += 1
    sizes[0], sizes[1], sizes[2], sizes[3] = lines, written, strange, wrong


@kernel
def _count(text: Bytes) -> int:
    count = 0
    for c in text:
        count += c == 10
    return count


def count_lines(text: bytes | bytearray) -> int:
    """Return how many line ends a text has: three times as fast as ``bytes.count``."""
    return _count(np.frombuffer(text, np.uint8))


def scan(text: bytes | bytearray, rules: Rules, dropped: Numbers) -> Scanned:
    """Sort out a block of whole lines, the last one ended by a line end too.

    ``dropped``, an array of shape (REASONS, PREDICATES), is added to: the dropped lines but
    for ``others``.
    """
    block = np.frombuffer(text, np.uint8)
    count = _count(block)
    kept = np.empty(block.size, np.uint8)
    found, flags = np.empty((5, count), np.int64), np.empty((2, count), np.bool_)
    others, bad = np.empty((count, 4), np.int64), np.empty((count, 3), np.int64)
    sizes = np.zeros(4, np.int64)
    selection = (rules.table, rules.subjects, rules.pointed)
    _scan(block, *selection, dropped, kept, found, flags, others, bad, sizes)
    lines, written, strange, wrong = sizes.tolist()
    ends, places, subject, predicate, target = found[:, :lines]
    return Scanned(
        text=kept[:written],
        ends=ends,
        numbers=places,
        subject=subject,
        predicate=predicate,
        object=target,
        plain=flags[0, :lines],
        blank=flags[1, :lines],
        others=others[:strange],
        bad=bad[:wrong],
        lines=count,
    )
