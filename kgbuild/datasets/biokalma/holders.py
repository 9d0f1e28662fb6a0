"""Count the items of a class that have a value for each property.

``holders.rq`` defines the numbers, which are kept beside the store.
"""

from collections.abc import Mapping

import numpy as np

from kgbuild.graph.knowledge import Knowledge
from kgbuild.native.kernel import kernel
from kgbuild.store.arrays import Numbers, Positions
from kgbuild.store.columns import PROPERTY_BITS, PROPERTY_MASK

_VERSION = 1


def property_holders(knowledge: Knowledge, of_class: str) -> Mapping[str, int]:
    """Return the number of direct instances of a class with a value of each property.

    The values are items, times, unknown ones, and others of properties that have one of these.
    """
    (sizes,) = knowledge.counts.arrays(
        ("property_holders", of_class), _VERSION, (np.int64,), lambda: [_count(knowledge, of_class)]
    )
    pids = np.flatnonzero(sizes)
    return {f"P{pid}": size for pid, size in zip(pids.tolist(), sizes[pids].tolist(), strict=True)}


def _count(knowledge: Knowledge, of_class: str) -> Positions:
    """Return the number of holders by the number of the property."""
    sizes, last = np.zeros(1 << PROPERTY_BITS, np.int64), np.full(1 << PROPERTY_BITS, -1, np.int64)
    index, columns = knowledge.postings, knowledge.columns
    rows = knowledge.statements.rows(of_class, "P31")
    are_cited = columns.times.property_sizes() > 0
    are_cited[index.properties] = True
    others = [
        items << PROPERTY_BITS | pid
        for pid in np.flatnonzero(are_cited).tolist()
        if len(items := knowledge.others.items(f"P{pid}"))
    ]
    _add_holders(
        rows,
        index.items,
        index.row_ends,
        index.row_keys,
        index.properties,
        columns.times.keys,
        columns.unknown_values.keys,
        np.sort(np.concatenate([np.empty(0, np.int64), *others])),
        last,
        sizes,
    )
    return sizes


@kernel
def _add_holders(
    rows: Numbers,
    items: Numbers,
    row_ends: Positions,
    row_keys: Numbers,
    properties: Numbers,
    times: Positions,
    unknown: Positions,
    others: Positions,
    last: Positions,
    sizes: Positions,
) -> None:
    """Count each row once for each of its properties; ``last`` has the last row of a property."""
    at_times, at_unknown, at_others = 0, 0, 0
    for row in rows:
        for at in range(row_ends[row], row_ends[row + 1]):
            _add_holder(properties[row_keys[at]], row, last, sizes)
        at_times = _add_column(times, at_times, items[row], row, last, sizes)
        at_unknown = _add_column(unknown, at_unknown, items[row], row, last, sizes)
        at_others = _add_column(others, at_others, items[row], row, last, sizes)


def _add_column(
    keys: Positions, at: int, item: int, row: int, last: Positions, sizes: Positions
) -> int:
    """Count a row once for its properties in a column; return where its keys end."""
    while at < keys.size and keys[at] >> PROPERTY_BITS < item:
        at += 1
    while at < keys.size and keys[at] >> PROPERTY_BITS == item:
        _add_holder(keys[at] & PROPERTY_MASK, row, last, sizes)
        at += 1
    return at


def _add_holder(pid: int, row: int, last: Positions, sizes: Positions) -> None:
    if last[pid] != row:
        last[pid] = row
        sizes[pid] += 1
