"""Return the dataset splits (train, test, …) of many items at a time, in an array."""

import numpy as np
import numpy.typing as npt

from kgbuild.rows import SPLITS, split, split_hash
from kgbuild.store.arrays import Positions
from kgbuild.store.postings import Postings

_ENDS = np.array([end * (1 << 32) for _, end in SPLITS])
"""The ends of the splits as shares of all hashes of four bytes."""
_SPLIT_NUMBERS = {name: number for number, (name, _) in enumerate(SPLITS)}


class Splits:
    """Returns the splits of rows of an index, as numbers. The split of a row is computed once."""

    def __init__(self, postings: Postings):
        self._items = postings.items
        self._numbers = np.full(len(postings.items), -1, np.int8)  # -1: not computed yet

    def of(self, rows: Positions) -> npt.NDArray[np.int8]:
        """Return the number of the split of each row."""
        new = rows[self._numbers[rows] < 0]
        hashes = b"".join([split_hash(f"Q{item}") for item in self._items[new].tolist()])
        self._numbers[new] = np.searchsorted(_ENDS, np.frombuffer(hashes, ">u4"), "right")
        return self._numbers[rows]

    def number(self, qid: str) -> int:
        """Return the number of the split of an item."""
        return _SPLIT_NUMBERS[split(qid)]
