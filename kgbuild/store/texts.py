"""Copy, sort and fold texts that are parts of an array of bytes, in machine code."""

import numpy as np

from kgbuild.native.kernel import kernel
from kgbuild.store.arrays import Bytes, Flags, Positions


def gathered(content: Bytes, starts: Positions, stops: Positions) -> Bytes:
    """Return the texts from ``starts`` to ``stops`` of a content, one after the other."""
    copy = np.empty(int((stops - starts).sum()), np.uint8)
    _gather(content, starts, stops, copy)
    return copy


@kernel
def _gather(content: Bytes, starts: Positions, stops: Positions, copy: Bytes) -> None:
    written = 0
    for n in range(starts.size):
        first, size = starts[n], stops[n] - starts[n]
        for k in range(size):
            copy[written + k] = content[first + k]
        written += size


def sorted_order(
    keys: Positions, content: Bytes, starts: Positions, stops: Positions
) -> tuple[Positions, Flags]:
    """Return the order of texts by their keys and bytes, and whether each repeats the one before.

    The flags are in this order.
    """
    order = np.argsort(keys, kind="stable")
    are_repeated = np.zeros(len(order), np.bool_)
    _sort_runs(keys[order], content, starts, stops, order, are_repeated)
    return order, are_repeated


@kernel
def _sort_runs(
    keys: Positions,
    content: Bytes,
    starts: Positions,
    stops: Positions,
    order: Positions,
    are_repeated: Flags,
) -> None:
    """Sort the texts of each run of equal keys by Shell's method, with gaps of Knuth."""
    first = 0
    while first < keys.size:
        last = first + 1
        while last < keys.size and keys[last] == keys[first]:
            last += 1
        gap = 1
        while gap < last - first:
            gap = 3 * gap + 1
        while gap > 1:
            gap //= 3
            for n in range(first + gap, last):
                text, at = order[n], n
                while at - gap >= first and (
                    _compared(content, starts, stops, text, order[at - gap]) < 0
                ):
                    order[at] = order[at - gap]
                    at -= gap
                order[at] = text
        for n in range(first + 1, last):
            are_repeated[n] = _compared(content, starts, stops, order[n - 1], order[n]) == 0
        first = last


def _compared(content: Bytes, starts: Positions, stops: Positions, a: int, b: int) -> int:
    """Return a number below, equal to or above 0, as the first text is, compared to the second."""
    size_a, size_b = stops[a] - starts[a], stops[b] - starts[b]
    for k in range(min(size_a, size_b)):
        difference = np.int64(content[starts[a] + k]) - np.int64(content[starts[b] + k])
        if difference:
            return int(difference)
    return int(size_a - size_b)
