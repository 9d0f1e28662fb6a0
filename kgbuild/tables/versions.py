"""Read the builds of a database, and its rows for a comparison with another database.

Rows of two builds are matched by their key, which is the name of their candidate in ``rejections``
("Q1 P26 Q2"). A dataset's ``versions.sql`` selects the key, the contents and the evidence of each
row; its ``statements.sql`` selects the statements of the store that the tables show. So a
comparison does not need the stores.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from kgbuild.errors import KgbuildError
from kgbuild.rows import DatasetTables
from kgbuild.tables.database import Database
from kgbuild.tables.reviews import find_table

_BUILDS = """
    SELECT dataset, relation, kgbuild_version, seed, options, dump, store_fingerprint, "rows"
    FROM builds ORDER BY rowid
"""
Key: TypeAlias = tuple[str, str, str, int]
"""The relation or file of a row, its key and series, and its number among rows with the same."""


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
        """The limit at which the build may have ended, or None if it tried all candidates."""
        limit: int | None = self.options.get("limit")
        # If requests to a model failed, a build has fewer rows than its limit.
        return limit if limit and (self.rows >= limit or "model" in self.options) else None


@dataclass(frozen=True)
class PastBuilds:
    """All builds of the database ``db``, by dataset and relation."""

    db: Database
    by_dataset: Mapping[str, Mapping[str, PastBuild]]

    def of(self, dataset: DatasetTables) -> Mapping[str, PastBuild]:
        """Return the builds of a dataset, by relation or file."""
        return self.by_dataset.get(dataset.name, {})


class Version(NamedTuple):
    """A row of a dataset in one build, as ``versions.sql`` selects it.

    ``questions`` has its texts; the last of them is shown. ``evidence`` has the statements that
    support the row. Each has the text ``statement``; a ``scope``, such as an item and a property,
    of which ``statements.sql`` selects all values in the store; and the ``forms`` of its value, one
    of which must be among these. ``is_stated`` is whether the row was made from a statement of the
    store. ``place`` is the key by which candidates are shuffled, or None. In a false question, the
    item ``replacement`` replaces the item ``replaced``; both are named as in ``rejections``. Rows
    of another ``series`` are made of the same candidates again, up to the same limit.
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
    series: str = ""


def builds(db: Database) -> PastBuilds:
    """Return the builds of a database.

    Raises:
        KgbuildError: it has no builds.
        NoDatasetsError, DatabaseBusyError, DamagedDatabaseError: it cannot be read.
    """
    with db.reading() as select:
        rows = select(_BUILDS, {}) if select(find_table("builds"), {}) else []
    if not rows:
        raise KgbuildError(
            f"{db.path} has no dataset: nothing was built into it. See 'kgbuild --help'."
        )
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
    counts: Counter[tuple[str, str, str]] = Counter()
    rows: dict[Key, Version] = {}
    for version in versions:
        key = version.relation, version.key, version.series
        rows[*key, counts[key]] = version
        counts[key] += 1
    return rows
