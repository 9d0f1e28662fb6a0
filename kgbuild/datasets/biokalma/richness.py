"""Find the items about which a question can ask for enough facts, in arrays.

``Candidates.is_rich`` decides about the few items for which the arrays do not suffice: facts with
the same text count once, and some properties are not asked beside others.
"""

import numpy as np

from kgbuild.catalog import catalog
from kgbuild.datasets.biokalma.candidates import PERSON, THING, Candidates
from kgbuild.datasets.biokalma.evolve import MIN_PIECES
from kgbuild.datasets.biokalma.lexicon import lexicon
from kgbuild.datasets.biokalma.pool import Pools
from kgbuild.dump import rules
from kgbuild.graph.knowledge import Knowledge
from kgbuild.native.kernel import kernel
from kgbuild.store.arrays import Bytes, Flags, Numbers, Positions
from kgbuild.store.columns import PROPERTY_BITS, PROPERTY_MASK

_CLASS = 31
"""The number of the property "instance of"."""
_UNREAD, _NO, _PERHAPS, _YES = 0, 1, 2, 3
"""Whether a question can ask for a property or a statement, or whether an item has enough facts."""
_NONE, _SEVERAL = 0, -1
"""The numbers that stand for no property, and for several ones."""
_MIN_LETTERS = 4
"""Number of letters from which on the text of a time is not empty."""
_INVISIBLE = np.zeros(256, np.uint8)
"""Whether an invisible character can begin with a byte, in UTF-8."""
_INVISIBLE[[*range(0x21), 0x7F, 0xC2, 0xE1, 0xE2, 0xE3, 0xEF]] = 1


class Richness:
    """Finds the items about which enough is known, among instances of a class."""

    def __init__(self, knowledge: Knowledge, pools: Pools, candidates: Candidates, of_class: str):
        self._knowledge = knowledge
        self._pools = pools
        self._candidates = candidates
        kinds = knowledge.kinds.of_class(of_class)
        first = next((name for name in catalog().kinds if name in kinds), THING)
        self._kind = PERSON if first == PERSON else THING

    def __call__(self, items: Numbers) -> Flags:
        """Return whether enough is known about each instance."""
        index, columns = self._knowledge.postings, self._knowledge.columns
        levels = np.zeros(len(items), np.uint8)
        _judge(
            index.row_of_each_number(items),
            index.items,
            index.row_ends,
            index.row_keys,
            index.properties,
            index.values,
            columns.labels.keys,
            columns.labels.ends,
            columns.labels.content,
            columns.times.keys,
            columns.times.ends,
            self._uses(),
            np.zeros(len(index.properties), np.uint8),
            _INVISIBLE,
            levels,
        )
        levels[np.isin(items, [*self._pools.items_with_texts])] = _PERHAPS
        unclear = np.flatnonzero(levels == _PERHAPS)
        levels[unclear] = [
            _YES if self._candidates.is_rich(f"Q{item}") else _NO
            for item in items[unclear].tolist()
        ]
        are_rich: Flags = levels == _YES
        return are_rich

    def _uses(self) -> Bytes:
        """Return whether a question can ask for each property, by its number."""
        uses = np.full(rules.PROPERTIES, _NO, np.uint8)
        are_used = self._knowledge.columns.times.property_sizes() > 0
        are_used[self._knowledge.postings.properties] = True
        for number in np.flatnonzero(are_used).tolist():
            pid = f"P{number}"
            if pid not in lexicon().silent and self._candidates.asks_for(pid, self._kind):
                uses[number] = _PERHAPS if lexicon().wording(pid, "").unless else _YES
        return uses


@kernel
def _judge(
    rows: Positions,
    items: Numbers,
    row_ends: Positions,
    row_keys: Numbers,
    properties: Numbers,
    values: Numbers,
    labels: Positions,
    label_ends: Positions,
    label_content: Bytes,
    times: Positions,
    time_ends: Positions,
    uses: Bytes,
    are_asked: Bytes,
    are_invisible: Bytes,
    levels: Bytes,
) -> None:
    """Write whether each row has facts of several properties, or perhaps enough facts.

    ``are_asked`` keeps what was read about a key. Frequent keys are last in the list of a row, and
    are read first.
    """
    for n in range(rows.size):
        row, facts, of_pid = rows[n], 0, _NONE
        for at in range(row_ends[row + 1] - 1, row_ends[row] - 1, -1):
            if of_pid == _SEVERAL:
                break
            key = row_keys[at]
            if are_asked[key] == _UNREAD:
                use, names = uses[properties[key]], (labels, label_ends, label_content)
                are_asked[key] = _with_label(use, values[key], *names, are_invisible)
            facts += are_asked[key] > _NO
            of_pid = _either(of_pid, properties[key], are_asked[key])
        at = _first(times, int(items[row]) << PROPERTY_BITS)
        while at < times.size and times[at] >> PROPERTY_BITS == items[row]:
            use = uses[times[at] & PROPERTY_MASK]
            if use == _YES and time_ends[at + 1] - time_ends[at] < _MIN_LETTERS:
                use = _PERHAPS
            facts += use > _NO
            of_pid = _either(of_pid, times[at] & PROPERTY_MASK, use)
            at += 1
        has_several_classes = _count(_CLASS, row, row_ends, row_keys, properties) > 1
        if has_several_classes or (of_pid != _SEVERAL and facts >= MIN_PIECES):
            levels[n] = _PERHAPS  # with several classes, it may be of another kind
        else:
            levels[n] = _YES if of_pid == _SEVERAL else _NO


def _with_label(
    use: int,
    item: int,
    labels: Positions,
    label_ends: Positions,
    label_content: Bytes,
    are_invisible: Bytes,
) -> int:
    """Return whether questions can ask for a value, which needs a label with visible characters."""
    if use == _NO:
        return _NO
    at = _first(labels, item)
    if at == labels.size or labels[at] != item or label_ends[at] == label_ends[at + 1]:
        return _NO
    return _PERHAPS if are_invisible[label_content[label_ends[at]]] else use


def _either(of_pid: int, pid: int, use: int) -> int:
    """Return the property of the facts so far and another one, or ``_SEVERAL``."""
    if use != _YES or of_pid == pid:
        return of_pid
    return pid if of_pid == _NONE else _SEVERAL


def _count(pid: int, row: int, row_ends: Positions, row_keys: Numbers, properties: Numbers) -> int:
    """Return the number of values that a row has for a property."""
    count = 0
    for at in range(row_ends[row], row_ends[row + 1]):
        count += properties[row_keys[at]] == pid
    return count


def _first(keys: Positions, key: int) -> int:
    """Return the first position of sorted keys that are at least ``key``."""
    low, high = 0, keys.size
    while low < high:
        middle = (low + high) >> 1
        if keys[middle] < key:
            low = middle + 1
        else:
            high = middle
    return low
