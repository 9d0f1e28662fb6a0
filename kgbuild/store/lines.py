"""Bring the lines of a batch into the form that they have in the graph: each triple once.

A dump has a line for each statement, so two statements with the same value are two equal lines,
which are close to each other. A graph has the triple once, and writes it in canonical N-Triples.
"""

import re
from collections.abc import Sequence
from typing import cast

import numpy as np

from kgbuild import wikidata
from kgbuild.dump.filter import scan_lines
from kgbuild.dump.rules import Flags
from kgbuild.dump.scanner import Scanned
from kgbuild.store import oxigraph
from kgbuild.store.arrays import Array
from kgbuild.store.spill import gathered
from kgbuild.store.text_hashes import Hashes, hash_parts

# A blank node as the subject or the object of a line; the groups are its label.
_BLANK_NODE = re.compile(
    rb'^[ \t]*_:([^\s<>"]+)|_:([^\s<>"]+?)(?=[ \t]*\.[ \t]*(?:#[^\n]*)?$)', re.MULTILINE
)
_IRI = rb"<" + wikidata.UNKNOWN_VALUE.encode() + rb"\1\2>"
_PER_LINE = Scanned._fields.index("uncoded")
"""Number of the first arrays of ``Scanned``, which are the text and what there is of each line."""
_KEPT = 1024
"""Number of lines of the batches before with which the lines of a batch are compared."""


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
    others = oxigraph.rewritten(name_blank_nodes(_chosen(scanned, ~scanned.canonical)))
    first, last = _chosen(scanned, scanned.canonical), scan_lines(others)
    last = last._replace(ends=last.ends + len(first.text))
    pairs = zip(first[:_PER_LINE], last[:_PER_LINE], strict=True)
    return Scanned._make((*map(np.concatenate, pairs), *scanned[_PER_LINE:]))


def _chosen(scanned: Scanned, are_chosen: Flags) -> Scanned:
    """Return some of the lines."""
    starts = scanned.ends - np.diff(scanned.ends, prepend=0)
    per_line = cast(Sequence[Array], scanned[1:_PER_LINE])
    ends, *others = (array[are_chosen] for array in per_line)
    text = gathered(scanned.text, starts[are_chosen], ends)
    ends = np.cumsum(ends - starts[are_chosen])
    return Scanned._make((text, ends, *others, *scanned[_PER_LINE:]))


class Repeats:
    """Leaves out lines that repeat one before them, in batches that are passed in their order.

    A line is compared with all of its batch, and with the last ones of the batches before, by a
    hash. If two others had the same hash, the graph would have more lines than are counted, and
    would be read again, as after a repetition that is farther away.
    """

    def __init__(self) -> None:
        self._last: Hashes = np.empty(0, np.uint64)

    def without(self, scanned: Scanned) -> Scanned:
        """Return the new lines of a batch; another spelling of a triple is another line."""
        starts = scanned.ends - np.diff(scanned.ends, prepend=0)
        hashes = np.append(self._last, hash_parts(scanned.text, starts, scanned.ends))
        before, self._last = len(self._last), hashes[-_KEPT:]
        order = np.argsort(hashes, kind="stable")
        are_repeated = np.zeros(len(hashes), np.bool_)
        are_repeated[order[1:]] = hashes[order[1:]] == hashes[order[:-1]]
        are_new = ~are_repeated[before:]
        return scanned if are_new.all() else _chosen(scanned, are_new)
