"""Judge a line: keep it, drop it for a reason, or reject it as bad.

Kept lines are validated completely (RDF 1.1 N-Triples). Of a dropped line, only its end and the
part that decides its verdict are read. The functions are compiled with the kernel that calls them.
``text`` and ``table`` are as in ``parts``. A line is canonical if a store would write it with the
same bytes.
"""

import numpy as np

from kgbuild import wikidata
from kgbuild.dump.bitmaps import is_in
from kgbuild.dump.scanning import ascii_codes as char
from kgbuild.dump.scanning import rules
from kgbuild.dump.scanning.characters import codes, is_at, read_number, skip_blanks
from kgbuild.dump.scanning.parts import property_code, read_object, read_predicate
from kgbuild.dump.scanning.syntax import (
    check_string,
    ends_canonically,
    is_line_end,
    read_blank_node,
    read_entity,
    skip_iri,
)
from kgbuild.native.arrays import Bytes

_PAGE = codes(f"<{wikidata.ENTITY_PAGE}")
_NO_VALUE = codes(f"<{wikidata.NO_VALUE}P")


def judge_line(
    text: Bytes, start: int, end: int, table: Bytes
) -> tuple[int, int, int, int, bool, bool]:
    """Judge the line of ``text`` from the position ``start`` to ``end``.

    Returns:
        The verdict; the numbers of the subject (see ``read_entity``), predicate (see
        ``read_predicate``) and object; whether the line is canonical; and whether it has a blank
        node.
    """
    at = skip_blanks(text, start, end)
    if at >= end or text[at] == char.HASH:
        return rules.NOT_TRIPLE, 0, 0, 0, False, False
    subject, subject_end = read_entity(text, at, end)
    drop_verdict = rules.METADATA
    if subject == 0:
        if text[at] == char.LESS:
            drop_verdict = rules.PAGE if is_at(text, at, end, _PAGE) else rules.METADATA
            subject_end = skip_iri(text, at, end)
        else:
            drop_verdict = rules.BLANK_SUBJECT
            subject_end = read_blank_node(text, at, end) if text[at] == char.UNDERSCORE else -1
        if subject_end < 0:
            return rules.BAD, 0, 0, 0, False, False
    predicate_start = skip_blanks(text, subject_end, end)
    predicate, predicate_end, property_number = read_predicate(text, predicate_start, end)
    if predicate_end < 0:
        return rules.BAD, 0, 0, 0, False, False
    at = skip_blanks(text, predicate_end, end)
    if subject == 0:
        verdict = drop_verdict if _looks_ended(text, at, end, table) else rules.BAD
        has_blank = drop_verdict == rules.BLANK_SUBJECT or (
            at < end and text[at] == char.UNDERSCORE
        )
        return verdict, 0, predicate, 0, False, has_blank
    verdict, number, is_canonical = _judge_object(
        text, at, end, subject, predicate, property_number, table
    )
    has_blank = at < end and text[at] == char.UNDERSCORE
    if verdict == rules.KEEP and subject < 0 and not table[property_code(-subject)]:
        verdict = rules.OTHER_PROPERTY
    is_canonical = (
        is_canonical
        and not has_blank
        and _has_single_spaces(text, start, subject_end, predicate_start, predicate_end, at)
    )
    return verdict, subject, predicate, number, is_canonical, has_blank


