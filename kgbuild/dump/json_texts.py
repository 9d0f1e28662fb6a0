"""Copy the labels, descriptions or aliases of an entity that are in languages that are kept.

The functions are compiled with the kernel that calls them; see ``json_syntax``.
"""

from kgbuild.dump import ascii_codes as char
from kgbuild.dump import rules
from kgbuild.dump.characters import is_letter
from kgbuild.dump.json_syntax import copy, skip_key, skip_value
from kgbuild.dump.parts import is_wanted_language
from kgbuild.dump.rules import Bytes, Numbers
from kgbuild.dump.syntax import read_tag


def prune_texts(
    text: Bytes,
    at: int,
    end: int,
    table: Bytes,
    predicate: int,
    out: Bytes,
    written: int,
    counts: Numbers,
    rows: int,
) -> tuple[int, int, int]:
    """Copy an object of texts by language; add a row to ``counts`` for those that are left out.

    Returns:
        The end of the object, or -1; ``written``; and ``rows``, the number of rows.
    """
    if at + 1 >= end or text[at] != char.LEFT_BRACE or text[at + 1] == char.RIGHT_BRACE:
        after = skip_value(text, at, end)  # an empty list, too
        return after, copy(text, at, after, out, written), rows
    out[written] = char.LEFT_BRACE
    written += 1
    first, count = written, 0
    while text[at] != char.RIGHT_BRACE:
        key = at + 1
        value = skip_key(text, key, end)
        if value < 0:
            return -1, written, rows
        dropped = 0
        if _is_dropped(text, key + 1, value - 2, table):
            at, dropped = _count(text, value, end, predicate == rules.ALIAS)
        else:
            at = skip_value(text, value, end)
        if at < 0 or at >= end or (text[at] != char.COMMA and text[at] != char.RIGHT_BRACE):
            return -1, written, rows
        count += dropped
        if not dropped:
            if written > first:
                out[written] = char.COMMA
                written += 1
            written = copy(text, key, at, out, written)
    out[written] = char.RIGHT_BRACE
    if count:
        row = counts[rows]
        row[0], row[1], row[2] = rules.OTHER_LANGUAGE, predicate, count
        rows += 1
    return at + 1, written + 1, rows


def _is_dropped(text: Bytes, at: int, end: int, table: Bytes) -> bool:
    """Return whether the text from ``at`` to ``end`` is a language that the rules drop."""
    if table[rules.EVERYTHING_AT] or end - at < 2 or not is_letter(text[at + 1]):
        return False
    after, _ = read_tag(text, at, end)
    return after == end and not is_wanted_language(text, at, end, table)


def _count(text: Bytes, at: int, end: int, is_list: bool) -> tuple[int, int]:
    """Return the end of a text, or of a list of texts, and the number of texts."""
    if text[at] != (char.LEFT_BRACKET if is_list else char.LEFT_BRACE):
        return skip_value(text, at, end), 0
    if not is_list:
        return skip_value(text, at, end), 1
    count = 0
    while text[at] != char.RIGHT_BRACKET:
        at = skip_value(text, at + 1, end)
        count += 1
        if at < 0 or at >= end or (text[at] != char.COMMA and text[at] != char.RIGHT_BRACKET):
            return -1, 0
    return at + 1, count
