"""Similarity by shared property values, counted exactly over posting lists.

Two items are as alike as the number of (property, value) that both have, with values that
are items (Syn-(QA)2, section 2.1). ``property_overlap.rq`` is the definition; this module
gives the same answers from arrays that are read from the store once.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from kgbuild.kg import wikidata
from kgbuild.kg.hierarchy import Kinds
from kgbuild.kg.store import Graph


class Neighbour(NamedTuple):
    """An item like another one.

    ``overlap`` counts the shared (property, value), ``rarest`` the items that have the
    rarest of them.
    """

    qid: str
    overlap: int
    rarest: int


class Overlap:
    """Posting lists, (property, value) to items, for the properties asked for."""

    def __init__(self, graph: Graph, kinds: Kinds, properties: Iterable[str]):
        self._kinds = kinds
        self._items: dict[str, int] = {}
        self._qids: list[str] = []
        self._values: list[list[tuple[str, str]]] = []
        self._postings: dict[tuple[str, str], npt.NDArray[np.int32]] = {}
        for pid in sorted(set(properties), key=wikidata.number):
            self._read(graph, pid)
        self._numbers = np.array([wikidata.number(qid) for qid in self._qids], dtype=np.int64)

    def _read(self, graph: Graph, pid: str) -> None:
        found: dict[str, list[int]] = {}
        for qid, value in graph.select("relation_pairs", property=pid):
            number = self._items.setdefault(qid, len(self._items))
            if number == len(self._qids):
                self._qids.append(qid)
                self._values.append([])
            found.setdefault(value, []).append(number)
            self._values[number].append((pid, value))
        for value, numbers in found.items():
            self._postings[pid, value] = np.array(numbers, dtype=np.int32)

    def neighbours(
        self, qid: str, properties: Sequence[str], min_overlap: int
    ) -> Iterator[Neighbour]:
        """Yield the items of the same class that share ``min_overlap`` values or more.

        The same class is a shared direct P31. Most shared values come first, ties are
        ordered by the rarest shared value, then by id. Classes are looked at one by one,
        so taking the first few is cheap.
        """
        me = self._items.get(qid)
        if me is None:
            return
        overlap = np.zeros(len(self._qids), dtype=np.int32)
        rarest = np.full(len(self._qids), np.iinfo(np.int32).max, dtype=np.int32)
        for key in self._values[me]:
            if key[0] in properties:
                holders = self._postings[key]
                overlap[holders] += 1
                rarest[holders] = np.minimum(rarest[holders], len(holders))
        overlap[me] = 0
        found = np.flatnonzero(overlap >= max(min_overlap, 1))
        order = np.lexsort((self._numbers[found], rarest[found], -overlap[found]))
        mine = self._kinds.classes(qid)
        for n in found[order]:
            if not mine.isdisjoint(self._kinds.classes(self._qids[n])):
                yield Neighbour(self._qids[n], int(overlap[n]), int(rarest[n]))

    def shared(self, one: str, other: str, properties: Sequence[str]) -> list[tuple[str, str]]:
        """Return the (property, value) that two items share, the rarest first, ties by id."""
        both = set(self._values[self._items[one]]) & set(self._values[self._items[other]])
        return sorted(
            (key for key in both if key[0] in properties),
            key=lambda key: (len(self._postings[key]), *map(wikidata.number, key)),
        )
