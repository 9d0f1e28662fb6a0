"""Write the file of ``names``, with NumPy, which its readers do not need."""

from pathlib import Path

import numpy as np

from kgbuild.english.normalize import fold
from kgbuild.native.arrays import Array
from kgbuild.store.columns import Entries
from kgbuild.store.names import LAYOUT, key_of, last_word_of
from kgbuild.store.spill import ArraysWriter, Spill, Texts, in_ranges, sorted_order


class NamesWriter(ArraysWriter):
    """Collects names, and writes them; repeated names are stored once."""

    layout = LAYOUT

    def __init__(self, path: Path, folder: Path):
        super().__init__(path, folder)
        self._keys, self._last_words = self.new(np.int64), self.new(np.uint32)
        self._folded, self._names = Texts(self), Texts(self)

    def add(self, entries: Entries) -> None:
        """Add the labels and aliases of items."""
        if entries.column not in ("labels", "aliases"):
            return
        pairs = zip(entries.keys.tolist(), entries.texts(), strict=True)
        spellings = [text for key, text in pairs if key > 0]
        folded = [fold(spelling).encode() for spelling in spellings]
        language = f"\0{entries.language}".encode()
        self._keys.append(np.fromiter(map(key_of, folded), np.int64))
        self._last_words.append(np.fromiter(map(last_word_of, folded), np.int64))
        for texts, part in (
            (self._folded, folded),
            (self._names, [text.encode() + language for text in spellings]),
        ):
            lengths = np.fromiter(map(len, part), np.int64, len(part))
            texts.append(lengths, np.frombuffer(b"".join(part), np.uint8))

    def arrays(self) -> list[Array | Spill]:
        """Return the arrays of ``Names``, sorted and without repetitions."""
        keys, last_words, names = self.new(np.int64), self.new(np.uint32), Texts(self)
        columns = (self._keys, self._last_words, self._folded, self._names)
        for part_keys, part_words, folded, part in in_ranges(*columns):
            order, are_repeated = sorted_order(part_keys, folded)
            numbers = np.empty(len(order), np.int64)
            numbers[order] = np.cumsum(~are_repeated)  # in the order of the folded forms
            order, are_repeated = sorted_order(numbers, part)
            order = order[~are_repeated]
            keys.append(part_keys[order])
            last_words.append(part_words[order])
            names.copy(part, order)
        by_last_word = np.argsort(last_words.taken(), kind="stable").astype(np.int32)
        return [keys, *names.arrays(), by_last_word]
