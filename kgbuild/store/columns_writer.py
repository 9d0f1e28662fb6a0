"""Write the columns of a store; texts wait in temporary files, so memory grows by keys only."""

import contextlib
import io
from collections.abc import Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO

import numpy as np

from kgbuild.dump.atomic_files import write_errors
from kgbuild.store.arrays import Array, Positions, write_arrays
from kgbuild.store.columns import LAYOUT, Column, Columns
from kgbuild.store.entries import Entry

_RANK_BITS = 2
"""Number of low bits of the key of a label that rank its language, until the best is chosen."""
_SINGLE = ("labels", "descriptions")
"""The columns with a single text for each key."""
_BATCH = 1 << 18
"""Number of texts that are copied at a time."""


class ColumnsWriter:
    """Collects entries and writes columns, in which labels are in ``language`` if possible.

    The columns do not depend on the order of the entries, and repeated entries count once.

    Raises:
        WriteError: the disk is full or may not be written.
    """

    def __init__(self, path: Path, language: str):
        self._path = path
        self._language = language
        self._files = contextlib.ExitStack()  # of temporary files
        with write_errors(path):
            self._parts = {name: _Part(path.parent, self._files) for name in Columns._fields}

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
        """Remove the temporary files."""
        self._files.close()

    def write(self, fingerprint: str) -> None:
        """Write the columns of the graph with this fingerprint."""
        with write_errors(self._path):
            columns = Columns(*(self._parts[name].column(name) for name in Columns._fields))
        write_arrays(self._path, LAYOUT, fingerprint, [*columns.arrays()])


def _rank(tag: str, language: str) -> int | None:
    """Return the rank of a label's language, as in ``QueriedLabels``; None for others."""
    if tag == language:
        return 0
    if tag == "mul":  # for all languages
        return 1
    return 2 if tag.startswith(f"{language}-") else None


class _Part:
    """The entries of a column, in temporary files in a folder."""

    def __init__(self, folder: Path, files: contextlib.ExitStack):
        self._key_file = _temporary(folder, files)
        self._length_file = _temporary(folder, files)
        self._text_file = _temporary(folder, files)
        self._sorted_file = _temporary(folder, files)
        self._keys: list[int] = []
        self._texts: list[bytes] = []

    def add(self, key: int, text: str) -> None:
        """Add the text of a key."""
        self._keys.append(key)
        self._texts.append(text.encode())

    def flush(self) -> None:
        """Write the entries to the files."""
        np.array(self._keys, np.int64).tofile(self._key_file)
        np.array([*map(len, self._texts)], np.int64).tofile(self._length_file)
        self._text_file.writelines(self._texts)
        self._keys, self._texts = [], []

    def column(self, name: str) -> Column:
        """Return the entries as a column, sorted and without repetitions."""
        keys, lengths = _content(self._key_file, np.int64), _content(self._length_file, np.int64)
        ends = np.cumsum(lengths)
        text = _content(self._text_file, np.uint8).data
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
        order = order[keep]
        for first in range(0, len(order), _BATCH):
            batch = order[first : first + _BATCH]
            bounds = zip((ends[batch] - lengths[batch]).tolist(), ends[batch].tolist(), strict=True)
            self._sorted_file.writelines(text[start:end] for start, end in bounds)
        new_ends = np.zeros(len(order) + 1, np.int64)
        np.cumsum(lengths[order], out=new_ends[1:])
        return Column(keys[keep], new_ends, _content(self._sorted_file, np.uint8))


def _temporary(folder: Path, files: contextlib.ExitStack) -> IO[bytes]:
    return files.enter_context(TemporaryFile(dir=folder))


def _runs(keys: Positions) -> Iterator[tuple[int, int]]:
    """Yield the start and the end of each run of two or more equal keys."""
    edges = np.flatnonzero(np.diff(keys, prepend=keys[:1] - 1, append=keys[-1:] + 1))
    are_runs = np.diff(edges) > 1
    yield from zip(edges[:-1][are_runs].tolist(), edges[1:][are_runs].tolist(), strict=True)


def _content(file: IO[bytes], kind: type) -> Array:
    """Return the content of a temporary file as an array, which is mapped into memory."""
    file.flush()
    size = file.seek(0, io.SEEK_END)
    return np.memmap(file, kind, "r") if size else np.empty(0, kind)
