"""Bring lines into the form in which a graph writes them, which is canonical N-Triples.

From such lines, the names, times and marks of missing values are read for the files beside it.
"""

import itertools
import re
from collections.abc import Iterator, Sequence
from typing import Annotated, cast

import numpy as np

from kgbuild import wikidata
from kgbuild.dump.filter import scan_lines
from kgbuild.dump.scanning import ascii_codes as char
from kgbuild.dump.scanning import rules
from kgbuild.dump.scanning.scanner import Scanned
from kgbuild.native.arrays import Array, Bytes, Flags, Positions
from kgbuild.native.kernel import kernel
from kgbuild.store import oxigraph
from kgbuild.store.columns import PROPERTY_BITS, Entries
from kgbuild.store.sparql import terms
from kgbuild.store.spill import gathered
from kgbuild.store.text_hashes import hash_parts

# A blank node as the subject or the object of a line; the groups are its label.
_BLANK_NODE = re.compile(
    rb'^[ \t]*_:([^\s<>"]+)|_:([^\s<>"]+?)(?=[ \t]*\.[ \t]*(?:#[^\n]*)?$)', re.MULTILINE
)
_IRI = rb"<" + wikidata.UNKNOWN_VALUE.encode() + rb"\1\2>"
_PER_LINE = Scanned._fields.index("dropped")
"""Number of the first arrays of ``Scanned``, which are the text and what there is of each line."""
_NAMES = {rules.LABEL: "labels", rules.ALIAS: "aliases", rules.DESCRIPTION: "descriptions"}
"""The columns of names, by the code of their predicate."""
_TIME = f"^^<{wikidata.XSD}dateTime>"
_UNKNOWN_VALUE = f"> <{wikidata.UNKNOWN_VALUE}".encode()
_WITH_PROPERTY = (
    ("precisions", rules.PRECISION, f"> <{re.escape(wikidata.PRECISION)}P({wikidata.NUMBER})> "),
    ("no_values", rules.TYPE, f"> <{re.escape(wikidata.NO_VALUE)}P({wikidata.NUMBER})> \\.$"),
)
"""Columns with lines that name a property: the code of their predicate, and where it is named."""


def name_blank_nodes(scanned: Scanned) -> bytes:
    """Return the scanned lines, with IRIs made from labels of blank nodes in place of the nodes.

    Wikidata's other exports have such IRIs. Oxigraph renames blank nodes at each load, so a dump
    that is loaded twice would have its unknown values in the store twice.
    """
    text = scanned.text.tobytes()
    parts: list[bytes] = []
    copied = 0
    for n in scanned.has_blank.nonzero()[0].tolist():
        start, end = int(scanned.ends[n - 1]) if n else 0, int(scanned.ends[n])
        parts += text[copied:start], _BLANK_NODE.sub(_IRI, text[start:end])
        copied = end
    return b"".join([*parts, text[copied:]])


def canonical(scanned: Scanned) -> Scanned:
    """Return the lines in the form that Oxigraph writes; those that it changes come last.

    These have escapes, numbers, capitals in language tags, unusual spaces or unknown values.
    """
    if scanned.canonical.all():
        return scanned
    others = oxigraph.rewritten(name_blank_nodes(chosen(scanned, ~scanned.canonical)))
    first, last = chosen(scanned, scanned.canonical), scan_lines(others)
    last = last._replace(ends=last.ends + len(first.text))
    pairs = zip(first[:_PER_LINE], last[:_PER_LINE], strict=True)
    return Scanned._make((*map(np.concatenate, pairs), *scanned[_PER_LINE:]))


def chosen(scanned: Scanned, are_chosen: Flags) -> Scanned:
    """Return some of the lines."""
    starts = scanned.ends - np.diff(scanned.ends, prepend=0)
    per_line = cast(Sequence[Array], scanned[1:_PER_LINE])
    ends, *others = (array[are_chosen] for array in per_line)
    text = gathered(scanned.text, starts[are_chosen], ends)
    ends = np.cumsum(ends - starts[are_chosen])
    return Scanned._make((text, ends, *others, *scanned[_PER_LINE:]))


