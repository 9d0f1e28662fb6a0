"""Compare the rows of two databases: which rows are gone, moved, reworded or new, and why."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from kgbuild.errors import KgbuildError, WrongCallError
from kgbuild.rows import DatasetTables
from kgbuild.tables.absences import AbsenceReason, Side
from kgbuild.tables.database import Database
from kgbuild.tables.records import VERIFIED
from kgbuild.tables.versions import Key, PastBuilds, Version, builds

UNTRUE = ("not stated", "holds", VERIFIED)
"""The reasons that mean that a row is untrue in the store of the other build."""


@dataclass(frozen=True)
class Difference:
    """A row that differs between two builds; ``older`` or ``newer`` is None if that build lacks it.

    ``about`` is the key of the row. ``gone_reason`` is why the newer build lacks the older row,
    ``new_reason`` why the older build lacks the newer row; both are None if the row is only
    reworded. ``lost`` has the statements of the older row that only the older store has; ``gained``
    has the statements of the newer row that only the newer store has.
    """

    relation: str
    about: str
    older: Version | None
    newer: Version | None
    gone_reason: AbsenceReason | None
    new_reason: AbsenceReason | None
    lost: Sequence[str] = ()
    gained: Sequence[str] = ()

    @property
    def change(self) -> str:
        """The kind of difference: ``gone``, ``new``, ``moved`` or only ``reworded``."""
        if self.newer is None:
            return "gone"
        if self.older is None:
            return "new"
        return "moved" if self.moved_contents or self.lost or self.gained else "reworded"

    @property
    def moved_contents(self) -> list[str]:
        """The names of the contents that differ; [] if only one build has the row."""
        if self.older is None or self.newer is None:
            return []
        newer = self.newer.contents
        return [name for name, value in self.older.contents.items() if newer[name] != value]

    @property
    def reason(self) -> AbsenceReason | None:
        """Why the newer build lacks the older row, or why the older build lacks a new row."""
        return self.new_reason if self.older is None else self.gone_reason

    @property
    def is_untrue(self) -> bool:
        """Whether the older row is untrue in the store of the newer build."""
        return bool(self.lost) or (
            self.gone_reason is not None and self.gone_reason.reason in UNTRUE
        )


@dataclass(frozen=True)
class TableComparison:
    """The differences of a dataset; ``older`` and ``newer`` are its numbers of rows by relation."""

    relations: Sequence[str]
    older: Counter[str]
    newer: Counter[str]
    differences: Sequence[Difference]


def compare(older: Database, newer: Database, dataset: DatasetTables) -> TableComparison:
    """Compare the rows that two databases have of a dataset, in the relations that both have.

    Raises:
        WrongCallError: both are the same file.
        KgbuildError: the dataset has no ``versions.sql``, or there is nothing to compare.
        NoDatasetsError, DatabaseBusyError, DamagedDatabaseError: one of them cannot be read.
    """
    if not is_comparable(dataset):
        raise KgbuildError(
            f"Builds of {dataset.name} cannot be compared: the dataset has no versions.sql."
        )
    before, after = builds(older), builds(newer)
    require_common(before, after, [dataset])
    return compare_builds(before, after, dataset)


def compare_builds(older: PastBuilds, newer: PastBuilds, dataset: DatasetTables) -> TableComparison:
    """Compare what two databases have of a dataset: see ``compare``, which checks that first."""
    relations = shared_relations(older, newer, dataset)
    with older.db.reading() as select, newer.db.reading() as select_newer:
        old_side = Side(select, dataset, older.of(dataset), relations)
        new_side = Side(select_newer, dataset, newer.of(dataset), relations)
        lost = new_side.missing_statements(old_side)
        gained = old_side.missing_statements(new_side)
        pairs = _differing(old_side.versions, new_side.versions, {*lost, *gained})
        old_rows = {key: old_row for key, (old_row, _) in pairs.items() if old_row}
        new_rows = {key: new_row for key, (_, new_row) in pairs.items() if new_row}
        gone = new_side.explain_missing(old_rows, lost)
        new = old_side.explain_missing(new_rows, gained)
    order = {relation: number for number, relation in enumerate(relations)}
    return TableComparison(
        relations,
        Counter(relation for relation, *_ in old_side.versions),
        Counter(relation for relation, *_ in new_side.versions),
        [
            Difference(
                *(key[0], key[1], *pairs[key], gone.get(key), new.get(key)),
                lost=lost.get(key, ()),
                gained=gained.get(key, ()),
            )
            for key in sorted(pairs, key=lambda key: (order[key[0]], *key[1:]))
        ],
    )


def require_common(older: PastBuilds, newer: PastBuilds, datasets: Iterable[DatasetTables]) -> None:
    """Check that two databases share a relation or file of one of the datasets.

    Raises:
        WrongCallError: both are the same file; they do not share any.
    """
    if older.db.path.samefile(newer.db.path):
        raise WrongCallError(
            f"{older.db.path} is named twice: name two databases, the older one first."
        )
    datasets = list(datasets)
    if not any(shared_relations(older, newer, dataset) for dataset in datasets):
        raise WrongCallError(
            f"{older.db.path} and {newer.db.path} have no relation or file of a dataset in common. "
            f"The first has {_describe(older, datasets)}; the second {_describe(newer, datasets)}."
        )


def _describe(past: PastBuilds, datasets: Iterable[DatasetTables]) -> str:
    names = (
        f"{dataset.name.replace('_', '-')} ({', '.join(past.of(dataset))})"
        for dataset in datasets
        if past.of(dataset)
    )
    return "; ".join(names) or "none"


def is_comparable(dataset: DatasetTables) -> bool:
    """Return whether builds of a dataset can be compared, which needs a ``versions.sql``."""
    return bool(dataset.text("versions.sql"))


def shared_relations(older: PastBuilds, newer: PastBuilds, dataset: DatasetTables) -> list[str]:
    """Return the relations or files that both have a build of, in the order of the newer."""
    return [name for name in newer.of(dataset) if name in older.of(dataset)]


def _differing(
    older: Mapping[Key, Version], newer: Mapping[Key, Version], changed: Collection[Key]
) -> dict[Key, tuple[Version | None, Version | None]]:
    """Return the (older, newer) rows that differ in id or contents, or that are ``changed``."""

    def state(version: Version | None) -> object:
        return version and (version.id, version.contents)

    return {
        key: (older.get(key), newer.get(key))
        for key in {**older, **newer}
        if key in changed or state(older.get(key)) != state(newer.get(key))
    }
