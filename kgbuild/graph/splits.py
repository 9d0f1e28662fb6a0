"""Return the dataset splits (train, test, …) of many items at a time, in an array."""

import numpy as np
import numpy.typing as npt

from kgbuild.graph.key_hashes import hash_keys
from kgbuild.rows import SPLIT_KEY, split, split_ends
from kgbuild.store.arrays import Positions
from kgbuild.store.postings import Postings


class Splits:
    """Returns the splits of rows of an index, as numbers. The split of a row is computed once.

    ``train`` is whether one of the splits is for training.
    """

    def __init__(self, postings: Postings, train: bool):
        self._train = train
        self._split_numbers = {name: number for number, (name, _) in enumerate(split_ends(train))}
        # As shares of all hashes of four bytes.
        self._ends = np.array([end * (1 << 32) for _, end in split_ends(train)])
        self._items = postings.items
        self._numbers = np.full(len(postings.items), -1, np.int8)  # -1: not computed yet

    def of(self, rows: Positions) -> npt.NDArray[np.int8]:
        """Return the number of the split of each row."""
        new = rows[self._numbers[rows] < 0]
        hashes = hash_keys((SPLIT_KEY, self._items[new])) >> np.uint64(32)
        self._numbers[new] = np.searchsorted(self._ends, hashes.astype(np.float64), "right")
        return self._numbers[rows]

    def number(self, qid: str) -> int:
        """Return the number of the split of an item."""
        return self._split_numbers[split(qid, self._train)]
