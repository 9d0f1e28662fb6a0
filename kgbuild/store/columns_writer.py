"""Write the columns of a store; texts wait in temporary files, so memory grows by keys only."""

from pathlib import Path

import numpy as np

from kgbuild.dump.atomic_files import write_errors
from kgbuild.store.arrays import write_arrays
from kgbuild.store.columns import LAYOUT, Columns
from kgbuild.store.entries import Entries
from kgbuild.store.spill import Spill, Spills
from kgbuild.store.texts import gathered, sorted_order

_RANK_BITS = 2
"""Number of low bits of the key of a label that rank its language, until the best is chosen."""
_SINGLE = ("labels", "descriptions")
"""The columns with a single text for each key."""
_BATCH = 1 << 18
"""Number of texts that are copied at a time."""


class ColumnsWriter:
    """Collects entries and writes columns, in which labels are in ``language`` if possible.

    The columns do not depend on the order of the entries, and repeated entries count once. The
    temporary files are in ``folder``.

    Raises:
        WriteError: the disk is full or may not be written.
    """

    def __init__(self, path: Path, language: str, folder: Path):
        self._path = path
        self._language = language
        self._spills = Spills(folder)
        with write_errors(path):
            self._parts = {
                name: [*map(self._spills.new, (np.int64, np.int32, np.uint8))]
                for name in Columns._fields
            }

    def add(self, entries: Entries) -> None:
        """Add entries; names in other languages are ignored."""
        keys, tag = entries.keys, entries.language
        if entries.column == "labels":
            rank = _rank(tag, self._language)
            if rank is None:
                return
            keys = keys << _RANK_BITS | rank
        elif entries.column == "descriptions":
            if tag != self._language:
                return
        elif entries.column == "aliases" and tag not in (self._language, "mul"):
            return
        with write_errors(self._path):
            key_file, length_file, text_file = self._parts[entries.column]
            key_file.append(keys)
            length_file.append(entries.lengths)
            text_file.append(entries.content)

    def close(self) -> None:
        """Remove the temporary files."""
        self._spills.close()

    def write(self, fingerprint: str) -> None:
        """Write the columns of the graph with this fingerprint."""
        with write_errors(self._path):
            arrays = [array for name in Columns._fields for array in self._arrays(name)]
        write_arrays(self._path, LAYOUT, fingerprint, arrays)

    def _arrays(self, name: str) -> tuple[Spill, Spill, Spill]:
        """Return the arrays of a ``Column``, sorted and without repetitions."""
        key_file, length_file, text_file = self._parts[name]
        keys, lengths, text = key_file.taken(), length_file.taken(), text_file.mapped()
        stops = np.cumsum(lengths, dtype=np.int64)
        order, are_repeated = sorted_order(keys, text, stops - lengths, stops)
        keys, keep = keys[order], ~are_repeated
        if name == "labels":
            keys >>= _RANK_BITS
        if name in _SINGLE:
            keep[1:] &= keys[1:] != keys[:-1]
            keep &= lengths[order] > 0
        keys, order = keys[keep], order[keep]
        ends, stops = np.zeros(len(order) + 1, np.int64), stops[order]
        np.cumsum(lengths[order], out=ends[1:])
        starts = stops - np.diff(ends)
        content = self._spills.new(np.uint8)
        for at in range(0, len(order), _BATCH):
            content.append(gathered(text, starts[at : at + _BATCH], stops[at : at + _BATCH]))
        del text  # so that the file is no longer in memory
        text_file.close()
        return self._spills.new(np.int64, keys), self._spills.new(np.int64, ends), content


def _rank(tag: str, language: str) -> int | None:
    """Return the rank of a label's language, as in ``QueriedLabels``; None for others."""
    if tag == language:
        return 0
    if tag == "mul":  # for all languages
        return 1
    return 2 if tag.startswith(f"{language}-") else None
