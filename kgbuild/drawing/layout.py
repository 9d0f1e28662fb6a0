"""The layout of a drawing: a tree from an item over its properties to their values, in pixels.

Text is never turned, so it is set in columns at both sides of the item, which bend around it as
rings do.
"""

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple
from unicodedata import east_asian_width
from urllib.parse import quote

from kgbuild.graph.subgraph import Edge, Subgraph
from kgbuild.wikidata import Value

if TYPE_CHECKING:
    import networkx as nx

MOST = 12
"""How many values of a property are drawn, if it has more than one more; the table has all."""

_WIKIDATA = "https://www.wikidata.org/wiki/"
_PAGES = {"item": _WIKIDATA, "property": f"{_WIKIDATA}Property:"}
STYLES = {"time": "data", "quantity": "data", "point": "data", "string": "text", "link": "text"}

# In pixels: a row, the room between two groups, for a line between them, and between a property
# and its values; the most that the text of the item, of a property and of a value takes.
_ROW, _GAP, _LANE, _FAN = 22, 12, 10, 56
_ITEM, _PROPERTY, _VALUE = 260, 210, 260
_ROWS = 56  # in a column, about; more rows make a second and a third column at each side

Point = tuple[float, float]
Ways = dict["Node", list[Point]]


@dataclass(frozen=True, eq=False)
class Node:
    """What is drawn: the item, a property (its style is out or in), a value or "+ 3 more"."""

    style: str
    text: str
    title: str
    href: str | None

    @property
    def width(self) -> float:
        """The estimated width of the text in pixels."""
        return _width(self.text)


class Frame(NamedTuple):
    """The measures of a drawing around (0, 0)."""

    start: float
    bulge: float
    property: float
    column: float
    half: float

    def x(self, column: int, y: float) -> float:
        """Return where the properties of a column end, at a height: farthest in the middle."""
        bulge = self.bulge * (1 - (y / self.half) ** 2)
        return self.start + bulge + column * self.column + self.property


def tree_of(subgraph: Subgraph, groups: Sequence[Sequence[Edge]]) -> "nx.DiGraph[Node]":
    """Return the tree of what is drawn; the item comes first. A group has one property."""
    import networkx as nx

    tree: nx.DiGraph[Node] = nx.DiGraph()
    title = f"{subgraph.label} ({subgraph.qid})\n{subgraph.description}"
    href = href_of(Value("item", subgraph.qid))
    item = Node("middle", _short(subgraph.label, _ITEM), title, href)
    tree.add_node(item)
    for number, group in enumerate(groups):
        branch = _branch(group)
        tree.add_edge(item, branch)
        tree.add_edges_from((branch, leaf) for leaf in _leaves(number, group, subgraph.label))
    return tree


def _branch(group: Sequence[Edge]) -> Node:
    direction, pid, label = group[0][:3]
    count = f" · {len(group):,}" if len(group) > 1 else ""
    text = _short(label, _PROPERTY - _width(count)) + count
    return Node(direction, text, f"{label} ({pid}){count}", href_of(Value("property", pid)))


def _leaves(number: int, group: Sequence[Edge], label: str) -> Iterator[Node]:
    shown = group if len(group) <= MOST + 1 else group[:MOST]
    for edge in shown:
        style = STYLES.get(edge.value.kind, edge.value.kind)
        yield Node(style, _short(edge.label, _VALUE), _sentence(edge, label), href_of(edge.value))
    if len(group) > len(shown):
        more = f"+ {len(group) - len(shown):,} more"
        yield Node("more", more, "All are in the table.", f"#group-{number}")


def _sentence(edge: Edge, label: str) -> str:
    value = edge.label if edge.label == edge.value.text else f"{edge.label} ({edge.value.text})"
    subject, value = (label, value) if edge.direction == "out" else (value, label)
    # A label that runs from right to left must not turn the others, so each is isolated.
    return " → ".join(f"\u2068{text}\u2069" for text in (subject, edge.property_label, value))


def href_of(value: Value) -> str | None:
    """Return the address of an item's or a property's page, None for other values."""
    page = _PAGES.get(value.kind)
    return None if page is None else page + quote(value.text, safe="")


