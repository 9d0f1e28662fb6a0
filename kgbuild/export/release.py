"""The data of a release of a dataset: its tables, their sources, its reviews and its canary.

A canary is a unique text in every row, by which leaked rows can be found in a training corpus.
"""

import contextlib
import datetime
import re
import uuid
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from kgbuild import __version__
from kgbuild.datasets.base import AnyDataset
from kgbuild.errors import WrongCallError
from kgbuild.export.cards import Card, Licence
from kgbuild.export.questions import Exclusion
from kgbuild.export.truth import TruthMeasure
from kgbuild.review import verdicts
from kgbuild.review.selection import Selection
from kgbuild.rows import TEST, TRAIN, Row
from kgbuild.tables.database import Database
from kgbuild.tables.files import Result

_CC0 = Licence("cc0-1.0", "Wikidata's statements and labels are in the public domain (CC0 1.0).")
_DAY = re.compile(r"(?<!\d)(20\d\d)-?(\d\d)-?(\d\d)(?!\d)")
"""A day in the name of a dump: wikidata-20250402-truthy.nt.gz."""


class Part(NamedTuple):
    """The rows of a table in one split: one file of the release in each format."""

    table: str
    split: str
    rows: int

    def file(self, ending: str) -> str:
        """Return the path of the file in the release; ``ending`` is a format, such as parquet."""
        return f"{ending}/{self.table}/{self.split}.{ending}"


class ReleaseSource(NamedTuple):
    """The source of some rows: builds with the same options from the same files.

    ``files`` are the (name, SHA-256) of all files that were read, dumps and others. ``rows`` maps
    each relation (or the file of questions) to the number of its rows.
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
        """The file of questions from which rows were built; None without one."""
        files = dict(self.files)
        return next((name for name in self.rows if name in files), None)


class Reviewed(NamedTuple):
    """The reviews of a dataset; only its ``accepted`` rows (their ids) are released.

    ``decided`` is the number of rows that reviewers decided on, ``reviewers`` the number of
    reviewers. ``texts`` are the texts that reviewers corrected, by row id and column.
    """

    accepted: Collection[str]
    decided: int
    reviewers: int
    texts: Mapping[str, Mapping[str, str]]


@dataclass(frozen=True)
class Release:
    """A release of a dataset.

    ``columns`` maps each table to its columns and their DuckDB types, ``counts`` are tables of
    numbers with their titles, ``example`` is a row of the first table, ``remarks`` are sentences
    about its rows. With ``reviewed``, the release has only rows that reviewers accepted.
    ``removed`` is the number of rows that verification removed. With ``safe_csv``, an apostrophe
    precedes texts in CSV that a spreadsheet would run. ``built_splits`` are the splits of the first
    table in the database, if rows may be left out. ``truth`` are measures of how many rows are
    wrong, ``examples`` rows for the card, ``published`` the day of publication. ``excluded`` are
    rows that a user's file left out. With ``has_site``, there is a website.
    """

    dataset: AnyDataset
    card: Card
    columns: Mapping[str, Mapping[str, str]]
    parts: Sequence[Part]
    counts: Sequence[tuple[str, Result]]
    remarks: Sequence[str]
    sources: Sequence[ReleaseSource]
    example: Row
    reviewed: Reviewed | None
    removed: int
    published: datetime.date
    safe_csv: bool
    built_splits: Sequence[str]
    truth: Sequence[TruthMeasure]
    examples: Result | None
    excluded: Exclusion | None
    has_site: bool

    @property
    def rows(self) -> int:
        """The number of rows of the first table."""
        first_table = self.card.tables[0].name
        return sum(part.rows for part in self.parts if part.table == first_table)

    @property
    def splits(self) -> list[str]:
        """The splits that have rows: train first, test last, others in alphabetical order."""
        splits = {part.split for part in self.parts}
        return sorted(splits, key=lambda split: (split == TEST, split != TRAIN, split))

    @property
    def canary(self) -> str:
        """The canary of the dataset."""
        return canary(self.dataset)

    @property
    def lost_splits(self) -> list[str]:
        """The splits whose rows are all left out."""
        return [split for split in self.built_splits if split not in self.splits]

    @property
    def ending(self) -> str:
        """The suffix of names in texts.toml for a release that lacks rows of the builds."""
        if self.reviewed:
            return "_of_accepted"
        return "_of_verified" if self.removed else ""

    @property
    def question_files(self) -> list[str]:
        """The files of questions from which rows were built."""
        return sorted({source.question_file for source in self.sources if source.question_file})

    @property
    def licences(self) -> list[Licence]:
        """The licences of the rows: of Wikidata, and of the question files if there are any."""
        return [_CC0, self.card.files_licence] if self.question_files else [_CC0]


def dump_date(name: str) -> str | None:
    """Return the day in the name of a dump, or None. The date of the file is that of a copy.

    >>> dump_date("wikidata-20250402-truthy-BETA.nt.gz")
    '2025-04-02'
    """
    for match in _DAY.finditer(name):
        with contextlib.suppress(ValueError):  # no day of the calendar
            return datetime.date(*map(int, match.groups())).isoformat()
    return None


def canary(dataset: AnyDataset) -> str:
    """Return the canary of a dataset, a text with a unique id.

    >>> from kgbuild.datasets import dataset
    >>> canary(dataset("granola")).partition(" GUID ")[0]
    'kgbuild granola canary'
    """
    name = f"kgbuild/{dataset.command}/{__version__}"
    return f"kgbuild {dataset.command} canary GUID {uuid.uuid5(uuid.NAMESPACE_URL, name)}"


def read_reviews(dataset: AnyDataset, db: Database) -> Reviewed:
    """Return the rows of a dataset that reviewers accepted, and the texts that they corrected.

    Raises:
        WrongCallError: the dataset cannot be reviewed.
        NoDatasetsError, DatabaseBusyError, DamagedDatabaseError: the database cannot be read.
    """
    if dataset.view is None:
        raise WrongCallError(
            f"--only-accepted needs a dataset that can be reviewed, and {dataset.command} cannot."
        )
    selection = Selection(dataset)
    with db.reading() as select:
        accepted, decided = verdicts.survivors(select, selection)
        reviewers = verdicts.deciders(select, selection)
        texts = verdicts.wordings(select, selection.name)
    return Reviewed(accepted, len(decided), len(reviewers), texts)
