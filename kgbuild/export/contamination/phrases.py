"""Find texts in a large text: the windows of words that only they have, by their hashes.

A short text is found if all of it is there. Of a long one, a window of ``MAX_WINDOW`` words is
enough. Windows of several texts, such as the words of a template, are left out.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from kgbuild.export.contamination.words import (
    MAX_WINDOW,
    Ends,
    Hashes,
    hash_words,
    normalise,
    windows,
)

MIN_WORDS = 5
"""The words of the shortest texts that are searched for: shorter ones are anywhere by chance."""
_FILTER_BITS = 22
"""The number of bits of a hash that select a place in the filter of a length."""


@dataclass(frozen=True)
class _Windows:
    """The windows of one length: sorted hashes, the number of the text of each, and a filter.

    The filter tells by the first bits of a hash whether any window begins with them.
    """

    hashes: Hashes
    texts: Ends
    is_possible: npt.NDArray[np.bool_]

    def find(self, hashes: Hashes) -> Iterator[tuple[int, int]]:
        """Yield the index of each hash that is a window, and the number of its text."""
        possible = np.flatnonzero(self.is_possible[hashes >> np.uint64(64 - _FILTER_BITS)])
        if not len(possible):
            return
        at = np.searchsorted(self.hashes, hashes[possible])
        at[at == len(self.hashes)] = 0
        are_equal = self.hashes[at] == hashes[possible]
        yield from zip(
            possible[are_equal].tolist(), self.texts[at[are_equal]].tolist(), strict=True
        )


class Phrases:
    """Finds texts; ``searchable`` has the numbers of those that can be found."""

    def __init__(self, texts: Sequence[str]):
        encoded = [normalise(text.encode("utf-8", "replace")) + b"\n" for text in texts]
        hashes, ends = hash_words(b"".join(encoded))
        limits = np.cumsum([len(text) for text in encoded])
        # The texts' words: text n has those from bounds[n] up to bounds[n + 1].
        bounds = np.concatenate([[0], np.searchsorted(ends, limits)])
        self._by_length: dict[int, _Windows] = {}
        for length, values in windows(hashes):
            if length >= MIN_WORDS and (table := _table(length, values, bounds)):
                self._by_length[length] = table
        numbers = [table.texts.tolist() for table in self._by_length.values()]
        self.searchable = frozenset().union(*numbers)

    def find(self, hashes: Hashes) -> Iterator[tuple[int, int]]:
        """Yield the index of the last word of each occurrence, and the number of its text."""
        for length, values in windows(hashes):
            if table := self._by_length.get(length):
                for index, number in table.find(values):
                    yield index + length - 1, number


def _table(length: int, values: Hashes, bounds: Ends) -> _Windows | None:
    """Return the windows of a length that a single text has; ``bounds`` are the texts' words."""
    sizes = np.diff(bounds)
    numbers = np.flatnonzero(sizes >= length if length == MAX_WINDOW else sizes == length)
    counts = sizes[numbers] - length + 1
    texts = np.repeat(numbers, counts)
    places = np.arange(len(texts)) - np.repeat(np.cumsum(counts) - counts, counts)
    pairs = np.stack([values[bounds[texts] + places], texts.astype(np.uint64)])
    pairs = np.unique(pairs, axis=1)  # sorted by hash; a text may have a window twice
    hashes, uses = np.unique(pairs[0], return_counts=True)
    is_single = np.repeat(uses, uses) == 1
    if not is_single.any():
        return None
    hashes, texts = pairs[0][is_single], pairs[1][is_single].astype(np.int64)
    is_possible = np.zeros(1 << _FILTER_BITS, np.bool_)
    is_possible[hashes >> np.uint64(64 - _FILTER_BITS)] = True
    return _Windows(hashes, texts, is_possible)
