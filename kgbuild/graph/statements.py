"""Read the statements between items from the index of values, which is faster than queries.

The results equal those of ``values.rq``, ``subjects.rq``, ``relation_pairs.rq``,
``statement_exists.rq`` and ``popularity.rq`` for items; the index has no other values.
"""

import functools
import itertools
from bisect import bisect_left, bisect_right
from collections.abc import Mapping

import numpy as np

from kgbuild import wikidata
from kgbuild.graph.pairs import Pairs, positions
from kgbuild.native.arrays import Numbers, Positions
from kgbuild.native.kernel import kernel
from kgbuild.store import arrays
from kgbuild.store.postings import Postings

_CACHE_SIZE = 1 << 15
"""Maximum number of items whose values, and of those whose popularity, are kept in memory."""


# The ids are those of many items, so each is written, and in memory, once.
_item_id = functools.lru_cache(1 << 17)("Q{}".format)
_property_id = functools.cache("P{}".format)


class Statements:
    """The statements of a store whose values are items.

    ``by_property`` returns the result of ``values`` for all properties of an item, ``popularity``
    the number of statements whose value is an item, and ``keys_to`` the keys of the index with an
    item as value, sorted by property. All are cached.
    """

    def __init__(self, postings: Postings):
        self._index = postings
        self.keys_to = functools.lru_cache(_CACHE_SIZE)(self._read_keys_to)
        self.by_property = functools.lru_cache(_CACHE_SIZE)(self._read)
        self._all_values = functools.lru_cache(_CACHE_SIZE)(self._read_all_values)
        self.popularity = functools.lru_cache(_CACHE_SIZE)(self._count)

    def values(self, qid: str, pid: str) -> tuple[str, ...]:
        """Return the ids of the values of an item's property, sorted by their numbers."""
        return self.by_property(qid).get(pid, ())

    def subjects(self, qid: str, pid: str) -> list[str]:
        """Return the items with the statement (item, ``pid``, ``qid``), sorted by number."""
        return [f"Q{n}" for n in self.subject_numbers(qid, pid).tolist()]

    def properties_to(self, qid: str) -> set[str]:
        """Return the properties of the statements whose value is an item."""
        return {f"P{pid}" for pid in self._index.properties[self.keys_to(qid)].tolist()}

    def subject_numbers(self, qid: str, pid: str) -> Numbers:
        """Return the numbers of the items with the statement (item, ``pid``, ``qid``), sorted."""
        return self._index.items[self.rows(qid, pid)]

    def rows(self, qid: str, pid: str) -> Numbers:
        """Return the rows of the items with the statement (item, ``pid``, ``qid``), sorted."""
        index, keys = self._index, self.keys_to(qid)
        keys = keys[index.properties[keys] == wikidata.number(pid)]
        return index.rows(int(keys[0])) if len(keys) else index.key_rows[:0]

    def values_of_rows(self, rows: Positions, pid: str) -> Numbers:
        """Return the numbers of the values that a property has of items, given by their rows."""
        index = self._index
        found = np.empty((index.row_ends[rows + 1] - index.row_ends[rows]).sum(), np.int32)
        lists = (index.row_ends, index.row_keys, index.properties, index.values)
        return arrays.distinct(found[: _write_values(found, rows, wikidata.number(pid), *lists)])

    def numbers(self, pid: str) -> Pairs:
        """Return the items and values of all statements of a property, grouped by value."""
        index = self._index
        (keys,) = np.nonzero(index.properties == np.int32(wikidata.number(pid)))
        starts = index.key_ends[keys]
        sizes = index.key_ends[keys + 1] - starts
        subjects = index.items[index.key_rows[positions(starts, sizes)]]
        return Pairs(subjects, np.repeat(index.values[keys], sizes))

    def holds(self, subject: str, pid: str, value: str) -> bool:
        """Return whether the store has a statement."""
        return value in self.values(subject, pid)

    def is_subject(self, qid: str) -> bool:
        """Return whether an item has a statement whose value is an item."""
        return self._index.row(qid) is not None

    def between(self, a: str, b: str) -> list[tuple[str, str, str]]:
        """Return the statements that link two items in either direction, sorted."""
        if b not in self._all_values(a) and a not in self._all_values(b):
            return []  # nearly always
        return sorted(
            (subject, pid, value)
            for subject, value in ((a, b), (b, a))
            for pid, values in self.by_property(subject).items()
            if value in values
        )

    def _read_all_values(self, qid: str) -> frozenset[str]:
        return frozenset(itertools.chain.from_iterable(self.by_property(qid).values()))

    def _read_keys_to(self, qid: str) -> Numbers:
        """Return the keys with this item as value, sorted by property."""
        number, index = wikidata.number(qid), self._index
        start = bisect_left(index.by_value, number, key=index.values.item)
        end = bisect_right(index.by_value, number, start, key=index.values.item)
        return index.by_value[start:end]

    def _count(self, qid: str) -> int:
        """Return the number of statements whose value is an item."""
        index, keys = self._index, self.keys_to(qid)
        if not len(keys):
            return 0
        return int((index.key_ends[keys + 1] - index.key_ends[keys]).sum())

    def _read(self, qid: str) -> Mapping[str, tuple[str, ...]]:
        """Return the values of an item by property, sorted by their numbers."""
        row = self._index.row(qid)
        if row is None:
            return {}
        keys = self._index.keys(row)
        properties, values = self._index.properties[keys], self._index.values[keys]
        by_property: dict[int, list[str]] = {}
        for pid, value in sorted(zip(properties.tolist(), values.tolist(), strict=True)):
            by_property.setdefault(pid, []).append(_item_id(value))
        return {_property_id(pid): tuple(values) for pid, values in by_property.items()}


@kernel
def _write_values(
    found: Numbers,
    rows: Positions,
    pid: int,
    row_ends: Positions,
    row_keys: Numbers,
    properties: Numbers,
    values: Numbers,
) -> int:
    """Write the values of a property that rows have; return how many there are."""
    count = 0
    for row in rows:
        for at in range(row_ends[row], row_ends[row + 1]):
            if properties[row_keys[at]] == pid:
                found[count] = values[row_keys[at]]
                count += 1
    return count
