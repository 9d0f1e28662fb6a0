"""Find the earlier predictions that new ones do not replace."""

from collections.abc import Sequence
from typing import TypeAlias

from kgbuild.tables.records import Prediction

CONDITION = "dataset, model, protocol, removed, accuracy"
"""The columns of the condition under which an item was asked."""
_Key: TypeAlias = tuple[object, ...]


def of_other_items(earlier: Sequence[Prediction], new: Sequence[Prediction]) -> list[Prediction]:
    """Return the earlier predictions of the same runs as new ones, to items that those lack.

    An earlier prediction is of the same run if its condition was asked again, and no item that both
    have was asked by another prompt or with other parameters.
    """
    ways = {_item(row): _way(row) for row in new}
    shared = [row for row in earlier if _item(row) in ways]
    changed = {_condition(row) for row in shared if ways[_item(row)] != _way(row)}
    same = {_condition(row) for row in shared} - changed
    return [row for row in earlier if _condition(row) in same and _item(row) not in ways]


def _condition(row: Prediction) -> _Key:
    return tuple(getattr(row, column) for column in CONDITION.split(", "))


def _item(row: Prediction) -> _Key:
    return (*_condition(row), row.item_id, row.false_assumption, row.sample)


def _way(row: Prediction) -> _Key:
    return row.prompt_hash, row.parameters
