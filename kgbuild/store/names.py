"""The names of items, on the disk beside the graph, in the order of their folded forms.

Each name has its language behind a NUL. Names are sorted by ``fold``, and then by their bytes; the
keys are the first bytes of the folded forms, as numbers, so a binary search folds few names. A
second order, by the hash of the last word, finds names by their end. All is one file of ``arrays``.
"""

import difflib
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from pathlib import Path

import numpy as np

from kgbuild.dump.atomic_files import write_errors
from kgbuild.english.normalize import fold
from kgbuild.native.kernel import kernel
from kgbuild.store.arrays import (
    Array,
    Bytes,
    Flags,
    Positions,
    forget_pages,
    map_arrays,
    write_arrays,
)
from kgbuild.store.columns import Column, Entries
from kgbuild.store.spill import Spill, Spills, Texts, sorted_order
from kgbuild.store.text_hashes import hash_last_words, hash_text

_LAYOUT = 1
"""The version of the arrays."""
_TYPES = (np.int64, np.int64, np.uint8, np.int32)
_NAMES = ("labels", "aliases")
"""The columns whose texts can be looked up."""
_KEY_BYTES = 8
_MAX_CANDIDATES = 2000
"""Number of similar names that are compared letter by letter."""
_MAX_LETTERS = 250
"""Number of letters of a name that are compared: the maximum length of Wikidata's labels."""
_MAX_BEGINNING = 100
"""Number of names with a prefix that are returned."""
_BATCH = 1 << 20
"""Number of names whose trigrams are counted at a time."""


def _key(folded: bytes) -> int:
    """Return the first bytes of a folded name as a number of 63 bits, in the same order."""
    return int.from_bytes(folded[:_KEY_BYTES].ljust(_KEY_BYTES, b"\0"), "big") >> 1


class Names:
    """The names of a store."""

    def __init__(self, path: Path, fingerprint: str):
        """Map the names in a file; check that their graph has this fingerprint.

        Raises:
            DamagedStoreError: there is no such file, or it is damaged.
        """
        *column, self._by_last_word = map_arrays(path, _LAYOUT, fingerprint, _TYPES)
        self._names = Column(*column)
        self._rows = range(len(self._names.keys))

    def _spelling(self, row: int) -> tuple[str, str]:
        name, _, language = self._names.text_at(row).rpartition("\0")
        return name, language

    def _folded(self, row: int) -> str:
        return fold(self._spelling(row)[0])

    def _bounds(self, folded: str) -> tuple[int, int]:
        """Return the first row with the key of a folded name, and the first one behind them."""
        key = _key(folded.encode())
        first, last = self._names.keys.searchsorted(np.array((key, key + 1), np.int64)).tolist()
        return first, last

    def spellings(self, name: str) -> list[tuple[str, str]]:
        """Return each (spelling, language) of a name, with any case and accents."""
        folded = fold(name)
        first, last = self._bounds(folded)
        first = bisect_left(self._rows, folded, first, last, key=self._folded)
        last = bisect_right(self._rows, folded, first, last, key=self._folded)
        return [self._spelling(row) for row in range(first, last)]

    def prefetch(self, names: Iterable[str]) -> None:
        """Do nothing: single names are fast."""

    def beginning_with(self, prefix: str) -> list[tuple[str, str]]:
        """Return each (spelling, language) of the names with a prefix, at most 100."""
        folded = f"{fold(prefix)} " if prefix.endswith(" ") else fold(prefix)
        first, last = self._bounds(folded)
        first = bisect_left(self._rows, folded, first, last, key=self._folded)
        rows = self._rows[first : first + _MAX_BEGINNING]
        return [self._spelling(row) for row in rows if self._folded(row).startswith(folded)]

    def ending_with(self, word: str) -> list[tuple[str, str]]:
        """Return each (spelling, language) of the names whose last word is ``word``."""
        words = fold(word).split()
        if not words:
            return []

        def last_word(row: int) -> int:
            return _last_hash(self._folded(row))

        sought = int(hash_text(words[-1]))
        first = bisect_left(self._by_last_word, sought, key=last_word)
        last = bisect_right(self._by_last_word, sought, first, key=last_word)
        end = f" {fold(word)}"
        spellings = map(self._spelling, self._by_last_word[first:last].tolist())
        return [spelling for spelling in spellings if fold(spelling[0]).endswith(end)]

    def similar_names(self, name: str, limit: int = 5) -> list[str]:
        """Return at most ``limit`` names that are similar to ``name``, the most similar first.

        Candidates are those that share the most trigrams, for their lengths. Their
        Ratcliff/Obershelp similarity is at least 0.6.
        """
        folded = fold(name)[:_MAX_LETTERS]
        names: dict[str, str] = {}
        for row in self._candidates(folded.encode()):
            spelling, _ = self._spelling(row)
            names.setdefault(fold(spelling), spelling)
        return [names[match] for match in difflib.get_close_matches(folded, sorted(names), limit)]

    def _candidates(self, folded: bytes) -> list[int]:
        """Return the rows of the names that share the most trigrams, in order."""
        sought = np.zeros(1 << 16, np.bool_)
        for n in range(len(folded) - 2):
            sought[_trigram(*folded[n : n + 3])] = True
        rows, scores = np.empty(0, np.int64), np.empty(0)
        for start in range(0, len(self._rows), _BATCH):
            ends = self._names.ends[start : start + _BATCH + 1]
            counts = np.empty(len(ends) - 1, np.int64)
            _count_trigrams(self._names.content, ends, sought, counts)
            found = np.flatnonzero(counts)
            rows = np.concatenate((rows, found + start))
            score = counts[found] / (np.diff(ends)[found] + len(folded))
            scores = np.concatenate((scores, score))
            best = np.sort(np.argsort(-scores, kind="stable")[:_MAX_CANDIDATES])
            rows, scores = rows[best], scores[best]
        forget_pages()
        return rows.tolist()


