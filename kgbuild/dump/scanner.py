"""Filter the lines of a block by rules, in compiled code."""

from typing import Annotated, NamedTuple

import numpy as np

from kgbuild.dump import ascii_codes as char
from kgbuild.dump import rules
from kgbuild.dump.characters import WIDTH, line_end
from kgbuild.dump.rules import Bytes, Flags, Numbers, Rules
from kgbuild.dump.verdict import is_selected, judge_line
from kgbuild.native.kernel import bit_count, kernel, matching_bytes


class Scanned(NamedTuple):
    """The result of scanning a block. Arrays have an element for each kept line, in order.

    ``text`` has the kept lines, ``ends`` the end of each in it, ``indexes`` the index of each in
    the block. ``subject`` is the number of an item, or minus the number of a property;
    ``predicate`` is a code of ``rules``; ``object`` is like ``subject``, and 0 for other objects. A
    line is ``canonical`` if a store would write it with the same bytes; ``has_blank`` is whether it
    has a blank node.

    ``uncoded`` has a row (verdict, start, end, hash) for the predicate of each dropped line whose
    predicate has no code, ``bad`` has a row (index, start, end) for each bad line; positions are
    those in the block. ``lines`` is the number of all lines of the block.
    """

    text: Bytes
    ends: Numbers
    indexes: Numbers
    subject: Numbers
    predicate: Numbers
    object: Numbers
    canonical: Flags
    has_blank: Flags
    uncoded: Numbers
    bad: Numbers
    lines: int

    def line(self, n: int) -> bytes:
        """Return the kept line with the index ``n``."""
        start = int(self.ends[n - 1]) if n else 0
        return self.text[start : int(self.ends[n]) - 1].tobytes()


def scan(text: bytes | bytearray, count: int, rules: Rules, dropped: Numbers) -> Scanned:
    """Filter a text of ``count`` whole lines, each with a line end.

    The numbers of dropped lines, except the uncoded ones, are added to ``dropped``, an array with
    the shape (number of VERDICTS, PREDICATES).
    """
    block = np.frombuffer(text, np.uint8)
    kept = np.empty(block.size, np.uint8)
    columns, flags = np.empty((5, count), np.int64), np.empty((2, count), np.bool_)
    uncoded, bad = np.empty((count, 4), np.int64), np.empty((count, 3), np.int64)
    sizes = np.zeros(4, np.int64)  # of the parts of the arrays that are filled
    _scan(block, *rules, dropped, kept, columns, flags, uncoded, bad, sizes)
    lines, written, uncoded_count, bad_count = sizes.tolist()
    per_line = (*columns[:, :lines], *flags[:, :lines])
    return Scanned._make(
        (kept[:written], *per_line, uncoded[:uncoded_count], bad[:bad_count], count)
    )


def count_lines(text: bytes | bytearray) -> int:
    """Return the number of line ends in a text, TIMES as fast as ``bytes.count``."""
    return _count(np.frombuffer(text, np.uint8))


@kernel
def _scan(
    text: Bytes,
    table: Bytes,
    subjects: Bytes,
    objects: Bytes,
    dropped: Annotated[Numbers, 2],
    kept: Bytes,
    columns: Annotated[Numbers, 2],
    flags: Annotated[Flags, 2],
    uncoded: Annotated[Numbers, 2],
    bad: Annotated[Numbers, 2],
    sizes: Numbers,
) -> None:
    is_selecting, keeps_everything = table[rules.SELECTING_AT], table[rules.EVERYTHING_AT]
    start = int(sizes[0])  # with a literal 0, numba compiles all callees twice
    written = index = lines = uncoded_count = bad_count = 0
    while start < text.size:
        stop = line_end(text, start)
        end = stop - 1 if stop > start and text[stop - 1] == char.RETURN else stop
        verdict, subject, predicate, target, is_canonical, has_blank, first, last = judge_line(
            text, start, end, table
        )
        if keeps_everything and verdict < rules.NOT_TRIPLE:
            verdict = rules.KEEP
        if (
            is_selecting
            and verdict == rules.KEEP
            and not is_selected(subject, predicate, target, table, subjects, objects)
        ):
            verdict = rules.OTHER_ITEM
        if verdict == rules.KEEP:
            for k in range(end - start):
                kept[written + k] = text[start + k]
            written += end - start + 1
            kept[written - 1] = char.NEWLINE
            columns[0, lines], columns[1, lines], columns[2, lines] = written, index, subject
            columns[3, lines], columns[4, lines] = predicate, target
            flags[0, lines], flags[1, lines] = is_canonical, has_blank
            lines += 1
        elif verdict == rules.BAD:
            row = bad[bad_count]
            row[0], row[1], row[2] = index, start, end
            bad_count += 1
        elif predicate >= 0:
            dropped[verdict, predicate] += 1
        else:
            row = uncoded[uncoded_count]
            row[0], row[1], row[2] = verdict, first, last
            row[3] = _hash(text, first, last) ^ verdict
            uncoded_count += 1
        start = stop + 1
        index += 1
    sizes[0], sizes[1], sizes[2], sizes[3] = lines, written, uncoded_count, bad_count


@kernel
def _count(text: Bytes) -> int:
    count = at = 0
    while text.size - at >= WIDTH:
        count += bit_count(matching_bytes(text, at, char.NEWLINE))
        at += WIDTH
    for k in range(at, text.size):
        count += text[k] == char.NEWLINE
    return count


def _hash(text: Bytes, at: int, end: int) -> int:
    """Return the FNV-1a hash of the bytes from ``at`` to ``end``."""
    value = np.uint64(0xCBF29CE484222325)
    for k in range(at, end):
        value = (value ^ np.uint64(text[k])) * np.uint64(0x100000001B3)
    return int(np.int64(value))
