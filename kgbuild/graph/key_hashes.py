"""Hash the keys of many rows in machine code, as ``rows`` does, and find their splits by that."""

from collections.abc import Iterator, Sequence
from typing import Annotated, TypeAlias

import numpy as np
import numpy.typing as npt

from kgbuild.native.arrays import Array, Bytes, Numbers, Positions, Words
from kgbuild.native.kernel import kernel
from kgbuild.rows import SPLIT_KEY, split, split_ends
from kgbuild.store.counts import Counts
from kgbuild.store.line_hashes import SCRATCH, hash_bytes
from kgbuild.store.postings import Postings

Keys: TypeAlias = Sequence[str | Numbers | Positions]
"""The columns of keys: a text that all rows have, or the numbers of items."""
_DIGITS = 20
"""Maximum number of digits of a number."""
_BATCH = 1 << 20
"""Number of rows whose splits are computed at a time."""


def hash_keys(keys: Keys) -> Words:
    """Return the first eight bytes of the hash of each key, as a number whose first byte is high.

    >>> from kgbuild.rows import digest
    >>> keys = hash_keys(("P26", np.array([42])))
    >>> keys.astype(">u8").tobytes() == digest("P26", "Q42")[:8]
    True
    """
    constants = [part.encode() for part in _constants(keys)]
    columns = [column for column in keys if not isinstance(column, str)]
    hashes = np.empty(len(columns[0]), np.uint64)
    content = b"".join(constants)
    _hash_rows(
        np.frombuffer(content, np.uint8),
        np.cumsum([*map(len, constants)]),
        np.array(columns, np.int64),
        np.zeros(len(content) + _DIGITS * len(columns), np.uint8),
        np.zeros(SCRATCH, np.uint64),
        hashes,
    )
    return hashes


def _constants(keys: Keys) -> Iterator[str]:
    """Yield the text before each number, and after the last."""
    text = ""
    for n, column in enumerate(keys):
        text += "\x00" if n else ""
        if isinstance(column, str):
            text += column
        else:
            yield f"{text}Q"
            text = ""
    yield text


@kernel
def _hash_rows(
    constants: Bytes,
    constant_ends: Positions,
    numbers: Annotated[Positions, 2],
    text: Bytes,
    scratch: Annotated[Words, 2],
    hashes: Words,
) -> None:
    """Write the hashes; ``numbers`` has a row for each column of numbers, ``text`` is scratch."""
    for n in range(hashes.size):
        start = length = 0
        for column in range(constant_ends.size):
            for at in range(start, constant_ends[column]):
                text[length] = constants[at]
                length += 1
            start = constant_ends[column]
            if column < numbers.shape[0]:
                length = _write_number(numbers[column, n], length, text)
        hashes[n], _ = hash_bytes(text, 0, length, scratch)


def _write_number(number: int, at: int, text: Bytes) -> int:
    """Write the digits of a number; return where they end."""
    end, rest = at + 1, number // 10
    while rest:
        end += 1
        rest //= 10
    for place in range(end - 1, at - 1, -1):
        text[place] = 48 + number % 10
        number //= 10
    return end


class Splits:
    """Returns the splits (train, test, …) of rows of an index, as numbers.

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