def _last_hash(folded: str) -> int:
    """Return the hash of the last word of a folded name; 0 without a word."""
    return int(hash_text(folded.rpartition(" ")[2])) if folded else 0


def _trigram(a: int, b: int, c: int) -> int:
    """Return a number of 16 bits for three bytes."""
    return (a * 7919 + b * 263 + c) & 0xFFFF


@kernel
def _count_trigrams(content: Bytes, ends: Positions, sought: Flags, counts: Positions) -> None:
    """Count the trigrams of each name that are sought, in small letters."""
    for n in range(counts.size):
        counts[n] = a = b = 0
        for at in range(ends[n], ends[n + 1]):
            c = int(content[at])
            if c == 0:
                break
            c += 32 * (65 <= c <= 90)
            if a and sought[_trigram(a, b, c)]:
                counts[n] += 1
            a, b = b, c


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
            self._keys.append(np.fromiter(map(_key, folded), np.int64, len(folded)))
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
        write_arrays(self._path, _LAYOUT, fingerprint, arrays)

    def _arrays(self) -> list[Array | Spill]:
        """Return the arrays of ``Names``, sorted and without repetitions."""
        keys, (folded, starts, stops) = self._keys.taken(), self._folded.parts()
        order, are_repeated = sorted_order(keys, folded, starts, stops)
        numbers = np.empty(len(order), np.int64)
        numbers[order] = np.cumsum(~are_repeated)  # in the order of the folded forms
        order, are_repeated = sorted_order(numbers, *self._names.parts())
        order = order[~are_repeated]
        last_words = hash_last_words(folded, starts[order], stops[order])
        by_last_word = np.argsort(last_words, kind="stable").astype(np.int32)
        return [keys[order], *self._names.copied(order), by_last_word]

    def close(self) -> None:
        """Remove the temporary files."""
        self._spills.close()
