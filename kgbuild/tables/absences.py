"""Find the reasons why a build lacks rows of another build.

A build and its database are called a side; ``versions`` defines the rows of a dataset that are
compared. A side "states" a statement if the store of its build had it. ``{build}`` in messages is
older or newer.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any, NamedTuple, TypeAlias

from kgbuild.rows import DatasetTables, shuffle_key
from kgbuild.tables.reviews import Select
from kgbuild.tables.versions import Key, PastBuild, Version, numbered

ABSENCE_REASONS = {
    "not stated": "a statement that supports the row is not in the {build} store",
    "not read": "the {build} build read no such record, or did not understand its question",
    "not reached": "the {build} build reached its limit before this candidate",
    "not tried": "the {build} build took a more similar item before it tried this replacement",
    "same replacement": "the {build} build has the same replacement, with other names or evidence",
}
"""The reasons why a build lacks a row whose candidate it did not reject."""

_REJECTIONS = """
    SELECT relation, candidate, reason, detail
    FROM rejections
    WHERE dataset = $dataset AND (
        candidate IN (SELECT unnest($candidates)) OR detail IN (SELECT unnest($candidates))
    )
    ORDER BY rowid
"""
_ABOUT_OTHER_ROW = re.compile(r"(?:for|of) Q\d+")
"""The beginning of the detail of a rejection that is about a part of another row."""


class AbsenceReason(NamedTuple):
    """Why a build lacks a row: ``reason`` is in ``rejections`` or ABSENCE_REASONS."""

    reason: str
    detail: str


_Rejections: TypeAlias = defaultdict[tuple[str, str], list[tuple[str, str]]]
"""The (reason, detail) of rejections, in their order, by (relation, candidate)."""


class Side:
    """The rows of a dataset in one of two databases, in the relations that both databases have."""

    def __init__(
        self,
        select: Select,
        dataset: DatasetTables,
        builds: Mapping[str, PastBuild],
        relations: Sequence[str],
    ):
        self._select = select
        self._dataset = dataset
        self._builds = builds
        versions = (Version(**row) for row in self._run("versions.sql"))
        self.versions = numbered(row for row in versions if row.relation in relations)

    def _run(self, name: str) -> list[dict[str, Any]]:
        text = self._dataset.text(name)
        return self._select(text, {}) if text else []

    def missing_statements(self, other: "Side") -> dict[Key, list[str]]:
        """Return, for rows of the other side, their statements that this side does not state."""
        missing: dict[Key, list[str]] = {}
        for key, version in other.versions.items():
            relation = key[0]
            # Rows from another file may have other answers, whatever the store states.
            if self._builds[relation].file == other._builds[relation].file:
                missing[key] = [
                    statement["statement"]
                    for statement in version.evidence
                    if statement["scope"] in self._stated
                    and self._stated[statement["scope"]].isdisjoint(statement["forms"])
                ]
        return {key: statements for key, statements in missing.items() if statements}

    @cached_property
    def _stated(self) -> dict[str, set[str]]:
        """The forms of all statements of the store, by scope."""
        return {row["scope"]: {*row["forms"]} for row in self._run("statements.sql")}

    def explain_missing(
        self, versions: Mapping[Key, Version], missing_statements: Mapping[Key, Sequence[str]]
    ) -> dict[Key, AbsenceReason]:
        """Return the reasons why this side lacks rows of the other side.

        ``missing_statements`` has the statements of these rows that this side does not state. A row
        that this side has with the same contents has no reason.
        """
        rejections = self._rejections(versions.values())
        reasons = {
            key: self._explain(key, version, rejections, missing_statements.get(key, ()))
            for key, version in versions.items()
        }
        return {key: reason for key, reason in reasons.items() if reason}

    def _explain(
        self, key: Key, version: Version, rejections: _Rejections, missing_statements: Sequence[str]
    ) -> AbsenceReason | None:
        if reason := _explain_replacement(version, rejections):
            return reason
        if key in self.versions:
            return _explain_difference(version, self.versions[key], missing_statements)
        # The last rejection of a candidate decides about it.
        for rejection_reason, detail in reversed(rejections[version.relation, version.key]):
            if not _ABOUT_OTHER_ROW.match(detail):
                return AbsenceReason(rejection_reason, detail)
        if not self._is_reached(version):
            return AbsenceReason("not reached", f"limit {self._builds[version.relation].limit:,}")
        return (
            AbsenceReason("not stated", version.key)
            if version.is_stated
            else AbsenceReason("not read", "")
        )

    def _rejections(self, versions: Iterable[Version]) -> _Rejections:
        """Return this side's rejections of the candidates that are rows of the other side."""
        names = {name for row in versions for name in (row.key, row.replacement) if name}
        rejections: _Rejections = defaultdict(list)
        values = {"dataset": self._dataset.name, "candidates": sorted(names)}
        for row in self._select(_REJECTIONS, values) if names else ():
            # The candidate of a file's record without an item is the question, in the detail.
            for name in {row["candidate"], row["detail"]} & names:
                rejections[row["relation"], name].append((row["reason"], row["detail"]))
        return rejections

    def _is_reached(self, version: Version) -> bool:
        """Return whether this side's build tried the candidate of a row before its limit."""
        build = self._builds[version.relation]
        if build.limit is None:
            return True
        last = self._last.get((version.relation, version.series))
        return bool(version.place and last and shuffle_key(version.place, build.seed) <= last)

    @cached_property
    def _last(self) -> dict[tuple[str, str], tuple[str, ...]]:
        """The sort key of the last row of each relation and series, where a limit ended it."""
        last: dict[tuple[str, str], tuple[str, ...]] = {}
        for row in self.versions.values():
            if row.place:
                sort_key = shuffle_key(row.place, self._builds[row.relation].seed)
                series = row.relation, row.series
                last[series] = max(sort_key, last.get(series, sort_key))
        return last


def _explain_replacement(version: Version, rejections: _Rejections) -> AbsenceReason | None:
    """Return the reason why the replacement of a row was rejected, or None."""
    if version.replacement is None:
        return None
    for reason, detail in rejections[version.relation, version.replacement]:
        beginning, _, rest = detail.partition("; ")
        if beginning == f"for {version.replaced}":
            parts = dict.fromkeys(filter(None, (version.replacement, rest)))
            return AbsenceReason(reason, "; ".join(parts))
    return None


def _explain_difference(
    version: Version, own_version: Version, missing_statements: Sequence[str]
) -> AbsenceReason | None:
    """Return why a row differs from the row of this side with the same key, or None."""
    if missing_statements:
        return AbsenceReason("not stated", "; ".join(missing_statements))
    if version.contents == own_version.contents or version.replacement is None:
        return None
    is_same = version.replacement == own_version.replacement
    return AbsenceReason("same replacement" if is_same else "not tried", version.replacement)
