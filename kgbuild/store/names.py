"""The names of items, on the disk beside the graph, in the order of their folded forms.

Each name has its language behind a NUL. Names are sorted by ``fold``, and then by their bytes; the
keys are the first bytes of the folded forms, as numbers, so a binary search folds few names. A
second order, by a checksum of the last word, finds names by their end. All is one file of arrays,
which ``names_writer`` writes. It is read without NumPy, whose import takes longer than a look-up.
"""

import difflib
import functools
import itertools
import zlib
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable
from pathlib import Path

from kgbuild.english.normalize import fold
from kgbuild.store.array_files import map_file
from kgbuild.store.labels import Spellings

LAYOUT = 1
"""The version of the arrays."""
_FORMATS = ("q", "q", "B", "i")
_KEY_BYTES = 8
_MAX_CANDIDATES = 2000
"""Number of similar names that are compared letter by letter."""
_MAX_LETTERS = 250
"""Number of letters of a name that are compared: the maximum length of Wikidata's labels."""
_MAX_KEPT = 1 << 15
"""Number of names that were looked up which are kept."""
_MAX_BEGINNING = 100
"""Number of names with a prefix that are returned."""


def key_of(folded: bytes) -> int:
    """Return the first bytes of a folded name as a number of 63 bits, in the same order."""
    return int.from_bytes(folded[:_KEY_BYTES].ljust(_KEY_BYTES, b"\0"), "big") >> 1


def last_word_of(folded: bytes) -> int:
    """Return the checksum of the last word of a folded name."""
    return zlib.crc32(folded.rpartition(b" ")[2])


class Names(Spellings):
    """The names of a store.

    Raises:
        DamagedStoreError: there is no such file, its graph has another fingerprint, or it is
            damaged.
    """

    def __init__(self, path: Path, fingerprint: str):
        arrays = map_file(path, LAYOUT, fingerprint, _FORMATS)
        self._keys, self._ends, self._content, self._by_last_word = arrays
        self._rows = range(len(self._keys))
        self._found = functools.lru_cache(_MAX_KEPT)(self._find)

    def _spelling(self, row: int) -> tuple[str, str]:
        text = self._content[self._ends[row] : self._ends[row + 1]].tobytes().decode()
        name, _, language = text.rpartition("\0")
        return name, language

    def _folded(self, row: int) -> str:
        return fold(self._spelling(row)[0])

    def _first(self, folded: str) -> int:
        """Return the first row that is not before a folded name."""
        key = key_of(folded.encode())
        first = bisect_left(self._keys, key)
        last = bisect_right(self._keys, key, first)
        return bisect_left(self._rows, folded, first, last, key=self._folded)

    def spellings(self, name: str) -> list[tuple[str, str]]:
        """Return each (spelling, language) of a name, with any case and accents."""
        return self._found(fold(name))

    def _find(self, folded: str) -> list[tuple[str, str]]:
        rows = itertools.takewhile(
            lambda row: self._folded(row) == folded, self._rows[self._first(folded) :]
        )
        return [*map(self._spelling, rows)]

    def beginning_with(self, prefix: str) -> list[tuple[str, str]]:
        """Return each (spelling, language) of the names with a prefix, at most 100."""
        folded = f"{fold(prefix)} " if prefix.endswith(" ") else fold(prefix)
        first = self._first(folded)
        rows = self._rows[first : first + _MAX_BEGINNING]
        return [self._spelling(row) for row in rows if self._folded(row).startswith(folded)]

    def ending_with(self, word: str) -> list[tuple[str, str]]:
        """Return each (spelling, language) of the names whose last word is ``word``."""
        end = f" {fold(word)}"
        sought = last_word_of(end.encode())

        def last_word(row: int) -> int:
            return last_word_of(self._folded(row).encode())

        first = bisect_left(self._by_last_word, sought, key=last_word)
        last = bisect_right(self._by_last_word, sought, first, key=last_word)
        spellings = map(self._spelling, self._by_last_word[first:last])
        return [spelling for spelling in spellings if fold(spelling[0]).endswith(end)]

    def similar_names(self, name: str, limit: int = 5) -> list[str]:
        """Return at most ``limit`` names that are similar to ``name``, the most similar first.

        Candidates are those that share the most trigrams, for their lengths. Their
        Ratcliff/Obershelp similarity is at least 0.6.
        """
        folded = fold(name)[:_MAX_LETTERS]
        names: dict[str, str] = {}
        for row in self._sharing_trigrams(folded):
            spelling, _ = self._spelling(row)
            names.setdefault(fold(spelling), spelling)
        return [names[match] for match in difflib.get_close_matches(folded, sorted(names), limit)]

    def nearly_ending_with(self, word: str, fits: Callable[[str], bool]) -> list[tuple[str, str]]:
        """Return each (spelling, language) of the names whose last word fits, and is like another.

        Some name with such a word is among those that share the most trigrams with ``word``.
        """
        rows = self._sharing_trigrams(f" {fold(word)[:_MAX_LETTERS]}")
        words = {self._folded(row).rpartition(" ")[2] for row in rows}
        return [pair for word in sorted(filter(fits, words)) for pair in self.ending_with(word)]

    def _sharing_trigrams(self, folded: str) -> Iterable[int]:
        """Return the rows that share the most trigrams with a folded name, for their lengths."""
        from kgbuild.store.text_hashes import sharing_trigrams

        return sharing_trigrams(self._content, self._ends, folded.encode(), _MAX_CANDIDATES)
