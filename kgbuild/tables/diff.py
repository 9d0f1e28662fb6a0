"""What a newer build changed: rows that are gone, moved, reworded or new, and why.

Rows are matched by what they are about, as ``rejections`` names it ("Q1 P26 Q2"), which stays the
same whatever is asked of it. A dataset's ``versions.sql`` tells that of each row, with what the
row says of it and the statements that it rests on; its ``statements.sql`` tells what the store
stated, as far as the tables show it, so that what is stated no more can be told without the store.
"""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias, TypeVar

from kgbuild.errors import NoBuildsError, NothingInCommonError, SameDatabaseError
from kgbuild.rows import TableSet, place
from kgbuild.tables.database import Database
from kgbuild.tables.reviews import Select

ABSENCES = {
    "not stated": "a statement that the row rests on is not in the {build} store",
    "not read": "the {build} build read no such record, or could not tell what it asks about",
    "not reached": "the {build} build came to its limit before",
    "not tried": "the {build} build took a more similar item before it came to that replacement",
    "same replacement": "the {build} build names it otherwise, or knows more or less against it",
}
"""Why the older or the newer build has no such row, although it left out no such candidate."""
UNTRUE = ("not stated", "holds")
"""The reasons for which a row is gone that say that it is untrue by the other build's store."""

_TABLES = "SELECT table_name FROM duckdb_tables()"
_BUILDS = """
    SELECT dataset, relation, kgbuild_version, seed, options, dump, store_fingerprint, "rows"
    FROM builds ORDER BY rowid
"""
_REJECTIONS = """
    SELECT relation, candidate, reason, detail
    FROM rejections
    WHERE dataset = $dataset AND (
        candidate IN (SELECT unnest($candidates)) OR detail IN (SELECT unnest($candidates))
    )
    ORDER BY rowid
"""
_OF_ANOTHER = re.compile(r"(?:for|of) Q\d+")
"""How the detail begins of what is left out as a part of another row, or to stand in for one."""

AnySet = TypeVar("AnySet", bound=TableSet)
Key: TypeAlias = tuple[str, str, int]
"""Relation or file, what a row is about, and its number among those that are about the same."""


@dataclass(frozen=True)
class Build:
    """A row of ``builds``. ``file`` is the hash of the file that it was built of, if it was one."""

    version: str
    seed: int
    options: Mapping[str, Any]
    file: str | None
    fingerprint: str
    rows: int

    @property
    def limit(self) -> int | None:
        """The limit at which the build may have ended, None if it went through all there is."""
        limit: int | None = self.options.get("limit")
        # Where a model failed there are fewer rows than the limit let through.
        return limit if limit and (self.rows >= limit or "llm" in self.options) else None


@dataclass(frozen=True)
class Held:
    """What was built into the database ``db``, by dataset and relation."""

    db: Database
    builds: Mapping[str, Mapping[str, Build]]

    def of(self, dataset: TableSet) -> Mapping[str, Build]:
        """Return the builds of a dataset, by relation or file."""
        return self.builds.get(dataset.name, {})


class Version(NamedTuple):
    """A row as one build has it: a row of ``versions.sql``.

    ``questions`` are its texts, the one to show last; ``told`` is what it says of what it is
    about. ``rests_on`` are its statements: each has a ``scope``, within which ``statements.sql``
    tells all that a store states; the ``statement`` itself; and the ``forms`` of its value, of
    which one must be stated. ``is_stated`` if it was made of a statement of the store; ``place``
    is what the order of candidates depends on, if that is known. ``stand_in`` names, as a
    rejection would, what was put in the place of ``stands_for``.
    """

    relation: str
    key: str
    id: str
    questions: Sequence[str]
    told: Mapping[str, Any]
    rests_on: Sequence[Mapping[str, Any]]
    is_stated: bool
    place: Sequence[str] | None
    stand_in: str | None
    stands_for: str | None


class Why(NamedTuple):
    """Why a build has no such row: a reason of ``rejections`` or of ABSENCES, and its detail."""

    reason: str
    detail: str


@dataclass(frozen=True)
class Difference:
    """A row that the two builds do not have alike; what one of them lacks is None.

    ``gone`` is why the newer build does not have the older row, ``new`` why the older one does
    not have the newer row; None where a row is only told otherwise. ``lost`` are the statements
    of the older row that are stated no more, ``found`` those of the newer one that were not yet.
    """

    relation: str
    about: str
    older: Version | None
    newer: Version | None
    gone: Why | None
    new: Why | None
    lost: Sequence[str] = ()
    found: Sequence[str] = ()

    @property
    def change(self) -> str:
        """What became of the row: ``gone``, ``new``, ``moved`` or only ``reworded``."""
        if self.newer is None:
            return "gone"
        if self.older is None:
            return "new"
        return "moved" if self.moved or self.lost or self.found else "reworded"

    @property
    def moved(self) -> list[str]:
        """What the two tell differently; nothing of what only one has."""
        if self.older is None or self.newer is None:
            return []
        told = self.newer.told
        return [name for name, value in self.older.told.items() if told[name] != value]

    @property
    def why(self) -> Why | None:
        """Why the newer build lacks the older row; of a new one, why the older build lacks it."""
        return self.new if self.older is None else self.gone

    @property
    def is_untrue(self) -> bool:
        """Whether the older row is untrue by what the newer build was made of."""
        return bool(self.lost) or (self.gone is not None and self.gone.reason in UNTRUE)


