"""Join places with what is linked to them, in arrays: with keys of the index, areas, or facets."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from kgbuild.graph.pairs import positions
from kgbuild.store.arrays import Flags, Numbers, Positions, distinct
from kgbuild.store.postings import Postings

_PART_BITS = 32
"""Number of bits of the second part of a code."""
_PART = (1 << _PART_BITS) - 1
_MIXERS = (np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9))
"""Odd numbers by which numbers are multiplied, so that their sums are hashes."""


class Links(NamedTuple):
    """Each place, by its position among some items, with a number that is linked to it."""

    places: Positions
    numbers: Positions

    def where(self, are_chosen: Flags) -> "Links":
        """Return the chosen links."""
        return Links(self.places[are_chosen], self.numbers[are_chosen])

    def distinct(self) -> "Links":
        """Return the links, sorted and without repetitions."""
        codes = distinct(self.places << _PART_BITS | self.numbers)
        return Links(codes >> _PART_BITS, codes & _PART)

    def followed(self, lists: Sequence[Sequence[int]]) -> "Links":
        """Return each place with the members of the list whose number is linked to it."""
        sizes = np.array([*map(len, lists)], np.int64)
        starts = np.cumsum(sizes) - sizes
        members = np.array([number for numbers in lists for number in numbers], np.int64)
        chosen = positions(starts[self.numbers], sizes[self.numbers])
        return Links(np.repeat(self.places, sizes[self.numbers]), members[chosen])


def joined(parts: Sequence[Links]) -> Links:
    """Return the links of all parts."""
    return Links(*map(np.concatenate, zip(*parts, strict=True)))


def keys_of(index: Postings, items: Numbers) -> Links:
    """Return the keys of the index that items have, by the positions of the items."""
    rows = index.row_of_each_number(items)
    places = np.flatnonzero(rows >= 0)
    rows = rows[places]
    starts = index.row_ends[rows]
    sizes = index.row_ends[rows + 1] - starts
    keys = index.row_keys[positions(starts, sizes)]
    return Links(np.repeat(places, sizes), keys.astype(np.int64))


def groups(links: Links, count: int) -> tuple[Positions, Positions]:
    """Return the group of each of ``count`` places, and a place of each group.

    The places of a group are linked to the same numbers; a place without links has the group -1.
    Two places with other links are in one group with a probability of 2^-64.
    """
    first, second = _MIXERS
    mixed = (links.numbers.astype(np.uint64) + np.uint64(1)) * first
    mixed = (mixed ^ mixed >> np.uint64(31)) * second
    sums = np.zeros(count, np.uint64)
    np.add.at(sums, links.places, mixed ^ mixed >> np.uint64(29))
    members = distinct(links.places)
    _, examples, numbers = np.unique(sums[members], return_index=True, return_inverse=True)
    of_each = np.full(count, -1, np.int64)
    of_each[members] = numbers
    return of_each, members[examples]
