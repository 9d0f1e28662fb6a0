"""A release as plain values: what it has, where that is from, and how it is called."""

import re
import uuid
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from kgbuild import __version__
from kgbuild.datasets.base import AnyDataset
from kgbuild.export.cards import Card
from kgbuild.rows import SPLITS, Row

_RELATION = re.compile(r"[PQ]\d+(/P\d+)*")
"""What rows are made from that are from the store alone: relations, paths, classes."""


class Part(NamedTuple):
    """The rows of a table that are in one split; there is at least one."""

    table: str
    split: str
    rows: int

    def file(self, ending: str) -> str:
        """Return the name of the file of that ending (``parquet``, say) in the release."""
        return f"{ending}/{self.table}/{self.split}.{ending}"


class Source(NamedTuple):
    """What some rows were built from, and how.

    ``files`` are the dumps, and what else was read, as (name, SHA-256); ``made_from`` are the
    relations, or the one file of questions, with the rows that the build made of each.
    """

    version: str
    seed: int
    options: Mapping[str, Any]
    files: Sequence[tuple[str, str]]
    fingerprint: str
    triples: int
    made_from: Mapping[str, int]

    @property
    def given(self) -> str | None:
        """The file of questions that was given, None if there was none."""
        return next((name for name in self.made_from if not _RELATION.fullmatch(name)), None)


class Counted(NamedTuple):
    """A figure of the card: its title, its columns, its rows."""

    title: str
    columns: Sequence[str]
    rows: Sequence[tuple[Any, ...]]


class Reviewed(NamedTuple):
    """What reviewers made of a dataset, of which only what they accepted is to be in a release.

    ``accepted`` are the ids of the rows, of so many that were ``decided`` on by so many
    ``reviewers``; ``texts`` are those that they worded otherwise, by id and column.
    """

    accepted: Collection[str]
    decided: int
    reviewers: int
    texts: Mapping[str, Mapping[str, str]]


@dataclass(frozen=True)
class Release:
    """A release of a dataset.

    ``columns`` are those of each table with DuckDB's types, ``example`` is one row of the first
    table, ``remarks`` are sentences that hold of its rows. If it is ``reviewed``, rows which
    reviewers did not accept are left out.
    """

    dataset: AnyDataset
    card: Card
    columns: Mapping[str, Mapping[str, str]]
    parts: Sequence[Part]
    figures: Sequence[Counted]
    remarks: Sequence[str]
    sources: Sequence[Source]
    example: Row
    reviewed: Reviewed | None

    @property
    def rows(self) -> int:
        """The rows of the first table."""
        first = self.card.tables[0].name
        return sum(part.rows for part in self.parts if part.table == first)

    @property
    def splits(self) -> list[str]:
        """The splits that have rows, in their order."""
        there = {part.split for part in self.parts}
        return [name for name, _ in SPLITS if name in there]

    @property
    def given(self) -> list[str]:
        """The files of questions that rows were made from."""
        return sorted({source.given for source in self.sources if source.given})

    @property
    def licences(self) -> list[str]:
        """The licences of the rows, as the Hugging Face hub names them.

        Wikidata's statements and labels are in the public domain (CC0). HotpotQA's questions are
        under CC BY-SA 4.0; of other files nothing is known.
        """
        if not self.given:
            return ["cc0-1.0"]
        return ["cc0-1.0", "cc-by-sa-4.0" if self.dataset.name == "syn_qa" else "other"]


def canary(dataset: AnyDataset) -> str:
    """Return the text that betrays a corpus which holds rows of a dataset of this version.

    The same for all its releases, so that one search finds them.

    >>> from kgbuild.datasets import dataset
    >>> canary(dataset("granola")).partition(" GUID ")[0]
    'kgbuild granola canary'
    """
    name = f"kgbuild/{dataset.command}/{__version__}"
    return f"kgbuild {dataset.command} canary GUID {uuid.uuid5(uuid.NAMESPACE_URL, name)}"
