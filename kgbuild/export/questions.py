"""Read the questions and the subjects of a dataset's rows, as its card names them."""

import re
from typing import NamedTuple

from kgbuild.datasets.base import AnyDataset
from kgbuild.english.normalize import plain
from kgbuild.errors import KgbuildError
from kgbuild.export.cards import card
from kgbuild.tables.database import Database
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