def ways_to(tree: "nx.DiGraph[Node]", item: Node) -> Ways:
    """Return the points that the line to each node passes, around (0, 0); the last is its own."""
    levels = _levels(tree, item)
    frame = _frame(tree, item, levels)
    ways: Ways = {}
    for group, (side, level) in zip(tree[item], levels, strict=True):
        ways[group] = [(side * x, y) for x, y in _spoke(group, frame, level)]
        for leaf, twig in zip(tree[group], _twigs(frame, level, len(tree[group])), strict=True):
            ways[leaf] = [(side * x, y) for x, y in twig]
    return ways


def _levels(tree: "nx.DiGraph[Node]", item: Node) -> list[tuple[int, list[float]]]:
    """Set the properties clockwise, half of them at the right: their side (1, -1), their heights.

    The heights are those of the line to a property, column by column; the last is its own.
    """
    rows = [len(tree[group]) for group in tree[item]]
    heights = [_ROW * count + _GAP for count in rows]
    sums = list(itertools.accumulate(heights, initial=0))
    half = min(range(len(sums)), key=lambda n: abs(2 * sums[n] - sums[-1] - 1))
    columns = min(3, math.ceil(sum(rows) / (2 * _ROWS)))
    right, left = _pack(heights[:half], columns), _pack(heights[half:][::-1], columns)
    return [(1, level) for level in right] + [(-1, level) for level in left[::-1]]


def _pack(heights: Sequence[float], columns: int) -> list[list[float]]:
    # A group goes to the column that is filled least; its line takes a lane in those before.
    ends = [0.0] * columns
    packed = []
    for height in heights:
        column = ends.index(min(ends))
        steps = [_LANE] * column + [height]
        packed.append([end + step / 2 for end, step in zip(ends, steps, strict=False)])
        ends[: column + 1] = [end + step for end, step in zip(ends, steps, strict=False)]
    return [[y - end / 2 for y, end in zip(ys, ends, strict=False)] for ys in packed]


def _frame(
    tree: "nx.DiGraph[Node]", item: Node, levels: Sequence[tuple[int, Sequence[float]]]
) -> Frame:
    branch = max((group.width for group in tree[item]), default=0) + 26
    value = max((leaf.width for group in tree[item] for leaf in tree[group]), default=0)
    half = max((abs(y) for _, level in levels for y in level), default=0) + _ROW * MOST / 2
    bulge = min(half * 0.3, 150)
    start = max(70, item.width * 0.65 + 90 - bulge)
    return Frame(start, bulge, branch, branch + _FAN + value + 80, half)


def _spoke(group: Node, frame: Frame, level: Sequence[float]) -> Iterator[Point]:
    yield 0, 0
    for column, y in enumerate(level[:-1]):
        yield frame.x(column, y) - frame.property, y
        yield frame.x(column, y) + frame.column - frame.property - 70, y
    end = frame.x(len(level) - 1, level[-1])
    yield end - group.width - 20, level[-1]
    yield end, level[-1]


def _twigs(frame: Frame, level: Sequence[float], count: int) -> Iterator[list[Point]]:
    column, middle = len(level) - 1, level[-1]
    end = frame.x(column, middle)
    for n in range(count):
        y = middle + (n - (count - 1) / 2) * _ROW
        # Half of the bulge, for a fan that stays one even at the top and the bottom.
        yield [(end, middle), ((end + frame.x(column, y)) / 2 + _FAN, y)]


def _short(text: str, most: float) -> str:
    """Return a text that takes no more than some pixels, cut if need be."""
    if _width(text) <= most:
        return text
    ends = itertools.accumulate(_width(char) for char in f"…{text}")
    return text[: sum(end <= most for end in ends) - 1].rstrip() + "…"


def _width(text: str) -> float:
    """Estimate the width of a text in pixels, rather too wide than too narrow."""
    return sum(map(_char_width, text))


def _char_width(char: str) -> float:
    if east_asian_width(char) in "WF" or char in "MWmw%@—…":
        return 14
    return 10 if char.isupper() else 5 if char in " .,:;'!|()[]ijlt·" else 8.3
