"""The layout of the drawing of a subgraph: lines from an item over properties to their values.

Text is horizontal, in columns at both sides of the item, which bend around it like rings. All
measures are in pixels, around (0, 0).
"""

import itertools
import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple, TypeAlias

from kgbuild.drawing.nodes import MOST, Group, Node

# The heights of a row, of the gap between two groups, and of a line between them; the width
# between a property and its values.
_ROW, _GAP, _LANE, _FAN = 22, 12, 10, 56
_ROWS = 56  # approximate maximum in a column; more rows make a second and a third column per side

Point: TypeAlias = tuple[float, float]
Paths: TypeAlias = dict[Node, list[Point]]


class Frame(NamedTuple):
    """The measures of a drawing."""

    start: float
    bulge: float
    property: float
    column: float
    half: float

    def x(self, column: int, y: float) -> float:
        """Return the end of the properties of a column at a height: farthest in the middle."""
        bulge = self.bulge * (1 - (y / self.half) ** 2)
        return self.start + bulge + column * self.column + self.property


def paths_to(item: Node, groups: Sequence[Group]) -> Paths:
    """Return the points of the line to each node; the last one is the node's."""
    levels = _levels(groups)
    frame = _frame(item, groups, levels)
    paths: Paths = {}
    for group, (side, level) in zip(groups, levels, strict=True):
        paths[group.branch] = [(side * x, y) for x, y in _branch_path(group.branch, frame, level)]
        twigs = _leaf_paths(frame, level, len(group.leaves))
        for leaf, twig in zip(group.leaves, twigs, strict=True):
            paths[leaf] = [(side * x, y) for x, y in twig]
    return paths


def _levels(groups: Sequence[Group]) -> list[tuple[int, list[float]]]:
    """Return the side (1 right, -1 left) and the heights of each property, clockwise.

    The heights are those of the line to the property, column by column; the last is its own.
    """
    rows = [len(group.leaves) for group in groups]
    heights = [_ROW * count + _GAP for count in rows]
    sums = list(itertools.accumulate(heights, initial=0))
    half = min(range(len(sums)), key=lambda n: abs(2 * sums[n] - sums[-1] - 1))
    columns = min(3, math.ceil(sum(rows) / (2 * _ROWS)))
    right, left = _pack(heights[:half], columns), _pack(heights[half:][::-1], columns)
    return [(1, level) for level in right] + [(-1, level) for level in left[::-1]]


def _pack(heights: Sequence[float], columns: int) -> list[list[float]]:
    # A group goes to the shortest column; its line takes a lane in the columns before.
    ends = [0.0] * columns
    packed = []
    for height in heights:
        column = ends.index(min(ends))
        steps = [_LANE] * column + [height]
        packed.append([end + step / 2 for end, step in zip(ends, steps, strict=False)])
        ends[: column + 1] = [end + step for end, step in zip(ends, steps, strict=False)]
    return [[y - end / 2 for y, end in zip(ys, ends, strict=False)] for ys in packed]


def _frame(
    item: Node, groups: Sequence[Group], levels: Sequence[tuple[int, Sequence[float]]]
) -> Frame:
    branch = max((group.branch.width for group in groups), default=0) + 26
    value = max((leaf.width for group in groups for leaf in group.leaves), default=0)
    half = max((abs(y) for _, level in levels for y in level), default=0) + _ROW * MOST / 2
    bulge = min(half * 0.3, 150)
    start = max(70, item.width * 0.65 + 90 - bulge)
    return Frame(start, bulge, branch, branch + _FAN + value + 80, half)


def _branch_path(branch: Node, frame: Frame, level: Sequence[float]) -> Iterator[Point]:
    yield 0, 0
    for column, y in enumerate(level[:-1]):
        yield frame.x(column, y) - frame.property, y
        yield frame.x(column, y) + frame.column - frame.property - 70, y
    end = frame.x(len(level) - 1, level[-1])
    yield end - branch.width - 20, level[-1]
    yield end, level[-1]


def _leaf_paths(frame: Frame, level: Sequence[float], count: int) -> Iterator[list[Point]]:
    column, middle = len(level) - 1, level[-1]
    end = frame.x(column, middle)
    for n in range(count):
        y = middle + (n - (count - 1) / 2) * _ROW
        # Half of the bulge keeps the shape of the fan at the top and the bottom.
        yield [(end, middle), ((end + frame.x(column, y)) / 2 + _FAN, y)]
