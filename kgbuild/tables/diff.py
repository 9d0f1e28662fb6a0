"""Compare two databases: rows that are gone, moved, reworded or new in the newer one, and why."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from kgbuild.errors import NotComparableError, NothingInCommonError, SameDatabaseError
from kgbuild.rows import TableSet
from kgbuild.tables.absences import Side, Why
from kgbuild.tables.database import Database
from kgbuild.tables.verifications import REASON
from kgbuild.tables.versions import Key, PastBuilds, Version, builds

UNTRUE = ("not stated", "holds", REASON)
"""The reasons for which a row is gone that say that it is untrue by the other build's store."""


@dataclass(frozen=True)
class Difference:
    """A row that the two builds do not have alike; ``older`` or ``newer`` is None if one lacks it.

    ``gone`` is why the newer build lacks the older row, ``new`` why the older one lacks the newer
    row; None if a row is only reworded. ``lost`` are the statements of the older row that are no
    longer stated, ``gained`` those of the newer one that were not yet.
    """

    relation: str
    about: str
    older: Version | None
    newer: Version | None
    gone: Why | None
    new: Why | None
    lost: Sequence[str] = ()
    gained: Sequence[str] = ()

    @property
    def change(self) -> str:
        """What became of the row: ``gone``, ``new``, ``moved`` or only ``reworded``."""
        if self.newer is None:
            return "gone"
        if self.older is None:
            return "new"
        return "moved" if self.moved or self.lost or self.gained else "reworded"

    @property
    def moved(self) -> list[str]:
        """The contents that differ; nothing of a row that only one build has."""
        if self.older is None or self.newer is None:
            return []
        newer = self.newer.contents
        return [name for name, value in self.older.contents.items() if newer[name] != value]

    @property
    def why(self) -> Why | None:
        """Why the newer build lacks the older row; of a new one, why the older build lacks it."""
        return self.new if self.older is None else self.gone

    @property
    def is_untrue(self) -> bool:
        """Whether the older row is untrue by the store of the newer build."""
        return bool(self.lost) or (self.gone is not None and self.gone.reason in UNTRUE)


@dataclass(frozen=True)
class Comparison:
    """The differences of a dataset; ``older`` and ``newer`` count its rows by relation."""

    relations: Sequence[str]
    older: Counter[str]
    newer: Counter[str]
    differences: Sequence[Difference]


def compare(older: Database, newer: Database, dataset: TableSet) -> Comparison:
    """Compare the rows that two databases have of a dataset, in the relations that both have.

    Raises:
        SameDatabaseError: the two are one file.
        NotComparableError: the dataset has no ``versions.sql``.
        NoBuildsError, NothingInCommonError: there is nothing to compare.
        NoDatasetsError, DatabaseBusyError, DamagedDatabaseError: one of them cannot be read.
    """
    if not is_comparable(dataset):
        raise NotComparableError(dataset.name)
    before, after = builds(older), builds(newer)
    require_common(before, after, [dataset])
    relations = shared(before, after, dataset)
    with older.reading() as select, newer.reading() as select_newer:
        one = Side(select, dataset, before.of(dataset), relations)
        other = Side(select_newer, dataset, after.of(dataset), relations)
        lost, gained = other.not_stated(one), one.not_stated(other)
        pairs = _differing(one.versions, other.versions, {*lost, *gained})
        gone = other.why_without({key: old for key, (old, _) in pairs.items() if old}, lost)
        new = one.why_without({key: new for key, (_, new) in pairs.items() if new}, gained)
    order = {relation: number for number, relation in enumerate(relations)}
    return Comparison(
        relations,
        Counter(relation for relation, _, _ in one.versions),
        Counter(relation for relation, _, _ in other.versions),
        [
            Difference(
                *(key[0], key[1], *pairs[key], gone.get(key), new.get(key)),
                lost=lost.get(key, ()),
                gained=gained.get(key, ()),
            )
            for key in sorted(pairs, key=lambda key: (order[key[0]], *key[1:]))
        ],
    )


def require_common(older: PastBuilds, newer: PastBuilds, datasets: Iterable[TableSet]) -> None:
    """Raise an error unless two databases share a relation or file of one of the datasets.

    Raises:
        SameDatabaseError: the two are one file.
        NothingInCommonError: they share none.
    """
    if older.db.path.samefile(newer.db.path):
        raise SameDatabaseError(older.db.path)
    datasets = list(datasets)
    if not any(shared(older, newer, dataset) for dataset in datasets):
        raise NothingInCommonError(
            older.db.path, newer.db.path, _names(older, datasets), _names(newer, datasets)
        )


def _names(past: PastBuilds, datasets: Iterable[TableSet]) -> list[str]:
    return [
        f"{dataset.name.replace('_', '-')} ({', '.join(past.of(dataset))})"
        for dataset in datasets
        if past.of(dataset)
    ]


def is_comparable(dataset: TableSet) -> bool:
    """Return whether builds of a dataset can be compared: it has a ``versions.sql``."""
    return bool(dataset.text("versions.sql"))


def shared(older: PastBuilds, newer: PastBuilds, dataset: TableSet) -> list[str]:
    """Return the relations or files of which both have a build, in the newer one's order."""
    return [name for name in newer.of(dataset) if name in older.of(dataset)]


def _differing(
    older: Mapping[Key, Version], newer: Mapping[Key, Version], unlike: Collection[Key]
) -> dict[Key, tuple[Version | None, Version | None]]:
    """Return the rows that differ or are ``unlike`` for another reason, by what they are about."""
    pairs = {key: (older.get(key), newer.get(key)) for key in {**older, **newer}}
    return {
        key: (one, other)
        for key, (one, other) in pairs.items()
        if one is None
        or other is None
        or key in unlike
        or (one.id, one.contents) != (other.id, other.contents)
    }