@dataclass(frozen=True)
class Comparison:
    """What became of the rows of a dataset; ``older`` and ``newer`` count them by relation."""

    relations: Sequence[str]
    older: Counter[str]
    newer: Counter[str]
    differences: Sequence[Difference]


def held(db: Database) -> Held:
    """Return what was built into a database.

    Raises:
        NoBuildsError: nothing was.
        DatabaseBusyError, DamagedDatabaseError: it cannot be read.
    """
    with db.reading() as select:
        names = {row["table_name"] for row in select(_TABLES, {})}
        rows = select(_BUILDS, {}) if "builds" in names else []
    found: dict[str, dict[str, Build]] = defaultdict(dict)
    for row in rows:
        found[row["dataset"]][row["relation"]] = Build(
            row["kgbuild_version"],
            row["seed"],
            json.loads(row["options"]),
            next((one["sha256"] for one in row["dump"] if one["name"] == row["relation"]), None),
            row["store_fingerprint"],
            row["rows"],
        )
    if not found:
        raise NoBuildsError(db.path)
    return Held(db, found)


def in_common(older: Held, newer: Held, wanted: Sequence[AnySet]) -> list[AnySet]:
    """Return those of some datasets of which both databases have a relation or file.

    Raises:
        SameDatabaseError: the two are one file.
        NothingInCommonError: there is no such dataset.
    """
    if older.db.path.samefile(newer.db.path):
        raise SameDatabaseError(older.db.path)
    found = [dataset for dataset in wanted if shared(older, newer, dataset)]
    if not found:
        raise NothingInCommonError(
            older.db.path, newer.db.path, _named(older, wanted), _named(newer, wanted)
        )
    return found


def _named(one: Held, datasets: Sequence[TableSet]) -> list[str]:
    return [
        f"{dataset.name.replace('_', '-')} ({', '.join(one.of(dataset))})"
        for dataset in datasets
        if one.of(dataset)
    ]


def shared(older: Held, newer: Held, dataset: TableSet) -> list[str]:
    """Return the relations or files of which both have a build, in the newer one's order."""
    return [name for name in newer.of(dataset) if name in older.of(dataset)]


def compare(older: Held, newer: Held, dataset: TableSet) -> Comparison:
    """Compare what two databases have of a dataset, as far as both have the relation or file.

    Raises:
        DatabaseBusyError, DamagedDatabaseError: one of them cannot be read.
    """
    relations = shared(older, newer, dataset)
    with older.db.reading() as before, newer.db.reading() as after:
        one = _Side(before, dataset, older.of(dataset), relations)
        other = _Side(after, dataset, newer.of(dataset), relations)
        lost, found = other.not_stated(one), one.not_stated(other)
        pairs = _differing(one.versions, other.versions, {*lost, *found})
        gone = other.why_without({key: old for key, (old, _) in pairs.items() if old}, lost)
        new = one.why_without({key: new for key, (_, new) in pairs.items() if new}, found)
    order = {relation: number for number, relation in enumerate(relations)}
    return Comparison(
        relations,
        Counter(relation for relation, _, _ in one.versions),
        Counter(relation for relation, _, _ in other.versions),
        [
            Difference(
                *(key[0], key[1], *pairs[key], gone.get(key), new.get(key)),
                lost=lost.get(key, ()),
                found=found.get(key, ()),
            )
            for key in sorted(pairs, key=lambda key: (order[key[0]], *key[1:]))
        ],
    )


def _differing(
    older: Mapping[Key, Version], newer: Mapping[Key, Version], unlike: Collection[Key]
) -> dict[Key, tuple[Version | None, Version | None]]:
    """Return what both do not have alike, or is ``unlike`` anyway, by what it is about."""
    found = {key: (older.get(key), newer.get(key)) for key in {**older, **newer}}
    return {
        key: (one, other)
        for key, (one, other) in found.items()
        if one is None or other is None or key in unlike or _said(one) != _said(other)
    }


def _said(version: Version) -> tuple[str, Mapping[str, Any]]:
    return version.id, version.told


