"""Leave out lines that repeat a line of the same item and property.

A dump has a line for each statement, so two statements with the same value are two equal lines,
which are close to each other. A graph has the triple once.
"""

import numpy as np

from kgbuild.dump.rules import Bytes, Flags, Numbers
from kgbuild.dump.scanner import Scanned
from kgbuild.native.kernel import kernel

_MOST = 1024
"""The greatest number of lines of an item and a property with which a line is compared."""


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


def _chosen(scanned: Scanned, are_chosen: Flags) -> Scanned:
    """Return some of the lines."""
    lengths = np.diff(scanned.ends, prepend=0)
    return scanned._replace(
        text=scanned.text[np.repeat(are_chosen, lengths)],
        ends=lengths[are_chosen].cumsum(),
        indexes=scanned.indexes[are_chosen],
        subject=scanned.subject[are_chosen],
        predicate=scanned.predicate[are_chosen],
        object=scanned.object[are_chosen],
        canonical=scanned.canonical[are_chosen],
        has_blank=scanned.has_blank[are_chosen],
    )


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
