"""Lay out the drawing of a subgraph: lines lead from an item over properties to their values.

The item is at (0, 0). Properties and values stand in up to three columns at each side of the item;
the columns bend around it like rings. A group is a property with its values. All measures are in
pixels.
"""

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeAlias

from kgbuild.drawing.nodes import MAX_VALUES, Node, NodeGroup

_ROW, _GAP, _LANE = 22, 12, 10
"""Heights of a row, which is a value; of the gap between two groups; of a line between groups."""
_FAN = 56
"""Horizontal distance from a property to its values, where lines spread like a fan."""
_MAX_ROWS = 56
"""Approximate maximum number of rows in a column; more rows make further columns."""

Point: TypeAlias = tuple[float, float]
Paths: TypeAlias = dict[Node, list[Point]]
"""The points of the line to each node; the last point is the position of the node."""


class Measures(NamedTuple):
    """The measures of the columns at one side of a drawing.

    ``start`` is the distance of the first column from the item, ``bulge`` the further distance at
    half of the height. ``property`` is the width of properties, ``column`` of a whole column.
    ``half`` is half of the height.
    """

    start: float
    bulge: float
    property: float
    column: float
    half: float

    def x(self, column: int, y: float) -> float:
        """Return the right end of the properties in a column at the height ``y``."""
        bulge = self.bulge * (1 - (y / self.half) ** 2)
        return self.start + bulge + column * self.column + self.property


def paths_to(item: Node, groups: Sequence[NodeGroup]) -> Paths:
    """Return the points of the line to each node."""
    levels = _levels(groups)
    measures = _measures(item, groups, levels)
    paths: Paths = {}
    for group, (side, level) in zip(groups, levels, strict=True):
        paths[group.branch] = [
            (side * x, y) for x, y in _branch_path(group.branch, measures, level)
        ]
        leaf_paths = _leaf_paths(measures, level, len(group.leaves))
        for leaf, path in zip(group.leaves, leaf_paths, strict=True):
            paths[leaf] = [(side * x, y) for x, y in path]
    return paths


def _levels(groups: Sequence[NodeGroup]) -> list[tuple[int, list[float]]]:
    """Return the side (1: right, -1: left) and the level of each group, clockwise.

    A level has the height (y) of the line to the property in each column that the line crosses;
    the last number is the height of the property itself.
    """
    rows = [len(group.leaves) for group in groups]
    heights = [_ROW * count + _GAP for count in rows]
    sums = list(itertools.accumulate(heights, initial=0))
    # The first half of the groups goes to the right, so both sides have about the same height.
    half = min(range(len(sums)), key=lambda n: abs(2 * sums[n] - sums[-1] - 1))
    columns = min(3, math.ceil(sum(rows) / (2 * _MAX_ROWS)))
    right, left = _pack(heights[:half], columns), _pack(heights[half:][::-1], columns)
    return [(1, level) for level in right] + [(-1, level) for level in left[::-1]]


def _pack(heights: Sequence[float], columns: int) -> list[list[float]]:
    """Return the levels of groups, each in the shortest column, centred around 0.

    The line to a group takes a lane in the columns before its own.
    """
    ends = [0.0] * columns  # the lower end of each column
    levels = []
    for height in heights:
        column = ends.index(min(ends))
        steps = [_LANE] * column + [height]
        levels.append([end + step / 2 for end, step in zip(ends, steps, strict=False)])
        ends[: column + 1] = [end + step for end, step in zip(ends, steps, strict=False)]
    return [[y - end / 2 for y, end in zip(level, ends, strict=False)] for level in levels]


def _measures(
    item: Node, groups: Sequence[NodeGroup], levels: Sequence[tuple[int, Sequence[float]]]
) -> Measures:
    branch_width = max((group.branch.width for group in groups), default=0) + 26
    leaf_width = max((leaf.width for group in groups for leaf in group.leaves), default=0)
    half = max((abs(y) for _, level in levels for y in level), default=0) + _ROW * MAX_VALUES / 2
    bulge = min(half * 0.3, 150)
    start = max(70, item.width * 0.65 + 90 - bulge)
    return Measures(start, bulge, branch_width, branch_width + _FAN + leaf_width + 80, half)


def _branch_path(branch: Node, measures: Measures, level: Sequence[float]) -> Iterator[Point]:
    """Yield the points of the line from the item to a property, through the columns before it."""
    yield 0, 0
    for column, y in enumerate(level[:-1]):
        yield measures.x(column, y) - measures.property, y
        yield measures.x(column, y) + measures.column - measures.property - 70, y
    end = measures.x(len(level) - 1, level[-1])
    yield end - branch.width - 20, level[-1]
    yield end, level[-1]


def _leaf_paths(measures: Measures, level: Sequence[float], count: int) -> Iterator[list[Point]]:
    """Yield the points of the line from a property to each of its values."""
    column, middle = len(level) - 1, level[-1]
    end = measures.x(column, middle)
    for n in range(count):
        y = middle + (n - (count - 1) / 2) * _ROW
        # Half of the bulge keeps the shape of the fan at the top and the bottom.
        yield [(end, middle), ((end + measures.x(column, y)) / 2 + _FAN, y)]
