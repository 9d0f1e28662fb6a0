"""Remove from the entities of a JSON dump what the rules drop, in compiled code.

Most of a JSON dump is qualifiers, references, sitelinks, texts in other languages and statements of
other properties. A line without them is ten times as short, and takes as much less time to decode.
A slice of the people in 160 MB of real entities takes 1.0 to 1.3 s of processor time with it, and
3.0 s without; one of all items 1.4 to 1.8, and 2.5 to 2.9 s. What becomes triples, and what is
malformed or written in another way than Wikidata writes it, is left as it is. The parts that are
removed are checked only for their quotation marks and brackets.

A slice of the instances of a class, or of listed items, keeps of all other items at most the names
and the statements of HIERARCHY, if a chosen item leads to them. The other statements of such an
item are not even counted.
"""

from collections import Counter
from typing import Annotated

import numpy as np

from kgbuild.dump import ascii_codes as char
from kgbuild.dump import rules
from kgbuild.dump.bitmaps import is_in
from kgbuild.dump.characters import codes, line_end, read_number
from kgbuild.dump.json_parts import prune_claims, prune_texts
from kgbuild.dump.json_syntax import copy, equals, skip_key, skip_value
from kgbuild.dump.reader import Block
from kgbuild.dump.rules import Bytes, CandidateItems, Numbers, Rules
from kgbuild.native.kernel import kernel

_ID, _TYPE = codes('"id":'), codes('"type":')
_LABELS, _DESCRIPTIONS = codes('"labels":'), codes('"descriptions":')
_ALIASES, _CLAIMS = codes('"aliases":'), codes('"claims":')
_BYTES_PER_COUNT = 16
"""A number of bytes that is smaller than any part that is counted alone."""


class Pruner:
    """Removes what ``rules`` drop, and most of the items that are not among the ``candidates``."""

    def __init__(self, rules: Rules, candidates: CandidateItems | None = None):
        nothing = np.zeros(0, np.uint8)
        self._table = rules.table
        self._candidates = candidates or CandidateItems(nothing, nothing)

    def prune(self, block: Block) -> tuple[bytes, Counter[tuple[str, str]]]:
        """Return the text of a block, with as many lines, and the numbers of removed triples.

        These are by reason and predicate. Several threads may call this at the same time.
        """
        text = np.frombuffer(block.text, np.uint8)
        out = np.empty(text.size, np.uint8)
        counts = np.empty((text.size // _BYTES_PER_COUNT + 1, 3), np.int64)
        sizes = np.zeros(2, np.int64)
        _prune(text, self._table, *self._candidates, out, counts, sizes)
        written, rows = sizes.tolist()
        return out[:written].tobytes(), _united(counts[:rows])


def _united(rows: Numbers) -> Counter[tuple[str, str]]:
    """Add up rows (verdict, predicate, count); return the sums by reason and predicate."""
    codes, indexes = np.unique(rows[:, 0] * rules.PREDICATES + rows[:, 1], return_inverse=True)
    sums = np.bincount(indexes, rows[:, 2]).astype(np.int64).tolist()
    return Counter(
        {
            (rules.VERDICTS[code // rules.PREDICATES], rules.name(code % rules.PREDICATES)): count
            for code, count in zip(codes.tolist(), sums, strict=True)
        }
    )


@kernel
def _prune(
    text: Bytes,
    table: Bytes,
    listed: Bytes,
    classes: Bytes,
    out: Bytes,
    counts: Annotated[Numbers, 2],
    sizes: Numbers,
) -> None:
    start = written = rows = int(sizes[0])
    while start < text.size:
        stop = line_end(text, start) + 1
        end, pruned, new_rows = _prune_entity(
            text, start, stop, table, listed, classes, out, written, counts, rows
        )
        if end < 0 or stop - end > len(",\r\n"):
            written = copy(text, start, stop, out, written)
        else:
            written = copy(text, end, stop, out, pruned)
            rows = new_rows
        start = stop
    sizes[0], sizes[1] = written, rows


def _prune_entity(
    text: Bytes,
    at: int,
    end: int,
    table: Bytes,
    listed: Bytes,
    classes: Bytes,
    out: Bytes,
    written: int,
    counts: Numbers,
    rows: int,
) -> tuple[int, int, int]:
    """Prune an entity; return its end, or -1 if it must stay; ``written``; and ``rows``."""
    if text[at] != char.LEFT_BRACE:
        return -1, written, rows
    first = written
    item = 0
    while text[at] != char.RIGHT_BRACE:
        key = at + 1
        at = skip_key(text, key, end)
        if at < 0:
            return -1, written, rows
        value, before = at, written
        out[written] = char.COMMA if written > first else char.LEFT_BRACE
        written = copy(text, key, value, out, written + 1)
        predicate = _predicate(text, key, value)
        if predicate:
            at, written, rows = prune_texts(
                text, value, end, table, predicate, out, written, counts, rows
            )
        elif equals(text, key, value, _CLAIMS):
            # An item is listed or not only if its id was read, which Wikidata writes first.
            is_cut = item > 0 and classes.size > 0 and not is_in(listed, item)
            at, pruned, new_rows = prune_claims(
                text, value, end, table, is_cut, classes, out, written, counts, rows
            )
            if at < 0 and is_cut:  # an instance
                is_cut = False
                at, pruned, new_rows = prune_claims(
                    text, value, end, table, is_cut, classes, out, written, counts, rows
                )
            written, rows = pruned, new_rows
        else:
            at = skip_value(text, value, end)
            is_id = equals(text, key, value, _ID)
            if at > 0 and (is_id or equals(text, key, value, _TYPE)):
                written = copy(text, value, at, out, written)
            else:
                written = before
            if at > 0 and is_id and text[value + 1] == char.Q:
                item, _ = read_number(text, value + 2, at)
        if at < 0 or at >= end or (text[at] != char.COMMA and text[at] != char.RIGHT_BRACE):
            return -1, written, rows
    if written == first:
        return -1, written, rows
    out[written] = char.RIGHT_BRACE
    return at + 1, written + 1, rows


def _predicate(text: Bytes, key: int, end: int) -> int:
    """Return the code of the predicate of the texts with a key, or 0."""
    if equals(text, key, end, _LABELS):
        return rules.LABEL
    if equals(text, key, end, _DESCRIPTIONS):
        return rules.DESCRIPTION
    return rules.ALIAS if equals(text, key, end, _ALIASES) else 0
