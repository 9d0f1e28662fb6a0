"""Judge a line: keep it, drop it for a reason, or call it bad.

Lines that are kept are validated in full (RDF 1.1 N-Triples); of a dropped line only as much is
read as its verdict needs, and that it ends as a triple does. The functions are compiled with the
kernel that calls them.
"""

import numpy as np

from kgbuild import wikidata
from kgbuild.dump.characters import codes, is_at, read_number, skip_blanks
from kgbuild.dump.parts import property_code, read_object, read_predicate
from kgbuild.dump.rules import (
    BAD,
    BLANK_SUBJECT,
    DESCRIPTION,
    DROP_LINK,
    DROP_STRING,
    DROP_TYPE,
    KEEP,
    KINDS_AT,
    LABEL,
    LINK,
    METADATA,
    NAME,
    NAMES_AT,
    NORMALIZED,
    NOT_TRIPLE,
    OTHER_LANGUAGE,
    OTHER_PREDICATE,
    OTHER_PROPERTY,
    OTHER_VALUE,
    PAGE,
    PRECISION,
    PREF_LABEL,
    PROPERTIES,
    REPEATED_LABEL,
    SAME_AS,
    SCHEMA_NAME,
    STRING,
    TEXT,
    TYPE,
    WDTN,
    Bytes,
)
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
    text: Bytes, start: int, end: int, rules: Bytes
) -> tuple[int, int, int, int, bool, bool, int, int]:
    """Judge a line: verdict, subject, predicate, object, plain, blank, predicate's place."""
    at = skip_blanks(text, start, end)
    if at >= end or text[at] == 35:
        return NOT_TRIPLE, 0, 0, 0, False, False, 0, 0
    subject, after = read_entity(text, at, end)
    first = METADATA
    if subject == 0:
        if text[at] == 60:
            first = PAGE if is_at(text, at, end, _PAGE) else METADATA
            after = skip_iri(text, at, end)
        else:
            first = BLANK_SUBJECT
            after = read_blank_node(text, at, end) if text[at] == 95 else -1
        if after < 0:
            return BAD, 0, 0, 0, False, False, 0, 0
    where = skip_blanks(text, after, end)
    predicate, stop, prop = read_predicate(text, where, end)
    if stop < 0:
        return BAD, 0, 0, 0, False, False, 0, 0
    at = skip_blanks(text, stop, end)
    if subject == 0:
        verdict = first if _looks_ended(text, at, end, rules) else BAD
        blank = first == BLANK_SUBJECT or (at < end and text[at] == 95)
        return verdict, 0, predicate, 0, False, blank, where, stop
    verdict, number, plain = _judge_object(text, at, end, subject, predicate, prop, rules)
    blank = at < end and text[at] == 95
    if verdict == KEEP and subject < 0 and not rules[property_code(-subject)]:
        verdict = OTHER_PROPERTY
    plain = plain and not blank and _is_spaced_plainly(text, start, after, where, stop, at)
    return verdict, subject, predicate, number, plain, blank, where, stop


def _judge_object(
    text: Bytes, at: int, end: int, subject: int, predicate: int, prop: int, rules: Bytes
) -> tuple[int, int, bool]:
    """Judge what is known up to the object: the verdict, the object's number, plain."""
    ended = METADATA
    if predicate in (PREF_LABEL, SCHEMA_NAME):
        ended = REPEATED_LABEL
    elif predicate == WDTN:
        ended = NORMALIZED
    elif LABEL <= predicate <= DESCRIPTION and not rules[NAMES_AT + predicate - LABEL]:
        ended = NAME
    elif predicate == PRECISION or 0 <= predicate < PROPERTIES:
        ended = KEEP if rules[prop] else OTHER_PROPERTY
    elif predicate != OTHER_PREDICATE:
        ended = KEEP
    if ended != KEEP:
        return (ended if _looks_ended(text, at, end, rules) else BAD), 0, False

    if predicate == TYPE and is_at(text, at, end, _NO_VALUE):
        number, after = read_number(text, at + _NO_VALUE.size, end)
        if number and after < end and text[after] == 62 and is_ended(text, after + 1, end):
            kept = rules[property_code(number)]
            return (KEEP if kept else OTHER_PROPERTY), 0, is_ended_plainly(text, after + 1, end)
    names = LABEL <= predicate <= DESCRIPTION
    kind, after, number, wanted, plain = read_object(text, at, end, rules, names)
    if after < 0 or not is_ended(text, after, end):
        return BAD, 0, False
    plain = plain and is_ended_plainly(text, after, end)
    if predicate == TYPE:
        return DROP_TYPE, 0, False
    if predicate == SAME_AS:
        is_plain = number != 0 and is_ended_plainly(text, after, end)
        return (KEEP if number else METADATA), number, is_plain
    if predicate == PRECISION:
        valid, as_written = check_string(text, at + 1, after - 1)
        if kind != STRING or not valid:
            return METADATA, 0, False
        return KEEP, 0, as_written and is_ended_plainly(text, after, end)
    if predicate >= PROPERTIES and kind != TEXT:
        return METADATA, 0, False
    if wanted:
        return KEEP, number, plain
    if kind == TEXT and (names or rules[KINDS_AT + TEXT]):
        return OTHER_LANGUAGE, 0, False
    if kind == STRING:
        return DROP_STRING, 0, False
    return (DROP_LINK if kind == LINK else OTHER_VALUE), 0, False


def _looks_ended(text: Bytes, at: int, end: int, rules: Bytes) -> bool:
    """Tell whether something and a stop are left of a line that is dropped anyway."""
    last = end - 1
    while last > at and (text[last] == 32 or text[last] == 9):
        last -= 1
    if last > at and text[last] == 46:
        return True
    _, after, _, _, _ = read_object(text, at, end, rules, bool(np.bool_(False)))
    return after > 0 and is_ended(text, after, end)


def _is_spaced_plainly(text: Bytes, start: int, after: int, where: int, stop: int, at: int) -> bool:
    """Tell whether a line begins at once, and single spaces part its terms."""
    if text[start] != 60 or text[after] != 32 or text[stop] != 32:
        return False
    return where == after + 1 and at == stop + 1


def _in(bits: Bytes, number: int) -> bool:
    return bool(number >> 3 < bits.size and bits[number >> 3] >> (number & 7) & 1 != 0)


def is_selected(
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
