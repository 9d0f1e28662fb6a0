"""Find what a new build, or new predictions, leave of earlier ones in the database."""

from collections.abc import Sequence
from typing import TypeAlias

from kgbuild.rows import Build, Built
from kgbuild.tables.records import Prediction, Scored
from kgbuild.tables.reviews import Select

CONDITION = "dataset, model, protocol, removed, accuracy"
"""The columns of the condition under which an item was asked."""
_Key: TypeAlias = tuple[object, ...]
_PARTS = "SELECT relation FROM builds WHERE dataset = $dataset"
_FILES = """
    SELECT relation, file.sha256 AS sha256
    FROM (SELECT relation, unnest(dump) AS file FROM builds WHERE dataset = $dataset)
    WHERE file."name" = relation
"""


def of_other_items(
    earlier: Sequence[Prediction], new: Sequence[Prediction]
) -> tuple[list[Prediction], int]:
    """Return the earlier predictions of the same runs as new ones, to items that those lack.

    An earlier prediction is of the same run if its condition was asked again, and no item that both
    have was asked by another prompt or with other parameters. Also returns the number of
    predictions of other runs under the conditions of new ones, which these replace.
    """
    ways = {_item(row): _way(row) for row in new}
    shared = [row for row in earlier if _item(row) in ways]
    changed = {_condition(row) for row in shared if ways[_item(row)] != _way(row)}
    same = {_condition(row) for row in shared} - changed
    kept = [row for row in earlier if _condition(row) in same and _item(row) not in ways]
    conditions = {_condition(row) for row in new} - same
    return kept, sum(_condition(row) in conditions for row in earlier)


def scores_of_others(
    scores: Sequence[Scored], earlier: Sequence[Prediction], now: Sequence[Prediction]
) -> list[Scored]:
    """Return the scores without those of conditions of ``now`` whose answers were others."""
    asked = {_condition(row) for row in now}
    before = [row for row in earlier if _condition(row) in asked]
    texts, new_texts = (
        {(_condition(row), _item(row), row.text) for row in rows} for rows in (before, now)
    )
    changed = {condition for condition, _, _ in texts ^ new_texts}
    return [score for score in scores if _condition(score) not in changed]


def _condition(row: Prediction | Scored) -> _Key:
    return tuple(getattr(row, column) for column in CONDITION.split(", "))


def _item(row: Prediction) -> _Key:
    return (*_condition(row), row.item_id, row.false_assumption, row.sample)


def _way(row: Prediction) -> _Key:
    return row.prompt_hash, row.parameters


def unbuilt(select: Select, build: Build) -> list[Built]:
    """Return the parts of a build that have rejections, and no build in the database."""
    built = {row["relation"] for row in select(_PARTS, {"dataset": build.dataset.name})}
    return [part for part in build.parts if part.rejections and part.relation not in built]


def other_files(select: Select, build: Build) -> list[str]:
    """Return the parts of a build that replace rows of another file with the same name.

    Other files have another content; they may be older versions of the same file.
    """
    new = {file["name"]: file["sha256"] for file in build.provenance.files}
    rows = select(_FILES, {"dataset": build.dataset.name})
    old = {row["relation"]: row["sha256"] for row in rows}
    names = [part.relation for part in build.file_parts]
    return [name for name in names if old.get(name, new[name]) != new[name]]