class _Side:
    """What one of the two databases has of a dataset."""

    def __init__(
        self,
        select: Select,
        dataset: TableSet,
        builds: Mapping[str, Build],
        relations: Sequence[str],
    ):
        self._select = select
        self._dataset = dataset
        self._builds = builds
        self.versions = _numbered(
            version
            for row in self._all("versions.sql")
            if (version := Version(**row)).relation in relations
        )

    def _all(self, name: str) -> list[dict[str, Any]]:
        """Return what one of the dataset's queries gives."""
        return self._select(self._dataset.text(name), {})

    def not_stated(self, other: "_Side") -> dict[Key, list[str]]:
        """Return the statements of rows of the other side that are not stated here, if any."""
        found = {key: self._lacking(version) for key, version in other.versions.items()}
        return {
            key: lacking
            for key, lacking in found.items()
            # Of another file the answers may be others, whatever the store states.
            if lacking and self._builds[key[0]].file == other._builds[key[0]].file
        }

    def _lacking(self, version: Version) -> list[str]:
        return [
            one["statement"]
            for one in version.rests_on
            if one["scope"] in self._stated and self._stated[one["scope"]].isdisjoint(one["forms"])
        ]

    @cached_property
    def _stated(self) -> dict[str, set[str]]:
        """What is stated here, by scope: all that the store stated within it."""
        return {row["scope"]: {*row["forms"]} for row in self._all("statements.sql")}

    def why_without(
        self, absent: Mapping[Key, Version], not_stated: Mapping[Key, Sequence[str]]
    ) -> dict[Key, Why]:
        """Return why rows of the other side are not here, where there is a reason.

        ``not_stated`` are their statements that are not stated here.
        """
        refused = self._refused(absent.values())
        found = {
            key: self._why(key, version, refused, not_stated.get(key, ()))
            for key, version in absent.items()
        }
        return {key: why for key, why in found.items() if why}

    def _why(
        self, key: Key, version: Version, refused: "_Refused", not_stated: Sequence[str]
    ) -> Why | None:
        named = version.relation, version.stand_in or ""
        for reason, detail in refused[named] if version.stand_in else ():
            begin, _, rest = detail.partition("; ")
            if begin == f"for {version.stands_for}":
                return Why(reason, "; ".join(dict.fromkeys(filter(None, (version.stand_in, rest)))))
        if key in self.versions:
            return _why_otherwise(version, self.versions[key], not_stated)
        # What is said last of a candidate is the verdict on it.
        for reason, detail in reversed(refused[version.relation, version.key]):
            if not _OF_ANOTHER.match(detail):
                return Why(reason, detail)
        if not self._is_reached(version):
            return Why("not reached", f"limit {self._builds[version.relation].limit:,}")
        return Why("not stated", version.key) if version.is_stated else Why("not read", "")

    def _refused(self, versions: Iterable[Version]) -> "_Refused":
        """Return what is said here of the candidates that became rows of the other side."""
        names = {name for one in versions for name in (one.key, one.stand_in) if name}
        found: _Refused = defaultdict(list)
        values = {"dataset": self._dataset.name, "candidates": sorted(names)}
        for row in self._select(_REJECTIONS, values) if names else ():
            # A file's record that nothing is known of is found by its question, the detail.
            for name in {row["candidate"], row["detail"]} & names:
                found[row["relation"], name].append((row["reason"], row["detail"]))
        return found

    def _is_reached(self, version: Version) -> bool:
        """Tell whether the build here, had it met what a row is about, would have looked at it."""
        build = self._builds[version.relation]
        if build.limit is None:
            return True
        last = self._last.get(version.relation)
        return bool(version.place and last and place(version.place, build.seed) <= last)

    @cached_property
    def _last(self) -> dict[str, tuple[str, ...]]:
        """The place of the last row of each relation, at which its build came to its limit."""
        last: dict[str, tuple[str, ...]] = {}
        for one in self.versions.values():
            if one.place:
                here = place(one.place, self._builds[one.relation].seed)
                last[one.relation] = max(here, last.get(one.relation, here))
        return last


def _why_otherwise(version: Version, own: Version, not_stated: Sequence[str]) -> Why | None:
    """Return why a row is another one in the build that has its ``own`` about the same."""
    if not_stated:
        return Why("not stated", "; ".join(not_stated))
    if version.told == own.told or version.stand_in is None:
        return None
    reason = "same replacement" if version.stand_in == own.stand_in else "not tried"
    return Why(reason, version.stand_in)


_Refused: TypeAlias = defaultdict[tuple[str, str], list[tuple[str, str]]]
"""By relation and candidate, the reasons and details for which it was left out, in their order."""


def _numbered(versions: Iterable[Version]) -> dict[Key, Version]:
    """Return rows by what they are about, those about the same numbered in their order."""
    met: Counter[tuple[str, str]] = Counter()
    found: dict[Key, Version] = {}
    for version in versions:
        about = version.relation, version.key
        found[*about, met[about]] = version
        met[about] += 1
    return found
