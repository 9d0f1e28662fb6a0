"""The splits of items, as an array: a search returns more items than can be looked up singly."""

import numpy as np
import numpy.typing as npt

from kgbuild.rows import SPLITS, split
from kgbuild.store.postings import Positions, Postings

_NUMBERS = {name: number for number, (name, _) in enumerate(SPLITS)}


class Splits:
    """Returns the splits of rows of an index, as numbers. Each is computed once."""

    def __init__(self, postings: Postings):
        self._items = postings.items
        self._known = np.full(len(postings.items), -1, np.int8)

    def of(self, rows: Positions) -> npt.NDArray[np.int8]:
        """Return the number of the split of each row."""
        new = rows[self._known[rows] < 0]
        self._known[new] = [_NUMBERS[split(f"Q{item}")] for item in self._items[new].tolist()]
        return self._known[rows]

    def number(self, qid: str) -> int:
        """Return the number of the split of an item."""
        return _NUMBERS[split(qid)]
