"""Judge a line: keep it, drop it for a reason, or reject it as bad.

Kept lines are validated completely (RDF 1.1 N-Triples). Of a dropped line, only its end and the
part that decides its verdict are read. The functions are compiled with the kernel that calls them.
Bytes are compared with the numbers of ASCII characters: see ``parts``.
"""

import numpy as np

from kgbuild import wikidata
from kgbuild.dump import rules
from kgbuild.dump.characters import codes, is_at, read_number, skip_blanks
from kgbuild.dump.parts import property_code, read_object, read_predicate
from kgbuild.dump.rules import Bytes
from kgbuild.dump.syntax import (
    check_string,
    is_ended,
    is_ended_plainly,
    read_blank_node,
    read_entity,
    skip_iri,
)

_PAGE = codes(f"<{wikidata.ENTITY_PAGE}")
_NO_VALUE = codes(f"<{wikidata.NO_VALUE}P")


def judge_line(
    text: Bytes, start: int, end: int, table: Bytes
) -> tuple[int, int, int, int, bool, bool, int, int]:
    """Return a line's verdict, subject, predicate, object, plain, blank, predicate's start, end."""
    at = skip_blanks(text, start, end)
    if at >= end or text[at] == 35:
        return rules.NOT_TRIPLE, 0, 0, 0, False, False, 0, 0
    subject, after = read_entity(text, at, end)
    first = rules.METADATA
    if subject == 0:
        if text[at] == 60:
            first = rules.PAGE if is_at(text, at, end, _PAGE) else rules.METADATA
            after = skip_iri(text, at, end)
        else:
            first = rules.BLANK_SUBJECT
            after = read_blank_node(text, at, end) if text[at] == 95 else -1
        if after < 0:
            return rules.BAD, 0, 0, 0, False, False, 0, 0
    where = skip_blanks(text, after, end)
    predicate, stop, prop = read_predicate(text, where, end)
    if stop < 0:
        return rules.BAD, 0, 0, 0, False, False, 0, 0
    at = skip_blanks(text, stop, end)
    if subject == 0:
        verdict = first if _looks_ended(text, at, end, table) else rules.BAD
        blank = first == rules.BLANK_SUBJECT or (at < end and text[at] == 95)
        return verdict, 0, predicate, 0, False, blank, where, stop
    verdict, number, plain = _judge_object(text, at, end, subject, predicate, prop, table)
    blank = at < end and text[at] == 95
    if verdict == rules.KEEP and subject < 0 and not table[property_code(-subject)]:
        verdict = rules.OTHER_PROPERTY
    plain = plain and not blank and _is_spaced_plainly(text, start, after, where, stop, at)
    return verdict, subject, predicate, number, plain, blank, where, stop


def _judge_object(
    text: Bytes, at: int, end: int, subject: int, predicate: int, prop: int, table: Bytes
) -> tuple[int, int, bool]:
    """Judge a line from its object on; return the verdict, the object's number, and plain."""
    names = rules.LABEL <= predicate <= rules.DESCRIPTION
    ended = rules.METADATA
    if predicate in (rules.PREF_LABEL, rules.SCHEMA_NAME):
        ended = rules.REPEATED_LABEL
    elif predicate == rules.WDTN:
        ended = rules.NORMALIZED
    elif names and not table[rules.NAMES_AT + predicate - rules.LABEL]:
        ended = rules.NAME
    elif predicate == rules.PRECISION or 0 <= predicate < rules.PROPERTIES:
        ended = rules.KEEP if table[prop] else rules.OTHER_PROPERTY
    elif predicate != rules.OTHER_PREDICATE:
        ended = rules.KEEP
    if ended != rules.KEEP:
        return (ended if _looks_ended(text, at, end, table) else rules.BAD), 0, False

    if predicate == rules.TYPE and is_at(text, at, end, _NO_VALUE):
        number, after = read_number(text, at + _NO_VALUE.size, end)
        if number and after < end and text[after] == 62 and is_ended(text, after + 1, end):
            ended = rules.KEEP if table[property_code(number)] else rules.OTHER_PROPERTY
            return ended, 0, is_ended_plainly(text, after + 1, end)
    kind, after, number, wanted, plain = read_object(text, at, end, table, names)
    if after < 0 or not is_ended(text, after, end):
        return rules.BAD, 0, False
    plain = plain and is_ended_plainly(text, after, end)
    if predicate == rules.TYPE:
        return rules.DROP_TYPE, 0, False
    if predicate == rules.SAME_AS:
        is_plain = number != 0 and is_ended_plainly(text, after, end)
        return (rules.KEEP if number else rules.METADATA), number, is_plain
    if predicate == rules.PRECISION:
        valid, as_written = check_string(text, at + 1, after - 1)
        if kind != rules.STRING or not valid:
            return rules.METADATA, 0, False
        return rules.KEEP, 0, as_written and is_ended_plainly(text, after, end)
    if predicate >= rules.PROPERTIES and kind != rules.TEXT:
        return rules.METADATA, 0, False
    if wanted:
        return rules.KEEP, number, plain
    if kind == rules.TEXT and (names or table[rules.KINDS_AT + rules.TEXT]):
        return rules.OTHER_LANGUAGE, 0, False
    if kind == rules.STRING:
        return rules.DROP_STRING, 0, False
    return (rules.DROP_LINK if kind == rules.LINK else rules.OTHER_VALUE), 0, False


def _looks_ended(text: Bytes, at: int, end: int, table: Bytes) -> bool:
    """Return whether the rest of a dropped line is an object and a full stop."""
    last = end - 1
    while last > at and (text[last] == 32 or text[last] == 9):
        last -= 1
    if last > at and text[last] == 46:
        return True
    _, after, _, _, _ = read_object(text, at, end, table, bool(np.bool_(False)))
    return after > 0 and is_ended(text, after, end)


def _is_spaced_plainly(text: Bytes, start: int, after: int, where: int, stop: int, at: int) -> bool:
    """Return whether a line has no leading blanks, and single spaces between its terms."""
    if text[start] != 60 or text[after] != 32 or text[stop] != 32:
        return False
    return where == after + 1 and at == stop + 1


def _in(bits: Bytes, number: int) -> bool:
    return bool(number >> 3 < bits.size and bits[number >> 3] >> (number & 7) & 1 != 0)


def is_selected(
    subject: int, predicate: int, target: int, table: Bytes, subjects: Bytes, pointed: Bytes
) -> bool:
    """Return whether the selection of items keeps a line that all other rules keep."""
    if subject < 0 or _in(subjects, subject):
        return True
    if predicate == rules.SAME_AS:
        return target > 0 and (_in(subjects, target) or _in(pointed, target))
    if not _in(pointed, subject):
        return False
    if predicate == rules.PRECISION:
        return False
    if 0 <= predicate < rules.PROPERTIES:
        return bool(table[rules.PROPERTIES + predicate])
    return rules.LABEL <= predicate <= rules.DESCRIPTION
