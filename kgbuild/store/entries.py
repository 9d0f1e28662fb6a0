"""Read names, times and marks of missing values from lines, for the files beside the graph."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from kgbuild import wikidata
from kgbuild.dump import rules
from kgbuild.dump.scanner import Scanned
from kgbuild.store import terms
from kgbuild.store.columns import PROPERTY_BITS, statement_key

_NAMES = {rules.LABEL: "labels", rules.ALIAS: "aliases", rules.DESCRIPTION: "descriptions"}
"""The columns of names, by the code of their predicate."""
_TIME_END = f'"^^<{wikidata.XSD}dateTime> .'.encode()
_UNKNOWN_VALUE = f"> <{wikidata.UNKNOWN_VALUE}".encode()
_NO_VALUE = re.compile(f"> <{re.escape(wikidata.NO_VALUE)}P({wikidata.NUMBER})> \\.$".encode())
_PRECISION = re.compile(f"> <{re.escape(wikidata.PRECISION)}P({wikidata.NUMBER})> ".encode())


class Entry(NamedTuple):
    """A text of a column of ``Columns``; ``language`` is the language of a name, else empty."""

    column: str
    key: int
    text: str
    language: str = ""


def read_entries(
    lines: Sequence[bytes], scanned: Scanned, are_canonical: rules.Flags
) -> Iterator[Entry]:
    """Yield the entries in those lines that are canonical; ``scanned`` is from scanning them."""
    yield from _names(lines, scanned, are_canonical & (scanned.subject != 0))
    of_items = are_canonical & (scanned.subject > 0)
    yield from _values(lines, scanned, of_items & (scanned.object == 0))
    for code, column, form in (
        (rules.PRECISION, "precisions", _PRECISION),
        (rules.TYPE, "no_values", _NO_VALUE),
    ):
        for n in np.flatnonzero(of_items & (scanned.predicate == code)).tolist():
            match = form.search(lines[n])
            if match and int(match[1]) < rules.PROPERTIES:
                text, _ = _literal(lines[n]) or ("", "")
                yield Entry(column, statement_key(int(match[1]), int(scanned.subject[n])), text)


def _names(lines: Sequence[bytes], scanned: Scanned, chosen: rules.Flags) -> Iterator[Entry]:
    """Yield the labels, aliases and descriptions that have a language."""
    for code, column in _NAMES.items():
        rows = np.flatnonzero(chosen & (scanned.predicate == code))
        for n, key in zip(rows.tolist(), scanned.subject[rows].tolist(), strict=True):
            text, suffix = _literal(lines[n]) or ("", "")
            if suffix.startswith("@"):
                yield Entry(column, key, text, suffix[1:])


def _values(lines: Sequence[bytes], scanned: Scanned, chosen: rules.Flags) -> Iterator[Entry]:
    """Yield the times and the unknown values of direct properties."""
    predicates = scanned.predicate
    rows = np.flatnonzero(chosen & (predicates > 0) & (predicates < rules.PROPERTIES))
    keys = scanned.subject[rows] << PROPERTY_BITS | predicates[rows]
    for n, key in zip(rows.tolist(), keys.tolist(), strict=True):
        line = lines[n]
        if line.endswith(_TIME_END):
            yield Entry("times", key, line[line.index(b'"') + 1 : -len(_TIME_END)].decode())
        elif _UNKNOWN_VALUE in line and b'"' not in line:
            yield Entry("unknown_values", key, "")


def _literal(line: bytes) -> tuple[str, str] | None:
    """Return the text of a line's literal and what follows it; None if it has no literal."""
    start, end = line.find(b'"') + 1, line.rfind(b'"')
    if not start:
        return None
    text = line[start:end]
    suffix = line[end + 1 : -len(b" .")].decode()
    if b"\\" in text:
        return terms.literal_text(line), suffix
    return text.decode(), suffix
