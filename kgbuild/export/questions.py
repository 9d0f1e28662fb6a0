"""Read the questions and the subjects of a dataset's rows, as its card names them."""

import hashlib
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from kgbuild.datasets.base import AnyDataset
from kgbuild.english.normalize import plain
from kgbuild.errors import KgbuildError, UnreadableDumpError
from kgbuild.export.cards import card
from kgbuild.tables.database import Database
from kgbuild.tables.files import format_of, read_texts
from kgbuild.tables.reviews import Select

_WORD = re.compile(r"[^\W_]+")


class Asked(NamedTuple):
    """A row of a dataset: its id, its relation or file, its questions, its subjects' ids."""

    id: str
    source: str
    questions: tuple[str, ...]
    subjects: tuple[str, ...]


def read(db: Database, dataset: AnyDataset) -> list[Asked]:
    """Return the questions of all rows of a dataset.

    Raises:
        KgbuildError: the database has no rows of the dataset.
        NoDatasetsError, DatabaseBusyError, DamagedDatabaseError: the database cannot be read.
    """
    with db.reading() as select:
        rows = select_from(select, dataset)
    if not rows:
        raise no_rows(db, dataset)
    return rows


def no_rows(db: "Database", dataset: AnyDataset, accepted: bool = False) -> KgbuildError:
    """Return the error that a database has no rows of a dataset, or no ``accepted`` ones."""
    missing = f"{db.path} has no rows of {dataset.command}"
    if accepted:
        check = f"'kgbuild review {dataset.command}'"
        return KgbuildError(f"{missing} that reviewers accepted. Check some: {check}.")
    return KgbuildError(f"{missing}. Build them: {dataset.user_command()}.")


def select_from(select: Select, dataset: AnyDataset) -> list[Asked]:
    """Return the questions of all rows of a dataset, by an open database."""
    texts = card(dataset, {})
    query = (
        f"SELECT {dataset.key} AS id, {dataset.source_column} AS source,"  # noqa: S608
        f" [{', '.join(texts.questions)}] AS questions, [{', '.join(texts.subjects)}] AS subjects"
        f" FROM {dataset.tables[0]} ORDER BY rowid"
    )
    return [
        Asked(row["id"], row["source"], _texts(row["questions"]), _texts(row["subjects"]))
        for row in select(query, {})
    ]


def _texts(values: list[str | None]) -> tuple[str, ...]:
    return tuple(value for value in values if value)


def word_form(text: str) -> str:
    """Return the words of a text without case, accents and punctuation.

    >>> word_form("Where was Édith Piaf's house?")
    'where was edith piaf s house'
    """
    return " ".join(_WORD.findall(plain(text)))


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
        names = {word_form(text) for text in _texts_of_file(path)}
    except OSError as error:
        raise UnreadableDumpError(str(path), error.strerror or str(error)) from error
    names.discard("")
    ids = (
        row.id
        for row in rows
        if names & set(map(word_form, (row.id, *row.subjects, *row.questions)))
    )
    return Exclusion(path.name, digest, frozenset(ids))


def _texts_of_file(path: Path) -> Iterator[str]:
    if not format_of(path):
        yield from path.read_text(encoding="utf-8-sig", errors="replace").splitlines()
        return
    for texts in read_texts(path):
        yield from texts
