"""What the statements between items say, from the index of values: no query, and quickly.

It says what ``values.rq``, ``subjects.rq``, ``relation_pairs.rq``, ``statement_exists.rq`` and
``popularity.rq`` say of items; for values that are no items, or that nobody knows, the graph must
be asked.
"""

import functools
from collections.abc import Mapping

import numpy as np

from kgbuild import wikidata
from kgbuild.store.postings import Postings

_REMEMBERED = 1 << 17


class Statements:
    """Answers questions about statements whose values are items."""

    def __init__(self, postings: Postings):
        self._index = postings
        self._of = functools.lru_cache(_REMEMBERED)(self._read)

    def values(self, qid: str, pid: str) -> tuple[str, ...]:
        """Return the items that an item has for a property, by number."""
        return self._of(qid).get(pid, ())

    def subjects(self, qid: str, pid: str) -> list[str]:
        """Return the items that have an item for a property, by number."""
        index, keys = self._index, self._index.keys_to(qid)
        (found,) = np.nonzero(index.properties[keys] == wikidata.number(pid))
        return [f"Q{n}" for key in keys[found] for n in index.items[index.rows(key)].tolist()]

    def pairs(self, pid: str) -> list[tuple[str, str]]:
        """Return all pairs of items that a property joins, by the values' holders."""
        index = self._index
        (keys,) = np.nonzero(index.properties == np.int32(wikidata.number(pid)))
        return [
            (f"Q{subject}", f"Q{index.values[key]}")
            for key in keys.tolist()
            for subject in index.items[index.rows(key)].tolist()
        ]

    def holds(self, subject: str, pid: str, value: str) -> bool:
        """Tell whether a statement stands in the store."""
        return value in self.values(subject, pid)

    def between(self, one: str, other: str) -> list[tuple[str, str, str]]:
        """Return the statements about two items, whichever is the subject, in order."""
        return sorted(
            (subject, pid, value)
            for subject, value in ((one, other), (other, one))
            for pid, values in self._of(subject).items()
            if value in values
        )

    def popularity(self, qid: str) -> int:
        """Return how many statements point to an item."""
        index, keys = self._index, self._index.keys_to(qid)
        return int((index.key_ends[keys + 1] - index.key_ends[keys]).sum())

    def _read(self, qid: str) -> Mapping[str, tuple[str, ...]]:
        row = self._index.row(qid)
        if row is None:
            return {}
        keys = self._index.keys(row)
        properties, values = self._index.properties[keys], self._index.values[keys]
        read: dict[str, list[str]] = {}
        for pid, value in sorted(zip(properties.tolist(), values.tolist(), strict=True)):
            read.setdefault(f"P{pid}", []).append(f"Q{value}")
        return {pid: tuple(values) for pid, values in read.items()}
