"""Find the reasons why a build lacks rows of another build."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from kgbuild.rows import shuffle_key
from kgbuild.tables.reviews import Select
from kgbuild.tables.versions import Key, PastBuild, Version, numbered

if TYPE_CHECKING:
    from kgbuild.datasets.base import AnyDataset

ABSENCES = {
    "not stated": "a statement that the row rests on is not in the {build} store",
    "not read": "the {build} build read no such record, or could not tell what it asks about",
    "not reached": "the {build} build came to its limit before",
    "not tried": "the {build} build took a more similar item before it came to that replacement",
    "same replacement": "the {build} build names it otherwise, or knows more or less against it",
}
"""The reasons why a build lacks a row although it rejected no such candidate."""

_REJECTIONS = """
    SELECT relation, candidate, reason, detail
    FROM rejections
    WHERE dataset = $dataset AND (
        candidate IN (SELECT unnest($candidates)) OR detail IN (SELECT unnest($candidates))
    )
    ORDER BY rowid
"""
_OF_ANOTHER = re.compile(r"(?:for|of) Q\d+")
"""The beginning of a detail about a part of another row, or about a replacement."""


class Why(NamedTuple):
    """Why a build lacks a row: a reason of ``rejections`` or of ABSENCES, and its detail."""

    reason: str
    detail: str


_Rejections: TypeAlias = defaultdict[tuple[str, str], list[tuple[str, str]]]
"""The reasons and details of rejections, in their order, by relation and candidate."""


class Side:
    """One of two databases: its rows of a dataset, in the relations that both have."""

    def __init__(
        self,
        select: Select,
        dataset: "AnyDataset",
        builds: Mapping[str, PastBuild],
        relations: Sequence[str],
    ):
        self._select = select
        self._dataset = dataset
        self._builds = builds
        versions = (Version(**row) for row in self._run("versions.sql"))
        self.versions = numbered(row for row in versions if row.relation in relations)

    def _run(self, name: str) -> list[dict[str, Any]]:
        """Return the rows of one of the dataset's queries."""
        text = self._dataset.text(name)
        return self._select(text, {}) if text else []

    def not_stated(self, other: "Side") -> dict[Key, list[str]]:
        """Return the statements of the other side's rows that this store does not state, if any."""
        return {
            key: statements
            for key, version in other.versions.items()
            # Another file may have other answers, whatever the store states.
            if self._builds[key[0]].file == other._builds[key[0]].file
            and (statements := self._missing(version))
        }

    def _missing(self, version: Version) -> list[str]:
        return [
            fact["statement"]
            for fact in version.evidence
            if fact["scope"] in self._stated
            and self._stated[fact["scope"]].isdisjoint(fact["forms"])
        ]

    @cached_property
    def _stated(self) -> dict[str, set[str]]:
        """All that the store stated within each scope."""
        return {row["scope"]: {*row["forms"]} for row in self._run("statements.sql")}

    def why_without(
        self, versions: Mapping[Key, Version], not_stated: Mapping[Key, Sequence[str]]
    ) -> dict[Key, Why]:
        """Return why this side lacks rows of the other side, where there is a reason.

        ``not_stated`` has the statements of these rows that this store does not state.
        """
        rejections = self._rejections(versions.values())
        reasons = {
            key: self._why(key, version, rejections, not_stated.get(key, ()))
            for key, version in versions.items()
        }
        return {key: why for key, why in reasons.items() if why}

    def _why(
        self, key: Key, version: Version, rejections: _Rejections, not_stated: Sequence[str]
    ) -> Why | None:
        if why := _why_no_replacement(version, rejections):
            return why
        if key in self.versions:
            return _why_different(version, self.versions[key], not_stated)
        # The last rejection of a candidate decides about it.
        for reason, detail in reversed(rejections[version.relation, version.key]):
            if not _OF_ANOTHER.match(detail):
                return Why(reason, detail)
        if not self._is_reached(version):
            return Why("not reached", f"limit {self._builds[version.relation].limit:,}")
        return Why("not stated", version.key) if version.is_stated else Why("not read", "")

    def _rejections(self, versions: Iterable[Version]) -> _Rejections:
        """Return this side's rejections of the candidates that are rows of the other side."""
        names = {name for row in versions for name in (row.key, row.replacement) if name}
        rejections: _Rejections = defaultdict(list)
        values = {"dataset": self._dataset.name, "candidates": sorted(names)}
        for row in self._select(_REJECTIONS, values) if names else ():
            # The detail is the question, which names a record of a file without an item.
            for name in {row["candidate"], row["detail"]} & names:
                rejections[row["relation"], name].append((row["reason"], row["detail"]))
        return rejections

    def _is_reached(self, version: Version) -> bool:
        """Return whether this side's build tried the candidate of a row before its limit."""
        build = self._builds[version.relation]
        if build.limit is None:
            return True
        last = self._last.get(version.relation)
        return bool(version.place and last and shuffle_key(version.place, build.seed) <= last)

    @cached_property
    def _last(self) -> dict[str, tuple[str, ...]]:
        """The sort key of the last row of each relation, at which a limit ended the build."""
        last: dict[str, tuple[str, ...]] = {}
        for row in self.versions.values():
            if row.place:
                sort_key = shuffle_key(row.place, self._builds[row.relation].seed)
                last[row.relation] = max(sort_key, last.get(row.relation, sort_key))
        return last


def _why_no_replacement(version: Version, rejections: _Rejections) -> Why | None:
    """Return why the replacement of a row was rejected, if it was."""
    if version.replacement is None:
        return None
    for reason, detail in rejections[version.relation, version.replacement]:
        begin, _, rest = detail.partition("; ")
        if begin == f"for {version.replaced}":
            parts = dict.fromkeys(filter(None, (version.replacement, rest)))
            return Why(reason, "; ".join(parts))
    return None


def _why_different(version: Version, own: Version, not_stated: Sequence[str]) -> Why | None:
    """Return why a row differs from the build's ``own`` row with the same subject."""
    if not_stated:
        return Why("not stated", "; ".join(not_stated))
    if version.contents == own.contents or version.replacement is None:
        return None
    is_same = version.replacement == own.replacement
    return Why("same replacement" if is_same else "not tried", version.replacement)
