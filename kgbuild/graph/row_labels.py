"""Find the items that have a name exactly, and compare the words of many labels with a name.

The names of all items are hashed, which takes less time than a query for thousands of names. The
words are those of ``datasets.syn_qa.names``. They are compared as bytes, which is right for labels
in ASCII only.
"""

from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np

from kgbuild.native.kernel import kernel
from kgbuild.store.arrays import Array, Bytes, Numbers, Positions, places
from kgbuild.store.columns import Column, Columns
from kgbuild.store.counts import Counts
from kgbuild.store.postings import Postings
from kgbuild.store.text_hashes import Hashes, hash_parts, hash_text

MAX_STEMS = 62
"""Maximum number of stems that are compared: one for each bit of a number that is not negative."""
STEM_LETTERS = 5
"""Number of letters by which words are compared: Columbia and Columbus share a stem."""
MIN_LETTERS = 3
"""Minimum number of letters of a significant word."""
_ROW = np.uint64(0xFFFFFFFF)
"""The bits of an entry that have the row of a name."""
UNKNOWN = -1
"""The result for labels that have other letters than those of ASCII."""


class ExactNames:
    """The items of a store by their labels and aliases in its columns."""

    def __init__(self, columns: Columns, counts: Counts):
        self._labels, self._aliases = columns.labels, columns.aliases
        self._counts = counts

    def items(self, name: str) -> Iterator[str]:
        """Yield the ids of the items that have a name, sorted by number, each once."""
        index, first, size = self._index, hash_text(name) & ~_ROW, len(self._labels.keys)
        start, end = index.searchsorted(first), index.searchsorted(first | _ROW, "right")
        rows = (index[start:end] & _ROW).tolist()
        entries = [(self._labels, n) if n < size else (self._aliases, n - size) for n in rows]
        last = None
        for column, row in sorted(entries, key=lambda entry: entry[0].keys[entry[1]]):
            number = int(column.keys[row])
            if number != last and column.text_at(row) == name:
                yield f"Q{number}"
                last = number

    @cached_property
    def _index(self) -> Array:
        """The high bits of the hashes of all names of items, with their rows in ``_ROW``, sorted.

        The rows of aliases follow those of labels.
        """
        (index,) = self._counts.arrays(("exact_names",), (np.uint64,), self._read)
        return index

    def _read(self) -> tuple[Array]:
        hashes: list[Hashes] = []
        offset = 0
        for keys, ends, content in (self._labels, self._aliases):
            first = int(keys.searchsorted(0))  # the keys of properties are negative
            hashes.append(hash_parts(content, ends[first:-1], ends[first + 1 :]) & ~_ROW)
            hashes[-1] |= np.arange(offset + first, offset + len(keys), dtype=np.uint64)
            offset += len(keys)
        index = np.concatenate(hashes)
        index.sort()
        return (index,)


class RowLabels:
    """The labels of the rows of an index, in the language of the store."""

    def __init__(self, postings: Postings, labels: Column, counts: Counts):
        self._labels = labels

        def count() -> tuple[Array]:
            return (places(postings.items.astype(np.int64), labels.keys),)

        # The place of the label of each row in the column; -1 if it has none.
        (self._places,) = counts.arrays(("row_labels",), (np.int32,), count)

    def shared_words(
        self, rows: Positions, stems: Sequence[str], last: str, ignored: Sequence[str]
    ) -> Numbers:
        """Return twice the number of stems that the label of each row has, or ``UNKNOWN``.

        The number is odd if the last words of both names are among them: ``last`` is the stem of
        the name's last word. ``ignored`` are words that are not significant.
        """
        result = np.full(len(rows), UNKNOWN, np.int32)
        if len(stems) <= MAX_STEMS:
            # Only stems in ASCII can be words of labels in ASCII.
            compared = [stem for stem in stems if stem.isascii()]
            last_stem = compared.index(last) if last in compared else -1
            places = self._places[rows]
            texts = (self._labels.ends, self._labels.content)
            _count_shared(result, places, *texts, _codes(compared), last_stem, _codes(ignored))
        return result


def _codes(words: Sequence[str]) -> Positions:
    """Return the first letters of words as numbers."""
    return np.array(
        [int.from_bytes(word[:STEM_LETTERS].encode(), "little") for word in words], np.int64
    )


@kernel
def _count_shared(
    result: Numbers,
    places: Numbers,
    ends: Positions,
    content: Bytes,
    stems: Positions,
    last_stem: int,
    ignored: Positions,
) -> None:
    """Write the result of ``RowLabels.shared_words`` for the labels at some places."""
    for n in range(places.size):
        result[n] = 0
        if places[n] >= 0:
            start, end = ends[places[n]], ends[places[n] + 1]
            result[n] = _shared_words(content, start, end, stems, last_stem, ignored)


def _shared_words(
    content: Bytes, start: int, end: int, stems: Positions, last_stem: int, ignored: Positions
) -> int:
    """Return the result of ``RowLabels.shared_words`` for the label from ``start`` to ``end``."""
    code = length = matched = 0
    last = -1
    for at in range(start, end + 1):
        letter = _letter(content[at]) if at < end else 0
        if letter == UNKNOWN:
            return UNKNOWN
        if letter:
            if length < STEM_LETTERS:
                code |= letter << (8 * length)
            length += 1
            continue
        is_ignored = length == MIN_LETTERS and _index(code, ignored) >= 0
        if length >= MIN_LETTERS and not is_ignored:
            last = _index(code, stems)
            if last >= 0:
                matched |= 1 << last
        code = length = 0
    count = 0
    for stem in range(stems.size):
        count += 2 * (matched >> stem & 1)
    return count + int(last >= 0 and last == last_stem)


def _letter(byte: int) -> int:
    """Return a letter of a word in lower case; 0 for other characters, or ``UNKNOWN``."""
    if byte >= 128:
        return UNKNOWN
    if 65 <= byte <= 90:
        return byte + 32
    return byte if 97 <= byte <= 122 or 48 <= byte <= 57 or byte == 95 else 0


def _index(code: int, codes: Positions) -> int:
    """Return the place of a number in an array, or -1."""
    for n in range(codes.size):
        if codes[n] == code:
            return n
    return -1
