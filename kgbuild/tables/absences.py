"""Why a build lacks a row of another build: the rows of one side of a comparison, and reasons."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from kgbuild.rows import place
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
"""The reasons for which a build lacks a row, although it rejected no such candidate."""

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
    """Why a build has no such row: a reason of ``rejections`` or of ABSENCES, and its detail."""

    reason: str
    detail: str


class Side:
    """The rows that one of two databases has of a dataset, in the relations that both have."""

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
        self.versions = numbered(
            version
            for row in self._run("versions.sql")
            if (version := Version(**row)).relation in relations
        )

    def _run(self, name: str) -> list[dict[str, Any]]:
        """Return the rows of one of the dataset's queries."""
        text = self._dataset.text(name)
        return self._select(text, {}) if text else []

    def not_stated(self, other: "Side") -> dict[Key, list[str]]:
        """Return the statements of rows of the other side that are not stated here, if any."""
        missing = {key: self._missing(version) for key, version in other.versions.items()}
        return {
            key: statements
            for key, statements in missing.items()
            # In another file the answers may be others, whatever the store states.
            if statements and self._builds[key[0]].file == other._builds[key[0]].file
        }

    def _missing(self, version: Version) -> list[str]:
        return [
            one["statement"]
            for one in version.evidence
            if one["scope"] in self._stated and self._stated[one["scope"]].isdisjoint(one["forms"])
        ]

    @cached_property
    def _stated(self) -> dict[str, set[str]]:
        """All that the store stated within each scope."""
        return {row["scope"]: {*row["forms"]} for row in self._run("statements.sql")}

    def why_without(
        self, versions: Mapping[Key, Version], not_stated: Mapping[Key, Sequence[str]]
    ) -> dict[Key, Why]:
        """Return why rows of the other side are not here, where there is a reason.

        ``not_stated`` are their statements that are not stated here.
        """
        rejections = self._rejections(versions.values())
        reasons = {
            key: self._why(key, version, rejections, not_stated.get(key, ()))
            for key, version in versions.items()
        }
        return {key: why for key, why in reasons.items() if why}

    def _why(
        self, key: Key, version: Version, rejections: "_Rejections", not_stated: Sequence[str]
    ) -> Why | None:
        if why := _why_no_replacement(version, rejections):
            return why
        if key in self.versions:
            return _why_different(version, self.versions[key], not_stated)
        # The last rejection of a candidate is the verdict on it.
        for reason, detail in reversed(rejections[version.relation, version.key]):
            if not _OF_ANOTHER.match(detail):
                return Why(reason, detail)
        if not self._is_reached(version):
            return Why("not reached", f"limit {self._builds[version.relation].limit:,}")
        return Why("not stated", version.key) if version.is_stated else Why("not read", "")

    def _rejections(self, versions: Iterable[Version]) -> "_Rejections":
        """Return the rejections here of the candidates that became rows of the other side."""
        names = {name for one in versions for name in (one.key, one.replacement) if name}
        rejections: _Rejections = defaultdict(list)
        values = {"dataset": self._dataset.name, "candidates": sorted(names)}
        for row in self._select(_REJECTIONS, values) if names else ():
            # A record of a file without an item is named by its question, the detail.
            for name in {row["candidate"], row["detail"]} & names:
                rejections[row["relation"], name].append((row["reason"], row["detail"]))
        return rejections

    def _is_reached(self, version: Version) -> bool:
        """Tell whether the build here would have tried what a row is about before its limit."""
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


_Rejections: TypeAlias = defaultdict[tuple[str, str], list[tuple[str, str]]]
"""By relation and candidate, the reasons and details of its rejections, in their order."""


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
    """Return why a row differs from the build's ``own`` row about the same."""
    if not_stated:
        return Why("not stated", "; ".join(not_stated))
    if version.contents == own.contents or version.replacement is None:
        return None
    is_same = version.replacement == own.replacement
    return Why("same replacement" if is_same else "not tried", version.replacement)
