"""Bring the lines of a batch into the form that they have in the graph: each triple once.

A dump has a line for each statement, so two statements with the same value are two equal lines,
which are close to each other. A graph has the triple once, and writes it in canonical N-Triples.
"""

import re
from collections.abc import Sequence
from typing import cast

import numpy as np

from kgbuild import wikidata
from kgbuild.dump.filter import scan_lines
from kgbuild.dump.rules import Bytes, Flags, Numbers
from kgbuild.dump.scanner import Scanned
from kgbuild.native.kernel import kernel
from kgbuild.store import oxigraph
from kgbuild.store.arrays import Array
from kgbuild.store.spill import gathered

# A blank node as the subject or the object of a line; the groups are its label.
_BLANK_NODE = re.compile(
    rb'^[ \t]*_:([^\s<>"]+)|_:([^\s<>"]+?)(?=[ \t]*\.[ \t]*(?:#[^\n]*)?$)', re.MULTILINE
)
_IRI = rb"<" + wikidata.UNKNOWN_VALUE.encode() + rb"\1\2>"
_PER_LINE = Scanned._fields.index("uncoded")
"""Number of the first arrays of ``Scanned``, which are the text and what there is of each line."""
_MOST = 1024
"""The greatest number of lines of an item and a property with which a line is compared."""


def name_blank_nodes(scanned: Scanned) -> bytes:
    """Return the scanned lines, with IRIs made from labels of blank nodes in place of the nodes.

    Wikidata's other exports have such IRIs. Oxigraph renames blank nodes at each load, so a dump
    that is loaded twice would have its unknown values in the store twice.
    """
    text = scanned.text.tobytes()
    parts: list[bytes] = []
    copied = 0
    for n in scanned.has_blank.nonzero()[0].tolist():
        start, end = int(scanned.ends[n - 1]) if n else 0, int(scanned.ends[n])
        parts += text[copied:start], _BLANK_NODE.sub(_IRI, text[start:end])
        copied = end
    return b"".join([*parts, text[copied:]])


def canonical(scanned: Scanned) -> Scanned:
    """Return the lines in the form that Oxigraph writes; those that it changes come last.

    These have escapes, numbers, capitals in language tags, unusual spaces or unknown values.
    """
    if scanned.canonical.all():
        return scanned
    others = oxigraph.rewritten(name_blank_nodes(_chosen(scanned, ~scanned.canonical)))
    first, last = _chosen(scanned, scanned.canonical), scan_lines(others)
    last = last._replace(ends=last.ends + len(first.text))
    pairs = zip(first[:_PER_LINE], last[:_PER_LINE], strict=True)
    return Scanned._make((*map(np.concatenate, pairs), *scanned[_PER_LINE:]))


def _chosen(scanned: Scanned, are_chosen: Flags) -> Scanned:
    """Return some of the lines."""
    starts = scanned.ends - np.diff(scanned.ends, prepend=0)
    per_line = cast(Sequence[Array], scanned[1:_PER_LINE])
    ends, *others = (array[are_chosen] for array in per_line)
    text = gathered(scanned.text, starts[are_chosen], ends)
    ends = np.cumsum(ends - starts[are_chosen])
    return Scanned._make((text, ends, *others, *scanned[_PER_LINE:]))


class Repeats:
    """Finds repeated lines in batches, which must be passed in their order."""

    def __init__(self) -> None:
        self._group: tuple[int, int] | None = None
        self._lines: set[bytes] = set()

    def without(self, scanned: Scanned) -> Scanned:
        """Return the lines of a batch without those that repeat one before them.

        Lines with another spelling of a triple stay.
        """
        are_repeated = np.zeros(len(scanned.ends), np.bool_)
        _mark(
            scanned.text,
            scanned.ends,
            scanned.subject,
            scanned.predicate,
            scanned.object,
            are_repeated,
        )
        self._mark_first(scanned, are_repeated)
        self._keep_last(scanned)
        return _chosen(scanned, ~are_repeated) if are_repeated.any() else scanned

    def _mark_first(self, scanned: Scanned, are_repeated: Flags) -> None:
        """Mark the first lines that repeat the last lines of the batch before."""
        for n in range(len(are_repeated)):
            if _group(scanned, n) != self._group:
                break
            are_repeated[n] |= scanned.line(n) in self._lines

    def _keep_last(self, scanned: Scanned) -> None:
        """Keep the last lines that have the item and the property of the last one."""
        count = len(scanned.ends)
        if not count:
            return
        group = _group(scanned, -1)
        are_others = (scanned.subject != group[0]) | (scanned.predicate != group[1])
        others = np.flatnonzero(are_others[-_MOST:])
        start = max(0, count - _MOST) + (int(others[-1]) + 1 if len(others) else 0)
        if start or group != self._group:
            self._lines = set()
        self._group = group
        self._lines |= {scanned.line(n) for n in range(start, count)}


def _group(scanned: Scanned, n: int) -> tuple[int, int]:
    """Return the subject and the predicate of a line."""
    return int(scanned.subject[n]), int(scanned.predicate[n])


@kernel
def _mark(
    text: Bytes,
    ends: Numbers,
    subject: Numbers,
    predicate: Numbers,
    target: Numbers,
    are_repeated: Flags,
) -> None:
    first = 0
    for n in range(1, ends.size):
        if subject[n] != subject[n - 1] or predicate[n] != predicate[n - 1]:
            first = n
        lowest = max(first, n - _MOST)
        k = n - 1
        while k >= lowest and not are_repeated[n]:
            if target[k] == target[n] and _are_equal(text, ends, k, n):
                are_repeated[n] = True
            k -= 1


def _are_equal(text: Bytes, ends: Numbers, k: int, n: int) -> bool:
    """Return whether two lines, of which the first one is before the other, have the same bytes."""
    start, end = int(ends[n - 1]), int(ends[n])
    other = int(ends[k - 1]) if k else 0
    if int(ends[k]) - other != end - start:
        return False
    at = 1  # equal items and properties stand at the beginning
    while at <= end - start and text[end - at] == text[int(ends[k]) - at]:
        at += 1
    return at > end - start
