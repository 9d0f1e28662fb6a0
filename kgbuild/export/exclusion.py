"""Leave out rows whose questions, subjects or ids a user's file names, such as leaked ones."""

import hashlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from kgbuild.errors import UnreadableDumpError
from kgbuild.export.questions import Asked, word_form
from kgbuild.tables.files import format_of, read_texts


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
    if not format_of(path):
        yield from path.read_text(encoding="utf-8-sig", errors="replace").splitlines()
        return
    for texts in read_texts(path):
        yield from texts