def read_entries(scanned: Scanned) -> Iterator[Entries]:
    """Yield the entries in lines, which have the form that Oxigraph writes."""
    rows = np.flatnonzero((scanned.subject != 0) & (scanned.object == 0))
    subject, predicate = scanned.subject[rows], scanned.predicate[rows]
    keys = subject << PROPERTY_BITS | predicate
    literals = _Literals(scanned, rows)
    for suffix, members in literals.by_suffix():
        if suffix.startswith("@"):
            for code, column in _NAMES.items():
                chosen = members[predicate[members] == code]
                yield literals.entries(column, subject[chosen], chosen, suffix[1:])
            continue
        are_values = (subject[members] > 0) & (predicate[members] > 0)
        chosen = members[are_values & (predicate[members] < rules.PROPERTIES)]
        if suffix == _TIME:
            yield literals.entries("times", keys[chosen], chosen)
        elif not suffix:
            are_unknown = [_UNKNOWN_VALUE in scanned.line(n) for n in rows[chosen].tolist()]
            chosen = chosen[np.array(are_unknown, np.bool_) & ~literals.exist[chosen]]
            yield literals.entries("unknown_values", keys[chosen], chosen)
    for column, code, form in _WITH_PROPERTY:
        rows = np.flatnonzero((scanned.subject > 0) & (scanned.predicate == code))
        matches = [re.search(form.encode(), scanned.line(n)) for n in rows.tolist()]
        pids = np.array([int(match[1]) if match else 0 for match in matches], np.int64)
        chosen = np.flatnonzero((pids > 0) & (pids < rules.PROPERTIES))
        keys = scanned.subject[rows] << PROPERTY_BITS | pids
        yield _Literals(scanned, rows).entries(column, keys[chosen], chosen)


class _Literals:
    """The literals of some lines, which are empty for lines without one."""

    def __init__(self, scanned: Scanned, rows: Positions):
        found = np.empty((3, len(rows)), np.int64)
        _find_literals(scanned.text, scanned.ends, rows, found)
        self._starts, self._stops, have_backslash = found
        self.exist = self._starts > 0
        # Without a literal there is no suffix: not all of the batch before the end of the line.
        self._suffix_starts = np.where(self.exist, self._stops + 1, 0)
        self._suffix_stops = np.where(self.exist, scanned.ends[rows] - len(" .\n"), 0)
        texts, size = [scanned.text], len(scanned.text)
        for n in np.flatnonzero(have_backslash).tolist():
            text = terms.literal_text(scanned.line(int(rows[n]))).encode()
            texts.append(np.frombuffer(text, np.uint8))
            self._starts[n], self._stops[n] = size, size + len(text)
            size += len(text)
        self._content = np.concatenate(texts)

    def by_suffix(self) -> Iterator[tuple[str, Positions]]:
        """Yield what follows literals, such as ``@en``, and the indexes of the lines with it."""
        hashes = hash_parts(self._content, self._suffix_starts, self._suffix_stops)
        hashes[~self.exist] = 0
        _, firsts, groups = np.unique(hashes, return_index=True, return_inverse=True)
        order = np.argsort(groups, kind="stable")
        bounds = np.searchsorted(groups[order], np.arange(len(firsts) + 1)).tolist()
        for first, (start, stop) in zip(firsts.tolist(), itertools.pairwise(bounds), strict=True):
            suffix = self._content[self._suffix_starts[first] : self._suffix_stops[first]]
            text = suffix.tobytes().decode() if self.exist[first] else ""
            yield text, order[start:stop]

    def entries(
        self, column: str, keys: Positions, chosen: Positions, language: str = ""
    ) -> Entries:
        """Return chosen literals as entries."""
        starts, stops = self._starts[chosen], self._stops[chosen]
        content = gathered(self._content, starts, stops)
        return Entries(column, language, keys, stops - starts, content)


@kernel
def _find_literals(
    text: Bytes, ends: Positions, rows: Positions, found: Annotated[Positions, 2]
) -> None:
    """Write where the literal of each line begins and ends, and whether it has a backslash.

    Without a literal, all three are 0.
    """
    for n in range(rows.size):
        row = rows[n]
        at = ends[row - 1] if row else 0
        last = ends[row] - 1
        while at < last and text[at] != char.QUOTE:
            at += 1
        start, stop, has_backslash = at + 1, last, 0
        while stop > at and text[stop] != char.QUOTE:
            stop -= 1
        for k in range(start, stop):
            has_backslash |= text[k] == char.BACKSLASH
        if at == last:
            start = stop = 0
        found[0, n], found[1, n], found[2, n] = start, stop, has_backslash
