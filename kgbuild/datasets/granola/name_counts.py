"""Count the people who have a first name, or a last name, without a Python object for each."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from kgbuild.store.arrays import Numbers, Positions
from kgbuild.store.columns import Column
from kgbuild.store.text_hashes import Hashes, hash_outer_words, hash_text

_MANY = 100
"""The least number of people in whose store a single name is unusual, and others may be common."""


class NameCounts:
    """The numbers of ``people`` by first and by last name, which are words of their ``labels``.

    ``fold`` returns a label in small letters, without accents. ``total`` is the number of people
    with a label.
    """

    def __init__(self, labels: Column, people: Numbers, fold: Callable[[str], str]):
        words = hash_outer_words(labels, labels.rows(people.astype(np.int64)), fold)
        self._first_names, self._last_names = map(_count, words)
        self.total = int(self._first_names.counts.sum())

    @property
    def are_many(self) -> bool:
        """Whether the store has enough people to tell rare names from common ones."""
        return self.total >= _MANY

    def first_name(self, name: str) -> int:
        """Return the number of people with this first name, which is folded."""
        return self._first_names.of(name)

    def last_name(self, name: str) -> int:
        """Return the number of people with this last name, which is folded."""
        return self._last_names.of(name)

    def is_rare(self, name: str) -> bool:
        """Return whether nobody else has the first or the last name, or a name has three parts.

        In a store with few people, no name is known to be common.
        """
        words = name.split()
        is_rare = len(words) > 2 or self.frequency(name) == 1
        return (is_rare and "of" not in words) or not self.are_many

    def frequency(self, name: str) -> int:
        """Return the product of the numbers of people with the first name and with the last name.

        It is 0 if the name does not consist of these two.
        """
        words = name.split()
        if len(words) != 2:
            return 0
        return self.first_name(words[0]) * self.last_name(words[1])


class _Counts(NamedTuple):
    hashes: Hashes
    counts: Positions

    def of(self, word: str) -> int:
        value = hash_text(word)
        at = int(self.hashes.searchsorted(value))
        return int(self.counts[at]) if at < len(self.hashes) and self.hashes[at] == value else 0


def _count(hashes: Hashes) -> _Counts:
    return _Counts(*np.unique(hashes[hashes != 0], return_counts=True))
