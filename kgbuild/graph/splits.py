"""Return the dataset splits (train, test, …) of many items at a time, in an array."""

import numpy as np
import numpy.typing as npt

from kgbuild.graph.key_hashes import hash_keys
from kgbuild.rows import SPLIT_KEY, split, split_ends
from kgbuild.store.arrays import Array, Positions
from kgbuild.store.counts import Counts
from kgbuild.store.postings import Postings

_BATCH = 1 << 20
"""Number of rows whose splits are computed at a time."""


class Splits:
    """Returns the splits of rows of an index, as numbers.

    ``train`` is whether one of the splits is for training.
    """

    def __init__(self, postings: Postings, counts: Counts, train: bool):
        self._train = train
        self._split_numbers = {name: number for number, (name, _) in enumerate(split_ends(train))}
        # As shares of all hashes of four bytes.
        ends = np.array([end * (1 << 32) for _, end in split_ends(train)])

        def count() -> tuple[Array]:
            numbers = np.empty(len(postings.items), np.int8)
            for start in range(0, len(numbers), _BATCH):
                hashes = hash_keys((SPLIT_KEY, postings.items[start : start + _BATCH]))
                shares = (hashes >> np.uint64(32)).astype(np.float64)
                numbers[start : start + _BATCH] = np.searchsorted(ends, shares, "right")
            return (numbers,)

        name = ("splits", *(f"{split} {end}" for split, end in split_ends(train)))
        (self._numbers,) = counts.arrays(name, (np.int8,), count)

    def of(self, rows: Positions) -> npt.NDArray[np.int8]:
        """Return the number of the split of each row."""
        numbers: npt.NDArray[np.int8] = self._numbers[rows]
        return numbers

    def number(self, qid: str) -> int:
        """Return the number of the split of an item."""
        return self._split_numbers[split(qid, self._train)]
