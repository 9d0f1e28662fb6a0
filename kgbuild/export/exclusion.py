"""Leave out rows whose questions, subjects or ids a user's file names, such as leaked ones."""

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from kgbuild.errors import UnreadableDumpError
from kgbuild.export.questions import Asked, word_form
from kgbuild.tables.files import FORMATS, read_file


class Exclusion(NamedTuple):
    """The rows that a file excludes: its name and SHA-256, and the ids of the rows."""

    file: str
    sha256: str
    ids: frozenset[str]


def exclude(path: Path, rows: Iterable[Asked]) -> Exclusion:
    """Return the rows that a file names: by question, by the id of a subject, or by their own id.

    A table (CSV, TSV, JSON, Parquet) may have any columns: all of its texts count. Of another file,
    each line is a text. Questions are compared without case, accents and punctuation.

    Raises:
        UnreadableDumpError: the file cannot be read.
        TableFileError: the table has another format than its ending says.
    """
    try:
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        names = {word_form(text) for text in _texts(path)}
    except OSError as error:
        raise UnreadableDumpError(str(path), error.strerror or str(error)) from error
    names.discard("")
    ids = (
        row.id
        for row in rows
        if names & set(map(word_form, (row.id, *row.subjects, *row.questions)))
    )
    return Exclusion(path.name, digest, frozenset(ids))


def _texts(path: Path) -> Iterator[str]:
    if path.suffix.lower() not in FORMATS:
        yield from path.read_text(encoding="utf-8-sig", errors="replace").splitlines()
        return
    for row in read_file(path).rows:
        for value in row:
            yield from _strings(value)


def _strings(value: Any) -> Iterator[str]:
    """Yield the texts of a cell, also those in lists and records."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | tuple):
        for entry in value:
            yield from _strings(entry)
    elif isinstance(value, dict):
        yield from _strings([*value.values()])
