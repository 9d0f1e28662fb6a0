"""Copy the statements of an entity that the rules keep.

The functions are compiled with the kernel that calls them; see ``json_syntax``.
"""

from kgbuild import wikidata
from kgbuild.dump import ascii_codes as char
from kgbuild.dump import rules
from kgbuild.dump.characters import read_number
from kgbuild.dump.json_statements import copy_statements, read_property
from kgbuild.dump.json_syntax import copy, skip_key, skip_value
from kgbuild.dump.rules import Bytes, Numbers
from kgbuild.dump.verdict import is_in

_INSTANCE_OF = wikidata.number("P31")


def prune_claims(
    text: Bytes,
    at: int,
    end: int,
    table: Bytes,
    is_cut: bool,
    classes: Bytes,
    out: Bytes,
    written: int,
    counts: Numbers,
    rows: int,
) -> tuple[int, int, int]:
    """Copy an object of statements by property; add rows to ``counts`` for those left out.

    If the object ``is_cut``, only statements with basic properties are copied, and the others are
    not counted.

    Returns:
        The end of the object, or -1, which also means that it must not be cut, since its item is an
        instance of one of the ``classes``; ``written``; and ``rows``, the number of rows.
    """
    if at + 1 >= end or text[at] != char.LEFT_BRACE or text[at + 1] == char.RIGHT_BRACE:
        after = skip_value(text, at, end)  # an empty list, too
        return after, copy(text, at, after, out, written), rows
    out[written] = char.LEFT_BRACE
    written += 1
    first = written
    while text[at] != char.RIGHT_BRACE:
        key, before = at + 1, written
        value = skip_key(text, key, end)
        if value < 0:
            return -1, written, rows
        if written > first:
            out[written] = char.COMMA
            written += 1
        written = copy(text, key, value, out, written)
        number, copied, count = read_property(text, key, value), written, 0
        is_plain = is_string = False
        is_left_out = is_cut and not _is_basic(number, table)
        if number and not is_left_out:
            at, written, count, is_plain, is_string = copy_statements(
                text, value, end, out, written
            )
        else:
            at = skip_value(text, value, end)
            if not is_left_out:
                written = copy(text, value, at, out, written)
        if at < 0 or at >= end or (text[at] != char.COMMA and text[at] != char.RIGHT_BRACE):
            return -1, written, rows
        if is_left_out:
            written = before
            continue
        if is_cut and number == _INSTANCE_OF and _mentions(out, copied, written, classes):
            return -1, written, rows
        verdict = _verdict(number, is_string, table)
        if verdict != rules.KEEP and count and is_plain:
            written = before
            row = counts[rows]
            row[0], row[1], row[2] = verdict, number, count
            rows += 1
    out[written] = char.RIGHT_BRACE
    return at + 1, written + 1, rows


def _verdict(number: int, is_string: bool, table: Bytes) -> int:
    """Return the verdict on statements of a property, which are strings if ``is_string``."""
    if table[rules.EVERYTHING_AT] or not 0 < number < rules.PROPERTIES:
        return rules.KEEP
    if not table[number]:
        return rules.OTHER_PROPERTY
    is_dropped = is_string and not table[rules.KINDS_AT + rules.STRING]
    return rules.DROP_STRING if is_dropped else rules.KEEP


def _is_basic(number: int, table: Bytes) -> bool:
    """Return whether a property is one of HIERARCHY."""
    return bool(0 < number < rules.PROPERTIES and table[rules.BASIC_AT + number])


def _mentions(text: Bytes, at: int, end: int, classes: Bytes) -> bool:
    """Return whether a text has the id of one of the classes."""
    while at < end:
        at += 1
        if text[at - 1] == char.Q:
            number, at = read_number(text, at, end)
            if is_in(classes, number):
                return True
    return False
