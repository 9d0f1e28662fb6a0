"""Find the items that no reader would tell from another item by its people."""

import functools
import itertools
import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from kgbuild import wikidata
from kgbuild.data_files import read_toml
from kgbuild.graph.knowledge import Knowledge
from kgbuild.native.arrays import Flags, Numbers, Positions
from kgbuild.relations import COUNTRIES

_NONE = np.zeros(0, np.bool_)
_CACHE_SIZE = 1 << 15
"""Maximum number of items of which is kept in memory what is seen of them."""


class _Seen(NamedTuple):
    """What a reader sees of an item: peoples, and numbers of other near properties and values."""

    peoples: frozenset[str]
    values: frozenset[tuple[int, int]]

    def is_like(self, other: "_Seen", has_one_people: bool) -> bool:
        """Return whether a reader would take one item for the other."""
        is_shared = not has_one_people and not self.peoples.isdisjoint(other.peoples)
        return self.values == other.values and (is_shared or self.peoples == other.peoples)


class Near:
    """Compares items by the near properties of a relation, each of which it reads once.

    Countries count as peoples, in words such as "French": those that the description names, since
    readers know an item by them, and statements lack half of the countries; without them, those of
    the stated countries. A country of the past has the people of today, and a country without a
    common word is its own people, by id.
    """

    def __init__(self, knowledge: Knowledge, pids: frozenset[str]):
        self._index = knowledge.postings
        self._labels = knowledge.labels
        self._by_country = read_toml("english/demonyms.toml")
        self._known = frozenset(self._by_country.values())
        self._has_peoples = not pids.isdisjoint(COUNTRIES)
        self._countries = frozenset(map(wikidata.number, COUNTRIES))
        self._others = frozenset(map(wikidata.number, pids)) - self._countries
        # For each row, the place in the list of what is seen of it; 0 if it was not read yet.
        self._places = np.zeros(len(self._index.items), np.int32)
        self._seen = [_Seen(frozenset(), frozenset())]
        self._place_of: dict[_Seen, int] = {}
        # For what is seen of an item, and whether it has one people: which places are like it.
        self._like: dict[tuple[_Seen, bool], Flags] = {}
        self._of = functools.lru_cache(_CACHE_SIZE)(self._read)

    def are_near(self, qid: str, rows: Positions, has_one_people: bool) -> Flags:
        """Return which rows of the index have the people of an item, and its other values.

        A foreign name would reveal a replacement. A work or place may be of several peoples, of
        which one must be the same; a person ``has_one_people``.
        """
        places, own = self._places_of(rows), self._of(qid)
        are_like = self._like.get((own, has_one_people), _NONE)
        if len(are_like) < len(self._seen):
            new = self._seen[len(are_like) :]
            flags = np.fromiter((seen.is_like(own, has_one_people) for seen in new), np.bool_)
            are_like = self._like[own, has_one_people] = np.concatenate([are_like, flags])
        return are_like[places]

    def _places_of(self, rows: Positions) -> Numbers:
        new = rows[self._places[rows] == 0]
        for row, item in zip(new.tolist(), self._index.items[new].tolist(), strict=True):
            seen = self._of(f"Q{item}")
            place = self._place_of.setdefault(seen, len(self._seen))
            if place == len(self._seen):
                self._seen.append(seen)
            self._places[row] = place
        return self._places[rows]

    def _read(self, qid: str) -> _Seen:
        """Return what is seen of an item."""
        peoples = self.peoples(qid) if self._has_peoples else frozenset[str]()
        return _Seen(peoples, frozenset(self._values(qid, self._others)))

    def _values(self, qid: str, properties: frozenset[int]) -> Iterator[tuple[int, int]]:
        """Yield (property, value) of some properties of an item; others are not read."""
        if properties and (row := self._index.row(qid)) is not None:
            keys = self._index.keys(row)
            lists = (
                numbers[keys].tolist() for numbers in (self._index.properties, self._index.values)
            )
            yield from (pair for pair in zip(*lists, strict=True) if pair[0] in properties)

    def peoples(self, qid: str) -> frozenset[str]:
        """Return the peoples of an item; none if nothing tells them."""
        words = re.findall(r"\w+", self._labels.description(qid) or "")
        phrases = itertools.chain(words, map(" ".join, itertools.pairwise(words)))
        if named := self._known.intersection(phrases):
            return named
        countries = (f"Q{value}" for _, value in self._values(qid, self._countries))
        return frozenset(self._by_country.get(country, country) for country in countries)
