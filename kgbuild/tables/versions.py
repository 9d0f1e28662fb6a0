"""Read the builds of a database, and its rows for a comparison with another database.

Rows are matched by their key, the name of their candidate in ``rejections`` ("Q1 P26 Q2"), which
is the same in every build. A dataset's ``versions.sql`` selects the key of each row, its contents
and its evidence; its ``statements.sql`` selects what the store stated, as far as the tables show
it, so that a comparison needs no store.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from kgbuild.errors import NoBuildsError
from kgbuild.tables.database import Database

if TYPE_CHECKING:
    from kgbuild.datasets.base import AnyDataset

_TABLES = "SELECT table_name FROM duckdb_tables()"
_BUILDS = """
    SELECT dataset, relation, kgbuild_version, seed, options, dump, store_fingerprint, "rows"
    FROM builds ORDER BY rowid
"""
Key: TypeAlias = tuple[str, str, int]
"""Relation or file, key of a row, and its number among rows with the same key."""


@dataclass(frozen=True)
class PastBuild:
    """A row of ``builds``. ``file`` is the hash of the file that rows were built from, if any."""

    version: str
    seed: int
    options: Mapping[str, Any]
    file: str | None
    fingerprint: str
    rows: int

    @property
    def limit(self) -> int | None:
        """The limit at which the build may have ended, None if it tried all candidates."""
        limit: int | None = self.options.get("limit")
        # Where a model failed there are fewer rows than the limit let through.
        return limit if limit and (self.rows >= limit or "llm" in self.options) else None


@dataclass(frozen=True)
class PastBuilds:
    """All builds of the database ``db``, by dataset and relation."""

    db: Database
    by_dataset: Mapping[str, Mapping[str, PastBuild]]

    def of(self, dataset: "AnyDataset") -> Mapping[str, PastBuild]:
        """Return the builds of a dataset, by relation or file."""
        return self.by_dataset.get(dataset.name, {})


class Version(NamedTuple):
    """A row of a dataset in one build, as ``versions.sql`` selects it.

    ``questions`` are its texts, the one to show last. ``evidence`` are the statements that support
    it: each has a ``scope``, within which ``statements.sql`` selects all that a store states; the
    ``statement`` itself; and the ``forms`` of its value, of which one must be stated.
    ``is_stated`` is whether the row was made from a statement of the store. ``place`` determines
    the order of candidates, if it is known. ``replacement`` is the item that took the place of
    ``replaced``, named as in rejections.
    """

    relation: str
    key: str
    id: str
    questions: Sequence[str]
    contents: Mapping[str, Any]
    evidence: Sequence[Mapping[str, Any]]
    is_stated: bool
    place: Sequence[str] | None
    replacement: str | None
    replaced: str | None


def builds(db: Database) -> PastBuilds:
    """Return the builds of a database.

    Raises:
        NoBuildsError: it has none.
        NoDatasetsError, DatabaseBusyError, DamagedDatabaseError: it cannot be read.
    """
    with db.reading() as select:
        names = {row["table_name"] for row in select(_TABLES, {})}
        rows = select(_BUILDS, {}) if "builds" in names else []
    if not rows:
        raise NoBuildsError(db.path)
    by_dataset: dict[str, dict[str, PastBuild]] = defaultdict(dict)
    for row in rows:
        hashes = {file["name"]: file["sha256"] for file in row["dump"]}
        by_dataset[row["dataset"]][row["relation"]] = PastBuild(
            row["kgbuild_version"],
            row["seed"],
            json.loads(row["options"]),
            hashes.get(row["relation"]),
            row["store_fingerprint"],
            row["rows"],
        )
    return PastBuilds(db, by_dataset)


def numbered(versions: Iterable[Version]) -> dict[Key, Version]:
    """Return rows by their keys; rows with the same key are numbered in their order."""
    counts: Counter[tuple[str, str]] = Counter()
    rows: dict[Key, Version] = {}
    for version in versions:
        key = version.relation, version.key
        rows[*key, counts[key]] = version
        counts[key] += 1
    return rows
