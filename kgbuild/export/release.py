"""A release as plain values: its tables, their origin, its reviews and its canary."""

import uuid
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from kgbuild import __version__
from kgbuild.datasets import NAMES
from kgbuild.datasets.base import AnyDataset
from kgbuild.errors import NotReviewedError
from kgbuild.export.cards import Card, Licence
from kgbuild.review import verdicts
from kgbuild.review.selection import Selection, is_reviewed
from kgbuild.rows import Row
from kgbuild.tables.database import Database

_CC0 = Licence("cc0-1.0", "Wikidata's statements and labels are in the public domain (CC0 1.0).")


class Part(NamedTuple):
    """The rows of a table that are in one split; there is at least one."""

    table: str
    split: str
    rows: int

    def file(self, ending: str) -> str:
        """Return the name of the file of that ending (``parquet``, say) in the release."""
        return f"{ending}/{self.table}/{self.split}.{ending}"


class Source(NamedTuple):
    """The origin of some rows: builds with the same options from the same files.

    ``files`` are the dumps and the other files that were read, as (name, SHA-256). ``rows`` are
    the numbers of rows by relation, or by the one file of questions.
    """

    version: str
    seed: int
    options: Mapping[str, Any]
    files: Sequence[tuple[str, str]]
    fingerprint: str
    triples: int
    rows: Mapping[str, int]

    @property
    def question_file(self) -> str | None:
        """The file of questions that rows were built from; None if it was the store alone."""
        files = dict(self.files)
        return next((name for name in self.rows if name in files), None)


class Count(NamedTuple):
    """A figure of the card with its numbers: its title, its columns, its rows."""

    title: str
    columns: Sequence[str]
    rows: Sequence[tuple[Any, ...]]


class Reviewed(NamedTuple):
    """The reviews of a dataset of which only the ``accepted`` rows (ids) are released.

    ``decided`` counts the rows that reviewers decided on, ``reviewers`` counts the reviewers;
    ``texts`` are their wordings, by id and column.
    """

    accepted: Collection[str]
    decided: int
    reviewers: int
    texts: Mapping[str, Mapping[str, str]]


@dataclass(frozen=True)
class Release:
    """A release of a dataset.

    ``columns`` are those of each table with DuckDB's types, ``example`` is one row of the first
    table, ``remarks`` are sentences that hold of its rows. If it is ``reviewed``, it has only
    rows that reviewers accepted.
    """

    dataset: AnyDataset
    card: Card
    columns: Mapping[str, Mapping[str, str]]
    parts: Sequence[Part]
    counts: Sequence[Count]
    remarks: Sequence[str]
    sources: Sequence[Source]
    example: Row
    reviewed: Reviewed | None

    @property
    def rows(self) -> int:
        """The number of rows of the first table."""
        first = self.card.tables[0].name
        return sum(part.rows for part in self.parts if part.table == first)

    @property
    def splits(self) -> list[str]:
        """The splits that have rows, in their order."""
        splits = {part.split for part in self.parts}
        return sorted(splits, key=lambda split: (split == "test", split))

    @property
    def has_command(self) -> bool:
        """Whether a command builds the dataset, as those of this package."""
        return self.dataset.name in NAMES

    @property
    def question_files(self) -> list[str]:
        """The files of questions that rows were built from."""
        return sorted({source.question_file for source in self.sources if source.question_file})

    @property
    def licences(self) -> list[Licence]:
        """The licences of the rows: Wikidata's, and that of files of questions."""
        return [_CC0, self.card.files_licence] if self.question_files else [_CC0]


def canary(dataset: AnyDataset) -> str:
    """Return the text that marks all rows of a dataset of this version, to search a corpus for.

    >>> from kgbuild.datasets import dataset
    >>> canary(dataset("granola")).partition(" GUID ")[0]
    'kgbuild granola canary'
    """
    name = f"kgbuild/{dataset.command}/{__version__}"
    return f"kgbuild {dataset.command} canary GUID {uuid.uuid5(uuid.NAMESPACE_URL, name)}"


def read_reviews(dataset: AnyDataset, db: Database) -> Reviewed:
    """Return the rows of a dataset that reviewers accepted, with their wordings.

    Raises:
        NotReviewedError: the dataset has nothing to review.
        NoDatasetsError, DatabaseBusyError, DamagedDatabaseError: the database cannot be read.
    """
    if not is_reviewed(dataset):
        raise NotReviewedError(dataset.command)
    selection = Selection(dataset)
    with db.reading() as select:
        accepted, decided = verdicts.survivors(select, selection)
        reviewers = verdicts.deciders(select, selection)
        texts = verdicts.wordings(select, selection.name)
    return Reviewed(accepted, len(decided), len(reviewers), texts)
