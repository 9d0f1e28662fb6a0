"""Write the columns of a store; texts wait in temporary files, so memory grows by keys only."""

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from kgbuild.dump.atomic_files import write_errors
from kgbuild.store.arrays import Array, Positions, write_arrays
from kgbuild.store.columns import LAYOUT, Columns
from kgbuild.store.entries import Entry
from kgbuild.store.spill import Sizes, Spill, Spills

_RANK_BITS = 2
"""Number of low bits of the key of a label that rank its language, until the best is chosen."""
_SINGLE = ("labels", "descriptions")
"""The columns with a single text for each key."""
_BATCH = 1 << 18
"""Number of texts that are copied at a time."""


class ColumnsWriter:
    """Collects entries and writes columns, in which labels are in ``language`` if possible.

    The columns do not depend on the order of the entries, and repeated entries count once. The
    temporary files are in ``folder``; ``sizes`` are explained in ``Spills``.

    Raises:
        WriteError: the disk is full or may not be written.
    """

    def __init__(self, path: Path, language: str, folder: Path, sizes: Sizes | None = None):
        self._path = path
        self._language = language
        self.spills = Spills(folder, sizes)
        with write_errors(path):
            self._parts = {name: _Part(self.spills, name) for name in Columns._fields}

    def add(self, entries: Iterable[Entry]) -> None:
        """Add entries; names in other languages are ignored."""
        parts, language = self._parts, self._language
        for column, key, text, tag in entries:
            if column == "labels":
                if (rank := _rank(tag, language)) is not None:
                    parts[column].add(key << _RANK_BITS | rank, text)
            elif column == "descriptions":
                if tag == language and text:
                    parts[column].add(key, text)
            elif column != "aliases" or tag in (language, "mul"):
                parts[column].add(key, text)
        with write_errors(self._path):
            for part in parts.values():
                part.flush()

    def close(self) -> None:
        """Close the temporary files."""
        self.spills.close()

    def write(self, fingerprint: str) -> None:
        """Write the columns of the graph with this fingerprint."""
        with write_errors(self._path):
            arrays = [array for name in Columns._fields for array in self._parts[name].arrays(name)]
        write_arrays(self._path, LAYOUT, fingerprint, arrays)


def _rank(tag: str, language: str) -> int | None:
    """Return the rank of a label's language, as in ``QueriedLabels``; None for others."""
    if tag == language:
        return 0
    if tag == "mul":  # for all languages
        return 1
    return 2 if tag.startswith(f"{language}-") else None


class _Part:
    """The entries of a column, in temporary files."""

    def __init__(self, spills: Spills, name: str):
        self._spills = spills
        self._key_file = spills.new(np.int64, name=f"{name}.keys")
        self._length_file = spills.new(np.int32, name=f"{name}.lengths")
        self._text_file = spills.new(np.uint8, name=f"{name}.texts")
        self._keys: list[int] = []
        self._texts: list[bytes] = []

    def add(self, key: int, text: str) -> None:
        """Add the text of a key."""
        self._keys.append(key)
        self._texts.append(text.encode())

    def flush(self) -> None:
        """Write the entries to the files."""
        self._key_file.append(np.array(self._keys, np.int64))
        self._length_file.append(np.array([*map(len, self._texts)], np.int32))
        self._text_file.append(np.frombuffer(b"".join(self._texts), np.uint8))
        self._keys, self._texts = [], []

    def arrays(self, name: str) -> tuple[Spill, Spill, Spill]:
        """Return the arrays of a ``Column``, sorted and without repetitions."""
        keys = _whole(self._key_file)
        lengths = _whole(self._length_file)
        ends = np.cumsum(lengths, dtype=np.int64)
        text = self._text_file.mapped().data
        order = np.argsort(keys, kind="stable")
        keys = keys[order]
        keep = np.ones(len(keys), np.bool_)
        for start, end in _runs(keys):
            members = order[start:end].tolist()
            texts = {bytes(text[ends[n] - lengths[n] : ends[n]]): n for n in members}
            order[start : start + len(texts)] = [n for _, n in sorted(texts.items())]
            keep[start + len(texts) : end] = False
        if name == "labels":
            keys >>= _RANK_BITS
        if name in _SINGLE:
            keep[1:] &= keys[1:] != keys[:-1]
            keep &= lengths[order] > 0
        keys, order = keys[keep], order[keep]
        content = self._spills.new(np.uint8)
        for first in range(0, len(order), _BATCH):
            batch = order[first : first + _BATCH]
            bounds = zip((ends[batch] - lengths[batch]).tolist(), ends[batch].tolist(), strict=True)
            texts_of_batch = b"".join([text[start:end] for start, end in bounds])
            content.append(np.frombuffer(texts_of_batch, np.uint8))
        del text  # so that the file is no longer in memory
        self._text_file.close()
        new_ends = np.zeros(len(order) + 1, np.int64)
        np.cumsum(lengths[order], out=new_ends[1:])
        return self._spills.new(np.int64, keys), self._spills.new(np.int64, new_ends), content


def _whole(file: Spill) -> Array:
    """Return the whole array, and close its file."""
    array = np.concatenate([np.empty(0, file.dtype), *file])
    file.close()
    return array


def _runs(keys: Positions) -> Iterator[tuple[int, int]]:
    """Yield the start and the end of each run of two or more equal keys."""
    edges = np.flatnonzero(np.diff(keys, prepend=keys[:1] - 1, append=keys[-1:] + 1))
    are_runs = np.diff(edges) > 1
    yield from zip(edges[:-1][are_runs].tolist(), edges[1:][are_runs].tolist(), strict=True)
