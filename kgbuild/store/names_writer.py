"""Write the names of a store; see ``names``."""

from pathlib import Path

import numpy as np

from kgbuild.dump.atomic_files import write_errors
from kgbuild.english.normalize import fold
from kgbuild.store.arrays import Array, write_arrays
from kgbuild.store.columns import Entries
from kgbuild.store.names import LAYOUT, key_of, last_word_of
from kgbuild.store.spill import Spill, Spills, Texts, sorted_order

_NAMES = ("labels", "aliases")
"""The columns whose texts can be looked up."""


class NamesWriter:
    """Collects names, and writes them; repeated names are stored once.

    The temporary files are in ``folder``. The file does not depend on the order of the names.

    Raises:
        WriteError: the disk is full or may not be written.
    """

    def __init__(self, path: Path, folder: Path):
        self._path = path
        self._spills = Spills(folder)
        with write_errors(path):
            self._keys = self._spills.new(np.int64)
            self._last_words = self._spills.new(np.int64)
            self._folded = Texts(self._spills)
            self._names = Texts(self._spills)

    def add(self, entries: Entries) -> None:
        """Add the labels and aliases of items."""
        if entries.column not in _NAMES:
            return
        pairs = zip(entries.keys.tolist(), entries.texts(), strict=True)
        names = [text for key, text in pairs if key > 0]
        folded = [fold(name).encode() for name in names]
        language = f"\0{entries.language}".encode()
        with write_errors(self._path):
            self._keys.append(np.fromiter(map(key_of, folded), np.int64))
            self._last_words.append(np.fromiter(map(last_word_of, folded), np.int64))
            for texts, part in (
                (self._folded, folded),
                (self._names, [name.encode() + language for name in names]),
            ):
                lengths = np.fromiter(map(len, part), np.int64, len(part))
                texts.append(lengths, np.frombuffer(b"".join(part), np.uint8))

    def write(self, fingerprint: str) -> None:
        """Write the names of the items of the graph with this fingerprint."""
        with write_errors(self._path):
            arrays = self._arrays()
        write_arrays(self._path, LAYOUT, fingerprint, arrays)

    def _arrays(self) -> list[Array | Spill]:
        """Return the arrays of ``Names``, sorted and without repetitions."""
        keys, (folded, starts, stops) = self._keys.taken(), self._folded.parts()
        order, are_repeated = sorted_order(keys, folded, starts, stops)
        numbers = np.empty(len(order), np.int64)
        numbers[order] = np.cumsum(~are_repeated)  # in the order of the folded forms
        order, are_repeated = sorted_order(numbers, *self._names.parts())
        order = order[~are_repeated]
        by_last_word = np.argsort(self._last_words.taken()[order], kind="stable").astype(np.int32)
        return [keys[order], *self._names.copied(order), by_last_word]

    def close(self) -> None:
        """Remove the temporary files."""
        self._spills.close()
