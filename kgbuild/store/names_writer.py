"""Write the names of a store; see ``names``."""

from pathlib import Path

import numpy as np

from kgbuild.english.normalize import fold
from kgbuild.store.arrays import Array
from kgbuild.store.columns import Entries
from kgbuild.store.names import LAYOUT, key_of, last_word_of
from kgbuild.store.spill import ArraysWriter, Spill, Texts, sorted_order

_NAMES = ("labels", "aliases")
"""The columns whose texts can be looked up."""


class NamesWriter(ArraysWriter):
    """Collects names, and writes them; repeated names are stored once."""

    layout = LAYOUT

    def __init__(self, path: Path, folder: Path):
        super().__init__(path, folder)
        self._keys, self._last_words = self.new(np.int64), self.new(np.int64)
        self._folded, self._names = Texts(self), Texts(self)

    def add(self, entries: Entries) -> None:
        """Add the labels and aliases of items."""
        if entries.column not in _NAMES:
            return
        pairs = zip(entries.keys.tolist(), entries.texts(), strict=True)
        names = [text for key, text in pairs if key > 0]
        folded = [fold(name).encode() for name in names]
        language = f"\0{entries.language}".encode()
        self._keys.append(np.fromiter(map(key_of, folded), np.int64))
        self._last_words.append(np.fromiter(map(last_word_of, folded), np.int64))
        for texts, part in (
            (self._folded, folded),
            (self._names, [name.encode() + language for name in names]),
        ):
            lengths = np.fromiter(map(len, part), np.int64, len(part))
            texts.append(lengths, np.frombuffer(b"".join(part), np.uint8))

    def arrays(self) -> list[Array | Spill]:
        """Return the arrays of ``Names``, sorted and without repetitions."""
        keys, (folded, starts, stops) = self._keys.taken(), self._folded.parts()
        order, are_repeated = sorted_order(keys, folded, starts, stops)
        numbers = np.empty(len(order), np.int64)
        numbers[order] = np.cumsum(~are_repeated)  # in the order of the folded forms
        order, are_repeated = sorted_order(numbers, *self._names.parts())
        order = order[~are_repeated]
        by_last_word = np.argsort(self._last_words.taken()[order], kind="stable").astype(np.int32)
        return [keys[order], *self._names.copied(order), by_last_word]
