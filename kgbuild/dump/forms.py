"""Name the form of a file that is no dump: Turtle, a web page, a reply of an API, and so on.

A dump is N-Triples, or JSON with one entity per line. Most other files would otherwise be reported
by their bad lines, or as cut short where they lack a last line end.
"""

import re
from typing import NamedTuple

_SEEN = 1 << 16
"""Number of bytes at the beginning of a file that show its form."""
_LEADING = re.compile(rb"(?:\s+|#[^\n]*\n)*")
"""Blanks and comments before the first statement."""
_TAR_AT, _TAR = 257, b"ustar"
"""The position and the bytes that mark a tar archive."""
_TERM = rb'(?:<[^<>]*>|_:\S+|"(?:[^"\\\n]|\\.)*"(?:@[\w-]+|\^\^<[^<>]*>)?)'
_KEY = rb'\[?\s*\{\s*"'
"""The beginning of JSON, up to the first key."""


class DumpForm(NamedTuple):
    """A form of files that are not read, as it is called, and what to do with such a file."""

    name: str
    advice: str


_ARCHIVE = "unpack it, or use gz, bz2, xz or zst"
_CONVERT = "convert it to N-Triples, for instance by 'oxigraph convert'"
_FETCH = "to get single items, use 'kgbuild fetch'"
_TURTLE = DumpForm("Turtle or TriG", _CONVERT)
_INDENTED, _ARRAY = (
    DumpForm("JSON with other lines than one for each entity", f"write it so, for instance by {jq}")
    for jq in ("'jq -c .'", "\"jq -c '.[]'\"")
)
_ROWS = DumpForm("the result of a SPARQL query", _FETCH)
_FORMS: tuple[tuple[bytes, DumpForm], ...] = (
    (rb"PK\x03\x04", DumpForm("a zip archive", _ARCHIVE)),
    (rb"7z\xbc\xaf", DumpForm("a 7z archive", _ARCHIVE)),
    (rb"Rar!", DumpForm("a rar archive", _ARCHIVE)),
    (rb"\x04\x22\x4d\x18", DumpForm("an lz4 archive", _ARCHIVE)),
    (rb"(?i:@prefix|@base|prefix|base)\s[^\n]*<", _TURTLE),
    (rb"(?:%b\s+){1,3}[;,]\s*(?:\n|\Z)" % _TERM, _TURTLE),
    (rb"(?:%b\s+){3}(?:<[^<>]*>|_:\S+)\s*\.\s*(?:\n|\Z)" % _TERM, DumpForm("N-Quads", _CONVERT)),
    (rb"(?i:<!doctype html|<html)", DumpForm("a web page", "is its address that of a file?")),
    (rb"(?i:<\?xml|<rdf:rdf)", DumpForm("XML", "a dump is N-Triples (.nt) or JSON")),
    (_KEY + rb"@", DumpForm("JSON-LD", _CONVERT)),
    (_KEY + rb'(?:head|results)"', _ROWS),
    (_KEY + rb'\w+"\s*:\s*"https?://', _ROWS),  # as the page of Wikidata's service writes it
    (
        _KEY + rb'(?:entities|success|error|batchcomplete|query)"',
        DumpForm("an entity page or another reply of Wikidata's API", _FETCH),
    ),
    (rb"\{\s*\n", _INDENTED),
    (rb"\[\s*\{\s*\n", _ARRAY),
    (rb"\xff\xfe|\xfe\xff", DumpForm("a text in UTF-16", "convert it to UTF-8")),
    (rb"version https://git-lfs", DumpForm("a pointer of Git LFS", "get it by 'git lfs pull'")),
)
"""The forms, by a regular expression for the first bytes that are no blanks or comments."""
_COMPILED = tuple((re.compile(pattern), form) for pattern, form in _FORMS)


def unread(start: bytes | bytearray) -> DumpForm | None:
    """Return the form of a file that begins with these bytes; None if it may be a dump."""
    if start[_TAR_AT : _TAR_AT + len(_TAR)] == _TAR:
        return DumpForm("a tar archive", "unpack it")
    statements = _statements(start)
    for pattern, form in _COMPILED:
        if pattern.match(statements):
            return form
    return _ARRAY if _is_array(start) else None


def first_line(start: bytes | bytearray) -> bytes:
    """Return the first line that is not empty or a comment."""
    return _statements(start).partition(b"\n")[0]


def _statements(start: bytes | bytearray) -> bytes:
    """Return the beginning of a file without the blanks and comments before the first statement."""
    return _LEADING.sub(b"", bytes(start[:_SEEN]), count=1)


def _is_array(start: bytes | bytearray) -> bool:
    """Return whether a text begins with a JSON array that has all its entities in one line."""
    first = bytes(start).lstrip().partition(b"\n")[0].rstrip()
    return re.match(rb"\[\s*\{", first) is not None and not first.endswith((b"}", b","))