def _judge_object(
    text: Bytes, at: int, end: int, subject: int, predicate: int, property_number: int, table: Bytes
) -> tuple[int, int, bool]:
    """Return a line's verdict, its object's number, and whether its end is canonical."""
    is_name = rules.LABEL <= predicate <= rules.DESCRIPTION
    verdict = rules.METADATA
    if predicate in (rules.PREF_LABEL, rules.SCHEMA_NAME):
        verdict = rules.REPEATED_LABEL
    elif predicate == rules.WDTN:
        verdict = rules.NORMALIZED
    elif is_name and not table[rules.NAMES_AT + predicate - rules.LABEL]:
        verdict = rules.NAME
    elif predicate == rules.PRECISION or 0 <= predicate < rules.PROPERTIES:
        verdict = rules.KEEP if table[property_number] else rules.OTHER_PROPERTY
    elif predicate != rules.OTHER_PREDICATE:
        verdict = rules.KEEP
    if verdict != rules.KEEP:
        return (verdict if _looks_ended(text, at, end, table) else rules.BAD), 0, False

    if predicate == rules.TYPE and is_at(text, at, end, _NO_VALUE):
        number, after = read_number(text, at + _NO_VALUE.size, end)
        if (
            number
            and after < end
            and text[after] == char.GREATER
            and is_line_end(text, after + 1, end)
        ):
            verdict = rules.KEEP if table[property_code(number)] else rules.OTHER_PROPERTY
            return verdict, 0, ends_canonically(text, after + 1, end)
    kind, after, number, is_wanted, is_canonical = read_object(text, at, end, table, is_name)
    if after < 0 or not is_line_end(text, after, end):
        return rules.BAD, 0, False
    is_canonical = is_canonical and ends_canonically(text, after, end)
    if predicate == rules.TYPE:
        return rules.DROP_TYPE, 0, False
    if predicate == rules.SAME_AS:
        has_canonical_end = number != 0 and ends_canonically(text, after, end)
        return (rules.KEEP if number else rules.METADATA), number, has_canonical_end
    if predicate == rules.PRECISION:
        is_valid, has_canonical_content = check_string(text, at + 1, after - 1)
        if kind != rules.STRING or not is_valid:
            return rules.METADATA, 0, False
        return rules.KEEP, 0, has_canonical_content and ends_canonically(text, after, end)
    if is_name and kind != rules.TEXT:
        return rules.NO_LANGUAGE, 0, False
    if is_wanted:
        return rules.KEEP, number, is_canonical
    if kind == rules.TEXT and (is_name or table[rules.KINDS_AT + rules.TEXT]):
        return rules.OTHER_LANGUAGE, 0, False
    if kind == rules.STRING:
        return rules.DROP_STRING, 0, False
    return (rules.DROP_LINK if kind == rules.LINK else rules.OTHER_VALUE), 0, False


def _looks_ended(text: Bytes, at: int, end: int, table: Bytes) -> bool:
    """Return whether the rest of a dropped line is an object and a full stop."""
    last = end - 1
    while last > at and (text[last] == char.SPACE or text[last] == char.TAB):
        last -= 1
    if last > at and text[last] == char.DOT:
        return True
    _, after, _, _, _ = read_object(text, at, end, table, bool(np.bool_(False)))
    return after > 0 and is_line_end(text, after, end)


def _has_single_spaces(
    text: Bytes,
    start: int,
    subject_end: int,
    predicate_start: int,
    predicate_end: int,
    object_start: int,
) -> bool:
    """Return whether a line begins with an IRI and has a single space between its terms."""
    if text[start] != char.LESS:
        return False
    if text[subject_end] != char.SPACE or text[predicate_end] != char.SPACE:
        return False
    return predicate_start == subject_end + 1 and object_start == predicate_end + 1


def is_selected(
    subject: int, predicate: int, target: int, table: Bytes, subjects: Bytes, objects: Bytes
) -> bool:
    """Return whether the selection of items keeps a line that all other rules keep."""
    if subject < 0 or is_in(subjects, subject):
        return True
    if predicate == rules.SAME_AS:
        return target > 0 and (is_in(subjects, target) or is_in(objects, target))
    if not is_in(objects, subject):
        return False
    if predicate == rules.PRECISION:
        return False
    if 0 <= predicate < rules.PROPERTIES:
        return bool(table[rules.BASIC_AT + predicate])
    return rules.LABEL <= predicate <= rules.DESCRIPTION
